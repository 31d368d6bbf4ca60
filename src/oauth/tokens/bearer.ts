/** Bearer tokens at this server's own resources, such as userinfo (RFC 6750; OAuth 2.1 §5). */

import { OAuthError } from "../errors.ts";
import type { Server } from "../server.ts";
import { readAccessToken } from "./access_token.ts";
import type { AccessToken } from "./access_token.ts";

/**
 * The access token of a request to one of this server's own resources.
 *
 * @param authorization The value of the `Authorization` header.
 * @param bodyToken The `access_token` field of a form, if the resource accepts it there.
 * @param scope The scope value that the resource requires.
 * @throws {OAuthError} If the token is missing, invalid, for another audience, or has too little scope.
 */
export async function requireAccessToken(
  server: Server,
  authorization: string | null,
  bodyToken: string | undefined,
  scope: string,
): Promise<AccessToken> {
  const headerToken = authorization === null ? undefined : /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1];
  if (authorization !== null && bodyToken !== undefined) {
    throw new OAuthError("invalid_request", "the access token was sent in two places", {
      rule: "BR-01",
      expected: "the Authorization header or the form, not both",
      received: "both",
    });
  }
  const token = headerToken ?? bodyToken;
  if (token === undefined) {
    throw new OAuthError("invalid_token", "an access token is required", {
      rule: "BR-02",
      // A request that authenticates in another way has no token either (RFC 6750 §3.1).
      challenge: /^bearer\b/i.test(authorization ?? "") ? undefined : "bare",
      expected: "Authorization: Bearer TOKEN",
      received: authorization === null ? "no token" : "another Authorization header",
    });
  }
  const accessToken = await readAccessToken(server, token);
  const audience = [accessToken?.claims.aud ?? []].flat();
  if (accessToken === undefined || !audience.includes(server.audience)) {
    throw new OAuthError("invalid_token", "the access token is unknown, expired, revoked, or for another resource", {
      rule: "BR-02",
      expected: `a valid access token for ${server.audience}`,
      received: accessToken === undefined
        ? "an unknown, expired or revoked token"
        : `a token for ${audience.join(" ")}`,
    });
  }
  if (!accessToken.claims.scope.split(" ").includes(scope)) {
    throw new OAuthError("insufficient_scope", "the access token lacks the required scope", {
      rule: "BR-02",
      expected: scope,
      received: accessToken.claims.scope,
    });
  }
  server.passed?.("BR-02", scope);
  return accessToken;
}
