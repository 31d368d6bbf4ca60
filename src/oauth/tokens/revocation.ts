/** Revocation (RFC 7009): a client gives a token back. */

import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import { revokeGrant } from "../grants/revoke_grant.ts";
import type { Params } from "../params.ts";
import type { RejectionRuleId } from "../rules/mod.ts";
import { storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import { readAccessToken } from "./access_token.ts";

/** The token a request is about (RFC 7009 §2.1, RFC 7662 §2.1); its type is found by looking, hints are not needed. */
export function requireTokenParameter(params: Params, rule: RejectionRuleId): string {
  const token = params.get("token");
  if (token !== undefined) return token;
  throw new OAuthError("invalid_request", "token is missing", { rule, expected: "token", received: "no token" });
}

/**
 * Ends a token of this client: a refresh token with its whole family, an access token by itself. Whatever else the
 * token may be, nothing happens, and nobody learns which (§2.2).
 */
export async function revokeToken(server: Server, client: Client, token: string): Promise<void> {
  const refreshToken = await server.store.get("refresh_token", await storageKey(server, token));
  if (refreshToken !== undefined) {
    if (refreshToken.value.clientId !== client.id) return;
    return await revokeGrant(
      server,
      refreshToken.grantId!,
      "the client revoked its refresh token",
      refreshToken.value.endsAt,
    );
  }
  const accessTokenClaims = (await readAccessToken(server, token))?.claims;
  if (accessTokenClaims === undefined || accessTokenClaims.client_id !== client.id) return;
  await server.store.revoke(accessTokenClaims.jti, accessTokenClaims.exp * 1000);
  const grantId = accessTokenClaims.jti.slice(0, accessTokenClaims.jti.indexOf("."));
  server.trace({ type: "token_revoked", at: server.now(), client: client.id, grantId });
}
