/** Verifies access tokens by introspection (RFC 7662). */

import { encodeFormValue } from "../oauth/clients/redirect_uri.ts";
import { OAuthError } from "../oauth/errors.ts";
import { authorizationServer, fetchJson, unavailable } from "./authorization_server.ts";
import type { AuthorizationServerOptions } from "./authorization_server.ts";
import type { TokenVerifier } from "./protected_resource.ts";

/** Options of {@link introspectionVerifier}. */
export interface IntrospectionVerifierOptions extends AuthorizationServerOptions {
  /** The client that the resource is registered as at the authorization server. */
  readonly clientId: string;
  /** Its secret, sent by HTTP Basic. */
  readonly clientSecret: string;
}

/**
 * Creates a verifier that introspects the token of each request, so a revocation has effect immediately. For opaque tokens
 * and JWTs.
 *
 * @throws {TypeError} If the issuer is neither https nor on a test host.
 */
export function introspectionVerifier(options: IntrospectionVerifierOptions): TokenVerifier {
  const { clientId, clientSecret } = options;
  const { issuer, now, outbound, url: findUrl } = authorizationServer(options);
  const authorization = `Basic ${btoa(`${encodeFormValue(clientId)}:${encodeFormValue(clientSecret)}`)}`;
  return {
    issuer,
    now,
    async verify(token) {
      const url = await findUrl("introspection_endpoint");
      const response = await fetchJson(outbound, url, {
        method: "POST",
        headers: { authorization, "content-type": "application/x-www-form-urlencoded" },
        body: `token=${encodeFormValue(token)}&token_type_hint=access_token`,
      }).catch((cause) => {
        throw unavailable(`introspection at ${url}`, cause);
      });
      if (response.active !== true || response.token_type === "refresh_token") throw inactiveToken();
      // The response need not name the issuer: the endpoint is that of the issuer (RFC 7662 §2.2).
      return { iss: issuer, ...response };
    },
  };
}

/** The error for a token that is inactive according to the authorization server. */
export function inactiveToken(): OAuthError {
  return new OAuthError("invalid_token", "the access token is unknown, expired or revoked", {
    rule: "PR-08",
    expected: "an active access token",
    received: "an inactive token",
  });
}
