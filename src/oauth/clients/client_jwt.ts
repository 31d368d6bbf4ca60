/**
 * Verifies JWTs that a client has signed: assertions (RFC 7523) and request objects (RFC 9101). Loaded with the first
 * one, because it imports jose.
 */

import { errors, jwtVerify } from "jose";
import type { JWTPayload, JWTVerifyOptions, JWTVerifyResult } from "jose";
import { quote } from "../config/config_issue.ts";
import { byProfile } from "../config/profile.ts";
import type { ErrorDetails, OAuthError } from "../errors.ts";
import type { RuleExplanation } from "../explanation.ts";
import { remoteKeys, verifyByKeys } from "../keys/remote_keys.ts";
import type { Server } from "../server.ts";
import { compactJws } from "../tokens/verification.ts";
import { isSecretExpired } from "./auth/method.ts";
import { describeKeyFetchFailure, keysOf } from "./client_keys.ts";
import { policyOf } from "./policy.ts";
import type { Client } from "./repository.ts";

/** Maximum number of seconds by which a client's clock may be ahead, for `iat` and `nbf`. */
export const clockToleranceSeconds = 10;

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
  /** The accepted values of `typ`, in lower case; it may also be absent. */
  readonly types: readonly string[];
  /** The expected claims, besides `iss`. */
  readonly claims: Pick<JWTVerifyOptions, "audience" | "subject" | "requiredClaims">;
  /** Creates its error. */
  readonly reject: RejectJwt;
}

/**
 * Verifies form, signature, `typ`, `iss`, `exp` and `nbf` of a JWT, and returns its claims. `exp` and `nbf` have a
 * tolerance of {@link clockToleranceSeconds}.
 *
 * @throws {OAuthError} The error of its kind.
 */
export async function verifyClientJwt(
  server: Server,
  client: Client,
  jwt: string,
  { name, expected, algorithms, types, claims, reject }: ClientJwtKind,
): Promise<JWTPayload> {
  const usesSecret = algorithms.every((alg) => alg.startsWith("HS"));
  const { signatureAlgorithms, profile } = policyOf(server, client);
  const options = {
    ...claims,
    algorithms: usesSecret ? [...algorithms] : algorithms.filter((alg) => signatureAlgorithms.includes(alg)),
    issuer: client.id,
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(server.now()),
  };
  // The library accepts padding and non-zero unused bits, which are other encodings of the same JWT.
  if (!compactJws.test(jwt)) {
    throw reject(`${name} is not a JWT`, "three parts of canonical base64url without padding", "something else");
  }
  if (usesSecret && isSecretExpired(server, client.metadata)) {
    throw reject("the secret has expired", "a secret that is still valid", `${name} is signed with the expired secret`);
  }
  let result: JWTVerifyResult;
  try {
    result = usesSecret
      ? await jwtVerify(jwt, new TextEncoder().encode(client.assertionSecret), options)
      : await verifyByKeys(jwt, remoteKeys(...keysOf(server, client)), options);
  } catch (cause) {
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
  const { typ = types[0] } = result.protectedHeader;
  // A media type: case and the prefix "application/" are ignored (RFC 7515 §4.1.9).
  if (typeof typ !== "string" || !types.includes(typ.toLowerCase().replace(/^application\//, ""))) {
    throw reject(`${name} has an unexpected typ`, `typ = ${types.join(" or ")}, or no typ`, quote(typ));
  }
  return result.payload;
}
