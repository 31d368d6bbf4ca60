/**
 * The page that decodes and checks pasted tokens: any input, each rule, and what it must not do with a token (group
 * TP).
 */

import { assert, assertEquals, assertLess, assertMatch, assertStringIncludes } from "@std/assert";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { test } from "node:test";
import { type Inspector, inspector } from "../../../src/devtools/mod.ts";
import type { ClientMetadata, LatchkeyOptions } from "../../../src/mod.ts";
import { cpuTimeOf } from "../../until.ts";
import { type Browser, openBrowser } from "../../server/browser.ts";
import type { Tokens } from "../../server/client_endpoints.ts";
import { assertPageWithForms, fetchCsrfToken } from "../../server/csrf.ts";
import { assertPage, assertTokenResponse, encode, forEachCase, getRejections, testServer } from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";

interface TokenBench extends TestServer {
  readonly browser: Browser;
  readonly inspected: Inspector;
  /** What a reader sees of the page for these fields. */
  check(fields: Fields): Promise<string>;
}

async function tokenBench(options: LatchkeyOptions = {}): Promise<TokenBench> {
  const inspected = inspector();
  const server = await testServer({ ...options, plugins: [inspected] });
  const browser = openBrowser(server);
  const form_token = await fetchCsrfToken(browser, "/tokens");
  const check = async (fields: Fields) =>
    textOf(await assertPageWithForms(await browser.post("/tokens", { form_token, ...fields })));
  return { ...server, browser, inspected, check };
}

/** What a reader sees of the main part, without the form. */
function textOf(html: string): string {
  const words = html.replace(/^[^]*<main|<wbr\/>|<form[^]*?<\/form>/g, "").replace(/<(?:"[^"]*"|[^>"])*>/g, " ");
  return words.replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&amp;", "&").replace(/\s+/g, " ");
}

const now = Date.UTC(2026, 0, 1) / 1000;

/** A foreign issuer with one key. */
async function foreignIssuer(): Promise<{
  readonly keySet: string;
  sign(header: Record<string, unknown>, claims: JWTPayload): Promise<string>;
}> {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  return {
    keySet: JSON.stringify({ keys: [{ ...await exportJWK(publicKey), kid: "k1", alg: "ES256", use: "sig" }] }),
    sign: (header, claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "k1", ...header }).sign(privateKey),
  };
}

test("[TP-03] the last recorded ID token is checked by a link that does not contain it", async () => {
  const bench = await tokenBench();
  const open = async (path: string) => await assertPageWithForms(await bench.browser.get(path));
  const link = `href="/tokens?last=id_token"`;
  for (const path of ["/tokens", "/tokens?last=id_token"]) {
    const html = await open(path);
    assertEquals([html.includes(link), html.includes("Valid ID token")], [false, false], path);
  }
  await assertTokenResponse(await bench.token({ code: await bench.code() }));
  const { id_token } = await assertTokenResponse(await bench.token({ code: await bench.code() }));
  assertStringIncludes(await open("/tokens"), link);
  assertEquals((await open("/tokens")).includes(id_token), false);
  const html = await open("/tokens?last=id_token");
  assertStringIncludes(textOf(html), "Valid ID token");
  assertStringIncludes(html, `${id_token}</textarea>`);
});

test("[TP-01] the empty page has an example; a pasted token stands there once, in the form", async () => {
  const bench = await tokenBench();
  assertMatch(
    textOf(await assertPageWithForms(await bench.browser.get("/tokens"))),
    /Example: an ID token.* iss .*the issuer/,
  );
  const { id_token } = await assertTokenResponse(await bench.token({ code: await bench.code() }));
  const form_token = await fetchCsrfToken(bench.browser, "/tokens");
  const html = await assertPageWithForms(await bench.browser.post("/tokens", { form_token, token: id_token }));
  const [header, claims, signature] = id_token.split(".");
  for (const part of [header!, claims!, signature!]) assertEquals(html.split(part).length, 2);
  assertEquals(textOf(html).includes("Example"), false);
});

test("[TP-01, TP-02] the ID token and the access token of a login are valid, and say until when", async () => {
  const bench = await tokenBench();
  const response = await assertTokenResponse(await bench.token({ code: await bench.code({ nonce: "n1" }) }));
  bench.advance(60);
  const idToken = await bench.check({ token: response.id_token, client_id: "spa", nonce: "n1" });
  assertMatch(
    idToken,
    /Valid ID token .*Not checked: at_hash matches the access token\. Paste the whole token response/,
  );
  assertMatch(idToken, /iat .* 2026-01-01 00:00:00 UTC, 60 seconds ago|iat .* 1 minute ago/);
  assertMatch(idToken, /Lifetime valid for /);
  const accessToken = await bench.check({ token: `Authorization: Bearer ${response.access_token}` });
  assertMatch(
    accessToken,
    /Valid access token .*Checked: the signature .*; exp is in the future; .*; the token is not revoked\./,
  );
  const whole = await bench.check({ token: JSON.stringify(response) });
  for (
    const text of [
      "2 of 2 JWTs valid",
      "Valid ID token (id_token)",
      "Valid access token (access_token)",
      "; at_hash matches the access token",
    ]
  ) {
    assertStringIncludes(whole, text);
  }
  bench.advance(100_000);
  const expired = await bench.check({ token: response.id_token });
  assertMatch(expired, /Signature valid: this ID token breaks 1 rule /);
  assertMatch(
    expired,
    /exp is in the future\..*Expected exp after .*, the time of this server Received exp 2026-01-01.*How to fix it: Get a new token/,
  );
  assertMatch(expired, /Lifetime expired/);
});

const refreshing: LatchkeyOptions = {
  clients: [{
    client_id: "spa",
    redirect_uris: ["https://spa.example/cb"],
    grant_types: ["authorization_code", "refresh_token"],
  }],
};

async function issue(server: TestServer): Promise<Tokens> {
  return await (await server.token({ code: await server.code() })).json();
}

test("[TP-02] a revoked access token of this server is rejected, as its resources do", async () => {
  const bench = await tokenBench(refreshing);
  const [revoked, kept, ofRevokedGrant] = [await issue(bench), await issue(bench), await issue(bench)];
  for (const token of [revoked.access_token, ofRevokedGrant.refresh_token]) {
    const body = encode({ client_id: "spa", token });
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    assertEquals((await bench.get("/oauth2/revoke", { method: "POST", body, headers })).status, 200);
  }
  for (
    const [{ access_token }, reason] of [
      [revoked, "the token was revoked"],
      [ofRevokedGrant, "its grant was revoked"],
    ] as const
  ) {
    assertMatch(
      await bench.check({ token: access_token }),
      new RegExp(`breaks 1 rule .*rejected.*✗ Rule broken: the token is not revoked\\..*Received ${reason} `),
    );
  }
  assertMatch(await bench.check({ token: kept.access_token }), /Valid access token .*the token is not revoked/);
  assertMatch(await bench.check({ token: revoked.id_token }), /Valid ID token/);
  assertMatch(await bench.check({ token: JSON.stringify(revoked) }), /1 of 2 JWTs valid/);
});

test("[TP-02] an opaque access token of this server is valid, or rejected with the reason", async () => {
  const [client] = refreshing.clients as readonly ClientMetadata[];
  const bench = await tokenBench({ clients: [{ ...client!, access_token_format: "opaque" }] });
  const [revoked, kept] = [await issue(bench), await issue(bench)];
  const body = encode({ client_id: "spa", token: revoked.access_token });
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  assertEquals((await bench.get("/oauth2/revoke", { method: "POST", body, headers })).status, 200);
  assertMatch(
    await bench.check({ token: revoked.access_token }),
    /Access token: opaque, the token was revoked .*rejected.*✗ Rule broken: the token is not revoked/,
  );
  assertMatch(
    await bench.check({ token: kept.access_token }),
    /Access token: opaque, valid .*valid.*Checked: the token is not revoked/,
  );
});

test("[TP-01] a token response with a refresh token: its JWTs are valid, and it goes to the token endpoint", async () => {
  const bench = await tokenBench(refreshing);
  const response = await issue(bench);
  const whole = await bench.check({ token: JSON.stringify(response) });
  assertMatch(whole, /2 of 2 JWTs valid, 1 opaque .*valid/);
  for (const text of [whole, await bench.check({ token: response.refresh_token })]) {
    assertMatch(text, /Refresh token: opaque.*only to the token endpoint/);
    assertEquals(text.includes("to the introspection endpoint"), false);
  }
});

const goodIdToken = { iss: "https://as.test", aud: "spa", sub: "alice", iat: now, exp: now + 300, nonce: "n1" };
const goodAccessToken = {
  ...{ iss: "https://as.test", aud: "https://as.test", sub: "alice", iat: now, exp: now + 300 },
  ...{ client_id: "spa", jti: "j1", scope: "read" },
};
const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
const goodLogoutToken = { iss: "https://as.test", aud: "spa", sid: "s1", iat: now, exp: now + 120, jti: "j1", events };
/** As far ahead, and as late, as the server accepts it. */
const goodRequest = {
  ...{ iss: "spa", aud: "https://as.test", client_id: "spa", response_type: "code" },
  ...{ iat: now + 10, nbf: now + 10, exp: now - 9 },
  redirect_uri: "https://spa.example/cb",
};
const goodAssertion = { iss: "spa", sub: "spa", aud: "https://as.test", exp: now + 60, jti: "j1" };
const goodResponse = { iss: "https://as.test", aud: "spa", exp: now + 60, code: "c0de", state: "s" };

/** Kind, header, claims of a good token, then changes with the check that each breaks. */
const cases: readonly {
  readonly name: string;
  readonly header: Record<string, unknown>;
  readonly claims: JWTPayload;
  readonly broken: readonly (readonly [change: Record<string, unknown>, title: string])[];
}[] = [
  {
    name: "ID token",
    header: { typ: "JWT" },
    claims: goodIdToken,
    broken: [
      [{ iss: "https://as.test/" }, "iss is the issuer"],
      [{ aud: "other" }, "aud names the client"],
      [{ aud: undefined, azp: "spa" }, "aud names the client"],
      [{ aud: ["spa", "api"] }, "azp is the client"],
      [{ azp: "web" }, "azp is the client"],
      [{ exp: now }, "exp is in the future"],
      [{ exp: "later" }, "exp is in the future"],
      [{ iat: now * 1000 }, "iat is not in the future"],
      [{ iat: undefined }, "iat is not in the future"],
      [{ nbf: now + 3600 }, "nbf is not in the future"],
      [{ sub: "a".repeat(256) }, "sub is a string"],
      [{ sub: 7 }, "sub is a string"],
      [{ nonce: "n2" }, "nonce equals the nonce of the authorization request"],
      [{ nonce: undefined }, "nonce equals the nonce of the authorization request"],
      [{ auth_time: "now" }, "auth_time is a number"],
    ],
  },
  {
    name: "access token",
    header: { typ: "at+jwt" },
    claims: goodAccessToken,
    broken: [
      [{ iss: "http://as.test" }, "iss is the issuer"],
      [{ aud: "spa" }, "aud names the resource"],
      [{ exp: now - 1 }, "exp is in the future"],
      [{ iat: undefined }, "iat is not in the future"],
      [{ sub: undefined }, "sub is a string"],
      [{ client_id: undefined }, "client_id is a string"],
      [{ jti: 1 }, "jti is a string"],
      [{ scope: ["read"] }, "scope is a string"],
    ],
  },
  {
    name: "logout token",
    header: { typ: "logout+jwt" },
    claims: goodLogoutToken,
    broken: [
      [{ iss: "x" }, "iss is the issuer"],
      [{ aud: "other" }, "aud names the client"],
      [{ exp: undefined }, "exp is in the future"],
      [{ jti: undefined }, "jti is a string"],
      [{ events: {} }, "events has the logout event"],
      [{ events: undefined }, "events has the logout event"],
      [{ sid: undefined }, "sub or sid identifies the session that ends"],
      [{ nonce: "n1" }, "nonce is absent"],
    ],
  },
  {
    name: "request object",
    header: { typ: "oauth-authz-req+jwt" },
    claims: goodRequest,
    broken: [
      [{ aud: "https://other.example" }, "aud names this server"],
      [{ iss: "web" }, "iss and client_id are the same client"],
      [{ request_uri: "urn:x" }, "request and request_uri are absent"],
      [{ exp: now - 10 }, "exp is in the future"],
      [{ iat: now + 11 }, "iat is not in the future"],
      [{ nbf: now + 11 }, "nbf is not in the future"],
    ],
  },
  {
    name: "client assertion",
    header: { typ: "client-authentication+jwt" },
    claims: goodAssertion,
    broken: [
      [{ sub: "web" }, "iss and sub are the client"],
      [{ aud: "https://as.test/oauth2/authorize" }, "aud names this server"],
      [{ exp: now }, "exp is in the future"],
      [{ iat: now + 11 }, "iat is not in the future"],
      [{ nbf: now + 11 }, "nbf is not in the future"],
      [{ jti: undefined }, "jti is a string"],
    ],
  },
  {
    name: "authorization response",
    header: {},
    claims: goodResponse,
    broken: [
      [{ iss: "https://mixed.example" }, "iss is the issuer"],
      [{ error: "access_denied" }, "code or error is present"],
    ],
  },
];

for (const { name, header, claims, broken } of cases) {
  test(`[TP-02] ${name}: a good one is valid, and each broken rule has expected, received, fix and section`, async () => {
    const { check } = await tokenBench();
    const { keySet, sign } = await foreignIssuer();
    const fields = { key_set: keySet, client_id: "spa", nonce: "n1" };
    const good = await check({ ...fields, token: await sign(header, claims) });
    assertMatch(good, new RegExp(`Valid ${name} .*Checked: the signature `));
    for (const [change, title] of broken) {
      const token = await sign(header, { ...claims, ...change });
      const text = await check({ ...fields, token, kind: kindOf(name) });
      assertMatch(text, new RegExp(`Signature valid: this ${name} breaks 1 rule `), JSON.stringify(change));
      assertMatch(
        text,
        new RegExp(`✗ Rule broken: ${title}.*Expected .*Received .*How to fix it: `),
        JSON.stringify(change),
      );
    }
    const foreign = await check({
      token: await sign(header, claims),
      kind: kindOf(name),
      client_id: "spa",
      nonce: "n1",
    });
    if (!["request object", "client assertion"].includes(name)) {
      assertMatch(
        foreign,
        /✗ Rule broken: the signature was made with a key of this server\..*paste the keys of its jwks_uri above/,
      );
    }
  });
}

function kindOf(name: string): string {
  return { "client assertion": "client_assertion", "request object": "request", "authorization response": "response" }[
    name
  ] ?? name.toLowerCase().replace(" ", "_");
}

test("[TP-02] a token of another kind is checked by what the reader chose", async () => {
  const bench = await tokenBench();
  const { access_token } = await assertTokenResponse(await bench.token({ code: await bench.code() }));
  const text = await bench.check({ token: access_token, kind: "id_token" });
  assertMatch(
    text,
    /✗ Rule broken: typ is jwt or absent\..*Expected jwt or absent Received at\+jwt/,
  );
});

test("[TP-02] a changed token, alg none, an unknown key and a symmetric signature", async () => {
  const { check } = await tokenBench();
  const { keySet, sign } = await foreignIssuer();
  const token = await sign({}, goodIdToken);
  const [head, , signature] = token.split(".");
  const claims = btoa(JSON.stringify({ ...goodIdToken, sub: "mallory" })).replace(/=+$/, "");
  assertMatch(
    await check({ token: `${head}.${claims}.${signature}`, key_set: keySet }),
    /Signature does not verify with a key of the pasted key set.*✗ Rule broken: the signature was made with a key of the pasted key set\..*this key does not verify the signature/,
  );
  const unsigned = `${btoa('{"alg":"none"}').replace(/=+$/, "")}.${claims}.`;
  assertMatch(
    await check({ token: unsigned }),
    /alg none: not signed .*✗ Rule broken: the signature .*Expected a signature Received alg none How to fix it: An attacker can write .*Reject it/,
  );
  const stripped = await check({ token: `${head}.${claims}.`, key_set: keySet });
  assertMatch(stripped, /alg ES256: not signed ✗ rejected/);
  const [{ kid: _, ...unnamed }] = JSON.parse(keySet).keys;
  const known = { client_id: "spa", nonce: "n1" };
  assertMatch(await check({ token, key_set: JSON.stringify(unnamed), ...known }), /Valid ID token /);
  const odd = await check({
    token: await sign({}, { ...goodIdToken, exp: "later" as never }),
    key_set: keySet,
    ...known,
  });
  assertMatch(odd, /Signature valid: this ID token breaks 1 rule /);
  const forged = await check({
    token: `${head}.${btoa('{"exp":"later"}').replace(/=+$/, "")}.${signature}`,
    key_set: keySet,
  });
  assertMatch(forged, /Signature does not verify with/);
  const other = await check({ token: await sign({ kid: "k2" }, goodIdToken), key_set: keySet });
  assertMatch(
    other,
    /Signature not verified: no key with this kid .*Expected a key of the pasted key set: alg ES256, kid k1 Received alg ES256, kid k2/,
  );
  const secret = new TextEncoder().encode("a-secret-of-thirty-two-characters");
  const symmetric = await new SignJWT(goodIdToken).setProtectedHeader({ alg: "HS256" }).sign(secret);
  assertMatch(
    await check({ token: symmetric }),
    /Signature not verified: HS256 needs the client secret .*Not checked: the signature .*HS256 uses the client secret/,
  );
  const secretKey = (text: string) => ({ kty: "oct", k: btoa(text).replace(/=+$/, "") });
  const [k, otherK] = [secretKey("a-secret-of-thirty-two-characters"), secretKey("another-secret-of-the-same-length")];
  for (const key_set of [JSON.stringify(k), JSON.stringify([otherK, k]), "a-secret-of-thirty-two-characters"]) {
    assertMatch(await check({ token: symmetric, key_set, client_id: "spa", nonce: "n1" }), /Valid ID token /);
  }
  assertMatch(
    await check({ token: symmetric, key_set: "another-secret-of-the-same-length" }),
    /Signature does not verify with a key of the pasted key set/,
  );
  assertMatch(
    await check({ token: symmetric, key_set: JSON.stringify([otherK, otherK]) }),
    /Signature does not verify with a key of the pasted key set/,
  );
});

test("[TP-02] an access token that is signed with a secret is rejected, as is a token whose crit is unknown", async () => {
  const bench = await tokenBench();
  const { keySet, sign } = await foreignIssuer();
  const { access_token } = await assertTokenResponse(await bench.token({ code: await bench.code() }));
  const claims = JSON.parse(atob(access_token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
  const { keys: [key] } = await (await bench.browser.get("/oauth2/jwks")).json();
  const secret = new TextEncoder().encode(JSON.stringify(key));
  for (const typ of ["at+jwt", "JWT"]) {
    const forged = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ, kid: key.kid }).sign(secret);
    assertMatch(
      await bench.check({ token: forged }),
      /HS256: signed with a secret, not with a key of this server .*✗ Rule broken: the signature .*Expected an asymmetric algorithm/,
    );
    assertMatch(await bench.check({ token: forged, key_set: keySet }), /✗ Rule broken: the signature/);
  }
  const [, body, signature] = (await sign({}, goodIdToken)).split(".");
  const critical = `${
    btoa('{"alg":"ES256","kid":"k1","crit":["exp"],"exp":1}').replace(/=+$/, "")
  }.${body}.${signature}`;
  assertMatch(
    await bench.check({ token: critical, key_set: keySet }),
    /Signature not verified: crit names an extension .*✗ Rule broken: the signature .*Received crit \["exp"\]/,
  );
});

test("[TP-01] the form of a token: each error has expected, received and fix, and everything readable is shown", async () => {
  const { check } = await tokenBench();
  const { sign } = await foreignIssuer();
  const token = await sign({}, { ...goodIdToken, name: "Ünïcödé??>>" });
  const [head, claims, signature] = token.split(".") as [string, string, string];
  const encrypted = `${btoa('{"alg":"RSA-OAEP","enc":"A256GCM"}')}.a.b.c.d`.replaceAll("=", "");
  await forEachCase<[string, RegExp]>([
    [`${head}.${claims}`, /Expected three parts .* Received 2 parts How to fix it: Copy the whole token/],
    [`${token}.x`, /Received 4 parts/],
    [
      `${head}.${claims.slice(0, 40)}.${signature}`,
      /Expected claims: a JSON object .*Received .* cut off How to fix it/,
    ],
    [
      `${head}.${claims}==.${signature}`,
      /base64url without padding.*Received another encoding, such as standard base64/,
    ],
    [`${head}.eyJ…(43).${signature}`, /Received a redacted text, with … in it/],
    [`${head}.${claims}!.${signature}`, /Expected claims: a JSON object/],
    [`${head}.${btoa("[1]")}.${signature}`, /Expected claims: a JSON object/],
    [`${head}.${btoa("\xff\xfe")}.${signature}`, /Expected claims: a JSON object as UTF-8/],
    [`${token.slice(0, 60)}\n  ${token.slice(60)}`, /Spaces and line breaks were removed from the token/],
    [encrypted, /Encrypted token .*alg: RSA-OAEP enc: A256GCM.*JWE, RFC 7516.*only the holder of the private key/],
    ["tGzv3JOkF0XG5Qx2TlKWIA", /Token: opaque .*introspection endpoint/],
    ['{"refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA"}', /Refresh token: opaque/],
    ["", /The field "Token" is empty/],
    ["  \n ", /The field "Token" is empty/],
    ['{"keys":[]}', /Paste a token, or a text with one of id_token, .*: this text has none/],
    [JSON.stringify(goodIdToken), /this text has none/],
    ["{broken", /Token: opaque/],
    [
      `https://app.example/cb?iss=https%3A%2F%2Fas.test#state=s&id_token=${token}`,
      /no key with this kid .* ID token \(id_token\)/,
    ],
    ["Location: /cb?code=c0de&state=s", /this text has none/],
    ["https://app.example/cb?error=access_denied&state=s", /this text has none/],
    [`response=${token}&x=1`, /Authorization response \(response\)/],
    [`DPoP: ${token}`, /DPoP proof \(DPoP\)/],
    [`${token}~WyJzYWx0IiwiYSIsMV0~`, /no key with this kid .* name Ünïcödé/],
    [`"${token}"`, /Signature not verified: no key with this kid ✗ rejected/],
  ], async ([pasted, expected]) => assertMatch(await check({ token: pasted }), expected));
});

test("[TP-01] a text with many = is read in one pass", async () => {
  const { check } = await tokenBench();
  const token = `a${"=".repeat(15_000)}x`;
  await check({ token: "x" });
  assertLess(await cpuTimeOf(() => check({ token })), 5000);
});

test("[TP-01] hostile input is escaped text: no markup, no prototype, no overlong page, no error", async () => {
  const { browser, events: traced } = await tokenBench();
  const form_token = await fetchCsrfToken(browser, "/tokens");
  const hostile = `<script>alert(1)</script>`;
  const part = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, "");
  const nested = `${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`;
  const header = part({ alg: hostile, typ: hostile, kid: hostile, jwk: { kty: hostile } });
  await forEachCase<string>([
    `${header}.${part({ iss: hostile, aud: [hostile], exp: 1e300, iat: -1e300, [hostile]: hostile })}.${hostile}`,
    `${part({ alg: "ES256", typ: "dpop+jwt", jwk: { kty: "EC", crv: "P-256", x: "a", y: "b", d: "c" } })}.${
      part({})
    }.AA`,
    `${part({ alg: "toString", kid: {} })}.${part({ __proto__: 1, constructor: null, exp: {}, aud: {} })}.AA`,
    `${part({ alg: "ES256" })}.${btoa(nested).replace(/=+$/, "")}.AA`,
    `eyJ${".".repeat(5000)}`,
    `a=${"%".repeat(500)}`,
    "~".repeat(500),
    `{"id_token":${"[".repeat(5000)}`,
    "\u0000\u202e",
    ...["constructor", "__proto__", "hasOwnProperty"].map((name) => `{"${name}":"x"}`),
  ], async (token) => {
    const sent = { form_token, token, key_set: token, kind: "__proto__", issuer: hostile, client_id: hostile };
    await assertPageWithForms(await browser.post("/tokens", sent), 200, hostile);
  });
  await assertPage(await browser.post("/tokens", { form_token, token: "x".repeat(70_000) }), 413);
  assert(!traced.some(({ type }) => type === "internal_error"));
});

test("[TP-03] the token comes from the page's own form alone, and leaves no trace", async () => {
  const bench = await tokenBench();
  const { sign } = await foreignIssuer();
  const token = await sign({}, { ...goodIdToken, sub: "mallory-in-the-middle" });
  const form_token = await fetchCsrfToken(bench.browser, "/tokens");
  const cookie = [...bench.browser.cookies].map((pair) => pair.join("=")).join("; ");
  const stolen = await fetchCsrfToken(openBrowser(bench), "/tokens");
  await forEachCase<[Record<string, string>, Fields]>([
    [{ cookie }, {}],
    [{ cookie }, { form_token: stolen }],
    [{}, { form_token }],
    [{ cookie, origin: "https://evil.example.com" }, { form_token }],
    [{ cookie, origin: "null" }, { form_token }],
    [{ cookie, "sec-fetch-site": "cross-site" }, { form_token }],
  ], async ([headers, sent]) => {
    const body = encode({ token, ...sent });
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const html = await assertPage(
      await bench.get("/tokens", { method: "POST", body, headers: { ...type, ...headers } }),
      403,
    );
    assert(!html.includes("mallory"));
  });
  const inUrl = await assertPageWithForms(await bench.browser.get(`/tokens?${encode({ token })}`));
  assert(!inUrl.includes(token.slice(0, 40)));
  assertMatch(await bench.check({ token }), /mallory-in-the-middle/);
  assertEquals(bench.inspected.recorder.exchanges().filter(({ endpoint }) => endpoint === "tokens"), []);
  assert(!JSON.stringify(bench.events).includes("mallory"));
  assert(!JSON.stringify(getRejections(bench.events)).includes(token));
});

test("[TP-03] no key and no document is fetched for a token", async () => {
  const fetched: string[] = [];
  const { check } = await tokenBench({
    clientIdMetadataDocuments: true,
    clients: [{ client_id: "keyed", redirect_uris: ["https://k.example/cb"], jwks_uri: "https://k.example/jwks" }],
    outbound: (url) => {
      fetched.push(String(url));
      return Promise.reject(new Error("no network"));
    },
  });
  const { sign } = await foreignIssuer();
  const header = { jku: "https://evil.example/jwks", x5u: "https://evil.example/cert" };
  for (const client of ["keyed", "https://evil.example/client.json"]) {
    await check({ token: await sign(header, { ...goodIdToken, iss: client, aud: client }) });
    await check({ token: await sign(header, { ...goodRequest, iss: client, client_id: client }) });
  }
  assertEquals(fetched, []);
});

test("[TP-04] the page exists on test hosts only, under the issuer's host or a loopback host", async () => {
  const bench = await tokenBench();
  for (const method of ["GET", "POST"]) {
    const response = await bench.get("/tokens", { method, headers: { host: "rebound.example.com" } });
    assertStringIncludes(await assertPage(response, 403), "How to fix it:");
  }
  assertStringIncludes(
    await (await bench.browser.get("/tokens")).text(),
    `<a href="/flows" aria-current="true">Requests</a>`,
  );
  const real = await testServer({
    issuer: "https://as.example.com",
    plugins: [inspector()],
    login: "interactive",
    insecure: ["inspector", "open-login"],
  });
  await assertPage(await real.get("/tokens"), 404);
  assert(!(await (await real.get("/flows")).text()).includes(`href="/tokens`));
});
