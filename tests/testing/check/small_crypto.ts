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

async function digestBytes(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

export async function digest(text: string): Promise<string> {
  return toBase64url(await digestBytes(text));
}

export async function leftHalfDigest(text: string): Promise<string> {
  return toBase64url((await digestBytes(text)).subarray(0, 16));
}
