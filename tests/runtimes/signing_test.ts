/** Signatures, digests and base64url are the same whoever makes them: the runtime's own module or WebCrypto. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import { decodeBase64url, encodeBase64url } from "../../src/runtime/base64url.ts";
import { digestBytes, hmacSha256, sha256 } from "../../src/runtime/hash.ts";
import { generateKey, importPrivateKey, importPublicKey } from "../../src/runtime/signing.ts";

const verifying = {
  RS256: { name: "RSASSA-PKCS1-v1_5" },
  ES256: { name: "ECDSA", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
} as const;

/** More than enough to meet numbers that begin with zeros, and to pass the point where Deno changes its means. */
const signatures = { RS256: 20, ES256: 1000, EdDSA: 300 } as const;

for (const alg of ["RS256", "ES256", "EdDSA"] as const) {
  test(`[JK-05] every ${alg} signature is one that the public key alone verifies`, async () => {
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

test("[JK-05] a P-256 key is never a number that is none, whatever is drawn", async () => {
  const { getRandomValues } = crypto;
  const order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
  const draws = ["f".repeat(64), order, order.replace(/1$/, "0")].map((hex) => Buffer.from(hex, "hex"));
  crypto.getRandomValues = ((bytes: Uint8Array) => {
    const drawn = bytes.length === 32 ? draws.shift() : undefined;
    if (drawn === undefined) return getRandomValues.call(crypto, bytes as Uint8Array<ArrayBuffer>);
    bytes.set(drawn);
    return bytes;
  }) as typeof getRandomValues;
  try {
    const { d, ...open } = await generateKey("ES256");
    // Where keys are drawn here and not by the runtime, the first two are too large, and the third just fits.
    const isDrawn = draws.length === 0;
    assertEquals(draws.length, isDrawn ? 0 : 3);
    if (isDrawn) assertEquals(Buffer.from(d!, "base64url").toString("hex"), order.replace(/1$/, "0"));
    const sign = await importPrivateKey("ES256", { kty: "EC", crv: "P-256", x: open.x, y: open.y, d });
    const publicKey = await importPublicKey("ES256", { kty: "EC", crv: "P-256", x: open.x, y: open.y });
    const text = new TextEncoder().encode("text");
    const signature = new Uint8Array(await sign(text));
    assert(await crypto.subtle.verify(verifying.ES256, publicKey, signature, text));
  } finally {
    crypto.getRandomValues = getRandomValues;
  }
});

/** The further members of a private RSA key. */
function rest({ p, q, dp, dq, qi }: JsonWebKey): JsonWebKey {
  return p === undefined ? {} : { p, q, dp, dq, qi };
}

test("digests of texts are those of their UTF-8 bytes, however many were made before", async () => {
  for (let i = 0; i < 300; i++) {
    const text = `${"ü€𝄞x".repeat(i % 7)} ${i}`;
    assertEquals(await sha256(text), createHash("sha256").update(text).digest("base64url"));
    for (const name of ["sha256", "sha512"] as const) {
      assertEquals([...await digestBytes(name, text)], [...createHash(name).update(text).digest()]);
    }
    for (const secret of ["secret", "s".repeat(64), "~".repeat(43)]) {
      const seal = hmacSha256(secret);
      assertEquals(await seal(text), createHmac("sha256", secret).update(text).digest("base64url"));
    }
  }
});

test("base64url has no padding, and goes there and back", () => {
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
