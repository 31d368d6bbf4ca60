/** Secrets: random, stored as digests, compared in constant time. */

import { encodeBase64url, sha256 } from "./crypto.ts";
import type { ServerNames } from "./names.ts";

/** @internal Returns random bytes of a cryptographic generator. */
export type RandomBytes = (bytes: number) => Uint8Array;

/**
 * A random secret of 43 URL-safe characters: 228 random bits (OAuth 2.1 §7.7 demands 128 or more), then a checksum of
 * five characters.
 */
export function randomToken(randomBytes: RandomBytes): string {
  return withChecksum(encodeBase64url(randomBytes(32)));
}

const tokenChars = 43;
const randomChars = 38;

/** Replaces the last five of 43 characters by a checksum, by which {@link containsIssued} finds the secret. */
export function withChecksum(text: string): string {
  return text.slice(0, randomChars) + formatChecksum(hashAt(text, 0));
}

/** The FNV-1a hash of the random characters that begin at a position. */
function hashAt(text: string, from: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < from + randomChars; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** 28 bits of a hash as five characters. The unused bits of the last one are zero, as base64url demands (BR-05). */
function formatChecksum(hash: number): string {
  // In one expression, because a loop takes several times as long.
  return alphabet.charAt(hash & 63) + alphabet.charAt(hash >>> 6 & 63) + alphabet.charAt(hash >>> 12 & 63) +
    alphabet.charAt(hash >>> 18 & 63) + alphabet.charAt(hash >>> 24 & 60);
}

/**
 * Whether a text contains a secret that this or any other Latchkey server issued. It reads no store: the secret may be
 * used or expired. Of other texts of 43 characters, one in 2²⁸ has a matching checksum.
 */
export function containsIssued(text: string): boolean {
  for (let from = 0; from + tokenChars <= text.length; from++) {
    const hash = hashAt(text, from);
    const mayMatch = text[from + randomChars] === alphabet[hash & 63];
    if (mayMatch && text.startsWith(formatChecksum(hash), from + randomChars)) return true;
  }
  return false;
}

/** A random unique identifier, which need not be secret: 128 bits, 22 URL-safe characters. */
export function randomId(randomBytes: RandomBytes): string {
  return encodeBase64url(randomBytes(16));
}

/** The SHA-256 digest of a text, as base64url. The store keeps only digests of secrets. */
export function digest(text: string): Promise<string> {
  return sha256(text);
}

/** The storage key of a secret: a digest of the secret and the issuer, because issuers may share a store. */
export function storageKey(
  { names }: { readonly names: Pick<ServerNames, "storage"> },
  secret: string,
): Promise<string> {
  return digest(`${names.storage} ${secret}`);
}

/**
 * Whether two texts are equal, in a time that depends on their lengths only. Meant for digests, whose length is fixed.
 */
export function constantTimeEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i % b.length);
  return difference === 0;
}
