/** Verifies access tokens that are JWTs (RFC 9068) with the published keys of their authorization server. */

import { decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey } from "jose";
import { boundedCache } from "../platform/bounded_cache.ts";
import { OAuthError } from "../core/rules/errors.ts";
import { isKind, mediaType } from "../core/keys/verification.ts";
import type { AccessTokenTyp } from "../core/policy/policy.ts";
import type { Server } from "../core/server.ts";
import { reject } from "../server/rules/mod.ts";
import { jwtPolicies, type JwtPolicy, JwtPolicyError } from "../platform/jwt/jwt_policies.ts";
import { type KeyFetches, NoSuitableKey, remoteKeys } from "../server/fetching/remote_keys.ts";
import { verifyByKeys } from "../platform/jwt/verify_by_keys.ts";
import { verificationAlgorithms } from "../server/config/verification_algorithms.ts";
import { authorizationServer, type AuthorizationServerOptions, unavailable } from "./authorization_server.ts";
import type { TokenVerifier } from "./protected_resource.ts";

/** @internal The authorization server, and the form of its access tokens. */
export interface JwksVerifierOptions extends AuthorizationServerOptions {
  /**
   * The header parameter `typ` of its access tokens, besides `at+jwt`, which is always accepted (RFC 9068 §4). `JWT`
   * and `none` are for providers that send these. ID tokens can then have the same `typ`: a token that has a claim of
   * ID tokens is rejected, and `aud` must be the resource. Default: `at+jwt`.
   */
  readonly accessTokenTyp?: AccessTokenTyp;
}

/**
 * Creates a verifier of JWTs with the published keys. It finds the keys through the metadata of the issuer (RFC 8414,
 * OpenID Connect Discovery) and caches them for ten minutes. A token without a suitable key causes another fetch, at
 * most one in 30 seconds. It does not notice a revocation; `introspectionVerifier()` does.
 *
 * @throws {TypeError} If the issuer is neither https nor on a test host.
 */
export function jwksVerifier(options: JwksVerifierOptions): TokenVerifier {
  const server = authorizationServer(options);
  const fetcher = { ...server, keyFetches: boundedCache<KeyFetches>(4) };
  const { accessTokenTyp = "at+jwt" } = options;
  const keys: JWTVerifyGetKey = async (header, token) => {
    const keys = remoteKeys(fetcher, { jwks_uri: await server.url("jwks_uri") });
    return await keys(header, token);
  };
  return jwtVerifier({ ...server, accessTokenTyp, isAccessToken: isAccessTokenOfProvider }, keys);
}

/** A verifier of the JWTs of the server in this process, with its own keys. */
export function ownJwtVerifier({ issuer, now, keys, policy }: Server): TokenVerifier {
  const isAccessToken: JwtSource["isAccessToken"] = (header, claims) => isKind(policy, "access_token", header, claims);
  return jwtVerifier({ issuer, now, accessTokenTyp: policy.accessTokenTyp, isAccessToken }, async ({ kid, alg }) => {
    const key = await keys.verificationKey(kid, alg);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  });
}

/** Claims that ID tokens, logout tokens and authorization responses have, and access tokens do not. */
const claimsOfOtherTokens = ["nonce", "at_hash", "c_hash", "s_hash", "events", "code"];

/** Claims that access tokens have, and other tokens do not. */
const claimsOfAccessTokens = ["scope", "scp", "client_id", "cid", "appid"];

/**
 * Whether a verified JWT is an access token. Without `at+jwt` only its claims show it, and what Keycloak (`typ`) and
 * Amazon Cognito (`token_use`) write into them.
 */
function isAccessTokenOfProvider({ typ }: { readonly typ?: string }, claims: JWTPayload): boolean {
  if (typ !== undefined && mediaType(typ) === "at+jwt") return true;
  const isNamed = claims.typ === "Bearer" || claims.token_use === "access";
  return (isNamed || claimsOfAccessTokens.some((name) => claims[name] !== undefined)) &&
    claimsOfOtherTokens.every((name) => claims[name] === undefined) &&
    (claims.typ ?? "Bearer") === "Bearer" && (claims.token_use ?? "access") === "access";
}

/** The issuer of JWTs, and which of them are access tokens. */
interface JwtSource extends Pick<TokenVerifier, "issuer" | "now"> {
  readonly accessTokenTyp: AccessTokenTyp;
  /** Whether a verified JWT with an accepted `typ` is an access token. */
  readonly isAccessToken: (header: { readonly typ?: string }, claims: JWTPayload) => boolean;
}

/** `requireToken()` compares the times, with the tolerance of the resource. */
const atJwtPolicy: JwtPolicy = { ...jwtPolicies.resource_access_token, ignoredTimes: ["iat", "nbf", "exp"] };

const policies: Readonly<Record<AccessTokenTyp, JwtPolicy>> = {
  "at+jwt": atJwtPolicy,
  JWT: { ...atJwtPolicy, types: ["at+jwt", "jwt"] },
  none: { ...atJwtPolicy, isTypeOptional: true },
};

/** A verifier of JWTs with any source of keys. */
function jwtVerifier(
  { issuer, now, accessTokenTyp, isAccessToken }: JwtSource,
  keys: JWTVerifyGetKey,
): TokenVerifier {
  const policy = policies[accessTokenTyp];
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
        const claims = await verifyByKeys(token, findKey, policy, {
          // A symmetric algorithm would let each holder of the key issue tokens.
          algorithms: verificationAlgorithms,
          now: now(),
        });
        if (isAccessToken(decodeProtectedHeader(token), claims)) return claims;
      } catch (cause) {
        const isInvalid = cause instanceof errors.JOSEError || cause instanceof JwtPolicyError;
        if (failure !== undefined || !isInvalid) throw failure ?? cause;
        const isOtherType = cause instanceof JwtPolicyError && cause.problem.part === "typ";
        throw reject("PR-08", { typ: accessTokenTyp, jwt: describeFailure(cause), isOtherType }, { cause });
      }
      throw reject("PR-08", {
        typ: accessTokenTyp,
        jwt: "a token of another kind, such as an ID token",
        isOtherType: false,
      });
    },
  };
}

function describeFailure(cause: errors.JOSEError | JwtPolicyError): string {
  if (cause instanceof JwtPolicyError) {
    const { part, received, reason } = cause.problem;
    if (part === "form") return "a text that is not a JWT";
    return part === "typ" ? `a JWT of another type: ${received}` : `a JWT that is rejected: ${reason} (${received})`;
  }
  if (cause instanceof NoSuitableKey) return `a JWT whose issuer has ${cause.received}, not ${cause.expected}`;
  if (cause instanceof errors.JWKSNoMatchingKey) return "a JWT that names an unknown key";
  if (cause instanceof errors.JWSSignatureVerificationFailed) return "a JWT with an invalid signature";
  return `a JWT that is rejected: ${cause.message}`;
}
