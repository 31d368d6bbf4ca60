/** Verifies access tokens that are JWTs (RFC 9068) with the published keys of their authorization server. */

import { errors, type JWTVerifyGetKey } from "jose";
import { boundedCache } from "../platform/bounded_cache.ts";
import { OAuthError } from "../core/errors.ts";
import { reject } from "../server/rules/mod.ts";
import { jwtPolicies, JwtPolicyError } from "../platform/jwt/jwt_policies.ts";
import { type KeyFetches, remoteKeys } from "../server/fetching/remote_keys.ts";
import { verifyByKeys } from "../platform/jwt/verify_by_keys.ts";
import { verificationAlgorithms } from "../server/config/verification_algorithms.ts";
import {
  type AuthorizationServer,
  authorizationServer,
  type AuthorizationServerOptions,
  unavailable,
} from "./authorization_server.ts";
import type { TokenVerifier } from "./protected_resource.ts";

/**
 * Creates a verifier of JWTs with the published keys. It finds the keys through the metadata of the issuer (RFC 8414,
 * OpenID Connect Discovery) and caches them for ten minutes. A token that names an unknown key causes another fetch, at
 * most one in 30 seconds. It does not notice a revocation; `introspectionVerifier()` does.
 *
 * @throws {TypeError} If the issuer is neither https nor on a test host.
 */
export function jwksVerifier(options: AuthorizationServerOptions): TokenVerifier {
  const server = authorizationServer(options);
  const fetcher = { ...server, keyFetches: boundedCache<KeyFetches>(4) };
  return jwtVerifier(server, async (header, token) => {
    const keys = remoteKeys(fetcher, { jwks_uri: await server.url("jwks_uri") });
    return await keys(header, token);
  });
}

/** `requireToken()` compares the times, with the tolerance of the resource. */
const policy = { ...jwtPolicies.resource_access_token, ignoredTimes: ["iat", "nbf", "exp"] } as const;

/** A verifier of JWTs with any source of keys. */
export function jwtVerifier(
  { issuer, now }: Pick<AuthorizationServer, "issuer" | "now">,
  keys: JWTVerifyGetKey,
): TokenVerifier {
  return {
    issuer,
    now,
    async verify(token) {
      let failure: OAuthError | undefined;
      const findKey: JWTVerifyGetKey = async (header, jws) => {
        try {
          return await keys(header, jws);
        } catch (cause) {
          if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys) {
            throw cause;
          }
          throw failure = cause instanceof OAuthError
            ? cause
            : unavailable("the keys of the authorization server", cause);
        }
      };
      try {
        return await verifyByKeys(token, findKey, policy, {
          // A symmetric algorithm would let each holder of the key issue tokens.
          algorithms: verificationAlgorithms,
          now: now(),
        });
      } catch (cause) {
        const isInvalid = cause instanceof errors.JOSEError || cause instanceof JwtPolicyError;
        if (failure !== undefined || !isInvalid) throw failure ?? cause;
        throw reject("PR-08", { jwt: describeFailure(cause) }, { cause });
      }
    },
  };
}

function describeFailure(cause: errors.JOSEError | JwtPolicyError): string {
  if (cause instanceof JwtPolicyError) {
    const { part, received, reason } = cause.problem;
    if (part === "form") return "a text that is not a JWT";
    return part === "typ" ? "a JWT of another type" : `a JWT that is rejected: ${reason} (${received})`;
  }
  if (cause instanceof errors.JWKSNoMatchingKey) return "a JWT that names an unknown key";
  if (cause instanceof errors.JWSSignatureVerificationFailed) return "a JWT with an invalid signature";
  return `a JWT that is rejected: ${cause.message}`;
}
