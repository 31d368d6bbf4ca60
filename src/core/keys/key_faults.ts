/** What is wrong with a JWK (RFC 7517 §4, RFC 7518 §6, RFC 8037 §2, RFC 9964 §3), for messages. */

import { describeKind, quoteValue } from "../http/quote_value.ts";
import { isMlDsa, type SigningAlgorithm } from "./signing_algorithm.ts";

/** A member of a JWK that is missing or wrong. */
export interface KeyFault {
  readonly member: string;
  readonly expected: string;
  /** Never the value of a member, which may be secret. */
  readonly received: string;
  readonly hint: string;
}

type Jwk = Readonly<Record<string, unknown>>;

/** The faults of the public members. */
export function publicKeyFaults(key: Jwk): KeyFault[] {
  if (typeof key.kty !== "string") {
    const expected = "a key type: EC, RSA, OKP or AKP";
    return [{
      member: "kty",
      expected,
      received: describeKind(key.kty),
      hint: "Export the public key again, as a JWK.",
    }];
  }
  return [...rsaFaults(key), ...curveFaults(key), ...mlDsaFaults(key)];
}

/** The key type and the curve of each algorithm, and its private members. */
const typeOf = (alg: SigningAlgorithm): { readonly kty: string; readonly crv?: string } =>
  isMlDsa(alg)
    ? { kty: "AKP" }
    : alg === "RS256"
    ? { kty: "RSA" }
    : alg === "ES256"
    ? { kty: "EC", crv: "P-256" }
    : { kty: "OKP", crv: "Ed25519" };

/** The type of the keys of an algorithm, for messages: `kty EC, crv P-256`. */
export function describeKeyType(alg: SigningAlgorithm): string {
  const { kty, crv } = typeOf(alg);
  return `kty ${kty}` + (crv === undefined ? "" : `, crv ${crv}`) + (isMlDsa(alg) ? `, alg ${alg}` : "");
}

/** Whether a key is of the type of an algorithm. */
export function isKeyTypeOf(alg: SigningAlgorithm, key: Jwk): boolean {
  const { kty, crv } = typeOf(alg);
  return key.kty === kty && (crv === undefined || key.crv === crv) && (!isMlDsa(alg) || key.alg === alg);
}

/**
 * Why a private JWK cannot sign with an algorithm; `undefined` if its members look right.
 *
 * @param half Which half of the key is needed.
 */
export function findKeyFault(
  alg: SigningAlgorithm,
  key: Jwk,
  half: "private" | "public",
): Omit<KeyFault, "hint" | "member"> | undefined {
  const expected = `a ${half} key for ${alg} (${describeKeyType(alg)})`;
  if (!isKeyTypeOf(alg, key)) return { expected, received: describeType(key) };
  const [fault] = publicKeyFaults(key);
  if (fault !== undefined) return { expected: `${fault.member} as ${fault.expected}`, received: fault.received };
  if (half === "public") return undefined;
  const secret = key.kty === "AKP" ? "priv" : "d";
  if (key[secret] === undefined) return { expected, received: `a public key: it has no ${secret}` };
  const members = key.kty === "RSA" ? ["d", "p", "q", "dp", "dq", "qi"] : [secret];
  const missing = members.filter((name) => key[name] === undefined);
  if (missing.length > 0) return { expected, received: `a key without ${missing.join(", ")}` };
  for (const name of members) {
    const value = key[name];
    if (typeof value !== "string" || !/^[\w-]+$/.test(value)) {
      return { expected, received: `${name} that is not base64url` };
    }
    if (key.kty !== "RSA" && value.length !== 43) {
      return { expected, received: `${name} of ${value.length} characters instead of 43` };
    }
  }
  return undefined;
}

/** The same for a key that could not be imported, or whose public half does not verify its signature. */
export function describeUnusableKey(
  alg: SigningAlgorithm,
  key: Jwk,
  half: "private" | "public",
): Omit<KeyFault, "hint" | "member"> {
  return findKeyFault(alg, key, half) ?? {
    expected: `a ${half} key for ${alg} (${describeKeyType(alg)})`,
    received: half === "private"
      ? "private members that do not belong to the public ones"
      : "a key that cannot be imported",
  };
}

/** The type of a key as a noun phrase. */
function describeType({ kty, crv, alg }: Jwk): string {
  if (kty === "oct") return "a symmetric key (kty oct)";
  if (kty === undefined) return "a JWK without kty";
  return `a key with kty ${quoteValue(kty)}` + (crv === undefined ? "" : `, crv ${quoteValue(crv)}`) +
    (kty === "AKP" ? `, alg ${quoteValue(alg)}` : "");
}

/** Minimum size of an RSA key, in bits (RFC 7518 §3.3 and §3.5). */
const minRsaKeyBits = 2048;

function rsaFaults({ kty, n, e }: Jwk): KeyFault[] {
  if (kty !== "RSA") return [];
  const bits = typeof n === "string" ? bitLength(n) : undefined;
  if (bits === undefined || bits < minRsaKeyBits) {
    return [{
      member: "n",
      expected: `the modulus of an RSA key of ${minRsaKeyBits} bits or more, as base64url`,
      received: bits === undefined ? describeNumber(n) : `${bits} bits`,
      hint: `Create a key of ${minRsaKeyBits} bits or more, or one for ES256 or Ed25519.`,
    }];
  }
  if (typeof e === "string" && bitLength(e) !== undefined) return [];
  return [{
    member: "e",
    expected: "the exponent of an RSA key, as base64url",
    received: describeNumber(e),
    hint: "Export the public key again.",
  }];
}

/** The length of a coordinate in characters of base64url, by curve (RFC 7518 §6.2.1.2, RFC 8037 §2). */
const coordinateLengths: ReadonlyMap<unknown, number> = new Map([
  ["P-256", 43],
  ["P-384", 64],
  ["P-521", 88],
  ["Ed25519", 43],
]);

/** Not every runtime checks the length when it imports a key. */
function curveFaults(key: Jwk): KeyFault[] {
  const { kty, crv } = key;
  if ((kty === "EC" || kty === "OKP") && typeof crv !== "string") {
    const expected = `the curve of a key of kty ${kty}`;
    return [{
      member: "crv",
      expected,
      received: describeKind(crv),
      hint: "Export the public key again, with its crv.",
    }];
  }
  const length = coordinateLengths.get(crv);
  if (length === undefined) return [];
  return (kty === "EC" ? ["x", "y"] : ["x"]).flatMap((name) => {
    const value = key[name];
    if (typeof value === "string" && value.length === length && /^[\w-]+$/.test(value)) return [];
    return [{
      member: name,
      expected: `a coordinate of ${crv}: ${length} characters of base64url`,
      received: typeof value === "string" ? `${value.length} characters` : "no text",
      hint: "Export the public key again: crv must be the curve of the key.",
    }];
  });
}

/** The length of `pub` in characters of base64url (FIPS 204 §4), by algorithm. */
const mlDsaKeyLengths: ReadonlyMap<unknown, number> = new Map([
  ["ML-DSA-44", 1750],
  ["ML-DSA-65", 2603],
  ["ML-DSA-87", 3456],
]);

/** `alg` and `pub` are required (RFC 9964 §3). */
function mlDsaFaults({ kty, alg, pub }: Jwk): KeyFault[] {
  if (kty !== "AKP") return typeof alg === "string" && isMlDsa(alg) ? [wrongKeyType(kty, alg)] : [];
  const length = mlDsaKeyLengths.get(alg);
  if (length === undefined) {
    const expected = `one of ${[...mlDsaKeyLengths.keys()].join(", ")}, for a key of kty AKP`;
    return [{
      member: "alg",
      expected,
      received: quoteValue(alg),
      hint: "Export the public key again, with its alg.",
    }];
  }
  if (typeof pub === "string" && pub.length === length && /^[\w-]+$/.test(pub)) return [];
  return [{
    member: "pub",
    expected: `the public key of ${alg}: ${length} characters of base64url`,
    received: typeof pub === "string" ? `${pub.length} characters` : "no text",
    hint: "Export the public key again: alg must be the algorithm of the key.",
  }];
}

function wrongKeyType(kty: unknown, alg: unknown): KeyFault {
  return {
    member: "kty",
    expected: `AKP, the key type of ${alg}`,
    received: quoteValue(kty),
    hint: "Export the public key again, or remove alg.",
  };
}

/** The bits of a base64url number without leading zeros; `undefined` if the text is not one. */
function bitLength(number: string): number | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(number)) return undefined;
  const significant = number.replace(/^A+/, "");
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const leading = alphabet.indexOf(significant.charAt(0));
  if (leading < 0) return 0;
  // The last character includes padding bits.
  const spare = number.length * 6 % 8;
  return significant.length * 6 - (6 - (32 - Math.clz32(leading))) - spare;
}

function describeNumber(value: unknown): string {
  return value === undefined
    ? "nothing"
    : typeof value === "string"
    ? "a string that is not base64url"
    : "not a string";
}
