/** SHA-2 and HMAC of short texts, by the quickest means the runtime has without anything being imported. */

import { encodeBase64url } from "./base64url.ts";
import { nodeCrypto } from "./node_crypto.ts";

// A digest by Node's module takes one microsecond; asking WebCrypto for one takes ten times as long and more.

const encoder = new TextEncoder();

const names = { sha256: "SHA-256", sha512: "SHA-512" } as const;

/** The digest of a text's UTF-8 bytes: 32 bytes for SHA-256, 64 for SHA-512. */
export function digestBytes(name: keyof typeof names, text: string): Uint8Array | Promise<Uint8Array> {
  return nodeCrypto()?.hash(name, text, "buffer") ?? byWebCrypto(name, text);
}

/** The SHA-256 digest of a text's UTF-8 bytes, as 43 characters of base64url. */
export function sha256(text: string): string | Promise<string> {
  return nodeCrypto()?.hash("sha256", text, "base64url") ?? byWebCrypto("sha256", text).then(encodeBase64url);
}

async function byWebCrypto(name: keyof typeof names, text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest(names[name], encoder.encode(text)));
}

/** Makes an HMAC-SHA-256 (RFC 2104) of texts, as base64url, under a secret that is kept ready. */
export function hmacSha256(secret: string): (text: string) => string | Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  let key: Promise<CryptoKey> | undefined;
  return (text) => {
    const node = nodeCrypto();
    if (node !== undefined) return node.createHmac("sha256", secret).update(text).digest("base64url");
    key ??= crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
    return key.then((key) => crypto.subtle.sign("HMAC", key, encoder.encode(text)))
      .then((bytes) => encodeBase64url(new Uint8Array(bytes)));
  };
}
