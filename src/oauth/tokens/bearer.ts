/** Bearer tokens at this server's own resources (RFC 6750; OAuth 2.1 §5). */

import { OAuthError } from "../errors.ts";
import type { Server } from "../server.ts";
import { readAccessToken } from "./access_token.ts";
import type { AccessToken } from "./access_token.ts";

/**
 * The access token of a request to one of this server's own resources, when it is good for it.
 *
 * @param authorization The value of the `Authorization` header.
 * @param bodyToken The `access_token` field of a form, where the resource takes it there.
 * @param scope The scope value the resource asks for.
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
      // Who authenticates in another way has sent no token either.
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
