/** Digests, MACs and signatures by WebCrypto. */

import * as base64url from "jose/base64url";
import { importJwk, webAlgorithm } from "./web_keys.ts";

/** SHA-256 and SHA-512 (FIPS 180-4), and SHAKE256 with 64 bytes (FIPS 202). */
export type HashName = "SHA-256" | "SHA-512" | "SHAKE256";

/** Signs bytes. The signature of ES256 is the raw concatenation of r and s (RFC 7518 §3.4). */
export type SignBytes = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Functions that some runtimes also have in a quicker form. Texts are encoded as UTF-8. */
export interface Cryptography {
  digest(hash: HashName, text: string): Uint8Array | Promise<Uint8Array>;
  /** The SHA-256 digest as base64url. */
  sha256(text: string): string | Promise<string>;
  /** HMAC-SHA-256 (RFC 2104). */
  hmac(secret: string, text: string): Uint8Array | Promise<Uint8Array>;
  /** Random bytes of a cryptographic generator. */
  randomBytes(count: number): Uint8Array<ArrayBuffer>;
  /** Encodes bytes, or the UTF-8 bytes of a text, as base64url without padding. */
  encodeBase64url(data: Uint8Array | string): string;
  /** Imports a private key, for many signatures. */
  importSigner(alg: string, privateJwk: Readonly<Record<string, unknown>>): Promise<SignBytes>;
}

const encoder = new TextEncoder();

export const webCryptography: Cryptography = {
  async digest(hash, text) {
    // WebCrypto's name for it, which the types of TypeScript do not have yet.
    const algorithm = hash === "SHAKE256" ? { name: "cSHAKE256", length: 512, outputLength: 512 } : hash;
    return new Uint8Array(await crypto.subtle.digest(algorithm, encoder.encode(text)));
  },

  async sha256(text) {
    return base64url.encode(await webCryptography.digest("SHA-256", text));
  },

  async hmac(secret, text) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
  },

  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),

  encodeBase64url: base64url.encode,

  async importSigner(alg, privateJwk) {
    const algorithm = webAlgorithm(alg);
    const key = await importJwk(alg, privateJwk, "sign");
    return async (bytes) => new Uint8Array(await crypto.subtle.sign(algorithm, key, bytes as BufferSource));
  },
};
