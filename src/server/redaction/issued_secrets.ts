/**
 * The codes, tokens and other secrets that this process issued, so that redaction finds them in any text. Of more than
 * {@link maxIssued}, the newer half stays.
 */

import { encodeBase64url } from "../../core/keys/crypto.ts";

const maxIssued = 100_000;

/** The length of every issued secret: 32 bytes as base64url. */
const secretChars = 43;

/** One for the process, which may load this file twice: the package as ES modules, and as CommonJS. */
const issued = ofProcess();

function ofProcess(): ReturnType<typeof recentSecrets> {
  const name = Symbol.for("latchkey.issued_secrets");
  const shared = globalThis as { [name]?: ReturnType<typeof ofProcess> };
  return shared[name] ??= recentSecrets(maxIssued);
}

/** The last secrets that were added, at least `limit / 2` of them. */
function recentSecrets(limit: number) {
  let newer = new Set<string>();
  let older = newer;
  return {
    add(secret: string): void {
      newer.add(secret);
      if (newer.size === limit / 2) [newer, older] = [new Set(), newer];
    },
    has: (secret: string): boolean => newer.has(secret) || older.has(secret),
  };
}

/** Remembers a secret of 43 characters; others are not found. */
export function rememberIssued(secret: string): void {
  if (secret.length === secretChars) issued.add(secret);
}

/** Whether a text contains a remembered secret. Takes linear time. */
export function containsIssued(text: string): boolean {
  for (let start = 0; start + secretChars <= text.length; start++) {
    if (issued.has(text.slice(start, start + secretChars))) return true;
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
