/** Redirect URIs: registration, matching, and appending a response. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { appendToRedirectUri, encodeFormValue, matchesRedirectUri } from "../../../src/core/clients/redirect_uri.ts";
import { validateRedirectUri } from "../../../src/server/config/uri_issues.ts";

/** Registered, requested, and whether they match for a native client and for another one. */
const matches: readonly (readonly [string, string, boolean, boolean])[] = [
  ["https://c.example/cb", "https://c.example/cb", true, true],
  ["https://c.example/cb", "https://c.example/cb/", false, false],
  ["https://c.example:1/cb", "https://c.example:2/cb", false, false],
  ["", "", true, true],
  ["http://127.0.0.1/cb", "http://127.0.0.1:1/cb", true, true],
  ["http://127.0.0.1/cb", "http://127.0.0.1:65535/cb", true, true],
  ["http://127.0.0.1/cb", "http://127.0.0.1:65536/cb", false, false],
  ["http://127.0.0.1/cb", "http://127.0.0.1:0/cb", false, false],
  ["http://127.0.0.1/cb", "http://127.0.0.1:/cb", false, false],
  ["http://127.0.0.1:1/cb", "http://127.0.0.1:2/cb", true, true],
  ["http://127.0.0.1:1/cb", "http://127.0.0.1/cb", true, true],
  ["http://127.0.0.1:1", "http://127.0.0.1:2", true, true],
  ["http://127.0.0.1:1", "http://127.0.0.1:2/", false, false],
  ["http://127.0.0.1?a", "http://127.0.0.1:2?a", true, true],
  ["http://127.0.0.1?a", "http://127.0.0.1:2/?a", false, false],
  ["http://127.0.0.1/cb", "http://127.0.0.1:80@evil.example/cb", false, false],
  ["http://127.0.0.1", "http://127.0.0.1:80@evil.example", false, false],
  ["http://127.0.0.1", "http://127.0.0.1:80\n", false, false],
  ["http://127.0.0.1", "http://127.0.0.1:80#", false, false],
  ["http://[::1]/cb", "http://[::1]:9/cb", true, true],
  ["http://[::1]/cb", "http://[::1:9]/cb", false, false],
  ["http://localhost:3000/cb", "http://localhost:9999/cb", true, false],
  ["http://localhost:3000/cb", "http://localhost:3000/cb", true, true],
  ["http://localhost/cb", "http://127.0.0.1/cb", false, false],
  ["http://localhost/cb", "http://localhost.evil.example:1/cb", false, false],
  ["http://127.0.0.1/cb", "HTTP://127.0.0.1:1/cb", false, false],
  ["http://127.0.0.2/cb", "http://127.0.0.2:1/cb", false, false],
];

test("[RU-01, RU-03, RU-04, RU-05] a requested URI matches character by character, except the loopback port", () => {
  for (const [registered, requested, native, other] of matches) {
    for (const isTestIssuer of [false, true]) {
      const message = `${registered} ${requested}, test issuer: ${isTestIssuer}`;
      assertEquals(matchesRedirectUri(registered, requested, true, isTestIssuer && []), native, `native: ${message}`);
      assertEquals(matchesRedirectUri(registered, requested, false, isTestIssuer && []), other, `other: ${message}`);
    }
  }
});

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

test("[RU-05] exactly the ports 1 to 65535 match", () => {
  const free = (port: number) => matchesRedirectUri("http://127.0.0.1/cb", `http://127.0.0.1:${port}/cb`, false, false);
  for (let port = 0; port <= 70_000; port++) assertEquals(free(port), port >= 1 && port <= 65_535, String(port));
});

test("[RU-08, RU-09, RU-10, RU-11, RU-13] an invalid redirect URI is reported with a fix", () => {
  const wrong: Readonly<Record<string, RegExp>> = {
    "/cb": /absolute/,
    "": /ASCII/,
    "https://é.example/": /ASCII/,
    "https://c.example/cb#": /fragment/,
    "https://*.example/cb": /wildcard/,
    "https://u@c.example/cb": /user information/,
    "http://app.example.com/cb": /https/,
    "https://\\evil.example/": /backslash/,
    "https://c.example\\@evil.example/": /backslash/,
    "com.example.app:\\cb": /backslash/,
    "https:///c.example/": /two slashes/,
    "https://%63.example/": /normal form/,
    "https://c.example:/cb": /normal form/,
    "https://c.example:0443/cb": /normal form/,
    "http://127.1/cb": /normal form/,
    "http://2130706433/cb": /normal form/,
    "JavaScript:alert(1)": /leads to the client/,
    "javascript:1": /leads to the client/,
    "tel:123": /leads to the client/,
    "Microsoft-Edge:https://evil.widgets.com/cb": /leads to the client/,
    "googlechromes://evil.widgets.com/cb": /leads to the client/,
    "web+com.example:cb": /leads to the client/,
    "c.example:8080/cb": /scheme before the host/,
    "localhost:8080/cb": /scheme before the host/,
    "https://c.example/cb?code=1": /query/,
  };
  for (const [uri, expected] of Object.entries(wrong)) {
    const fault = validateRedirectUri(uri, false, []);
    assert(fault, `${uri} passed`);
    assertMatch(fault.expected, expected);
    assertMatch(fault.hint, /^[A-Z].*\.$/);
  }
});

test("[RU-09] the insecure setting affects only http", () => {
  assertEquals(validateRedirectUri("http://app.example.com/cb", true, false), undefined);
  for (const uri of ["javascript:alert(1)", "ftp://c.example/", "myapp:/cb", "http://c.example/#"]) {
    assert(validateRedirectUri(uri, true, false), `${uri} passed`);
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
