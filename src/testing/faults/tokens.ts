/** Token responses that say something else than what was issued (OAuth 2.1 §3.2.3, §4.3). */

import type { Grant } from "../../oauth/grants/grant.ts";
import type { TokenIssuer } from "../../oauth/tokens/issuer.ts";
import { edited } from "./body.ts";
import type { Fault, FaultContext } from "./fault.ts";

/** Changes members of a token response. */
function saying(name: string, members: Readonly<Record<string, unknown>>): Fault {
  return { ...edited((body) => ({ ...body, ...members }), name), endpoints: ["token"] };
}

/**
 * Another `expires_in`; what the token itself says stays true. A number is a lie, a text such as `"3600"` a slip that
 * servers make, and `undefined` leaves it out.
 */
export function expiresIn(value: number | string | undefined): Fault {
  return saying(value === undefined ? "no expires_in" : `expires_in ${JSON.stringify(value)}`, { expires_in: value });
}

/** Another `token_type`, by default the right one in odd letters, which a client must take (OAuth 2.1 §1.4.3). */
export function tokenType(type = "bEARER"): Fault {
  return saying(`token_type ${type}`, { token_type: type });
}

/** Wraps every issuer of tokens. */
function issuing(name: string, needs: string, wrap: (issue: TokenIssuer, at: FaultContext) => TokenIssuer): Fault {
  return {
    name,
    endpoints: ["token"],
    needs,
    server: (server, at) => ({ ...server, issuers: server.issuers.map((issue) => wrap(issue, at)) }),
  };
}

/** No refresh token, although the client may have one. At a refresh the old one is used up all the same. */
export function withoutRefreshToken(): Fault {
  return issuing("no refresh token", "was answered with a refresh token", (issue, at) => async (...issued) => {
    const { refresh_token, ...others } = await issue(...issued);
    return refresh_token !== undefined && !at.take() ? { ...others, refresh_token } : others;
  });
}

/** The tokens are good for less than `scope` in the answer says: the last scope value asked for is missing in them. */
export function lessScopeThanSaid(): Fault {
  return issuing("less scope than said", scopeNeeded, (issue, at) => async (server, granted, ...others) => {
    const scope = lessened(granted.scope);
    if (scope === undefined || !at.take()) return await issue(server, granted, ...others);
    const issued = await issue(server, { ...granted, scope }, ...others);
    return issued.scope === undefined ? issued : { ...issued, scope: granted.scope.join(" ") };
  });
}

/** The tokens are good for more than `scope` in the answer says: the last scope value asked for is missing there. */
export function moreScopeThanSaid(): Fault {
  return issuing("more scope than said", scopeNeeded, (issue, at) => async (server, granted, ...others) => {
    const issued = await issue(server, granted, ...others);
    const scope = lessened(granted.scope);
    return issued.scope === undefined || scope === undefined || !at.take()
      ? issued
      : { ...issued, scope: scope.join(" ") };
  });
}

const scopeNeeded = "was granted a scope value to leave out, besides openid and offline_access";

/** Without its last value; what decides which tokens there are stays. `undefined` where nothing else is granted. */
function lessened(scope: readonly string[]): readonly string[] | undefined {
  const last = scope.findLastIndex((value) => value !== "openid" && value !== "offline_access");
  return last < 0 ? undefined : scope.toSpliced(last, 1);
}

/**
 * A public client's refresh token is not rotated: the answer has the one that was sent, and it goes on working. For a
 * confidential client that is no fault (OAuth 2.1 §4.3.1).
 */
export function sameRefreshToken(): Fault {
  return {
    name: "refresh token not rotated",
    endpoints: ["token"],
    needs: "was a refresh by a public client",
    server: (server, at) => ({ ...server, grants: server.grants.map((grant) => unrotated(grant, at)) }),
  };
}

/** The grant takes the client for one whose tokens are not rotated. */
function unrotated(grant: Grant, at: FaultContext): Grant {
  if (grant.type !== "refresh_token") return grant;
  return {
    ...grant,
    async authorize(server, client, params) {
      if (client.confidential || !at.take()) return await grant.authorize(server, client, params);
      const refresh = { ...server.refresh, rotateConfidential: false };
      const granted = await grant.authorize({ ...server, refresh }, { ...client, confidential: true }, params);
      return { ...granted, client };
    },
  };
}
