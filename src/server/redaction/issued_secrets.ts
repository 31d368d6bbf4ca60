/**
 * The codes, tokens and other secrets that this process issued, so that redaction finds them in any text. Of more than
 * {@link maxIssued}, the newer half stays.
 */

import { encodeBase64url } from "../../core/keys/crypto.ts";
import { type BoundedCache, boundedCache } from "../../platform/bounded_cache.ts";

const maxIssued = 100_000;

/** The length of every issued secret: 32 bytes as base64url. */
const secretChars = 43;

/** One for the process, which may load this file twice: the package as ES modules, and as CommonJS. */
const issued = ofProcess();

function ofProcess(): BoundedCache<true> {
  const name = Symbol.for("latchkey.issued_secrets");
  const shared = globalThis as { [name]?: BoundedCache<true> };
  return shared[name] ??= boundedCache(maxIssued);
}

/** Remembers a secret of 43 characters; others are not found. */
export function rememberIssued(secret: string): void {
  if (secret.length === secretChars) issued.set(secret, true);
}

/** Whether a text contains a remembered secret. Takes linear time. */
export function containsIssued(text: string): boolean {
  for (let start = 0; start + secretChars <= text.length; start++) {
    if (issued.get(text.slice(start, start + secretChars))) return true;
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
