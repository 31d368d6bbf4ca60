/** An Authorization becomes a token response: a list of issuers, each adding what it issues. */

import type { Authorization } from "../grants/grant_type.ts";
import { secondsNow } from "../server.ts";
import type { Server } from "../server.ts";
import { accessToken } from "./access_token.ts";
import { idToken } from "./id_token.ts";
import type { TokenIssuer, TokenResponse } from "./issuer.ts";
import { refreshToken } from "./refresh_token.ts";

/** In the order in which they issue: the id token holds a digest of the access token. */
export const tokenIssuers: readonly TokenIssuer[] = [accessToken, refreshToken, idToken];

/** Issues what an authorization is worth. */
export async function issueTokens(
  server: Server,
  grantType: string,
  authorization: Authorization,
): Promise<TokenResponse> {
  const { client, subject, scope, grantId } = authorization;
  const now = secondsNow(server);
  const response: Partial<TokenResponse> = {};
  for (const issue of server.tokenIssuers) Object.assign(response, await issue(server, authorization, now, response));
  server.trace({
    type: "tokens_issued",
    at: server.now(),
    client: client.id,
    sub: subject?.sub ?? client.id,
    scope,
    grantId,
    grantType,
  });
  return response as TokenResponse;
}
