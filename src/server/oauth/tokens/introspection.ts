/** Token introspection (RFC 7662). */

import { confirmationOf } from "./confirmation.ts";
import { accessClaims, visibleAccess } from "../authorize/access.ts";
import type { Client } from "../clients/repository.ts";
import { isPermitted } from "../clients/standing.ts";
import { invalidClient } from "../clients/auth/method.ts";
import type { AuthenticatedRequest } from "../grants/authenticated_request.ts";
import { findInvalidReason, registeredScope } from "../grants/narrow_grant.ts";
import { canonicalUri } from "../resource_list.ts";
import { storageKey } from "../secrets.ts";
import { warn } from "../warn.ts";
import type { Server } from "../server.ts";
import { readAccessToken } from "./read_access_token.ts";
import type { AccessToken } from "./read_access_token.ts";
import { lifetimeMembers } from "./refresh_token.ts";
import { requireTokenParameter } from "./revocation.ts";
import { tokenType } from "./mod.ts";

/** @internal The response; only `active: false` for a token that the caller may not inspect (§2.2). */
export type Introspection = { readonly active: false } | { readonly active: true; readonly [claim: string]: unknown };

const inactiveToken: Introspection = { active: false };

/**
 * Whether a client may inspect an access token. Each client may inspect its own tokens. A client that is not unknown
 * may also inspect tokens for the default audience and for the resources that it serves.
 */
export function mayInspect(server: Server, client: Client, { audience, claims }: AccessToken): boolean {
  return claims.client_id === client.id || isPermitted(server, client, "inspectTokensOfOthers") &&
      audience.some((uri) => uri === server.audience || client.serves.includes(canonicalUri(uri)));
}

/** Warns about a valid token that the caller may not see: the response is that of an invalid one (RFC 7662 §2.2). */
function warnInvisible(server: Server, caller: Client, { audience }: AccessToken): void {
  const resources = audience.join(" ");
  const isTrusted = isPermitted(server, caller, "inspectTokensOfOthers");
  warn(server, caller.id, {
    rule: "IN-02",
    reason: isTrusted
      ? `the token is valid, but the response is active: false, because the client does not serve ${resources}`
      : "the token is valid, but the response is active: false, because the client registered itself",
    expected: isTrusted ? `serves with ${resources}` : "a client of the operator, whose serves has the resource",
    received: isTrusted ? `serves: ${caller.serves.join(" ") || "nothing"}` : `a client of unknown standing`,
    fix: `Add ${
      JSON.stringify(audience[0])
    } to serves of ${caller.id} in the configuration, or on the page of the client.`,
  });
}

/**
 * Describes a token to an authenticated client: one of its own tokens, or an access token that it may inspect.
 *
 * @throws {OAuthError} `invalid_client` for a public client, which cannot authenticate.
 */
export async function introspect(
  server: Server,
  { client: caller, parameters }: Pick<AuthenticatedRequest, "client" | "parameters">,
): Promise<Introspection> {
  if (!caller.confidential) {
    throw invalidClient(
      "introspection requires client authentication",
      "a confidential client",
      `${caller.id}, which is public`,
      {
        fix: `Use a client that authenticates, such as one of the API that received the token: ${caller.id} is public.`,
      },
    );
  }
  const token = requireTokenParameter(parameters, "IN-01");
  const accessToken = await readAccessToken(server, token);
  if (accessToken !== undefined) {
    if (!mayInspect(server, caller, accessToken)) {
      warnInvisible(server, caller, accessToken);
      return inactiveToken;
    }
    const { claims: accessTokenClaims } = accessToken;
    const type = tokenType(server, accessTokenClaims.cnf);
    const access = accessClaims(await visibleAccess(server, caller, accessTokenClaims));
    return { active: true, token_type: type, ...accessTokenClaims, ...access };
  }
  const refreshToken = await server.store.get("refresh_token", await storageKey(server, token));
  if (refreshToken === undefined || refreshToken.consumedAt !== undefined) return inactiveToken;
  const { grant, validUntil, endsAt, dpopJkt } = refreshToken.value;
  if (grant.clientId !== caller.id) return inactiveToken;
  const scope = registeredScope(caller, grant.scope);
  if (server.now() >= validUntil || await findInvalidReason(server, caller, refreshToken, scope) !== undefined) {
    return inactiveToken;
  }
  return {
    active: true,
    token_type: "refresh_token",
    iss: server.issuer,
    client_id: caller.id,
    sub: await server.subjectFor(server, caller, grant.subject.sub),
    scope: scope.join(" "),
    exp: Math.floor(validUntil / 1000),
    ...lifetimeMembers(server, endsAt, validUntil),
    ...dpopJkt !== undefined && { cnf: confirmationOf(dpopJkt) },
  };
}
