/** Verifies access tokens by introspection (RFC 7662). */

import { encodeFormValue } from "../oauth/clients/redirect_uri.ts";
import { assertionType } from "../oauth/clients/auth/assertion_type.ts";
import { OAuthError } from "../oauth/errors.ts";
import { verificationAlgorithms } from "../oauth/keys/signing_algorithm.ts";
import type { MaybePromise } from "../oauth/maybe_promise.ts";
import { randomId } from "../oauth/secrets.ts";
import { systemRandomBytes } from "../runtime/crypto.ts";
import { authorizationServer, fetchJson, unavailable } from "./authorization_server.ts";
import type { AuthorizationServerOptions } from "./authorization_server.ts";
import type { TokenVerifier } from "./protected_resource.ts";

/** Options of {@link introspectionVerifier}: the resource authenticates with a secret or with a private key. */
export interface IntrospectionVerifierOptions extends AuthorizationServerOptions {
  /** The client that the resource is registered as at the authorization server. */
  readonly clientId: string;
  /** Its secret, sent by HTTP Basic. */
  readonly clientSecret?: string;
  /**
   * Its private key as a JWK with `alg`, and with `kid` if the client has several keys: each request has an assertion
   * signed with it (`private_key_jwt`, RFC 7523), as the profiles of FAPI demand.
   */
  readonly privateKey?: JsonWebKey & { readonly kid?: string };
}

/** The header and the parameters that authenticate a request. */
interface RequestCredentials {
  readonly headers?: Readonly<Record<string, string>>;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** The lifetime of an assertion, in seconds. */
const assertionLifetimeSeconds = 60;

/**
 * Creates a verifier that introspects the token of each request, so a revocation has effect immediately. For opaque
 * tokens and JWTs.
 *
 * @example
 * ```ts ignore
 * const verifier = introspectionVerifier({ issuer: "https://auth.example", clientId: "api", privateKey });
 * ```
 *
 * @throws {TypeError} If the issuer is neither https nor on a test host, or if neither or both of secret and private
 *   key are given.
 */
export function introspectionVerifier(options: IntrospectionVerifierOptions): TokenVerifier {
  const { issuer, now, outbound, url: findUrl } = authorizationServer(options);
  const authenticate = clientCredentials(options, now);
  return {
    issuer,
    now,
    async verify(token) {
      const url = await findUrl("introspection_endpoint");
      const { headers, parameters } = await authenticate();
      const response = await fetchJson(outbound, url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ token, token_type_hint: "access_token", ...parameters }).toString(),
      }).catch((cause) => {
        throw unavailable(`introspection at ${url}`, cause);
      });
      if (response.active !== true || response.token_type === "refresh_token") throw inactiveToken();
      // The response need not name the issuer: the endpoint is that of the issuer (RFC 7662 §2.2).
      return { iss: issuer, ...response };
    },
  };
}

/** Creates the credentials of a request. */
function clientCredentials(
  { issuer, clientId, clientSecret, privateKey }: IntrospectionVerifierOptions,
  now: () => number,
): () => MaybePromise<RequestCredentials> {
  if ((clientSecret === undefined) === (privateKey === undefined)) {
    throw new TypeError(
      `clientSecret: expected clientSecret or privateKey, received ${clientSecret === undefined ? "neither" : "both"}`,
    );
  }
  if (privateKey === undefined) {
    const authorization = `Basic ${btoa(`${encodeFormValue(clientId)}:${encodeFormValue(clientSecret!)}`)}`;
    return () => ({ headers: { authorization } });
  }
  const { alg, kid, d } = privateKey;
  if (alg === undefined || !verificationAlgorithms.some((known) => known === alg) || d === undefined) {
    throw new TypeError(
      `privateKey: expected a private JWK with alg, one of ${verificationAlgorithms.join(" ")}; received ${
        d === undefined ? "one without d" : `alg ${alg}`
      }`,
    );
  }
  let key: Promise<CryptoKey | Uint8Array> | undefined;
  return async () => {
    const { importJWK, SignJWT } = await import("jose");
    const seconds = Math.floor(now() / 1000);
    const assertion = await new SignJWT({ iss: clientId, sub: clientId, aud: issuer, jti: randomId(systemRandomBytes) })
      .setProtectedHeader({ alg, kid })
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + assertionLifetimeSeconds)
      .sign(await (key ??= importJWK(privateKey, alg)));
    return { parameters: { client_assertion_type: assertionType, client_assertion: assertion } };
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
