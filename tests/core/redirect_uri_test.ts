/** Which redirect URI matches a registered one, without a server. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { findRedirectUriProblem, matchesRedirectUri } from "../../src/core/clients/redirect_uri.ts";
import { describeUriProblem } from "../../src/core/clients/uri_problem.ts";

/** Asserts whether each URI matches one of the registered ones, on a test host. */
function assertMatching(expected: boolean, registered: readonly string[], uris: readonly string[], isNative = true) {
  for (const uri of uris) {
    const matches = registered.some((each) => matchesRedirectUri(each, uri, isNative, []));
    assertEquals(matches, expected, JSON.stringify(uri));
  }
}

const evil = "https://evil.example/cb";
const cb = "https://c.example/cb";

test("[RU-01] a URI that is only equivalent to the registered one does not match", () => {
  assertMatching(false, [cb], [
    ...["https://c.example/cb/", "HTTPS://c.example/cb", "https://c.example:443/cb", "https://c.example/%63b"],
    ...["https://c.example/x/../cb", "https://c.example/./cb", "https://c.example//cb", "https://C.example/cb"],
    ...["https://c.example/CB", "https://c.example./cb", "https://c.example:/cb", "https://c.example:0443/cb"],
    ...["https:c.example/cb", "https:/c.example/cb", "https:///c.example/cb", "https:\\\\c.example\\cb"],
    ...["https://c.example\\cb", "https://c.example/cb?", "https://c.example/cb#", "https://c.example/cb&"],
    ...["https://@c.example/cb", "https://%63.example/cb", "https://c%2eexample/cb", "https://c\u3002example/cb"],
    ...["https://ｃ.example/cb", "https://c.example/c\u00adb", "https://c.example/cb%00", "https://c.example/cb%20"],
  ]);
});

test("[RU-01, HT-11] a URI with spaces or control characters around or inside does not match", () => {
  const blanks = [" ", "\t", "\n", "\r\n", "\0", "\x0b", "\x7f", "\xa0", "\u2028", "\u200b", "\ufeff"];
  const uris = blanks.flatMap((blank) => [`${blank}${cb}`, `${cb}${blank}`, `https://c.exam${blank}ple/cb`]);
  assertMatching(false, [cb], [...uris, `${cb}\0.evil.example`, `${cb}\n${evil}`, `${cb} ${evil}`]);
});

test("[RU-01] a URI that contains, or starts or ends with, the registered one does not match", () => {
  assertMatching(false, [cb, "https://c.example"], [
    ...["https://c.example.evil.example/cb", "https://c.example@evil.example/cb"],
    ...["https://c.example:x@evil.example/cb", "https://evil.example/https://c.example/cb"],
    ...["https://evil.example?https://c.example/cb", `${evil}#${cb}`, "https://evil.example\\@c.example/cb"],
    ...["https://c.example\\@evil.example", "https://c.example#@evil.example/cb", "https://c.examplecb"],
    ...["https://xc.example/cb", "https://x.c.example/cb", "https://c.example/cb/../../x", "https://c.example/cbx"],
    ...["https://c.example/cb/x", "https://c.example/cb?x=1", "https://c.example/cb;x", "https://c.example/c"],
    ...["https://c.example/", "//c.example/cb", "/cb", "cb", "c.example/cb", "http://c.example/cb"],
    ...[`${cb},${evil}`, `${cb} ${cb}`, cb.repeat(400), "x".repeat(10_000)],
  ]);
});

test("[RU-01, HT-19] inherited property names are no redirect URIs", () => {
  const names = ["__proto__", "constructor", "toString", "0", "length", "undefined", "null", "*"];
  assertMatching(false, [cb], names);
});

test("[RU-03] on 127.0.0.1 and [::1] any port matches, for every kind of client", () => {
  for (const isNative of [true, false]) {
    for (const port of ["", ":1", ":80", ":443", ":8080", ":51004", ":65535"]) {
      assertMatching(true, ["http://127.0.0.1/cb"], [`http://127.0.0.1${port}/cb`], isNative);
      assertMatching(true, ["http://[::1]/cb"], [`http://[::1]${port}/cb`], isNative);
    }
  }
  assertMatching(true, ["http://127.0.0.1:3000/cb"], [
    ...["http://127.0.0.1:3000/cb", "http://127.0.0.1:4000/cb", "http://127.0.0.1/cb"],
  ]);
  assertMatching(true, ["http://127.0.0.1"], ["http://127.0.0.1", "http://127.0.0.1:5000"]);
  assertMatching(true, ["http://[::1]:1/cb?a=1"], ["http://[::1]:2/cb?a=1"]);
});

test("[RU-03] on loopback hosts scheme, spelling of the host, path and query must match", () => {
  assertMatching(false, ["http://127.0.0.1/cb", "http://127.0.0.1/q?a=1"], [
    ...["http://127.0.0.1:51004/other", "http://127.0.0.1:51004/", "http://127.0.0.1:51004"],
    ...["http://127.0.0.1:51004/cb/", "http://127.0.0.1:51004/CB", "http://127.0.0.1:51004/%63b"],
    ...["http://127.0.0.1:51004/x/../cb", "http://127.0.0.1:51004/cb?", "http://127.0.0.1:51004/cb?a=1"],
    ...["http://127.0.0.1:51004/cb#", "http://127.0.0.1:51004cb", "http://127.0.0.1:51004/q"],
    ...["http://127.0.0.1:51004/q?a=2", "http://127.0.0.1:51004/q?a=1&b=2", "HTTP://127.0.0.1:51004/cb"],
    ...["https://127.0.0.1:51004/cb", "ftp://127.0.0.1:51004/cb", "//127.0.0.1:51004/cb", "http:/127.0.0.1:51004/cb"],
    ...["http:127.0.0.1:51004/cb", "http:\\\\127.0.0.1:51004\\cb", "http://127.0.0.2:51004/cb"],
    ...["http://0.0.0.0:51004/cb", "http://[::1]:51004/cb", "http://localhost:51004/cb"],
    ...["http://127.0.0.1.:51004/cb", "http://127.0.0.1.evil.example:51004/cb", "http://[::ffff:127.0.0.1]:51004/cb"],
  ]);
  assertMatching(false, ["http://[::1]/cb"], [
    ...["http://[0:0:0:0:0:0:0:1]:51004/cb", "http://[::01]:51004/cb", "http://[::1%25lo]:51004/cb"],
    ...["http://::1:51004/cb", "http://[::]:51004/cb", "http://[::2]:51004/cb", "http://127.0.0.1:51004/cb"],
    "http://[::1]:51004/other",
  ]);
});

test("[RU-04] the three loopback names do not match one another", () => {
  const uris = ["http://localhost:3000/cb", "http://127.0.0.1:3000/cb", "http://[::1]:3000/cb"];
  for (const registered of uris) {
    const others = uris.filter((uri) => uri !== registered);
    assertMatching(false, [registered], [...others, ...others.map((uri) => uri.replace("3000", "9999"))]);
  }
});

test("[RU-04] for names below or beside a loopback name the port must match", () => {
  const registered = [
    ...["http://app.localhost:3000/cb", "http://app.test:3000/cb"],
    ...["http://localhost.test/cb", "http://127.0.0.1.test/cb"],
  ];
  assertMatching(false, registered, [
    ...["http://app.localhost:9999/cb", "http://app.test:9999/cb"],
    ...["http://localhost:3000/cb", "http://localhost.evil.example:3000/cb", "http://localhost.:3000/cb"],
    ...["http://localhost:1.test/cb", "http://127.0.0.1:1.test/cb", "http://localhost.test:1/cb"],
  ]);
});

test("[RU-05] the variable port is :digits after the host, from 1 to 65535", () => {
  const hosts = ["127.0.0.1", "[::1]", "localhost"];
  for (const host of hosts) {
    const registered = [`http://${host}/cb`];
    assertMatching(true, registered, [`http://${host}:1/cb`, `http://${host}:65535/cb`]);
    assertMatching(
      false,
      registered,
      [
        ...[":0", ":00", ":000000", ":65536", ":99999", ":100000", ":655350", ":", "::80", ":80:80", ":80:", ":+80"],
        ...[":-1", ": 80", ":80 ", ":8\t0", ":\n80", ":80\0", ":8e3", ":0x50", ":80.0", ":80,81", ":a", ":８０", ":٨٠"],
        ":%38%30",
        ...["%3A80", ":1".repeat(4_000), `:${"1".repeat(10_000)}`, `:${"0".repeat(100)}80`],
      ].map((port) => `http://${host}${port}/cb`),
    );
  }
});

test("[RU-05] a host that only resembles a loopback host with a port does not match", () => {
  const registered = ["http://127.0.0.1/cb", "http://[::1]/cb", "http://localhost/cb"];
  assertMatching(false, registered, [
    ...["http://127.0.0.1:80@evil.example/cb", "http://127.0.0.1@evil.example/cb"],
    ...["http://127.0.0.1:80%40evil.example/cb", "http://127.0.0.1:80:x@evil.example/cb", "http://a@127.0.0.1:80/cb"],
    ...["http://:80@127.0.0.1/cb", "http://@127.0.0.1/cb", "http://127.0.0.1:80\\@evil.example/cb"],
    ...["http://127.0.0.1:80/@evil.example/cb", "http://127.0.0.1:80#@evil.example/cb"],
    ...["http://127.0.0.1:80?@evil.example/cb", "http://127.0.0.1:80.evil.example/cb", "http://127.0.0.1\\:80/cb"],
    ...["http://127.1:5000/cb", "http://127.0.1:5000/cb", "http://2130706433/cb", "http://2130706433:5000/cb"],
    ...["http://0x7f.0.0.1:5000/cb", "http://0x7f000001:5000/cb", "http://0177.0.0.1:5000/cb"],
    ...["http://127.0.0.01:5000/cb", "http://127.000.000.001:5000/cb", "http://１２７.0.0.1:5000/cb"],
    ...["http://127。0。0。1:5000/cb", "http://127%2e0.0.1:5000/cb", "https://127.0.0.1:5000/cb"],
    ...["http://localhost:80@evil.example/cb", "http://localhost%00:80/cb", "http://ⓛocalhost:80/cb"],
    ...["http://[::1]:80@evil.example/cb", "http://[::1].evil.example:80/cb", "http://[::1:80/cb"],
    ...["http://[::1]x:80/cb", "http://evil.example/http://127.0.0.1:80/cb", " http://127.0.0.1:80/cb"],
    ...["\nhttp://127.0.0.1:80/cb", "xhttp://127.0.0.1:80/cb", "http://127.0.0.1:80/cb\n"],
    ...["http://evil.example/\nhttp://127.0.0.1:80/cb", "http://127a0b0c1:80/cb"],
  ]);
});

test("[RU-08] a URI that a browser requests in another form is reported with that form, which passes", () => {
  const forms: Readonly<Record<string, string>> = {
    "https://c.example/a/../cb": "https://c.example/cb",
    "https://c.example/./cb": "https://c.example/cb",
    "https://c.example/a/%2E%2e/cb": "https://c.example/cb",
    "https://c.example/a/..": "https://c.example/",
    "https://c.example/cb?a='b'": "https://c.example/cb?a=%27b%27",
    "http://127.0.0.1/a/.%2e/cb": "http://127.0.0.1/cb",
    "com.example.app:/a/../cb": "com.example.app:/cb",
  };
  for (const [uri, form] of Object.entries(forms)) {
    assertEquals(findRedirectUriProblem(uri, []), "path", uri);
    assertEquals(describeUriProblem("path", uri, []).hint, `Write it as ${form}.`);
    assertEquals(findRedirectUriProblem(form, []), undefined, form);
  }
  const same = [
    "https://c.example",
    "https://c.example?",
    "https://c.example/a//b?x=%41&y",
    "https://C.example:443/%63b",
  ];
  for (const uri of [...same, "com.example.app:cb", "com.example.app://cb", "com.example.app:/A%20b", "urn.x:a/b"]) {
    assertEquals(findRedirectUriProblem(uri, []), undefined, uri);
  }
});
