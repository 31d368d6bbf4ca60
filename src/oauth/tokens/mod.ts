/**
 * Tokens: issued, read back, introspected and revoked.
 *
 * `issueTokens` turns the `Authorization` of a grant type into the token response. Each issuer of the list adds its
 * members: the access token, then the refresh token, then the ID token. `readAccessToken` reads an access token back,
 * for userinfo (`bearer.ts`), introspection and revocation. Keys and signatures are in `keys/`, claims in `claims.ts`.
 */

import { recordUse } from "../clients/record_use.ts";
import type { Authorization, TokenRequest } from "../grants/token_request.ts";
import { secondsNow } from "../keys/jwt.ts";
import { isPromise } from "../maybe_promise.ts";
import type { Server, TokenIssuer } from "../server.ts";
import { accessToken } from "./access_token.ts";
import { idToken } from "./id_token.ts";
import type { TokenResponse } from "./token_response.ts";
import { refreshToken } from "./refresh_token.ts";

/** The issuers of every server, in the order in which they run: the ID token contains a digest of the access token. */
export const tokenIssuers: readonly TokenIssuer[] = [accessToken, refreshToken, idToken];

/** Issues the tokens of an authorization. */
export async function issueTokens(
  server: Server,
  request: TokenRequest,
  authorization: Authorization,
): Promise<TokenResponse> {
  const { client, subject, scope, grantId } = authorization;
  const recorded = recordUse(server, client);
  if (isPromise(recorded)) await recorded;
  const now = secondsNow(server);
  const response: Partial<TokenResponse> = { ...authorization.responseMembers };
  for (const issue of server.tokenIssuers) {
    const issued = issue(server, authorization, now, response, request);
    Object.assign(response, isPromise(issued) ? await issued : issued);
  }
  // Last: other issuers read the signed ID token.
  const { id_token } = response;
  const encrypting = id_token && server.responseEncryption?.encrypt(server, client, "id_token", id_token);
  if (encrypting) Object.assign(response, { id_token: await encrypting });
  server.trace({
    type: "tokens_issued",
    at: server.now(),
    client: client.id,
    sub: subject?.sub ?? client.id,
    scope,
    grantId,
    grantType: request.parameters.get("grant_type")!,
  });
  return response as TokenResponse;
}
