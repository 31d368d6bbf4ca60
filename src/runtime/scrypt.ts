/** scrypt (RFC 7914), by Node's crypto module, which every runtime has and only those load who keep passwords. */

import crypto from "node:crypto";

/** The costs of a digest, its salt, and how long it is to be, in bytes. */
export interface ScryptCost {
  /** The binary logarithm of the cost. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Uint8Array;
}

/** The digest of a password, `length` bytes long. Takes `128 · 2^ln · r` bytes of memory while it is made. */
export function deriveKey(password: string, { ln, r, p, salt }: ScryptCost, length: number): Promise<Uint8Array> {
  const cost = { N: 2 ** ln, r, p, maxmem: 128 * 2 ** ln * r + 1024 * 1024 };
  return new Promise((resolve, reject) => {
    // One password is one password, however an input method spells its accents.
    crypto.scrypt(password.normalize("NFKC"), salt, length, cost, (error, key) => error ? reject(error) : resolve(key));
  });
}

/** A salt of so many bytes, for one digest. */
export function randomSalt(length: number): Uint8Array {
  return crypto.randomBytes(length);
}

/** Whether a password has that digest, in a time that does not tell how much of it is right. */
export async function verifyPassword(
  password: string,
  digest: ScryptCost & { readonly hash: Uint8Array },
): Promise<boolean> {
  return crypto.timingSafeEqual(await deriveKey(password, digest, digest.hash.byteLength), digest.hash);
}
