/**
 * The codes, tokens and other secrets that this process issued, so that redaction finds them in any text. It has a
 * keyed hash of each, not the secret; the key is new in each process. Of more than {@link maxIssued}, the newer half
 * stays.
 */

import { encodeBase64url, randomBytes } from "../../core/keys/crypto.ts";

const maxIssued = 100_000;

/** The length of every issued secret: 32 bytes as base64url. */
const secretChars = 43;

/** One for the process, which may load this file twice: the package as ES modules, and as CommonJS. */
const { issued, keys } = ofProcess();

function ofProcess(): { readonly issued: ReturnType<typeof recentNumbers>; readonly keys: readonly number[] } {
  const name = Symbol.for("latchkey.issued_hashes");
  const shared = globalThis as { [name]?: ReturnType<typeof ofProcess> };
  return shared[name] ??= {
    issued: recentNumbers(maxIssued),
    // 5 modulo 8, so that the powers of a key repeat as late as possible.
    keys: [...new Uint32Array(randomBytes(8).buffer)].map((number) => number & ~7 | 5),
  };
}

/** The last numbers that were added, at least `limit / 2` of them. */
function recentNumbers(limit: number) {
  let newer = new Set<number>();
  let older = newer;
  return {
    add(number: number): void {
      newer.add(number);
      if (newer.size === limit / 2) [newer, older] = [new Set(), newer];
    },
    has: (number: number): boolean => newer.has(number) || older.has(number),
  };
}

/** What the first character of a window counts: the number to the power of the length. */
const leading = keys.map((key) => {
  let power = 1;
  for (let i = 0; i < secretChars; i++) power = Math.imul(power, key);
  return power;
});

/** Remembers a secret of 43 characters; others are not found. */
export function rememberIssued(secret: string): void {
  if (secret.length === secretChars) someWindow(secret, (hash) => issued.add(hash));
}

/** Whether a text contains a remembered secret. Takes linear time. */
export function containsIssued(text: string): boolean {
  return someWindow(text, issued.has);
}

/**
 * Whether a condition holds for the hash of some 43 successive characters. A hash has 53 bits of two polynomials, each
 * in a secret number, modulo 2 ** 32: a modulus that is prime takes eight times as long.
 */
function someWindow(text: string, condition: (hash: number) => boolean | void): boolean {
  let [one, other] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const added = text.charCodeAt(i);
    const dropped = i < secretChars ? 0 : text.charCodeAt(i - secretChars);
    one = Math.imul(one, keys[0]!) + added - Math.imul(dropped, leading[0]!) | 0;
    other = Math.imul(other, keys[1]!) + added - Math.imul(dropped, leading[1]!) | 0;
    if (i >= secretChars - 1 && condition((one >>> 0) * 2 ** 21 + (other >>> 11))) return true;
  }
  return false;
}

/** The random source, which remembers what becomes a secret: every secret is 32 random bytes. */
export function rememberingRandom(source: (bytes: number) => Uint8Array): (bytes: number) => Uint8Array {
  return (count) => {
    const bytes = source(count);
    if (count === 32) rememberIssued(encodeBase64url(bytes));
    return bytes;
  };
}
