/** Random values and digests of the small client. */

export function randomText(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(32)));
}

/** Base64 of the UTF-8 encoding of a text. */
export function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function digestBytes(text: string, name = "SHA-256"): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest(name, new TextEncoder().encode(text)));
}

export async function digest(text: string): Promise<string> {
  return toBase64url(await digestBytes(text));
}

/**
 * The `at_hash` of an access token, for the algorithm of the ID token (OpenID Connect Core §3.1.3.6; RFC 8032 §5.1).
 */
export async function accessTokenHash(text: string, alg: string): Promise<string> {
  const bytes = await digestBytes(text, alg === "EdDSA" ? "SHA-512" : "SHA-256");
  return toBase64url(bytes.subarray(0, bytes.length / 2));
}
