/**
 * Digests, MACs and signatures by WebCrypto; keys and base64url by jose. `node_crypto.ts` replaces the functions of
 * {@link cryptography} by those of Node's crypto module where that is quicker.
 */

// One function at a time: all of jose takes twice as long to load at the start.
import * as base64url from "jose/base64url";
import { exportJWK } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { importJWK } from "jose/key/import";
import type { JWK } from "jose";

/** SHA-256 and SHA-512 (FIPS 180-4), and SHAKE256 with 64 bytes (FIPS 202). */
export type HashName = "SHA-256" | "SHA-512" | "SHAKE256";

/** Signs bytes. The signature of ES256 is the raw concatenation of r and s (RFC 7518 §3.4). */
export type SignBytes = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** The functions that a runtime may have quicker ones for. Texts count as UTF-8. */
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
  importSigner(alg: string, privateJwk: JWK): Promise<SignBytes>;
}

const encoder = new TextEncoder();

/** The functions of this process. */
export const cryptography: Cryptography = {
  async digest(hash, text) {
    // The name of WebCrypto, which is newer than the types of TypeScript.
    const algorithm = hash === "SHAKE256" ? { name: "cSHAKE256", length: 512, outputLength: 512 } : hash;
    return new Uint8Array(await crypto.subtle.digest(algorithm, encoder.encode(text)));
  },

  async sha256(text) {
    return base64url.encode(await cryptography.digest("SHA-256", text));
  },

  async hmac(secret, text) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
  },

  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),

  encodeBase64url: base64url.encode,

  async importSigner(alg, privateJwk) {
    const key = await importJWK(privateJwk, alg) as CryptoKey;
    // ECDSA alone needs the hash here.
    const algorithm = { ...key.algorithm, hash: "SHA-256" };
    return async (bytes) => new Uint8Array(await crypto.subtle.sign(algorithm, key, bytes as BufferSource));
  },
};

/** The SHA-256 digest of a text's UTF-8 bytes, as 43 characters of base64url. */
export async function sha256(text: string): Promise<string> {
  return await cryptography.sha256(text);
}

/** Random bytes of the runtime's cryptographic generator. */
export function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  return cryptography.randomBytes(count);
}

/** Imports a public key, for many verifications. */
export async function importPublicKey(alg: string, publicJwk: JWK, extractable = false): Promise<CryptoKey> {
  return await importJWK(publicJwk, alg, { extractable }) as CryptoKey;
}

/** Generates a key pair and returns its private JWK (RFC 7517). RSA keys have 2048 bits. */
export async function generateKey(alg: string): Promise<JWK> {
  return await exportJWK((await generateKeyPair(alg, { extractable: true })).privateKey);
}

/** Encodes bytes, or the UTF-8 bytes of a text, as base64url without padding. */
export function encodeBase64url(data: Uint8Array | string): string {
  return cryptography.encodeBase64url(data);
}

/**
 * Decodes base64url without padding.
 *
 * @throws {SyntaxError} If the text is not base64url without padding: jose also accepts base64.
 */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) throw new SyntaxError("not base64url without padding");
  return Uint8Array.from(base64url.decode(text));
}
