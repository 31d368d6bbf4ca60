/** The members of keys as JWKs (RFC 7518 §6, RFC 8037 §2, RFC 9964 §3). */

import { decodeBase64url, sha256 } from "./crypto.ts";

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

/** The bits of a modulus in base64url, without leading zeros; `undefined` if it is another value. */
export function rsaKeyBits(n: unknown): number | undefined {
  if (typeof n !== "string" || !/^[\w-]+$/.test(n) || n.length % 4 === 1) return undefined;
  const bytes = decodeBase64url(n);
  const first = bytes.findIndex((byte) => byte > 0);
  return first < 0 ? 0 : (bytes.length - first) * 8 - (Math.clz32(bytes[first]!) - 24);
}
