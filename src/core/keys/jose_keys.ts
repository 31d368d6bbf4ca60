/** Keys by jose, loaded with the first key. Each function has its own import: all of jose takes twice as long to load. */

import { exportJWK } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { importJWK } from "jose/key/import";
import type { JWK } from "jose";

export { calculateJwkThumbprint } from "jose/jwk/thumbprint";
export { importJWK };

/** Imports a public key, for many verifications. */
export async function importPublicKey(alg: string, publicJwk: JWK, extractable = false): Promise<CryptoKey> {
  return await importJWK(publicJwk, alg, { extractable }) as CryptoKey;
}

/** Generates a key pair and returns its private JWK (RFC 7517). RSA keys have 2048 bits. */
export async function generateKey(alg: string): Promise<JWK> {
  return await exportJWK((await generateKeyPair(alg, { extractable: true })).privateKey);
}
