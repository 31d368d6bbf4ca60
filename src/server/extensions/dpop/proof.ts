/** Verifies DPoP proofs (RFC 9449 §4.3), without state. Loaded with the first proof, because it imports jose. */

import { isObject } from "../../../core/http/json_value.ts";
import { compactVerify, decodeProtectedHeader, type JWTPayload } from "jose";
import { isMlDsa } from "../../../core/keys/signing_algorithm.ts";
import { quote } from "../../config/config_issue.ts";
import { describeKind } from "../../../core/http/quote_value.ts";
import {
  findFormProblem,
  findTimeProblem,
  findTimeTypeProblem,
  findTypeProblem,
  type JwtPolicy,
} from "../../../platform/jwt/jwt_policies.ts";
import { findPrivateMember, type Jwk, keyThumbprint, publicMembersOf } from "../../../core/keys/jwk.ts";
import { findVerificationFault } from "../../../core/keys/key_faults.ts";
import { importJwk } from "../../../core/keys/web_keys.ts";
import { digest } from "../../../core/keys/secrets.ts";
import { reject } from "./rules.ts";

/** The request that a proof must be for, and the limits of the proof. */
export interface ProofRequirements {
  readonly method: string;
  readonly url: string;
  /** A second origin of the URL. Default: none. */
  readonly otherOrigin?: string;
  /** The time, in milliseconds since the epoch. */
  readonly now: number;
  /** Seconds for which the proof is accepted after its `iat`. */
  readonly maxAgeSeconds: number;
  /** The accepted signature algorithms. */
  readonly algorithms: readonly string[];
  /** The end of a message about an unsupported algorithm. Default: empty. */
  readonly algorithmsBy?: string;
  /** The end of the message about a missing proof. Default: empty. */
  readonly requiredBy?: string;
  /** The access token of the request; absent at the authorization server. */
  readonly accessToken?: string;
}

export interface Proof {
  /** The SHA-256 thumbprint of its key (RFC 7638), as base64url. */
  readonly thumbprint: string;
  readonly jti: string;
  /** The URL of `htu`, normalized: all spellings of one URL are equal. */
  readonly target: string;
  /** When it was created, in seconds since the epoch. */
  readonly iat: number;
  /** The nonce of the server. */
  readonly nonce?: string;
}

/**
 * A DPoP proof (RFC 9449 §4.3, §11.1), whose maximum age is `dpop.maxAge`. It is made for one request, so a fast clock
 * may use the whole range of FAPI. The length suffices for an RSA key of 4096 bits. ML-DSA needs more: 6, 8 or 11 KB.
 */
export const proofPolicy: JwtPolicy & { readonly maxLength: number } = {
  ...{ secondsAhead: 60, secondsLate: 0, types: ["dpop+jwt"], maxLength: 4096 },
};
/** Maximum length of a proof where ML-DSA is accepted, in characters. */
const maxMlDsaLength = 12 * 1024;
/** Maximum length of `jti`, in characters. */
const maxIdentifierLength = 512;

/**
 * Verifies a proof for one request: its form, key, signature, claims and age.
 *
 * @param header The value of the `DPoP` header; `null` without one.
 * @throws {OAuthError} `invalid_dpop_proof`.
 */
export async function verifyProof(header: string | null, required: ProofRequirements): Promise<Proof> {
  if (header === null) throw reject("DO-06", { byProfile: required.requiredBy ?? "" });
  const maxLength = required.algorithms.some(isMlDsa) ? maxMlDsaLength : proofPolicy.maxLength;
  const { length } = header;
  if (length > maxLength || findFormProblem(header) !== undefined) {
    throw reject("DO-01", { problem: "form", maxLength, length, isSeveral: header.includes(",") });
  }
  const { alg, jwk } = readKey(header, required);
  const claims = await verifySignature(header, alg, jwk);
  const { jti, iat } = assertClaimTypes(claims);
  const target = assertTarget(claims, required);
  assertTimes(claims, required);
  if (required.accessToken !== undefined && claims.ath !== await digest(required.accessToken)) {
    throw reject("DO-09", { problem: "digest", isMissing: claims.ath === undefined });
  }
  const nonce = typeof claims.nonce === "string" ? claims.nonce : undefined;
  return { thumbprint: await keyThumbprint(jwk), jti, target, iat, nonce };
}

/** The public key in the header of a proof, after the type and the algorithm were checked. */
function readKey(
  proof: string,
  { algorithms, algorithmsBy = "" }: Pick<ProofRequirements, "algorithms" | "algorithmsBy">,
): { readonly alg: string; readonly jwk: Jwk } {
  let header: Readonly<Record<string, unknown>>;
  try {
    header = decodeProtectedHeader(proof);
  } catch {
    throw reject("DO-01", { problem: "header" });
  }
  const { typ, alg, jwk } = header;
  const problem = findTypeProblem(proofPolicy, typ);
  if (problem !== undefined) {
    throw reject("DO-01", { problem: "typ", expected: problem.expected, received: problem.received });
  }
  if (typeof alg !== "string" || !algorithms.includes(alg)) {
    throw reject("DO-01", { problem: "alg", algorithms, received: show(alg), byProfile: algorithmsBy });
  }
  if (typeof jwk !== "object" || jwk === null) {
    throw reject("DO-01", { problem: "no key", received: describeKind(jwk) });
  }
  const privateMember = findPrivateMember(jwk);
  if (privateMember !== undefined) throw reject("DO-01", { problem: "private key", member: privateMember });
  const fault = findVerificationFault(alg, { ...jwk });
  if (fault !== undefined) throw reject("DO-01", { problem: "key", alg, fault });
  return { alg, jwk: publicMembersOf({ ...jwk }) };
}

async function verifySignature(proof: string, alg: string, jwk: Jwk): Promise<JWTPayload> {
  let claims: unknown;
  try {
    const key = await importJwk(alg, jwk, "verify");
    const { payload } = await compactVerify(proof, key, { algorithms: [alg] });
    claims = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload));
  } catch (cause) {
    throw reject("DO-01", { problem: "signature", failure: (cause as Error).message });
  }
  if (isObject(claims)) return claims;
  throw reject("DO-01", { problem: "claims" });
}

function assertClaimTypes(claims: JWTPayload): Pick<Proof, "jti" | "iat"> {
  const { jti, iat } = claims;
  if (typeof jti !== "string" || jti === "" || jti.length > maxIdentifierLength) {
    const received = typeof jti === "string" ? `${jti.length} characters` : describeKind(jti);
    throw reject("DO-02", { problem: "jti", maxLength: maxIdentifierLength, received });
  }
  if (iat === undefined) throw reject("DO-02", { problem: "no iat" });
  const problem = findTimeTypeProblem(claims);
  if (problem === undefined) return { jti, iat };
  const { part: claim, expected, received } = problem;
  throw reject("DO-02", { problem: "time type", claim, expected, received });
}

/** Compares `htm` and `htu` with the request. @returns The normalized URL. */
function assertTarget({ htm, htu }: JWTPayload, { method, url, otherOrigin }: ProofRequirements): string {
  if (htm !== method) throw reject("DO-02", { problem: "method", expected: method, received: show(htm) });
  const expected = [url, ...otherOrigin === undefined ? [] : [otherOrigin + new URL(url).pathname]].map(normalizeUrl);
  const received = typeof htu === "string" && URL.canParse(htu) ? normalizeUrl(htu) : "";
  if (expected.includes(received)) return received;
  throw reject("DO-02", { problem: "URL", expected, received: show(htu) });
}

/** The URL without query and fragment, after the normalization of RFC 3986 §6.2.2 and §6.2.3. */
function normalizeUrl(text: string): string {
  const url = new URL(text);
  url.search = "";
  url.hash = "";
  return url.href.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
  });
}

function assertTimes(claims: JWTPayload, { now, maxAgeSeconds }: ProofRequirements): void {
  const seconds = now / 1000;
  const time = findTimeProblem(proofPolicy, claims, seconds);
  if (time !== undefined) throw reject("DO-03", { time });
  const { iat } = claims;
  if (iat! < seconds - maxAgeSeconds) throw reject("DO-03", { maxAgeSeconds, now: seconds, iat: iat! });
}

/** A value of a proof as text of bounded length: `quote` hides secrets before it cuts. */
function show(value: unknown): string {
  return typeof value === "string" ? quote(value) : describeKind(value);
}
