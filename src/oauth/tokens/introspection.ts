/** Token introspection (RFC 7662). */

import type { Client } from "../clients/repository.ts";
import { invalidClient } from "../clients/auth/method.ts";
import type { TokenRequest } from "../grants/token_request.ts";
import { findInvalidReason } from "../grants/revoke_grant.ts";
import { registeredScope } from "../grants/narrow_to_registered.ts";
import { canonicalUri } from "../config/resource_list.ts";
import { storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import { subjectFor } from "../users/subject.ts";
import { readAccessToken } from "./access_token.ts";
import type { AccessToken } from "./access_token.ts";
import { requireTokenParameter } from "./revocation.ts";

/** The response; only `active: false` for a token that the caller may not inspect (§2.2). */
type Introspection = { readonly active: false } | { readonly active: true; readonly [claim: string]: unknown };

const inactiveToken: Introspection = { active: false };

/** Whether a client may inspect an access token: its own, one for the default audience or for a resource that it serves. */
export function mayInspect(server: Server, { id, serves }: Client, { aud, client_id }: AccessToken["claims"]): boolean {
  return client_id === id ||
    [aud].flat().some((uri) => uri === server.audience || serves.includes(canonicalUri(uri)));
}

/**
 * Describes a token to an authenticated client: its own tokens, and access tokens for the server's default audience or
 * for a resource that the client serves.
 *
 * @throws {OAuthError} `invalid_client` for a public client, which cannot authenticate.
 */
export async function introspect(
  server: Server,
  { client: caller, parameters }: Pick<TokenRequest, "client" | "parameters">,
): Promise<Introspection> {
  if (!caller.confidential) throw invalidClient("introspection requires client authentication", "a secret", "none");
  const token = requireTokenParameter(parameters, "IN-01");
  const accessTokenClaims = (await readAccessToken(server, token))?.claims;
  if (accessTokenClaims !== undefined) {
    if (!mayInspect(server, caller, accessTokenClaims)) return inactiveToken;
    return { active: true, token_type: "Bearer", ...accessTokenClaims };
  }
  const refreshToken = await server.store.get("refresh_token", await storageKey(server, token));
  if (
    refreshToken === undefined || refreshToken.value.clientId !== caller.id || refreshToken.consumedAt !== undefined
  ) return inactiveToken;
  const { sub, validUntil } = refreshToken.value;
  const scope = registeredScope(caller, refreshToken.value.scope);
  if (server.now() >= validUntil || await findInvalidReason(server, caller, refreshToken, scope) !== undefined) {
    return inactiveToken;
  }
  return {
    active: true,
    token_type: "refresh_token",
    iss: server.issuer,
    client_id: caller.id,
    sub: await subjectFor(server, caller, sub),
    scope: scope.join(" "),
    exp: Math.floor(validUntil / 1000),
  };
}
