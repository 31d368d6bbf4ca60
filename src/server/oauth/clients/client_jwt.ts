/**
 * Verifies JWTs that a client has signed: assertions (RFC 7523) and request objects (RFC 9101). Loaded with the first
 * one, because it imports jose.
 */

import { errors } from "jose";
import type { JWTPayload, JWTVerifyOptions } from "jose";
import { byProfile } from "../../config/profile.ts";
import type { ErrorDetails, OAuthError } from "../errors.ts";
import type { RuleExplanation } from "../explanation.ts";
import { type JwtPolicy, JwtPolicyError } from "../keys/jwt_policies.ts";
import { remoteKeys, verifyByKeys } from "../keys/remote_keys.ts";
import type { Server } from "../server.ts";
import { isSecretExpired } from "./auth/method.ts";
import { describeKeyFetchFailure, keysOf } from "./client_keys.ts";
import { policyOf } from "./policy.ts";
import type { Client } from "./repository.ts";

/** Creates the error of a rejected JWT. */
export type RejectJwt = (
  reason: string,
  expected?: string,
  received?: string,
  others?: Pick<RuleExplanation, "earlier" | "fix"> & Pick<ErrorDetails, "detailsInTraceOnly">,
) => OAuthError;

/** The requirements for one kind of JWT. */
interface ClientJwtKind {
  /** Its name in messages, such as `the assertion`. */
  readonly name: string;
  /** The claims that identify it, for messages. */
  readonly expected: string;
  /** The accepted algorithms: all of them use the secret of the client, or all of them its public keys. */
  readonly algorithms: readonly string[];
  /** Its types, times and required claims. */
  readonly policy: JwtPolicy;
  /** The expected claims, besides `iss`. */
  readonly claims: Pick<JWTVerifyOptions, "audience" | "subject">;
  /** Creates its error. */
  readonly reject: RejectJwt;
  /** Creates its error if the JWT has expired or is not yet valid. Default: `reject`. */
  readonly rejectTime?: RejectJwt;
}

/**
 * Verifies form, signature, `typ`, `iss` and times of a JWT, and returns its claims.
 *
 * @throws {OAuthError} The error of its kind.
 */
export async function verifyClientJwt(
  server: Server,
  client: Client,
  jwt: string,
  { name, expected, algorithms, policy, claims, reject, rejectTime = reject }: ClientJwtKind,
): Promise<JWTPayload> {
  const usesSecret = algorithms.every((alg) => alg.startsWith("HS"));
  const { signatureAlgorithms, profile } = policyOf(server, client);
  const options = {
    ...claims,
    algorithms: usesSecret ? algorithms : algorithms.filter((alg) => signatureAlgorithms.includes(alg)),
    issuer: client.id,
    now: server.now(),
  };
  if (usesSecret && isSecretExpired(server, client.metadata)) {
    throw reject("the secret has expired", "a secret that is still valid", `${name} is signed with the expired secret`);
  }
  try {
    const keys = usesSecret ? new TextEncoder().encode(client.assertionSecret) : remoteKeys(...keysOf(server, client));
    return await verifyByKeys(jwt, keys, policy, options);
  } catch (cause) {
    if (cause instanceof JwtPolicyError) {
      const { part, reason, expected, received } = cause.problem;
      throw (part === "form" || part === "typ" ? reject : rejectTime)(
        `${name} is invalid: ${reason}`,
        expected,
        received,
      );
    }
    const failure = describeKeyFetchFailure(client, cause);
    if (failure !== undefined) {
      const { reason, expected, received, ...others } = failure;
      throw reject(reason, expected, received, others);
    }
    const isAlgorithm = cause instanceof errors.JOSEAlgNotAllowed;
    const by = isAlgorithm ? byProfile(profile, "signatureAlgorithms") : "";
    throw reject(
      `${name} is invalid: ${(cause as Error).message}`,
      isAlgorithm ? `alg = ${options.algorithms.join(" or ")}${by}` : expected,
    );
  }
}
