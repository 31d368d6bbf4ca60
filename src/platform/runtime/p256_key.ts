/** P-256 keys from random bytes, for clients of tests and of the demo. Synchronous, which WebCrypto is not. */

import type nodeProcess from "node:process";
import { encodeBase64url } from "../../core/keys/crypto.ts";

/** @internal The members of a private P-256 key as a JWK (RFC 7518 §6.2). */
export interface P256Key {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/**
 * The key whose number is these 32 bytes.
 *
 * @throws {Error} If the number is 0, or not less than the curve's order: one of four billion random ones.
 */
export function p256KeyFrom(bytes: Uint8Array): P256Key {
  // Looked up here: on Deno, node:crypto takes 15 ms to load.
  const { process } = globalThis as unknown as { readonly process: typeof nodeProcess };
  const ecdh = process.getBuiltinModule("node:crypto").createECDH("prime256v1");
  ecdh.setPrivateKey(bytes);
  // A point without compression: 4, x, y (SEC 1 §2.3.3).
  const point = ecdh.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(encodeBase64url) as [string, string];
  return { kty: "EC", crv: "P-256", x, y, d: encodeBase64url(bytes) };
}
