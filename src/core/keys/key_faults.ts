/** Whether a JWK is a key for an algorithm, and why the server cannot sign with one, for messages. */

import { quoteValue } from "../http/quote_value.ts";
import { hasPrivateKey, minRsaKeyBits, rsaKeyBits } from "./jwk.ts";
import type { SigningAlgorithm } from "./signing_algorithm.ts";

type Jwk = Readonly<Record<string, unknown>>;

/** The members that say what a key is for (RFC 7518 §6, RFC 8037 §2, RFC 9964 §3). */
function typeOf(alg: SigningAlgorithm): Jwk {
  switch (alg) {
    case "RS256":
      return { kty: "RSA" };
    case "ES256":
      return { kty: "EC", crv: "P-256" };
    case "EdDSA":
    case "Ed25519":
      return { kty: "OKP", crv: "Ed25519" };
    default:
      return { kty: "AKP", alg };
  }
}

/** Whether a key is one for signatures of an algorithm. Runtimes import others, too: Deno a key of P-384 for ES256. */
export function isKeyFor(alg: SigningAlgorithm, key: Jwk): boolean {
  return isTypeOf(alg, key) && isForSignatures(key) && !isTooShort(key);
}

const isTypeOf = (alg: SigningAlgorithm, key: Jwk) =>
  Object.entries(typeOf(alg)).every(([name, value]) => key[name] === value);

const isForSignatures = ({ use = "sig" }: Jwk) => use === "sig";

const isTooShort = ({ kty, n }: Jwk) => kty === "RSA" && (rsaKeyBits(n) ?? minRsaKeyBits) < minRsaKeyBits;

/** Describes a key that cannot sign with an algorithm, without its values. */
export function describeUnusableKey(alg: SigningAlgorithm, key: Jwk): { expected: string; received: string } {
  return { expected: `a private key for ${alg} (${describeType(typeOf(alg))})`, received: describeFault(alg, key) };
}

function describeFault(alg: SigningAlgorithm, key: Jwk): string {
  if (key.kty === undefined) return "a key without kty";
  if (!isTypeOf(alg, key)) return `a key with ${describeType(key)}`;
  if (!isForSignatures(key)) return `a key with use ${quoteValue(key.use)}`;
  if (isTooShort(key)) return `an RSA key of ${rsaKeyBits(key.n)} bits, fewer than ${minRsaKeyBits}`;
  return hasPrivateKey(key) ? "a key whose members are damaged or do not belong together" : "a public key";
}

function describeType({ kty, crv, alg }: Jwk): string {
  const members = { kty, ...crv !== undefined && { crv }, ...kty === "AKP" && { alg } };
  return Object.entries(members).map(([name, value]) => `${name} ${quoteValue(value)}`).join(", ");
}
