/** The members of keys as JWKs (RFC 7518 §6, RFC 8037 §2, RFC 9964 §3). */

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

/** The bytes of members whose length is fixed (RFC 7518 §6.2.1.2, RFC 8037 §2, FIPS 204 §4), by curve or algorithm. */
const fixedBytes: ReadonlyMap<unknown, number> = new Map([
  ["P-256", 32],
  ["P-384", 48],
  ["P-521", 66],
  ["Ed25519", 32],
  ["X25519", 32],
  ["ML-DSA-44", 1312],
  ["ML-DSA-65", 1952],
  ["ML-DSA-87", 2592],
]);

/**
 * The members of a public key whose value is not in its canonical form (RFC 7518 §6), or is unsafe; none if the curve is
 * unknown, or if a certificate contains the key instead (`x5c`). Some runtimes import other forms, too, which would give
 * one key several thumbprints.
 */
export function findMemberFaults(jwk: Jwk): { name: string; expected: string; received: string }[] {
  const { kty, crv, alg, x5c } = jwk;
  const names = (publicMembers.get(kty) ?? []).filter((name) => !["kty", "crv", "alg"].includes(name));
  const length = kty === "RSA" ? undefined : fixedBytes.get(kty === "AKP" ? alg : crv);
  if (length === undefined && kty !== "RSA") return [];
  if (Array.isArray(x5c) && x5c.length > 0 && names.every((name) => jwk[name] === undefined)) return [];
  return names.flatMap((name) => {
    const received = findValueFault(name, jwk[name], length);
    return received === undefined ? [] : [{ name, expected: expectedValue(name, length), received }];
  });
}

function expectedValue(name: string, length: number | undefined): string {
  if (length !== undefined) return `${Math.ceil(length * 4 / 3)} characters of base64url`;
  const number = name === "n" ? `a number of ${minRsaKeyBits} bits or more` : "an odd number from 3 to 2^32 - 1";
  return `${number}, as base64url without leading zeros`;
}

/** @param length In bytes; `undefined`: the value is a number. */
function findValueFault(name: string, value: unknown, length: number | undefined): string | undefined {
  if (value === undefined) return "nothing";
  if (typeof value !== "string") return "not a string";
  if (!/^[\w-]+$/.test(value) || value.length % 4 === 1) return "a string that is not base64url";
  const bytes = decodeBase64url(value);
  if (encodeBase64url(bytes) !== value) return "unused bits in its last character that are not zero";
  if (length !== undefined) return bytes.length === length ? undefined : `${value.length} characters`;
  if (bytes[0] === 0) return "leading zeros";
  const bits = bytes.length * 8 - (Math.clz32(bytes[0]!) - 24);
  if (name === "n") return bits < minRsaKeyBits ? `${bits} bits` : undefined;
  // With the exponent 1, everybody can sign.
  return bits > 1 && bits <= 32 && bytes.at(-1)! % 2 === 1 ? undefined : "an even, too small or too large number";
}
