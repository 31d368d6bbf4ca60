/** scrypt (RFC 7914) by Node's crypto module, which every runtime has. Only servers with passwords load this file. */

import crypto from "node:crypto";

/** The cost parameters and the salt of a digest. */
export interface ScryptCost {
  /** The binary logarithm of the cost N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Uint8Array;
}

/** Derives a digest of `length` bytes from a password. It uses `128 · 2^ln · r` bytes of memory meanwhile. */
export function scryptDigest(password: string, { ln, r, p, salt }: ScryptCost, length: number): Promise<Uint8Array> {
  const cost = { N: 2 ** ln, r, p, maxmem: 128 * 2 ** ln * r + 1024 * 1024 };
  return new Promise((resolve, reject) => {
    // Normalized, because input methods encode accents differently.
    crypto.scrypt(password.normalize("NFKC"), salt, length, cost, (error, key) => error ? reject(error) : resolve(key));
  });
}

export function randomSalt(length: number): Uint8Array {
  return crypto.randomBytes(length);
}

/** Whether a password has a digest, compared in constant time. */
export async function verifyPassword(
  password: string,
  digest: ScryptCost & { readonly hash: Uint8Array },
): Promise<boolean> {
  return crypto.timingSafeEqual(await scryptDigest(password, digest, digest.hash.byteLength), digest.hash);
}
