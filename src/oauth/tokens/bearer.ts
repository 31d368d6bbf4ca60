/** Access tokens at this server's own resources, such as userinfo (RFC 6750; RFC 9449 §7; OAuth 2.1 §5). */

import { OAuthError } from "../errors.ts";
import type { Server } from "../server.ts";
import { assertBinding, readAuthorization } from "./bound_token.ts";
import { explainAccessToken } from "./explain_access_token.ts";
import { readAccessToken } from "./read_access_token.ts";
import type { AccessToken } from "./read_access_token.ts";
import type { AuthenticatedRequest } from "../grants/authenticated_request.ts";

/**
 * The access token of a request to one of this server's own resources.
 *
 * @param request The request.
 * @param bodyToken The `access_token` field of a form, if the resource accepts it there.
 * @param scope The scope value that the resource requires.
 * @throws {OAuthError} If the token is missing, invalid, for another audience, has too little scope, or its
 *   key is not proven.
 */
export async function requireAccessToken(
  server: Server,
  request: Pick<AuthenticatedRequest, "method" | "url" | "header">,
  bodyToken: string | undefined,
  scope: string,
): Promise<AccessToken> {
  const authorization = request.header("authorization");
  const { keyProofs } = server;
  const isBoundRequired = keyProofs?.policy(server).isRequired === true;
  const { scheme, token: headerToken } = readAuthorization(authorization, keyProofs !== undefined);
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
      challenge: scheme === undefined ? "bare" : undefined,
      expected: isBoundRequired
        ? "Authorization: DPoP TOKEN, and a proof in the header DPoP"
        : `Authorization: Bearer TOKEN${keyProofs === undefined ? "" : ", or DPoP TOKEN"}`,
      received: authorization === null ? "no token" : "another Authorization header",
    });
  }
  const accessToken = await readAccessToken(server, token);
  if (accessToken === undefined || !accessToken.audience.includes(server.audience)) {
    throw new OAuthError(
      "invalid_token",
      "the access token is unknown, expired, revoked, or for another resource",
      await explainAccessToken(server, token, accessToken),
    );
  }
  const { cnf } = accessToken.claims;
  if (cnf === undefined && isBoundRequired) {
    throw new OAuthError("invalid_token", "the access token is not bound to a key", {
      rule: "DO-09",
      expected: "a token of token_type DPoP",
      received: "a bearer token",
    });
  }
  if (scheme === "DPoP" || cnf !== undefined) {
    await assertBinding(
      scheme ?? "Bearer",
      cnf,
      (boundKey) => keyProofs!.verifyResourceProof(server, request, { accessToken: token, boundKey }),
    );
    server.passed?.("DO-09");
  }
  if (accessToken.claims.scope?.split(" ").includes(scope) !== true) {
    throw new OAuthError("insufficient_scope", "the access token lacks the required scope", {
      rule: "BR-02",
      expected: scope,
      received: accessToken.claims.scope ?? "no scope",
      fix: `Request ${scope} in the scope of the authorization request; a token of a new login then has it.`,
    });
  }
  server.passed?.("BR-02", scope);
  return accessToken;
}
