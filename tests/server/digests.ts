/** Digests of passwords, and what the server digests: by WebCrypto, by the runtime's own hashing, or by scrypt. */

import { Buffer } from "node:buffer";
import nodeCrypto from "node:crypto";
import { scryptDigest } from "../../src/platform/runtime/scrypt.ts";
import { formatPasswordDigest } from "../../src/server/config/password_digest.ts";

/** The digest of a password, as cheap as it may be. */
export async function cheapDigest(password: string): Promise<string> {
  const cost = { ln: 10, r: 8, p: 1, salt: new TextEncoder().encode("0123456789abcdef") };
  return formatPasswordDigest({ ...cost, hash: await scryptDigest(password, cost, 32) });
}

/** Every text digested with SHA-256 during `work`, in order. */
export async function recordDigests(work: () => Promise<unknown>): Promise<string[]> {
  const digested: string[] = [];
  const { subtle } = crypto;
  const { digest } = subtle;
  const module = nodeCrypto as unknown as { hash(name: string, text: string, form: string): unknown };
  const { hash } = module;
  subtle.digest = (algorithm, data) => {
    const view = ArrayBuffer.isView(data) ? data : new Uint8Array(data);
    digested.push(Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString());
    return digest.call(subtle, algorithm, data);
  };
  module.hash = (name, text, form) => (digested.push(text), hash(name, text, form));
  try {
    await work();
  } finally {
    delete (subtle as { digest?: unknown }).digest;
    module.hash = hash;
  }
  return digested;
}

/** Costs of every scrypt digest made during `work`, in order: `N r p`. */
export async function recordScryptCosts(work: () => Promise<unknown>): Promise<string[]> {
  const costs: string[] = [];
  await observeScrypt(work, ({ N, r, p }) => costs.push(`${N} ${r} ${p}`));
  return costs;
}

/**
 * Calls `onDigest` when a scrypt digest begins during `work`, and `onEnd` when it ends. A digest waits for what
 * `onDigest` returns, if it is a promise.
 */
export async function observeScrypt<T>(
  work: () => Promise<T>,
  onDigest: (cost: nodeCrypto.ScryptOptions) => unknown,
  onEnd: () => void = () => {},
): Promise<T> {
  const { scrypt } = nodeCrypto;
  nodeCrypto.scrypt = ((password, salt, length, cost, callback) => {
    const begin = () =>
      scrypt(password, salt, length, cost, (error, digest) => {
        onEnd();
        callback(error, digest);
      });
    const wait = onDigest(cost);
    return wait instanceof Promise ? void wait.then(begin) : begin();
  }) as typeof scrypt;
  try {
    return await work();
  } finally {
    nodeCrypto.scrypt = scrypt;
  }
}
