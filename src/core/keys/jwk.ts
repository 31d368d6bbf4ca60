/** The members of keys as JWKs (RFC 7518 §6, RFC 8037 §2, RFC 9964 §3). */

import { quoteValue } from "../http/quote_value.ts";
import { decodeBase64url, encodeBase64url, sha256 } from "./crypto.ts";

/** The required members of a public key, by its type. */
const publicMembers: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["EC", ["kty", "crv", "x", "y"]],
  ["OKP", ["kty", "crv", "x"]],
  ["RSA", ["kty", "n", "e"]],
  ["AKP", ["kty", "pub", "alg"]],
]);

export const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"] as const;

export type Jwk = { readonly [member: string]: unknown };

/** The required members of a public key. */
export function publicMembersOf(jwk: Jwk): Record<string, unknown> {
  return pick(jwk, publicMembers.get(jwk.kty) ?? ["kty"]);
}

/** The thumbprint of a key: the digest of its required members in alphabetical order (RFC 7638 §3). */
export async function keyThumbprint(jwk: Jwk): Promise<string> {
  const members = publicMembersOf(jwk);
  return await sha256(JSON.stringify(members, Object.keys(members).sort()));
}

/** The required members of a public key, and its private ones. */
export function keyMembersOf(jwk: Jwk): Record<string, unknown> {
  return { ...publicMembersOf(jwk), ...pick(jwk, privateMembers) };
}

/** The present members, in this order. */
function pick(jwk: Jwk, members: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(members.flatMap((name) => jwk[name] === undefined ? [] : [[name, jwk[name]]]));
}

/** @internal A set of public keys (RFC 7517 §5). */
export interface PublicKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** A private member of a JWK; `undefined` if it is a public key. */
export function findPrivateMember(jwk: object): string | undefined {
  return privateMembers.find((name) => name in jwk);
}

/** Whether a JWK has the private half of an asymmetric key. */
export function hasPrivateKey(jwk: { readonly d?: unknown; readonly priv?: unknown }): boolean {
  return jwk.d !== undefined || jwk.priv !== undefined;
}

/** Minimum size of an RSA key, in bits (RFC 7518 §3.3 and §3.5). */
export const minRsaKeyBits = 2048;

/** A requirement for the bytes of a member of a public key. */
interface MemberCheck {
  readonly expected: string;
  /** What is wrong with them; `undefined` if nothing is. */
  findFault(bytes: Uint8Array): string | undefined;
}

function ofLength(length: number): MemberCheck {
  const characters = (count: number) => `${Math.ceil(count * 4 / 3)} characters`;
  return {
    expected: `${characters(length)} of base64url`,
    findFault: (bytes) => bytes.length === length ? undefined : characters(bytes.length),
  };
}

function numberOf(expected: string, isSuitable: (bits: number, lastByte: number) => boolean): MemberCheck {
  return {
    expected: `${expected}, as base64url without leading zeros`,
    findFault(bytes) {
      if (bytes[0] === 0) return "leading zeros";
      const bits = bytes.length * 8 - (Math.clz32(bytes[0]!) - 24);
      if (isSuitable(bits, bytes.at(-1)!)) return undefined;
      return bits > 32 ? `${bits} bits` : `the number ${bytes.reduce((sum, byte) => sum * 256 + byte, 0)}`;
    },
  };
}

const edwardsPrime = 2n ** 255n - 19n;
const yOfOrderEight = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
const ysOfSmallOrder = [0n, 1n, yOfOrderEight, edwardsPrime - yOfOrderEight, edwardsPrime - 1n];

/** If the public key is a point of small order, anyone can make a signature that some runtimes accept. */
const edwardsPoint: MemberCheck = {
  expected: `${ofLength(32).expected}: the canonical encoding of a point that is not of small order`,
  findFault(bytes) {
    if (bytes.length !== 32) return ofLength(32).findFault(bytes);
    const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).reverse().join("");
    // The highest bit is the sign of x (RFC 8032 §5.1.2).
    const y = BigInt(`0x${digits}`) % 2n ** 255n;
    const isStrong = y < edwardsPrime && !ysOfSmallOrder.includes(y);
    return isStrong ? undefined : "an unsafe point (of small order), or a non-canonical encoding";
  },
};

/** The checks of members, by type and curve or algorithm (RFC 7518 §6.2.1, §6.3.1, RFC 8037 §2, FIPS 204 §4). */
const memberChecks = new Map<string, Readonly<Record<string, MemberCheck>>>([
  ["EC P-256", { x: ofLength(32), y: ofLength(32) }],
  ["EC P-384", { x: ofLength(48), y: ofLength(48) }],
  ["EC P-521", { x: ofLength(66), y: ofLength(66) }],
  ["OKP Ed25519", { x: edwardsPoint }],
  ["OKP X25519", { x: ofLength(32) }],
  ["AKP ML-DSA-44", { pub: ofLength(1312) }],
  ["AKP ML-DSA-65", { pub: ofLength(1952) }],
  ["AKP ML-DSA-87", { pub: ofLength(2592) }],
  ["RSA", {
    n: numberOf(`a number of ${minRsaKeyBits} bits or more`, (bits) => bits >= minRsaKeyBits),
    // With the exponent 1, anyone can sign.
    e: numberOf("an odd number from 3 to 2^32 - 1", (bits, last) => bits > 1 && bits <= 32 && last % 2 === 1),
  }],
]);

/**
 * The members of a public key that are missing, are not in their canonical form (RFC 7518 §6), or are unsafe; none if the
 * type or the curve is unknown, or if a certificate contains the key instead (`x5c`). Some runtimes import other forms,
 * too, which would give one key several thumbprints.
 */
export function findMemberFaults(jwk: Jwk): { name: string; expected: string; received: string }[] {
  const { kty, x5c } = jwk;
  if (typeof kty !== "string") {
    return [{ name: "kty", expected: "the type of the key, such as EC or RSA", received: quoteValue(kty) }];
  }
  const hasValue = ["x", "y", "n", "e", "pub"].some((name) => jwk[name] !== undefined);
  if (Array.isArray(x5c) && x5c.length > 0 && !hasValue) return [];
  // The member that selects the checks; RSA has neither.
  const selector = ["crv", "alg"].find((member) => publicMembers.get(kty)?.includes(member));
  const selected = selector && jwk[selector];
  const checks = memberChecks.get(typeof selected === "string" ? `${kty} ${selected}` : kty);
  if (selector === "crv" && typeof selected !== "string") {
    return [{ name: "crv", expected: "the curve of the key, such as P-256", received: quoteValue(selected) }];
  }
  if (selector === "alg" && checks === undefined) {
    return [{ name: "alg", expected: "ML-DSA-44, ML-DSA-65 or ML-DSA-87", received: quoteValue(selected) }];
  }
  return Object.entries(checks ?? {}).flatMap(([name, check]) => {
    const received = findValueFault(jwk[name], check);
    return received === undefined ? [] : [{ name, expected: check.expected, received }];
  });
}

/** Whether a key may verify signatures, by its `key_ops` (RFC 7517 §4.3). */
export function mayVerify({ key_ops: operations = ["verify"] }: Jwk): boolean {
  return Array.isArray(operations) && operations.includes("verify");
}

function findValueFault(value: unknown, check: MemberCheck): string | undefined {
  if (typeof value !== "string") return value === undefined ? "nothing" : "not a string";
  if (!/^[\w-]+$/.test(value) || value.length % 4 === 1) return "a string that is not base64url";
  const bytes = decodeBase64url(value);
  const isCanonical = encodeBase64url(bytes) === value;
  return check.findFault(bytes) ?? (isCanonical ? undefined : "a last character whose unused bits are not zero");
}
