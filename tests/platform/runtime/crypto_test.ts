/** Signatures, digests and base64url are the same by Node's module and by WebCrypto. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import {
  decodeBase64url,
  digestBytes,
  encodeBase64url,
  generateKey,
  hmacSha256,
  importPrivateKey,
  importPublicKey,
  rawEcdsaSignature,
  sha256,
} from "../../../src/core/crypto.ts";

const verifying = {
  RS256: { name: "RSASSA-PKCS1-v1_5" },
  ES256: { name: "ECDSA", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
} as const;

/** Enough for numbers that begin with zeros, and to pass the point where Deno and Bun load Node's module. */
const signatures = { RS256: 20, ES256: 1000, EdDSA: 300 } as const;

for (const alg of ["RS256", "ES256", "EdDSA"] as const) {
  test(`[JK-05] the public key alone verifies every ${alg} signature`, async () => {
    const jwk = await generateKey(alg);
    const { kty, crv, x, y, n, e } = jwk;
    const open = JSON.parse(JSON.stringify({ kty, crv, x, y, n, e }));
    const publicKey = await importPublicKey(alg, open);
    const sign = await importPrivateKey(alg, { ...open, d: jwk.d, ...rest(jwk) });
    for (let i = 0; i < signatures[alg]; i++) {
      const bytes = new TextEncoder().encode(`text ${i}`);
      const signature = new Uint8Array(await sign(bytes));
      if (alg === "ES256") assertEquals(signature.byteLength, 64);
      assert(await crypto.subtle.verify(verifying[alg], publicKey, signature, bytes), `signature ${i}`);
    }
  });
}

const fromHex = (hex: string) => Buffer.from(hex, "hex");

test("[JK-05] an ES256 signature in DER becomes r and s of 32 bytes: RFC 6979 A.2.5, and numbers with leading zeros", () => {
  const r = "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716";
  const s = "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8";
  const cases: [der: string, raw: string][] = [
    [`3046022100${r}022100${s}`, r + s],
    [`3024021f${"7f".repeat(31)}020101`, `00${"7f".repeat(31)}${"00".repeat(31)}01`],
  ];
  for (const [der, raw] of cases) {
    assertEquals(Buffer.from(rawEcdsaSignature(fromHex(der))), fromHex(raw));
  }
});

/** The further members of a private RSA key. */
function rest({ p, q, dp, dq, qi }: JsonWebKey): JsonWebKey {
  return p === undefined ? {} : { p, q, dp, dq, qi };
}

test("digests of strings are those of their UTF-8 bytes, after any number of digests", async () => {
  for (let i = 0; i < 300; i++) {
    const text = `${"ü€𝄞x".repeat(i % 7)} ${i}`;
    assertEquals(await sha256(text), createHash("sha256").update(text).digest("base64url"));
    for (const name of ["sha256", "sha512"] as const) {
      assertEquals([...await digestBytes(name, text)], [...createHash(name).update(text).digest()]);
    }
    for (const secret of ["secret", "s".repeat(64), "~".repeat(43)]) {
      assertEquals(await hmacSha256(secret)(text), createHmac("sha256", secret).update(text).digest("base64url"));
    }
  }
});

test("HMAC-SHA-256 is that of RFC 4231 §4.3, after any number of MACs; a secret must be 1 to 64 ASCII characters", async () => {
  const hmac = hmacSha256("Jefe");
  const expected = fromHex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843").toString("base64url");
  for (let i = 0; i < 150; i++) assertEquals(await hmac("what do ya want for nothing?"), expected);
  for (const secret of ["", "s".repeat(65), "é"]) assertThrows(() => hmacSha256(secret), RangeError);
});

test("base64url has no padding, and round-trips", () => {
  for (let length = 0; length < 70; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length * 11) % 256);
    // As part of something larger, too.
    const within = new Uint8Array([1, 2, 3, ...bytes, 4]).subarray(3, 3 + length);
    const text = Buffer.from(bytes).toString("base64url");
    assertEquals(encodeBase64url(bytes), text);
    assertEquals(encodeBase64url(within), text);
    assertEquals([...decodeBase64url(text)], [...bytes]);
  }
  assertEquals(encodeBase64url("ü€𝄞"), Buffer.from("ü€𝄞").toString("base64url"));
  for (const broken of ["a", "ab=", "a+b/", "ab c", "äb"]) assertThrows(() => decodeBase64url(broken), SyntaxError);
});
