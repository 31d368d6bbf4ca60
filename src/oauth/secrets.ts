/** Values that only their bearer knows: drawn from the dice, kept as digests, compared in constant time. */

import { encodeBase64url } from "../runtime/base64url.ts";
import { sha256 } from "../runtime/crypto.ts";
import type { MaybePromise } from "./maybe_promise.ts";

/** Gives that many random bytes from a cryptographic generator. */
export type RandomBytes = (bytes: number) => Uint8Array;

/** Draws a secret of 256 bits, as 43 URL-safe characters (OAuth 2.1 §7.7 asks for 128 bits or more). */
export function randomToken(randomBytes: RandomBytes): string {
  return encodeBase64url(randomBytes(32));
}

/** Draws a name that need not be secret but must never be drawn twice: 128 bits, 22 URL-safe characters. */
export function randomId(randomBytes: RandomBytes): string {
  return encodeBase64url(randomBytes(16));
}

/** The SHA-256 digest of a text, as base64url: what the shelf keeps of a secret. */
export function digest(text: string): MaybePromise<string> {
  return sha256(text);
}

/** Where a secret is shelved: by its digest, and apart from other issuers that may share the store. */
export function storageKey(server: { readonly issuer: string }, secret: string): MaybePromise<string> {
  return digest(`${server.issuer} ${secret}`);
}

/** Whether two texts are equal, in a time that depends on their lengths alone. Give it digests, whose length is fixed. */
export function constantTimeEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i % b.length);
  return difference === 0;
}

/** How a trace may speak of a secret: the first characters of its digest, enough to tell two apart. */
export async function fingerprint(secret: string): Promise<string> {
  return `sha256:${(await digest(secret)).slice(0, 10)}…`;
}
