/** Revocation (RFC 7009): a client gives a token back. */

import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import { endFamily } from "../grants/family.ts";
import type { Params } from "../params.ts";
import type { RejectionRuleId } from "../rules/mod.ts";
import { shelfId } from "../secrets.ts";
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
  const refresh = await server.store.get("refresh_token", await shelfId(server, token));
  if (refresh !== undefined) {
    if (refresh.value.clientId !== client.id) return;
    return await endFamily(server, refresh.family!, "the client revoked its refresh token", refresh.value.endsAt);
  }
  const access = (await readAccessToken(server, token))?.claims;
  if (access === undefined || access.client_id !== client.id) return;
  await server.store.revoke(access.jti, access.exp * 1000);
  const family = access.jti.slice(0, access.jti.indexOf("."));
  server.trace({ type: "token_revoked", at: server.now(), client: client.id, family });
}
