/** Digests, MACs and signatures by WebCrypto, or by Node's crypto module where that is quicker; base64url by jose. */

import * as base64url from "jose/base64url";
import { nodeCryptography } from "./node_crypto.ts";
import { type Cryptography, webCryptography } from "./web_crypto.ts";

let chosen: Cryptography | undefined;

/** The functions of this process, chosen at the first call. */
export function cryptography(): Cryptography {
  return chosen ??= nodeCryptography() ?? webCryptography;
}

/** The SHA-256 digest of a text's UTF-8 bytes, as 43 characters of base64url. */
export async function sha256(text: string): Promise<string> {
  return await cryptography().sha256(text);
}

/** Random bytes of the runtime's cryptographic generator. */
export function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  return cryptography().randomBytes(count);
}

/** Encodes bytes, or the UTF-8 bytes of a text, as base64url without padding. */
export function encodeBase64url(data: Uint8Array | string): string {
  return cryptography().encodeBase64url(data);
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
