/** Values that only their bearer knows: drawn from the dice, kept as digests, compared in constant time. */

import { base64url } from "jose";

/** Gives that many random bytes from a cryptographic generator. */
export type Dice = (bytes: number) => Uint8Array;

const encoder = new TextEncoder();

/** Draws a secret of 256 bits, as 43 URL-safe characters (OAuth 2.1 §7.7 asks for 128 bits or more). */
export function drawSecret(dice: Dice): string {
  return base64url.encode(dice(32));
}

/** Draws a name that need not be secret but must never be drawn twice: 128 bits, 22 URL-safe characters. */
export function drawName(dice: Dice): string {
  return base64url.encode(dice(16));
}

/** The SHA-256 digest of a text. */
export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
}

/** The SHA-256 digest of a text, as base64url: what the shelf keeps of a secret. */
export async function digest(text: string): Promise<string> {
  return base64url.encode(await sha256(text));
}

/** Whether two texts are equal, in a time that depends on their lengths alone. Give it digests, whose length is fixed. */
export function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i % b.length);
  return difference === 0;
}

/** How a trace may speak of a secret: the first characters of its digest, enough to tell two apart. */
export async function fingerprint(secret: string): Promise<string> {
  return `sha256:${(await digest(secret)).slice(0, 10)}…`;
}
