/** The verification of a JWT by its keys and the policy of its kind (RFC 7519 §7.2). It imports jose. */

import { errors, jwtVerify } from "jose";
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from "jose";
import { hasAlgorithm } from "../../core/keys/signing_algorithm.ts";
import { findFormProblem, findTimeProblem, findTypeProblem, type JwtPolicy, JwtPolicyError } from "./jwt_policies.ts";

/** Maximum number of keys tried for a JWT without `kid`. */
const maxTriedKeys = 8;

/** The time, and the values of a JWT that depend on the request. */
interface ExpectedJwt extends Pick<JWTVerifyOptions, "audience" | "issuer" | "subject"> {
  readonly algorithms: readonly string[];
  /** The time in milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Verifies a JWT by the policy of its kind, with the key that `kid` names; without `kid`, tries each suitable key.
 *
 * @param keys The public keys, or a secret.
 * @returns The claims.
 * @throws {JwtPolicyError} If its form, type or times are not accepted.
 * @throws {errors.JOSEError} If no key fits, or the signature or a claim is invalid.
 */
export async function verifyByKeys(
  jwt: string,
  keys: JWTVerifyGetKey | Uint8Array,
  policy: JwtPolicy,
  { algorithms, now, ...claims }: ExpectedJwt,
): Promise<JWTPayload> {
  const formProblem = findFormProblem(jwt);
  if (formProblem !== undefined) throw new JwtPolicyError(formProblem);
  const { payload, protectedHeader: { typ } } = await verifySignature(jwt, keys, {
    ...claims,
    algorithms: [...algorithms],
    requiredClaims: [...policy.requiredClaims ?? []],
    // The policy compares the times.
    clockTolerance: Number.MAX_VALUE,
  }).catch((error) => {
    // The library checks the times last. It rejects those that are not numbers, and infinite ones (1e999).
    const isTime = error.reason !== "missing" && ["exp", "nbf", "iat"].includes(error.claim);
    const problem = isTime ? findTimeProblem(policy, error.payload, now / 1000) : undefined;
    throw problem === undefined ? error : new JwtPolicyError(problem);
  });
  const problem = findTypeProblem(policy, typ) ?? findTimeProblem(policy, payload, now / 1000);
  if (problem !== undefined) throw new JwtPolicyError(problem);
  return payload;
}

async function verifySignature(
  jwt: string,
  keys: JWTVerifyGetKey | Uint8Array,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  if (typeof keys !== "function") return await jwtVerify(jwt, keys, options);
  try {
    return await jwtVerify(jwt, async (header, token) => {
      if (hasAlgorithm(header.alg)) return await keys(header, token);
      throw new errors.JOSEAlgNotAllowed(`this runtime does not have ${header.alg}`);
    }, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tried = 0;
    for await (const key of error) {
      try {
        return await jwtVerify(jwt, key, options);
      } catch (cause) {
        if (!(cause instanceof errors.JWSSignatureVerificationFailed) || ++tried === maxTriedKeys) throw cause;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}
