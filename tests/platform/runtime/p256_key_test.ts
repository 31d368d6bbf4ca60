/** P-256 keys from bytes. */

import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { encodeBase64url } from "../../../src/core/keys/crypto.ts";
import { p256KeyFrom } from "../../../src/platform/runtime/p256_key.ts";

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g)!, (byte) => parseInt(byte, 16));

test("the P-256 key of a number is that of RFC 6979 A.2.5", () => {
  const { d, x, y } = p256KeyFrom(bytesOf("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"));
  assertEquals(
    [d, x, y],
    [
      "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721",
      "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6",
      "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299",
    ].map((hex) => encodeBase64url(bytesOf(hex))),
  );
});

test("a small number is a complete key, which WebCrypto imports; one outside of the curve's order is an error", async () => {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const key = p256KeyFrom(Uint8Array.from({ length: 32 }, (_, i) => i === 31 ? 1 : 0));
  await crypto.subtle.importKey("jwk", { ...key }, algorithm, false, ["sign"]);
  for (const byte of [0, 255]) assertThrows(() => p256KeyFrom(new Uint8Array(32).fill(byte)));
});
