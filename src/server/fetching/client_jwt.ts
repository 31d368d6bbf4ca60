/**
 * Verifies JWTs that a client has signed: assertions (RFC 7523) and request objects (RFC 9101). Loaded with the first
 * one, because it imports jose.
 */

import { errors, generateKeyPair, type JWTPayload, type JWTVerifyOptions } from "jose";
import { byProfile } from "../config/server_policy.ts";
import type { ErrorDetails, OAuthError, RuleExplanation } from "../../core/rules/errors.ts";
import { type JwtPolicy, JwtPolicyError } from "../../platform/jwt/jwt_policies.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { type KeyOwner, NoSuitableKey, remoteKeys } from "./remote_keys.ts";
import { verifyByKeys } from "../../platform/jwt/verify_by_keys.ts";
import type { FetchingServer } from "./fetching.ts";
import { isSecretExpired } from "../../core/clients/auth_method.ts";
import { describeKeyFailure, keysOf } from "./client_keys.ts";
import { type Client, policyOf } from "../../core/clients/clients.ts";

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
  server: FetchingServer,
  client: Client & { readonly assertionSecret?: string; readonly metadata: KeyOwner },
  jwt: string,
  { name, expected, algorithms, policy, claims, reject, rejectTime = reject }: ClientJwtKind,
): Promise<JWTPayload> {
  const usesSecret = algorithms.every((alg) => alg.startsWith("HS"));
  const ofClient = policyOf(server, client);
  const options = {
    ...claims,
    algorithms: usesSecret ? algorithms : algorithms.filter((alg) => ofClient.signatureAlgorithms.includes(alg)),
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
        { fix: fixes[part] },
      );
    }
    const isAlgorithm = cause instanceof errors.JOSEAlgNotAllowed;
    if (isAlgorithm || cause instanceof NoSuitableKey) await verifyByDummyKey(jwt, policy);
    const failure = describeKeyFailure(client, cause);
    if (failure !== undefined) {
      const { reason, expected, received, ...others } = failure;
      throw reject(reason, expected, received, others);
    }
    throw reject(
      `${name} is invalid: ${(cause as Error).message}`,
      isAlgorithm ? `alg = ${options.algorithms.join(" or ")}${byProfile(ofClient, "signatureAlgorithms")}` : expected,
      undefined,
      { fix: fixFor(cause, usesSecret, name) },
    );
  }
}

/** Public keys by their algorithm, whose private keys are not kept. What they verify has no effect. */
const dummyKeys = new Map<string, Promise<CryptoKey>>();

/** The algorithms of signatures by a key pair (RFC 7518 §3.1, RFC 8037, RFC 9964). */
const keyAlgorithm = /^(?:(?:RS|PS|ES)(?:256|384|512)|Ed25519|EdDSA|ML-DSA-(?:44|65|87))$/;

/**
 * Takes the time of a verification by a key of the same algorithm, for a JWT that no key of a client can verify: so
 * that the time of a rejection does not reveal whether the client exists.
 */
export async function verifyByDummyKey(jwt: string, policy: JwtPolicy): Promise<void> {
  const keys = ({ alg = "" }: { readonly alg?: string }) => {
    let key = dummyKeys.get(alg);
    if (key === undefined) dummyKeys.set(alg, key = generateKeyPair(alg).then(({ publicKey }) => publicKey));
    return key;
  };
  const { alg = "" } = decodeJwtPart(jwt, 0) as { readonly alg?: string };
  const usesSecret = /^HS(?:256|384|512)$/.test(alg);
  if (!usesSecret && !keyAlgorithm.test(alg)) return;
  await verifyByKeys(jwt, usesSecret ? new Uint8Array(64) : keys, policy, { algorithms: [alg], now: 0 }).catch(
    () => {},
  );
}

/** What the client changes, by the wrong part of its JWT. */
const fixes: Readonly<Record<string, string>> = {
  form: "Send one signed JWT: three parts of base64url, joined by dots.",
  typ: "Leave typ out of the header, or set it to an expected value.",
  exp: "Create the JWT immediately before the request, with exp a minute ahead, and compare the clocks.",
  nbf: "Compare the clock of the client with that of the server, or leave nbf out.",
  iat: "Compare the clock of the client with that of the server.",
  iss: "Set iss to the client_id.",
  sub: "Set sub to the client_id.",
  aud: "Set aud to the issuer of this server, as a string.",
  jti: "Set jti to a new random string for each JWT.",
  alg: "Sign with an expected algorithm, or register that of the client.",
  crit: "Leave crit, and the parameters that it names, out of the header.",
};

/** What the client changes; `undefined` if only the fix of the rule is known. */
function fixFor(cause: unknown, usesSecret: boolean, name: string): string | undefined {
  if (cause instanceof errors.JWTClaimValidationFailed) return fixes[cause.claim];
  if (cause instanceof errors.JWSSignatureVerificationFailed && usesSecret) {
    return `Sign ${name} with the client_secret of the client, as UTF-8.`;
  }
  if (cause instanceof errors.JWSSignatureVerificationFailed) {
    return `Sign ${name} with a private key of the client, and send its kid or none. Give a new key a new kid.`;
  }
  const { message } = cause as Error;
  if (message.includes('"alg"')) return fixes.alg;
  if (message.startsWith("Extension Header Parameter")) return fixes.crit;
  return cause instanceof errors.JWSInvalid || cause instanceof errors.JWTInvalid ? fixes.form : undefined;
}

/** An endpoint's URL, and its URL at the listener that asks for certificates, as in metadata (RFC 8705 §5). */
export function withAlias(
  { certificateListener }: { readonly certificateListener?: { readonly origin?: string } },
  url: string,
): readonly string[] {
  const { origin } = certificateListener ?? {};
  return origin === undefined ? [url] : [url, origin + new URL(url).pathname];
}
