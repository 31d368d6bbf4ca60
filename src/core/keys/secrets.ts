/** Secrets: random, stored as digests, compared in constant time. */

import { encodeBase64url, sha256 } from "./crypto.ts";
import type { ServerNames } from "../http/names.ts";

/** @internal Returns random bytes of a cryptographic generator. */
export type RandomBytes = (bytes: number) => Uint8Array;

/** A random secret of 43 URL-safe characters: 256 bits (OAuth 2.1 §7.7 demands 128 or more). */
export function randomToken(randomBytes: RandomBytes): string {
  return encodeBase64url(randomBytes(32));
}

/** A random unique identifier, which need not be secret: 128 bits, 22 URL-safe characters. */
export function randomId(randomBytes: RandomBytes): string {
  return encodeBase64url(randomBytes(16));
}

/** The SHA-256 digest of a text, as base64url. The store keeps only digests of secrets. */
export { sha256 as digest };

/** The storage key of a secret: a digest of the secret and the issuer, because issuers may share a store. */
export function storageKey(
  { names }: { readonly names: Pick<ServerNames, "storage"> },
  secret: string,
): Promise<string> {
  return sha256(`${names.storage} ${secret}`);
}

/**
 * Whether two texts are equal, in a time that depends on their lengths only. Meant for digests, whose length is fixed.
 */
export function constantTimeEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i % b.length);
  return difference === 0;
}
