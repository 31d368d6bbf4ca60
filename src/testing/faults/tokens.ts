/** Token responses that say something else than what was issued (OAuth 2.1 §3.2.3, §4.3). */

import type { GrantType } from "../../oauth/grants/grant_type.ts";
import type { TokenIssuer } from "../../oauth/tokens/issuer.ts";
import { edited } from "./body.ts";
import type { Fault, FaultContext } from "./fault.ts";

/** Changes members of a token response. */
function overrideMembers(name: string, members: Readonly<Record<string, unknown>>): Fault {
  return { ...edited((body) => ({ ...body, ...members }), name), endpoints: ["token"] };
}

/**
 * Another `expires_in`; what the token itself says stays true. A number is a lie, a text such as `"3600"` a slip that
 * servers make, and `undefined` leaves it out.
 */
export function expiresIn(value: number | string | undefined): Fault {
  return overrideMembers(value === undefined ? "no expires_in" : `expires_in ${JSON.stringify(value)}`, {
    expires_in: value,
  });
}

/** Another `token_type`, by default the right one in odd letters, which a client must take (OAuth 2.1 §1.4.3). */
export function tokenType(type = "bEARER"): Fault {
  return overrideMembers(`token_type ${type}`, { token_type: type });
}

/** Wraps every issuer of tokens. */
function wrapIssuers(
  name: string,
  waitsFor: string,
  wrap: (issue: TokenIssuer, context: FaultContext) => TokenIssuer,
): Fault {
  return {
    name,
    endpoints: ["token"],
    waitsFor,
    extend: (server, context) => ({
      ...server,
      tokenIssuers: server.tokenIssuers.map((issue) => wrap(issue, context)),
    }),
  };
}

/** No refresh token, although the client may have one. At a refresh the old one is used up all the same. */
export function withoutRefreshToken(): Fault {
  return wrapIssuers("no refresh token", "was answered with a refresh token", (issue, context) => async (...issued) => {
    const { refresh_token, ...others } = await issue(...issued);
    return refresh_token !== undefined && !context.consume() ? { ...others, refresh_token } : others;
  });
}

/** The tokens are good for less than `scope` in the answer says: the last scope value asked for is missing in them. */
export function scopeOverstated(): Fault {
  return wrapIssuers("less scope than said", waitsForScope, (issue, context) => async (server, granted, ...others) => {
    const scope = withoutLastScope(granted.scope);
    if (scope === undefined || !context.consume()) return await issue(server, granted, ...others);
    const issued = await issue(server, { ...granted, scope }, ...others);
    return issued.scope === undefined ? issued : { ...issued, scope: granted.scope.join(" ") };
  });
}

/** The tokens are good for more than `scope` in the answer says: the last scope value asked for is missing there. */
export function scopeUnderstated(): Fault {
  return wrapIssuers("more scope than said", waitsForScope, (issue, context) => async (server, granted, ...others) => {
    const issued = await issue(server, granted, ...others);
    const scope = withoutLastScope(granted.scope);
    return issued.scope === undefined || scope === undefined || !context.consume()
      ? issued
      : { ...issued, scope: scope.join(" ") };
  });
}

const waitsForScope = "was granted a scope value to leave out, besides openid and offline_access";

/** Without its last value; what decides which tokens there are stays. `undefined` where nothing else is granted. */
function withoutLastScope(scope: readonly string[]): readonly string[] | undefined {
  const last = scope.findLastIndex((value) => value !== "openid" && value !== "offline_access");
  return last < 0 ? undefined : scope.toSpliced(last, 1);
}

/**
 * A public client's refresh token is not rotated: the answer has the one that was sent, and it goes on working. For a
 * confidential client that is no fault (OAuth 2.1 §4.3.1).
 */
export function refreshTokenNotRotated(): Fault {
  return {
    name: "refresh token not rotated",
    endpoints: ["token"],
    waitsFor: "was a refresh by a public client",
    extend: (server, context) => ({
      ...server,
      grantTypes: server.grantTypes.map((grant) => withoutRotation(grant, context)),
    }),
  };
}

/** The grant takes the client for one whose tokens are not rotated. */
function withoutRotation(grant: GrantType, context: FaultContext): GrantType {
  if (grant.type !== "refresh_token") return grant;
  return {
    ...grant,
    async authorize(server, client, params) {
      if (client.confidential || !context.consume()) return await grant.authorize(server, client, params);
      const refresh = { ...server.refresh, rotateConfidential: false };
      const granted = await grant.authorize({ ...server, refresh }, { ...client, confidential: true }, params);
      return { ...granted, client };
    },
  };
}
