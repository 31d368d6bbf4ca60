/** Whether a JWK is a key for an algorithm, and why the server cannot sign with one, for messages. */

import { quoteValue } from "../http/quote_value.ts";
import { findMemberFaults, hasPrivateKey, type Jwk, mayVerify } from "./jwk.ts";
import { isMlDsa, type SigningAlgorithm } from "./signing_algorithm.ts";
import { curves } from "./web_keys.ts";

/** Describes the keys for an algorithm. */
export function describeKeyFor(alg: string): string {
  return `key for ${alg} (${describeType(typeOf(alg))})`;
}

/** The members that say what a key is for (RFC 7518 §6, RFC 8037 §2, RFC 9964 §3). */
function typeOf(alg: string): Jwk {
  if (isMlDsa(alg)) return { kty: "AKP", alg };
  if (/^Ed/.test(alg)) return { kty: "OKP", crv: "Ed25519" };
  return curves[alg] === undefined ? { kty: "RSA" } : { kty: "EC", crv: curves[alg] };
}

/** Describes a key that cannot sign with an algorithm, without its values. */
export function describeUnusableKey(alg: SigningAlgorithm, key: Jwk): { expected: string; received: string } {
  const fault = hasPrivateKey(key) ? "a key whose members are damaged or do not belong together" : "a public key";
  return { expected: `a private ${describeKeyFor(alg)}`, received: findKeyFault(alg, key) ?? fault };
}

/**
 * Why a key cannot be used for signatures with an algorithm; `undefined` if it can. Runtimes do not check this reliably:
 * Deno imports a P-384 key for ES256.
 */
export function findKeyFault(alg: string, key: Jwk): string | undefined {
  const { kty, use = "sig" } = key;
  if (kty === undefined) return "a key without kty";
  const isOfType = Object.entries(typeOf(alg)).every(([name, value]) => key[name] === value);
  if (!isOfType) return `a key with ${describeType(key)}`;
  if (use !== "sig") return `a key with use ${showName(use)}`;
  const [fault] = findMemberFaults(key);
  return fault && `a key with an unsuitable ${fault.name} (expected ${fault.expected}, found ${fault.received})`;
}

/** Why a public key cannot verify signatures with an algorithm; `undefined` if it can. */
export function findVerificationFault(alg: string, key: Jwk): string | undefined {
  const fault = findKeyFault(alg, key);
  if (fault !== undefined) return fault;
  if (key.alg !== undefined && key.alg !== alg) return `a key with alg ${showName(key.alg)}`;
  return mayVerify(key) ? undefined : "a key with key_ops without verify";
}

function describeType({ kty, crv, alg }: Jwk): string {
  const members = { kty, ...(kty === "EC" || kty === "OKP") && { crv }, ...kty === "AKP" && { alg } };
  return Object.entries(members).map(([name, value]) => `${name} ${showName(value)}`).join(", ");
}

/** Part of a key may have been pasted where a short name belongs. */
const showName = (value: unknown) =>
  typeof value === "string" && value.length > 16 ? "another value" : quoteValue(value);
