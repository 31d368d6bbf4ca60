/** Verifies access tokens by introspection (RFC 7662). */

import {
  assertionParameters,
  type ClientAuthentication,
  clientAuthenticationOf,
  type ClientCredentials,
} from "../client/authentication.ts";
import { importSigningKey, type SigningKey } from "../client/jwt.ts";
import type { PrivateJwk } from "../client/private_jwk.ts";
import { formRequest } from "../client/token_request.ts";
import { reject } from "../server/rules/mod.ts";
import { verificationAlgorithms } from "../server/config/verification_algorithms.ts";
import { hasPrivateKey } from "../core/keys/jwk.ts";
import { randomBytes } from "../core/keys/crypto.ts";
import {
  authorizationServer,
  type AuthorizationServerOptions,
  fetchJson,
  unavailable,
} from "./authorization_server.ts";
import type { TokenVerifier } from "./protected_resource.ts";

/**
 * @internal Options of {@link introspectionVerifier}: the resource authenticates with a secret or with a private key.
 */
export interface IntrospectionVerifierOptions extends AuthorizationServerOptions {
  /** The client that the resource is registered as at the authorization server. */
  readonly clientId: string;
  /** Its secret, sent by HTTP Basic. */
  readonly clientSecret?: string;
  /**
   * Its private key as a JWK with `alg`, and with `kid` if the client has several keys: each request has an assertion
   * signed with it (`private_key_jwt`, RFC 7523), as the profiles of FAPI demand.
   */
  readonly privateKey?: PrivateJwk;
}

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
  const authenticate = resourceAuthentication(options, now);
  return {
    issuer,
    now,
    async verify(token) {
      const url = await findUrl("introspection_endpoint");
      const form = formRequest(await authenticate(), { token, token_type_hint: "access_token" });
      const response = await fetchJson(outbound, url, { method: "POST", ...form }).catch((cause) => {
        throw unavailable(`introspection at ${url}`, cause);
      });
      if (response.active !== true || response.token_type === "refresh_token") {
        throw reject("PR-08", { isInactive: true });
      }
      // The response need not name the issuer: the endpoint is that of the issuer (RFC 7662 §2.2).
      return { iss: issuer, ...response };
    },
  };
}

/** Authenticates the resource at each request. */
function resourceAuthentication(
  { issuer, clientId: client_id, clientSecret: client_secret, privateKey }: IntrospectionVerifierOptions,
  now: () => number,
): () => Promise<ClientAuthentication> {
  if ((client_secret === undefined) === (privateKey === undefined)) {
    throw new TypeError(
      `clientSecret: expected clientSecret or privateKey, received ${client_secret === undefined ? "neither" : "both"}`,
    );
  }
  const context = { issuer, now, randomBytes };
  if (privateKey === undefined) {
    const client: ClientCredentials = { client_id, client_secret, token_endpoint_auth_method: "client_secret_basic" };
    return () => clientAuthenticationOf(context, client);
  }
  const { alg } = privateKey;
  const isPrivate = hasPrivateKey(privateKey);
  if (alg === undefined || !verificationAlgorithms.some((known) => known === alg) || !isPrivate) {
    throw new TypeError(
      `privateKey: expected a private JWK with alg, one of ${verificationAlgorithms.join(" ")}; received ${
        isPrivate ? `alg ${alg}` : "one without d or priv"
      }`,
    );
  }
  let key: Promise<SigningKey> | undefined;
  return async () => await assertionParameters(context, client_id, await (key ??= importSigningKey(privateKey, alg)));
}
