/** Whether a JWK is a key for an algorithm, and why the server cannot sign with one, for messages. */

import { quoteValue } from "../http/quote_value.ts";
import { hasPrivateKey, type Jwk, minRsaKeyBits, rsaKeyBits } from "./jwk.ts";
import type { SigningAlgorithm } from "./signing_algorithm.ts";

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

/** Describes a key that cannot sign with an algorithm, without its values. */
export function describeUnusableKey(alg: SigningAlgorithm, key: Jwk): { expected: string; received: string } {
  const fault = hasPrivateKey(key) ? "a key whose members are damaged or do not belong together" : "a public key";
  const expected = `a private key for ${alg} (${describeType(typeOf(alg))})`;
  return { expected, received: findKeyFault(alg, key) ?? fault };
}

/** Why a key may not sign with an algorithm. Runtimes import others, too: Deno a key of P-384 for ES256. */
export function findKeyFault(alg: SigningAlgorithm, key: Jwk): string | undefined {
  const { kty, use = "sig", n } = key;
  if (kty === undefined) return "a key without kty";
  const isOfType = Object.entries(typeOf(alg)).every(([name, value]) => key[name] === value);
  if (!isOfType) return `a key with ${describeType(key)}`;
  if (use !== "sig") return `a key with use ${showName(use)}`;
  if (kty !== "RSA") return undefined;
  const bits = rsaKeyBits(n);
  if (bits === undefined) return "an RSA key whose n is not base64url";
  return bits < minRsaKeyBits ? `an RSA key of ${bits} bits, fewer than ${minRsaKeyBits}` : undefined;
}

function describeType({ kty, crv, alg }: Jwk): string {
  const members = { kty, ...crv !== undefined && { crv }, ...kty === "AKP" && { alg } };
  return Object.entries(members).map(([name, value]) => `${name} ${showName(value)}`).join(", ");
}

/** A part of a key may stand by mistake where a short name belongs. */
const showName = (value: unknown) => String(value).length > 16 ? "another value" : quoteValue(value);
