/** Redirect URIs: matching with https on test hosts, and appending a response. */

import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { appendToRedirectUri, encodeFormValue, matchesRedirectUri } from "../../../src/core/clients/redirect_uri.ts";

test("[RU-03, RU-04, RU-05] where the issuer is on a test host, the port of an https loopback URI varies as with http", () => {
  const cases: readonly (readonly [string, string, boolean, boolean])[] = [
    ["https://127.0.0.1/cb", "https://127.0.0.1:1/cb", true, true],
    ["https://127.0.0.1:1/cb", "https://127.0.0.1:2/cb", true, true],
    ["https://[::1]:1/cb", "https://[::1]:2/cb", true, true],
    ["https://localhost:1/cb", "https://localhost:2/cb", true, false],
    ["https://127.0.0.1:1/cb", "http://127.0.0.1:1/cb", false, false],
    ["http://127.0.0.1:1/cb", "https://127.0.0.1:1/cb", false, false],
    ["https://127.0.0.1:1/cb", "https://127.0.0.1:0/cb", false, false],
    ["https://127.0.0.1:1/cb", "https://127.0.0.1:2/other", false, false],
    ["https://127.0.0.1:1/cb", "https://127.0.0.1:2@evil.example/cb", false, false],
    ["https://c.test:1/cb", "https://c.test:2/cb", false, false],
  ];
  for (const [registered, requested, native, other] of cases) {
    assertEquals(matchesRedirectUri(registered, requested, true, []), native, `native: ${registered} ${requested}`);
    assertEquals(matchesRedirectUri(registered, requested, false, []), other, `other: ${registered} ${requested}`);
    for (const isNative of [true, false]) {
      const isEqual = registered === requested;
      assertEquals(matchesRedirectUri(registered, requested, isNative, false), isEqual, `${registered} ${requested}`);
    }
  }
});

test("[RU-12] response parameters are appended to an existing query", () => {
  const cases: Readonly<Record<string, string>> = {
    "https://c.example/cb": "https://c.example/cb?a=1&b=%20",
    "https://c.example": "https://c.example?a=1&b=%20",
    "https://c.example/cb?": "https://c.example/cb?a=1&b=%20",
    "https://c.example/cb?x": "https://c.example/cb?x&a=1&b=%20",
    "https://c.example/cb?x&": "https://c.example/cb?x&a=1&b=%20",
    "https://c.example/cb?x=?": "https://c.example/cb?x=?&a=1&b=%20",
    "https://c.example/cb?a=1%202&b": "https://c.example/cb?a=1%202&b&a=1&b=%20",
    "com.example.app:/cb": "com.example.app:/cb?a=1&b=%20",
  };
  for (const [uri, expected] of Object.entries(cases)) {
    assertEquals(appendToRedirectUri(uri, [["a", "1"], ["b", " "]]), expected);
  }
});

test("[AR-07] a form decoder reads every value back, from one line of ASCII", () => {
  const points = Array.from({ length: 0x300 }, (_, i) => String.fromCodePoint(i));
  for (const value of [...points, points.join(""), "🔑", "\u2028\u2029", "\ufeff", "\u{10FFFF}", "a\r\nb: c", ""]) {
    const encoded = encodeFormValue(value);
    assertMatch(encoded, /^(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})*$/);
    assertEquals(new URLSearchParams(`v=${encoded}`).get("v"), value);
  }
});

test("[AZ-14, AR-07] a lone surrogate becomes the replacement character and breaks nothing", () => {
  for (const value of ["\ud800", "\udc00", "\udc00\ud800", "a\ud83d", "\ud83da"]) {
    const replaced = value.replace(/[\ud800-\udfff]/g, "\ufffd");
    assertEquals(decodeURIComponent(encodeFormValue(value)), replaced);
  }
});
