/** What is wrong with a JWK (RFC 7517 §4, RFC 7518 §6, RFC 8037 §2, RFC 9964 §3), for messages. */

import { quoteValue } from "../http/quote_value.ts";
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

/** The key type and the curve of signature algorithms (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2, RFC 9964 §3). */
const keyTypes: ReadonlyMap<unknown, { readonly kty: string; readonly crv?: string }> = new Map([
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"].map((alg) => [alg, { kty: "RSA" }] as const),
  ["ES256", { kty: "EC", crv: "P-256" }],
  ["ES384", { kty: "EC", crv: "P-384" }],
  ["ES512", { kty: "EC", crv: "P-521" }],
  ["EdDSA", { kty: "OKP" }],
  ["Ed25519", { kty: "OKP", crv: "Ed25519" }],
  ...["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"].map((alg) => [alg, { kty: "AKP" }] as const),
  ...["HS256", "HS384", "HS512"].map((alg) => [alg, { kty: "oct" }] as const),
]);

/** The curves of each key type (RFC 7518 §6.2.1.1, RFC 8037 §2, RFC 8812 §3.1). */
const curves: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["EC", ["P-256", "P-384", "P-521", "secp256k1"]],
  ["OKP", ["Ed25519", "Ed448", "X25519", "X448"]],
]);

const exportAgain = "Export the public key again, in base64url without padding.";

/** The faults of the public members. */
export function publicKeyFaults(key: Jwk): KeyFault[] {
  const { kty, crv, alg } = key;
  const fault = (member: string, expected: string, hint: string): KeyFault[] => [
    { member, expected, received: key[member] === undefined ? "nothing" : quoteValue(key[member]), hint },
  ];
  if (!["EC", "RSA", "OKP", "AKP"].includes(kty as string)) {
    // A set may have keys of types that this server does not know (RFC 7517 §5).
    if (typeof kty === "string" && !/^(?:ec|rsa|okp|akp)$/i.test(kty)) return [];
    return fault("kty", "a key type: EC, RSA, OKP or AKP", "Export the public key again, as a JWK.");
  }
  const known = curves.get(kty);
  if (known !== undefined && !known.includes(crv as string)) {
    return fault("crv", `a curve of kty ${kty}: ${known.join(", ")}`, "Export the public key again, with its crv.");
  }
  const type = keyTypes.get(alg);
  const hint = "Export the public key again, or remove alg.";
  if (type !== undefined && type.kty !== kty) return fault("kty", `${type.kty}, the key type of ${alg}`, hint);
  if (type?.crv !== undefined && type.crv !== crv) return fault("crv", `${type.crv}, the curve of ${alg}`, hint);
  return [...rsaFaults(key), ...curveFaults(key), ...mlDsaFaults(key)];
}

/** The key type and the curve that keys of the server must have. */
function typeOf(alg: SigningAlgorithm): { readonly kty: string; readonly crv?: string } {
  return alg === "EdDSA" ? keyTypes.get("Ed25519")! : keyTypes.get(alg)!;
}

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
      received: bits === undefined ? describeText(n) : `${bits} bits`,
      hint: bits === undefined
        ? exportAgain
        : `Export the whole key again; if it is that small, create one of ${minRsaKeyBits} bits or more, or one for ES256 or Ed25519.`,
    }];
  }
  if (typeof e === "string" && bitLength(e) !== undefined) return [];
  return [{
    member: "e",
    expected: "the exponent of an RSA key, as base64url",
    received: describeText(e),
    hint: exportAgain,
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
  const length = coordinateLengths.get(crv);
  if (length === undefined) return [];
  return (kty === "EC" ? ["x", "y"] : ["x"]).flatMap((name) => {
    const value = key[name];
    if (typeof value === "string" && value.length === length && /^[\w-]+$/.test(value)) return [];
    return [{
      member: name,
      expected: `a coordinate of ${crv}: ${length} characters of base64url`,
      received: describeText(value),
      hint: `${exportAgain} Its crv must be the curve of the key.`,
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
  if (kty !== "AKP") return [];
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
    received: describeText(pub),
    hint: `${exportAgain} Its alg must be the algorithm of the key.`,
  }];
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

/** A text of base64url that has another length, or something else. */
function describeText(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value !== "string") return "not a string";
  return /^[\w-]+$/.test(value) ? `${value.length} characters` : "a string that is not base64url";
}
