/** Signatures, digests and MACs are the same by WebCrypto and by Node's module; base64url. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import { cryptography, decodeBase64url } from "../../../src/core/keys/crypto.ts";
import { generateKey, importJwk, webAlgorithm } from "../../../src/core/keys/web_keys.ts";
import { publicMembersOf } from "../../../src/core/keys/jwk.ts";
import { webCryptography } from "../../../src/core/keys/web_crypto.ts";

const both = [webCryptography, cryptography()];

for (const alg of ["RS256", "ES256", "EdDSA"] as const) {
  test(`[JK-05] the public key alone verifies every ${alg} signature`, async () => {
    const jwk = await generateKey(alg);
    const publicKey = await importJwk(alg, publicMembersOf(jwk), "verify");
    for (const { importSigner } of both) {
      const sign = await importSigner(alg, jwk);
      // Of many ECDSA signatures, some have numbers that begin with zeros.
      for (let i = 0; i < (alg === "ES256" ? 500 : 20); i++) {
        const bytes = new TextEncoder().encode(`text ${i}`);
        const signature = new Uint8Array(await sign(bytes));
        if (alg === "ES256") assertEquals(signature.byteLength, 64);
        assert(await crypto.subtle.verify(webAlgorithm(alg), publicKey, signature, bytes), `signature ${i}`);
      }
    }
  });
}

test("digests of texts are those of their UTF-8 bytes", async () => {
  for (const text of ["", "a", "ü€𝄞x", "x".repeat(1000)]) {
    for (const { digest, sha256 } of both) {
      assertEquals(await sha256(text), createHash("sha256").update(text).digest("base64url"));
      for (const [name, nodeName] of [["SHA-256", "sha256"], ["SHA-512", "sha512"]] as const) {
        assertEquals([...await digest(name, text)], [...createHash(nodeName).update(text).digest()]);
      }
    }
  }
});

test("random bytes have the wanted length, and none of them are returned twice", () => {
  for (const { randomBytes } of both) {
    const returned = [1, 16, 32, 5000, ...Array.from({ length: 600 }, () => 32)].map((count) => {
      const bytes = randomBytes(count);
      assertEquals(bytes.length, count);
      return bytes;
    });
    assertEquals(new Set(returned.map((bytes) => Buffer.from(bytes).toString("hex"))).size, returned.length);
  }
});

test("HMAC-SHA-256 is that of RFC 4231 §4.3, for secrets of every length", async () => {
  const expected = Buffer.from("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", "hex");
  for (const { hmac } of both) {
    assertEquals(Buffer.from(await hmac("Jefe", "what do ya want for nothing?")), expected);
    for (const secret of ["s".repeat(64), "s".repeat(65), "~".repeat(43), "é"]) {
      assertEquals(Buffer.from(await hmac(secret, "text")), createHmac("sha256", secret).update("text").digest());
    }
  }
});

test("base64url has no padding, and round-trips", () => {
  for (let length = 0; length < 70; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length * 11) % 256);
    // As part of something larger, too.
    const within = new Uint8Array([1, 2, 3, ...bytes, 4]).subarray(3, 3 + length);
    const text = Buffer.from(bytes).toString("base64url");
    for (const { encodeBase64url } of both) {
      assertEquals(encodeBase64url(bytes), text);
      assertEquals(encodeBase64url(within), text);
    }
    assertEquals([...decodeBase64url(text)], [...bytes]);
  }
  for (const { encodeBase64url } of both) {
    assertEquals(encodeBase64url("ü€𝄞"), Buffer.from("ü€𝄞").toString("base64url"));
  }
  for (const broken of ["a", "ab=", "a+b/", "ab c", "äb"]) assertThrows(() => decodeBase64url(broken), SyntaxError);
});
