/** Random values and digests of the small clients. */

import { cryptography, encodeBase64url, randomBytes } from "../../src/core/keys/crypto.ts";

export function randomText(): string {
  return encodeBase64url(randomBytes(32));
}

/** Base64 of the UTF-8 encoding of a text. */
export function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/**
 * The `at_hash` of an access token, for the algorithm of the ID token (OpenID Connect Core §3.1.3.6; RFC 8032 §5.1).
 */
export async function accessTokenHash(text: string, alg: string): Promise<string> {
  const bytes = await cryptography().digest(alg === "EdDSA" ? "SHA-512" : "SHA-256", text);
  return encodeBase64url(bytes.subarray(0, bytes.length / 2));
}
