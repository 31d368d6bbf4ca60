/** POST /oauth2/revoke (RFC 7009 §2). */

import type { AuthenticatedRequest } from "./grants/authenticated_request.ts";
import { revokeGrant } from "../store/grant.ts";
import type { Params } from "../http/params.ts";
import { reject } from "../rules/reject.ts";
import { storageKey } from "../keys/secrets.ts";
import type { Server } from "../server.ts";
import { grantOfAccessToken } from "./tokens/access_token.ts";
import { readAccessToken } from "./tokens/read_access_token.ts";
import { clientEndpoint } from "./client_endpoint.ts";
import { json } from "../http/message.ts";
import type { Handlers } from "../route.ts";

export const revoke: Handlers = clientEndpoint(async (server, request) => {
  await revokeToken(server, request);
  return json(200, {});
});

/**
 * The `token` of a revocation or introspection request (RFC 7009 §2.1, RFC 7662 §2.1). `token_type_hint` is not needed.
 *
 * @throws {OAuthError} `invalid_request` if it is missing.
 */
export function requireTokenParameter(params: Params, rule: "RV-01" | "IN-01"): string {
  const token = params.get("token");
  if (token !== undefined) return token;
  throw reject(rule);
}

/**
 * Revokes a token of the client ({@link revokeIssuedToken}). Any other token changes nothing, and the response does not
 * reveal which case it was (RFC 7009 §2.2).
 */
export async function revokeToken(server: Server, { client, params }: AuthenticatedRequest): Promise<void> {
  const token = requireTokenParameter(params, "RV-01");
  await revokeIssuedToken(server, token, "the client revoked its refresh token", client.id);
}

/**
 * Revokes a refresh token with its whole grant, or an access token with the tokens that it was exchanged for.
 *
 * @param reason Why the grant is revoked, for explanations.
 * @param clientId Only a token of this client. Default: a token of any client.
 * @returns Whether such a token exists.
 */
export async function revokeIssuedToken(
  server: Server,
  token: string,
  reason: string,
  clientId?: string,
): Promise<boolean> {
  const isOfClient = (owner: unknown) => clientId === undefined || owner === clientId;
  const refreshToken = await server.store.get("refresh_token", await storageKey(server, token));
  if (refreshToken !== undefined) {
    if (!isOfClient(refreshToken.value.grant.clientId)) return false;
    await revokeGrant(server, refreshToken.grantId!, reason, refreshToken.value.endsAt);
    return true;
  }
  const claims = (await readAccessToken(server, token))?.claims;
  if (claims === undefined || !isOfClient(claims.client_id)) return false;
  await server.store.revoke(claims.jti, claims.exp * 1000);
  const grantId = grantOfAccessToken(claims.jti);
  server.trace({ type: "token_revoked", at: server.now(), client: claims.client_id, grantId });
  return true;
}
