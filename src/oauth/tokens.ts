/** An Authorization becomes a token response: a JWT access token, and an id token where `openid` was granted. */

import { signJwt, tokenHash } from "./keys.ts";
import type { Authorization } from "./grants/grant.ts";
import { drawName } from "./secrets.ts";
import { secondsNow } from "./server.ts";
import type { Server } from "./server.ts";

/** A successful answer of the token endpoint (OAuth 2.1 §3.2.3). */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: "Bearer";
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
  readonly id_token?: string;
}

/** Issues what an authorization is worth. Access tokens are not shelved: they name their family, which can be ended. */
export async function issueTokens(server: Server, grant: string, authorization: Authorization): Promise<TokenResponse> {
  const { client, sub, scope, family } = authorization;
  const now = secondsNow(server);
  const accessToken = await signAccessToken(server, authorization, now);
  const response: TokenResponse = {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: server.lifetimes.access_token,
    scope: scope.join(" "),
    ...scope.includes("openid") && { id_token: await signIdToken(server, authorization, now, accessToken) },
  };
  server.trace({ type: "tokens_issued", at: server.now(), client: client.id, sub, scope, family, grant });
  return response;
}

/** RFC 9068 §2. The token's `jti` begins with its family, so that ending the family ends the token. */
async function signAccessToken(server: Server, authorization: Authorization, now: number): Promise<string> {
  const { client, sub, scope, family } = authorization;
  return await signJwt(await server.keys.signer(server.alg), "at+jwt", {
    iss: server.issuer,
    sub,
    aud: server.audience,
    client_id: client.id,
    scope: scope.join(" "),
    iat: now,
    exp: now + server.lifetimes.access_token,
    jti: `${family}.${drawName(server.random)}`,
  });
}

/** The claims an id token may hold. */
export const idTokenClaims = ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash"] as const;

/** OpenID Connect Core §2, §3.1.3.6. Claims about the person are for the userinfo endpoint (§5.4). */
async function signIdToken(
  server: Server,
  authorization: Authorization,
  now: number,
  accessToken: string,
): Promise<string> {
  const { client, sub, nonce, authTime } = authorization;
  const claims: Partial<Record<typeof idTokenClaims[number], unknown>> = {
    iss: server.issuer,
    sub,
    aud: client.id,
    exp: now + server.lifetimes.id_token,
    iat: now,
    auth_time: Math.floor(authTime / 1000),
    ...nonce !== undefined && { nonce },
    at_hash: await tokenHash(client.idTokenAlg, accessToken),
  };
  return await signJwt(await server.keys.signer(client.idTokenAlg), "JWT", claims);
}
