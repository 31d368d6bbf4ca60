/**
 * The OpenID Connect request and its session: prompts, ages, hints, claims, and cookies (OI).
 *
 * @extensions requested_claims
 */

import { failingPages } from "../failing_pages.ts";
import { assert, assertEquals, assertGreater, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { SignJWT } from "jose";
import { Buffer } from "node:buffer";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ConfigurationError, type LatchkeyOptions, OAuthError } from "../../../src/mod.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { sqliteStore } from "../../../src/core/store/sqlite.ts";
import {
  assertAuthorizationResponse,
  assertTokenResponse,
  authorizeByPost,
  clients,
  decodeClaims,
  encode,
  forEachCase,
  getOutcome,
  getRedirectParams,
  getRejections,
  goodRequest,
  testServer,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";
import { browserCookie, getForm, openBrowser, sessionCookie } from "../browser.ts";
import { refresh } from "../client_endpoints.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-openid-"));
after(() => rmSync(folder, { recursive: true }));

/** `spa` and `other` share a redirect URI and refresh; `plain` has no refresh tokens. */
const severalUsers: LatchkeyOptions = {
  clients: [
    ...clients.filter(({ client_id }) => client_id !== "spa"),
    ...["spa", "other"].map((client_id) => ({
      client_id,
      redirect_uris: ["https://spa.example/cb"],
      grant_types: ["authorization_code", "refresh_token"],
    })),
    { client_id: "plain", redirect_uris: ["https://spa.example/cb"] },
    {
      client_id: "signed",
      redirect_uris: ["https://spa.example/cb"],
      userinfo_signed_response_alg: "ES256",
    },
  ],
  users: [
    { sub: "alice", name: "Alice Adams", email: "alice@example.com", email_verified: true, locale: "de" },
    { sub: "bob", name: "Bob Brown", email: "bob@example.com", email_verified: false },
  ],
};

/** Who an id token is about, since when, and in which session. */
function login(idToken: string) {
  const { sub, auth_time, sid } = decodeClaims(idToken) as { sub: string; auth_time: number; sid: string };
  return { sub, auth_time, sid };
}

async function userinfo({ get }: TestServer, token: string): Promise<Record<string, unknown>> {
  const response = await get("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } });
  assertEquals(response.status, 200);
  return await response.json();
}

test("[OI-01] an ID token is issued if and only if scope contains openid, at any position", async () => {
  const b = await testServer(severalUsers);
  await forEachCase(["openid", "read openid", "openid read write"], async (scope) => {
    const tokens = await openBrowser(b).login({ scope });
    assertEquals("id_token" in tokens, true);
    assertEquals("id_token" in await assertTokenResponse(await refresh(b, tokens.refresh_token)), true);
  });
  await forEachCase(["read", "read write", "profile email", "offline_access", undefined], async (scope) => {
    const tokens = await openBrowser(b).login({
      scope,
      nonce: "n",
      max_age: "5",
      claims: '{"id_token":{"email":null}}',
    });
    assertEquals("id_token" in tokens, false);
    assertEquals("id_token" in await assertTokenResponse(await refresh(b, tokens.refresh_token)), false);
  });
});

test("[OI-01, RT-06] a refresh without openid returns no ID token, and the next one with openid does", async () => {
  const b = await testServer(severalUsers);
  const { refresh_token } = await openBrowser(b).login();
  const less = await assertTokenResponse(await refresh(b, refresh_token, { scope: "read" }));
  assertEquals("id_token" in less, false);
  const { refresh_token: next } = less as unknown as { refresh_token: string };
  assertEquals("id_token" in await assertTokenResponse(await refresh(b, next)), true);
});

test("[OI-02] the ID token has the nonce unchanged, if and only if it was sent", async () => {
  const b = await testServer(severalUsers);
  const nonces = [
    ...["n", "0", "null", "a".repeat(64), "b".repeat(1024), "+/%=&#?", "%2B%00", ' "quoted" \\ ', "nönce 🔑", "<b>"],
    ...["a+b", "a b", "constructor", "__proto__", '","sub":"bob'],
  ];
  await forEachCase(nonces, async (nonce) => {
    assertEquals(decodeClaims((await openBrowser(b).login({ nonce })).id_token).nonce, nonce);
  });
  for (const nonce of [undefined, ""]) {
    assertEquals("nonce" in decodeClaims((await openBrowser(b).login({ nonce })).id_token), false);
  }
});

test("[OI-02] each request of a session has its own nonce, and a refreshed ID token has the original one", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await browser.login({ nonce: "first" });
  assertEquals("nonce" in decodeClaims((await browser.login()).id_token), false);
  const { refresh_token, id_token } = await browser.login({ nonce: "third" });
  assertEquals(decodeClaims(id_token).nonce, "third");
  const again = decodeClaims((await assertTokenResponse(await refresh(b, refresh_token))).id_token);
  assert(again.nonce === undefined || again.nonce === "third");
});

test("[OI-03] without a session prompt=none is login_required: no page, no code, no cookie", async () => {
  const b = await testServer({ ...severalUsers, pages: failingPages(() => new Error("a page was drawn")) });
  const ways = [
    () => b.authorize({ prompt: "none" }),
    () => authorizeByPost(b, { prompt: "none" }),
    () => b.authorize({ prompt: "none", login_hint: "alice" }),
    () => b.authorize({ prompt: "none", max_age: "100000" }),
    () => b.authorize({ prompt: "none", scope: "read" }),
  ];
  for (const way of ways) {
    const response = await way();
    assertEquals(assertAuthorizationResponse(response).error, "login_required");
    assertEquals(response.headers.getSetCookie(), []);
  }
  assertEquals(b.events.filter(({ type }) => type === "code_issued"), []);
});

test("[OI-03] with a session prompt=none returns a code with the session's sub, auth_time and sid, until the session ends", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const first = login((await browser.login({ login_hint: "bob" })).id_token);
  for (const seconds of [0, 1, 59, 3600, 25_000]) {
    b.advance(seconds);
    const before = new Map(browser.cookies);
    const response = await browser.authorize({ prompt: "none" });
    assertEquals(response.headers.getSetCookie(), []);
    const { id_token } = await assertTokenResponse(await b.token({ code: assertAuthorizationResponse(response).code }));
    assertEquals([login(id_token), browser.cookies], [first, before]);
  }
});

test("[OI-03] none with another value is invalid_request, in any order", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await browser.login();
  const prompts = [
    ...["none login", "login none", "none consent", "none select_account", "none login consent", "none  login"],
    ...["none foo", "foo none"],
  ];
  await forEachCase(prompts, async (prompt) => {
    for (const one of [browser, openBrowser(b)]) {
      assertEquals(assertAuthorizationResponse(await one.authorize({ prompt })).error, "invalid_request");
    }
  });
});

test("[OI-03] if the approver needs a page, prompt=none is interaction_required without a page", async () => {
  const approver: LatchkeyOptions["approver"] = (request, { session, users, now, httpRequest }) => {
    const shown = new URL(httpRequest.url).searchParams.get("display");
    if (shown === "page") return new Response("<p>Allow?</p>", { headers: { "set-cookie": "half=way" } });
    if (shown !== null) throw new OAuthError(shown as "consent_required", "no", { rule: "OI-03" });
    return { user: users.known().get("alice")!, scope: request.scope, authTime: session?.authTime ?? now() };
  };
  const b = await testServer({ ...severalUsers, approver });
  const browser = openBrowser(b);
  await browser.login();
  const response = await browser.authorize({ prompt: "none", display: "page" });
  assertEquals(assertAuthorizationResponse(response).error, "interaction_required");
  assertEquals(response.headers.getSetCookie(), []);
  await forEachCase(
    ["consent_required", "account_selection_required", "login_required", "interaction_required"],
    async (error) => {
      assertEquals(
        assertAuthorizationResponse(await browser.authorize({ prompt: "none", display: error })).error,
        error,
      );
    },
  );
  const page = await browser.authorize({ display: "page" });
  assertEquals([page.status, await page.text()], [200, "<p>Allow?</p>"]);
});

test("[OI-04, UI-07] prompt=login is a new login: a later auth_time, a new session id", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  let last = login((await browser.login()).id_token);
  for (const prompt of ["login", "login consent", "select_account login", "login foo", "login login"]) {
    b.advance(2);
    const next = login((await browser.login({ prompt })).id_token);
    assertEquals([next.sub, next.auth_time], [last.sub, last.auth_time + 2]);
    assertNotEquals(next.sid, last.sid);
    last = next;
  }
  b.advance(2);
  assertEquals(login((await browser.login({ prompt: "none" })).id_token), last);
});

test("[OI-04] consent, select_account and undefined values continue the session", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const first = login((await browser.login({ login_hint: "bob" })).id_token);
  b.advance(10);
  const prompts = [
    "consent",
    "select_account",
    "consent select_account",
    "foo",
    "create",
    "Login",
    "NONE",
    "logın",
    " ",
  ];
  await forEachCase([...prompts, "constructor", ""], async (prompt) => {
    assertEquals(login((await browser.login({ prompt })).id_token), first);
  });
});

test("[OI-05, ID-05] a login older than max_age is renewed, and is login_required with prompt=none", async () => {
  const b = await testServer(severalUsers);
  const cases: [seconds: number, max_age: string, renewed: boolean][] = [
    [2, "1", true],
    [2, "2", false],
    [2, "10000", false],
    [2, "0002", false],
    [0, "0", true],
    [5, "0", true],
    [10_000, "9999", true],
    [28_799, "28799", false],
    [2, "", false],
  ];
  await forEachCase(cases, async ([seconds, max_age, renewed]) => {
    const browser = openBrowser(b);
    const { auth_time, sid } = login((await browser.login()).id_token);
    b.advance(seconds);
    assertEquals(await browser.authorizeSilently({ max_age }), renewed ? "login_required" : "code");
    const next = login((await browser.login({ max_age })).id_token);
    assertEquals([next.auth_time, next.sid === sid], [auth_time + (renewed ? seconds : 0), !renewed]);
  });
});

test("[OI-05] a max_age that is no whole number of seconds is invalid_request", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await browser.login();
  const ages = ["-1", "1.5", "x", "1e3", "0x10", "+1", "1 2", "NaN", "Infinity", "null", "1,000", "１", "-0", " 5"];
  await forEachCase(ages, async (max_age) => {
    assertEquals(assertAuthorizationResponse(await browser.authorize({ max_age })).error, "invalid_request");
  });
});

test("[OI-05] max_age accepts every whole number of seconds", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await browser.login();
  await forEachCase(["999999999", "2147483648", "4294967296", "9007199254740993", "9".repeat(30)], async (max_age) => {
    assertEquals(await browser.authorizeSilently({ max_age }), "code");
  });
});

test("[OI-05, SC-09] auth_time is never older than max_age, not even by a fraction of a second", async () => {
  let time = Date.UTC(2026, 0, 1);
  const b = await testServer({ ...severalUsers, now: () => time });
  for (let i = 0; i < 200; i++) {
    time += 1 + (i * 7919) % 1000;
    const browser = openBrowser(b);
    await browser.login();
    time += 900 + (i * 104_729) % 1300;
    const max_age = i % 3;
    const { id_token } = await browser.login({ max_age: String(max_age) });
    const { auth_time, iat } = decodeClaims(id_token) as { auth_time: number; iat: number };
    assert(auth_time <= iat && auth_time + max_age >= iat, `${auth_time} + ${max_age} < ${iat}`);
  }
});

test("[OI-06] login_hint selects the user: a new login if another is logged in, none if it is the same", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const bob = login((await browser.login({ login_hint: "bob" })).id_token);
  assertEquals(bob.sub, "bob");
  b.advance(5);
  assertEquals(login((await browser.login({ login_hint: "bob" })).id_token), bob);
  assertEquals(login((await browser.login()).id_token), bob);
  assertEquals(await browser.authorizeSilently({ login_hint: "alice" }), "login_required");
  assertEquals(login((await browser.login({ prompt: "none" })).id_token), bob);
  const alice = login((await browser.login({ login_hint: "alice" })).id_token);
  assertEquals([alice.sub, alice.auth_time, alice.sid === bob.sid], ["alice", bob.auth_time + 5, false]);
});

test("[OI-06] a login_hint of an unknown user causes only a warning", async () => {
  const b = await testServer(severalUsers);
  const hints = [
    ...["unknown", "Alice", "alice ", "alice@other.example", "constructor", "__proto__", "<script>alert(1)</script>"],
    ...["a".repeat(8000), "\r\nset-cookie: x=y", "ålice", "'\"\\"],
  ];
  await forEachCase(hints, async (login_hint) => {
    const browser = openBrowser(b);
    const first = await browser.login({ login_hint });
    assertEquals(login(first.id_token).sub, "alice");
    assertEquals(login((await browser.login({ login_hint, prompt: "none" })).id_token), login(first.id_token));
    const page = await (await browser.authorize({ login_hint, redirect_uri: "https://evil.example" })).text();
    assert(!page.includes("<script>alert"));
  });
  const warnings = b.events.filter((event) => event.type === "warning" && event.explanation.rule === "OI-06");
  assertEquals(warnings.length, 2 * hints.length);
  for (const warning of warnings) {
    assert(warning.type === "warning");
    assertMatch(warning.explanation.reason, /^login_hint names no user: .*default user, was logged in$/);
    assertEquals(warning.explanation.expected, "alice or bob");
  }
});

test("[OI-06] on test hosts login_hint may be an e-mail address or a preferred_username, and a sub comes first", async () => {
  const users = [
    { sub: "alice", email: "alice@example.com" },
    { sub: "u-2", email: "bob@example.com", preferred_username: "bob" },
    { sub: "carol", preferred_username: "u-2" },
  ];
  const b = await testServer({ ...severalUsers, users });
  await forEachCase([
    ["bob@example.com", "u-2"],
    ["BOB@example.com", "u-2"],
    ["bob", "u-2"],
    ["u-2", "u-2"],
    ["alice@example.com", "alice"],
  ], async ([login_hint, sub]) => {
    assertEquals(login((await openBrowser(b).login({ login_hint: login_hint! })).id_token).sub, sub);
  });
  assertEquals(b.events.filter((event) => event.type === "warning" && event.explanation.rule === "OI-06"), []);
  const real = await testServer({
    ...severalUsers,
    users,
    issuer: "https://auth.example.com",
    insecure: ["auto-login"],
  });
  assertEquals(login((await openBrowser(real).login({ login_hint: "bob" })).id_token).sub, "alice");
});

test("[OI-06] unknownLoginHint reject: the request fails and names the users, also without a page", async () => {
  const users = ["alice", "bob", ...Array.from({ length: 20 }, (_, i) => `user-${i}`)].map((sub) => ({ sub }));
  const b = await testServer({ ...severalUsers, users, unknownLoginHint: "reject" });
  const browser = openBrowser(b);
  assertEquals(login((await browser.login({ login_hint: "bob" })).id_token).sub, "bob");
  for (const prompt of [{}, { prompt: "none" }]) {
    const params = getRedirectParams(await browser.authorize({ login_hint: "carol", ...prompt }));
    assertEquals(params.get("error"), "invalid_request");
    assertMatch(params.get("error_description")!, /login_hint names no user/);
  }
  const { rule, expected, received } = getRejections(b.events).at(-1)!.explanation;
  assertEquals([rule, received], ["OI-06", "carol"]);
  assertMatch(expected!, /^alice, bob, user-0, .*user-7 and \d+ more$/);
});

test("[OI-06] unknownLoginHint create: the user is created once, and only by a request that can log in", async () => {
  const b = await testServer({ ...severalUsers, unknownLoginHint: "create" });
  const silent = await openBrowser(b).authorizeSilently({ login_hint: "carol" });
  assertEquals([silent, b.as.users.known().get("carol")], ["login_required", undefined]);
  const carol = await openBrowser(b).login({ login_hint: "carol", scope: "openid profile email" });
  assertEquals(login(carol.id_token).sub, "carol");
  assertEquals(login((await openBrowser(b).login({ login_hint: "carol" })).id_token).sub, "carol");
  await openBrowser(b).login({ login_hint: "dan@example.com" });
  assertEquals(b.as.users.known().get("dan@example.com")?.email, "dan@example.com");
  assertEquals(b.as.users.list().map(({ sub }) => sub), ["alice", "bob", "carol", "dan@example.com"]);
  await forEachCase(["a b", "ålice"], async (login_hint) => {
    assertEquals(await openBrowser(b).authorizeSilently({ login_hint, prompt: undefined }), "invalid_request");
  });
  assertEquals(b.as.users.count(), 4);
});

test("[OI-06] requests without credentials create at most as many users as the server keeps", async () => {
  const users = Array.from({ length: 999 }, (_, i) => ({ sub: `user-${i}` }));
  const b = await testServer({ ...severalUsers, users, unknownLoginHint: "create" });
  await openBrowser(b).login({ login_hint: "carol" });
  assertEquals(await openBrowser(b).authorizeSilently({ login_hint: "dave", prompt: undefined }), "invalid_request");
  assertEquals(b.as.users.count(), 1000);
});

test("[OI-06] a created user whose record has expired is stored again under the same id", async () => {
  // The expired record stays, so the server must replace it. Under another id no other process would find the user.
  const store = { ...await sqliteStore(":memory:"), deleteExpired: () => Promise.resolve(0) };
  const b = await testServer({ ...severalUsers, store, unknownLoginHint: "create" });
  const storedIds = async () => (await store.list("user", { prefix: "", limit: 10 })).map(({ id }) => id);
  await openBrowser(b).login({ login_hint: "carol" });
  const ids = await storedIds();
  b.advance(400 * 24 * 3600);
  await openBrowser(b).login({ login_hint: "carol" });
  assertEquals([ids.length, await storedIds()], [1, ids]);
});

test("[OI-06] unknownLoginHint create is for test hosts, and login pages make the setting useless", async () => {
  const real: LatchkeyOptions = { ...severalUsers, issuer: "https://auth.example.com", insecure: ["auto-login"] };
  await assertRejects(
    () => latchkey({ ...real, unknownLoginHint: "create" }),
    ConfigurationError,
    "every visitor could create users",
  );
  const warnings: unknown[] = [];
  await latchkey({
    login: "interactive",
    unknownLoginHint: "reject",
    trace: (event) => event.type === "configuration_warning" && warnings.push(event.path),
  });
  assertEquals(warnings, ["unknownLoginHint"]);
});

test("[OI-06] display, ui_locales, claims_locales and acr_values never reject a request", async () => {
  const b = await testServer(severalUsers);
  const values = [
    "page",
    "popup",
    "x",
    "fr-CA fr en",
    "!!",
    "urn:mace:incommon:iap:silver",
    "0 1 2",
    "\u0000",
    "{}",
    "",
  ];
  await forEachCase(["display", "ui_locales", "claims_locales", "acr_values"], async (name) => {
    for (const value of values) {
      const { id_token } = await openBrowser(b).login({ [name]: value });
      assertEquals([decodeClaims(id_token).acr, decodeClaims(id_token).amr], [undefined, undefined]);
    }
  });
});

test("[OI-07] a hint of the logged-in user has no effect, expired or not, from this session or an earlier one", async () => {
  const b = await testServer({ ...severalUsers, lifetimes: { id_token: 10, session: 100_000 } });
  const browser = openBrowser(b);
  const { id_token } = await browser.login();
  const { id_token: renewed } = await browser.login({ prompt: "login" });
  b.advance(3000);
  for (const id_token_hint of [id_token, renewed]) {
    assertEquals(await browser.authorizeSilently({ id_token_hint }), "code");
    assertEquals(login((await browser.login({ id_token_hint })).id_token), login(renewed));
  }
});

test("[OI-07] a hint of another user selects that user, or is login_required", async () => {
  const b = await testServer(severalUsers);
  const { id_token: id_token_hint } = await openBrowser(b).login({ login_hint: "bob" });
  const empty = openBrowser(b);
  assertEquals(await empty.authorizeSilently({ id_token_hint }), "login_required");
  assertEquals(empty.cookies.size, 0);
  assertEquals(login((await empty.login({ id_token_hint })).id_token).sub, "bob");
  const alices = openBrowser(b);
  const before = login((await alices.login()).id_token);
  assertEquals(await alices.authorizeSilently({ id_token_hint }), "login_required");
  assertEquals(login((await alices.login({ prompt: "none" })).id_token), before);
  b.advance(1);
  const { sub, auth_time } = login((await alices.login({ id_token_hint })).id_token);
  assertEquals([sub, auth_time], ["bob", before.auth_time + 1]);
});

test("[OI-07] if two hints differ, only the user of id_token_hint gets a code", async () => {
  const b = await testServer(severalUsers);
  const { id_token: id_token_hint } = await openBrowser(b).login({ login_hint: "bob" });
  const result = getRedirectParams(await openBrowser(b).authorize({ id_token_hint, login_hint: "alice" }));
  if (result.has("code")) {
    assertEquals(login((await assertTokenResponse(await b.token({ code: result.get("code")! }))).id_token).sub, "bob");
  }
  const claims = '{"id_token":{"sub":{"value":"alice"}}}';
  assertEquals(
    assertAuthorizationResponse(await openBrowser(b).authorize({ id_token_hint, claims })).error,
    "access_denied",
  );
});

test("[OI-07] anything but an ID token of this server for this client is invalid_request", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { id_token, access_token } = await browser.login({ scope: "openid profile" });
  const [header, payload, signature] = id_token.split(".") as [string, string, string];
  const with_ = (claims: object) =>
    Buffer.from(JSON.stringify({ ...decodeClaims(id_token), ...claims })).toString("base64url");
  const headed = (more: object) =>
    Buffer.from(JSON.stringify({ ...JSON.parse(atob(header)), ...more })).toString("base64url");
  const { keys: [key] } = await (await b.get("/oauth2/jwks")).json();
  const secret = (text: string) => new TextEncoder().encode(text);
  const byHmac = (text: string) =>
    new SignJWT(decodeClaims(id_token)).setProtectedHeader({ alg: "HS256", typ: "JWT", kid: key.kid }).sign(
      secret(text),
    );
  const elsewhere = await testServer({ ...severalUsers, issuer: "https://as2.test" });
  const impostor = await testServer(severalUsers);
  const hints: Readonly<Record<string, string>> = {
    "another user": `${header}.${with_({ sub: "bob" })}.${signature}`,
    "a longer life": `${header}.${with_({ exp: 9_999_999_999 })}.${signature}`,
    "a signature that ends otherwise": `${header}.${payload}.${signature.slice(0, -2)}${
      signature.endsWith("AA") ? "BA" : "AA"
    }`,
    "no signature": `${header}.${payload}.`,
    "alg none": `${headed({ alg: "none" })}.${payload}.`,
    "alg none with the signature": `${headed({ alg: "none" })}.${payload}.${signature}`,
    "no kid": `${headed({ kid: undefined })}.${payload}.${signature}`,
    "an embedded key": `${headed({ jwk: key })}.${payload}.${signature}`,
    "HMAC with the public key": await byHmac(JSON.stringify(key)),
    "HMAC with the x of the key": await byHmac(key.x),
    "another issuer's": (await openBrowser(elsewhere).login()).id_token,
    "the same issuer's with other keys": (await openBrowser(impostor).login()).id_token,
    "another client's": (await openBrowser(b).login({ client_id: "other" })).id_token,
    "an access token": access_token,
    "two parts": `${header}.${payload}`,
    "five parts": `${id_token}.e30.e30`,
    "a leading space": ` ${id_token}`,
    "words": "alice",
    "dots": "..",
    "JSON": '{"sub":"alice"}',
    "long": "a".repeat(9000),
  };
  await forEachCase(Object.entries(hints), async ([, id_token_hint]) => {
    for (const prompt of [undefined, "none"]) {
      assertEquals(
        assertAuthorizationResponse(await browser.authorize({ id_token_hint, prompt })).error,
        "invalid_request",
      );
    }
  });
  assertEquals(b.events.filter(({ type }) => type === "internal_error"), []);
});

test("[OI-07] a signed userinfo response is no ID token, although key, issuer and audience match", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { access_token } = await browser.login({ client_id: "signed" });
  const result = await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
  assertEquals(result.headers.get("content-type"), "application/jwt");
  const id_token_hint = await result.text();
  assertEquals(
    assertAuthorizationResponse(await browser.authorize({ client_id: "signed", id_token_hint })).error,
    "invalid_request",
  );
});

test("[OI-07] a hint of a removed user logs no other user in", async () => {
  const b = await testServer(severalUsers);
  const { id_token: id_token_hint } = await openBrowser(b).login({ login_hint: "bob" });
  b.as.users.delete("bob");
  for (const prompt of [undefined, "none", "login"]) {
    assertMatch(
      assertAuthorizationResponse(await openBrowser(b).authorize({ id_token_hint, prompt })).error!,
      /^(?:login_required|access_denied)$/,
    );
  }
});

test("[OI-08] claims that is no object of objects is invalid_request", async () => {
  const b = await testServer(severalUsers);
  const malformed = [
    ...["{", "[]", "null", "1", '"userinfo"', "true", "undefined", "{}x", "{'userinfo':{}}"],
    ...['{"userinfo":1}', '{"userinfo":[]}', '{"userinfo":"name"}', '{"userinfo":true}', '{"id_token":[]}'],
    ...[
      '{"userinfo":{"name":1}}',
      '{"userinfo":{"name":"x"}}',
      '{"userinfo":{"name":[]}}',
      '{"id_token":{"name":true}}',
    ],
    ...['{"id_token":{"sub":{"values":"alice"}}}', '{"id_token":{"sub":{"values":["alice",1]}}}'],
    ...['{"userinfo":{"sub":{"value":1}}}', '{"userinfo":{"name":{"values":{"0":"Alice Adams"}}}}'],
    ...['{"userinfo":{"name":{"essential":true}},"id_token":0}', "[".repeat(3000)],
  ];
  await forEachCase(malformed, async (claims) => {
    assertEquals(assertAuthorizationResponse(await b.authorize({ claims })).error, "invalid_request");
    assertEquals(assertAuthorizationResponse(await authorizeByPost(b, { claims })).error, "invalid_request");
  });
});

test("[OI-08] empty requests and unknown claims have no effect", async () => {
  const b = await testServer(severalUsers);
  const idle = [
    ...["{}", '{"userinfo":{}}', '{"userinfo":null,"id_token":null}', '{"other":1}', ' {"userinfo" : {} } '],
    ...['{"userinfo":{"unheard_of":null,"x#de":{"essential":true}},"id_token":{"unheard_of":{"essential":true}}}'],
    ...['{"userinfo":{"__proto__":null,"constructor":null,"toString":{"essential":true}}}'],
    ...['{"id_token":{"__proto__":{"x":1},"hasOwnProperty":null},"__proto__":{"userinfo":{"email":null}}}'],
    ...['{"id_token":{"phone_number":{"essential":true},"acr":null,"amr":{"values":["pwd"]}}}'],
  ];
  const plain = await openBrowser(b).login({ scope: "openid" });
  await forEachCase(idle, async (claims) => {
    const { id_token, access_token } = await openBrowser(b).login({ scope: "openid", claims });
    assertEquals(Object.keys(decodeClaims(id_token)), Object.keys(decodeClaims(plain.id_token)));
    assertEquals(await userinfo(b, access_token), { sub: "alice" });
  });
});

test("[OI-08, ID-07] a claim requested by name is released where it was requested, without its scope, refreshed tokens included", async () => {
  const b = await testServer(severalUsers);
  const shown = async (tokens: { id_token: string; access_token: string }): Promise<object> => {
    const { name, email, locale } = decodeClaims(tokens.id_token);
    return { id: { name, email, locale }, info: await userinfo(b, tokens.access_token) };
  };
  const nothing = { name: undefined, email: undefined, locale: undefined };
  const cases: [claims: string, id: object, info: object][] = [
    ['{"userinfo":{"name":{"essential":true}}}', nothing, { name: "Alice Adams" }],
    ['{"userinfo":{"name":null}}', nothing, { name: "Alice Adams" }],
    ['{"id_token":{"name":{"essential":true}}}', { ...nothing, name: "Alice Adams" }, {}],
    [
      '{"id_token":{"locale":{"value":"de"}},"userinfo":{"email_verified":{"essential":false},"email":null}}',
      { ...nothing, locale: "de" },
      { email: "alice@example.com", email_verified: true },
    ],
  ];
  await forEachCase(cases, async ([claims, id, info]) => {
    const tokens = await openBrowser(b).login({ scope: "openid", claims });
    const expected = { id, info: { ...info, sub: "alice" } };
    assertEquals(await shown(tokens), expected);
    assertEquals(await shown(await assertTokenResponse(await refresh(b, tokens.refresh_token))), expected);
  });
});

test("[OI-08] only a requested sub gets the code", async () => {
  const b = await testServer(severalUsers);
  const asks = (how: string, place = "id_token") => `{"${place}":{"sub":${how}}}`;
  const cases: [claims: string, sub: string | undefined][] = [
    [asks('{"value":"alice"}'), "alice"],
    [asks('{"value":"bob"}'), "bob"],
    [asks('{"value":"bob"}', "userinfo"), "bob"],
    [asks('{"value":"unknown"}'), undefined],
    [asks('{"value":"Alice"}'), undefined],
    [asks('{"value":"__proto__"}'), undefined],
    [asks("null"), "alice"],
    [asks('{"essential":true}'), "alice"],
  ];
  await forEachCase(cases, async ([claims, sub]) => {
    const result = getRedirectParams(await openBrowser(b).authorize({ claims }));
    if (sub === undefined) return assertEquals(result.get("error"), "access_denied");
    assertEquals(login((await assertTokenResponse(await b.token({ code: result.get("code")! }))).id_token).sub, sub);
  });
  const browser = openBrowser(b);
  await browser.login();
  assertEquals(await browser.authorizeSilently({ claims: asks('{"value":"alice"}') }), "code");
  assertEquals(await browser.authorizeSilently({ claims: asks('{"value":"bob"}') }), "login_required");
});

test("[OI-08] an unmatched sub in a list, or two contradicting ones, yield no code for another user", async () => {
  const b = await testServer(severalUsers);
  await forEachCase([
    '{"id_token":{"sub":{"values":["bob","unknown"]}}}',
    '{"id_token":{"sub":{"values":["unknown"]}}}',
    '{"userinfo":{"sub":{"value":"bob"}},"id_token":{"sub":{"value":"alice"}}}',
    '{"userinfo":{"sub":{"value":"unknown"}},"id_token":{"sub":{"value":"alice"}}}',
    '{"id_token":{"sub":{"value":7}}}',
  ], async (claims) => {
    const result = getRedirectParams(await openBrowser(b).authorize({ claims }));
    if (!result.has("code")) return assertMatch(result.get("error")!, /^(?:access_denied|invalid_request)$/);
    const { sub } = login((await assertTokenResponse(await b.token({ code: result.get("code")! }))).id_token);
    assert(claims.includes(`["${sub}"`), `${sub} got the code`);
  });
});

test("[OI-08, ST-08] an essential acr with a value is rejected; a voluntary or unspecified one is left out", async () => {
  const b = await testServer(severalUsers);
  await forEachCase(['{"essential":true,"value":"x"}', '{"essential":true,"values":["x","y"]}'], async (how) => {
    const claims = `{"id_token":{"acr":${how}}}`;
    const { error } = assertAuthorizationResponse(await b.authorize({ claims }));
    assertEquals(error, "unmet_authentication_requirements");
    // Userinfo never has acr.
    assertEquals(await openBrowser(b).authorizeSilently({ claims: `{"userinfo":{"acr":${how}}}`, prompt: "" }), "code");
  });
  await forEachCase(["null", '{"value":"x"}', '{"essential":false,"values":["x"]}'], async (how) => {
    const { id_token } = await openBrowser(b).login({ claims: `{"id_token":{"acr":${how}}}` });
    assertEquals(decodeClaims(id_token).acr, undefined);
  });
});

test("[OI-08, SC-09] no member of a user replaces a protocol claim, however it is requested", async () => {
  const names = [
    ...["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "c_hash", "s_hash", "azp", "sid", "nbf"],
    ...["acr", "amr", "jti", "cnf", "client_id", "scope", "events"],
  ];
  const user = { ...Object.fromEntries(names.map((name) => [name, `forged ${name}`])), sub: "alice" };
  const b = await testServer({ ...severalUsers, users: [user] });
  const wanted = Object.fromEntries(names.filter((name) => name !== "sub").map((name) => [name, null]));
  const claims = JSON.stringify({ id_token: wanted, userinfo: wanted });
  const { id_token } = await openBrowser(b).login({ claims, scope: "openid" });
  const plain = decodeClaims((await openBrowser(b).login({ scope: "openid" })).id_token);
  const shown = decodeClaims(id_token);
  for (const name of ["iss", "sub", "aud", "exp", "iat", "auth_time"]) assertEquals(shown[name], plain[name], name);
  for (const name of ["nonce", "azp", "nbf", "c_hash", "s_hash"]) assertEquals(shown[name], undefined, name);
  assertNotEquals(shown.at_hash, "forged at_hash");
  assertNotEquals(shown.sid, "forged sid");
});

test("[OI-09] automatic approval grants offline_access, with and without openid, as registered for the client", async () => {
  const b = await testServer(severalUsers);
  for (const scope of ["openid offline_access", "offline_access", "read offline_access"]) {
    const tokens = await openBrowser(b).login({ scope });
    assertEquals([tokens.scope, typeof tokens.refresh_token], [scope, "string"]);
    assertEquals("refresh_token" in await openBrowser(b).login({ scope, client_id: "plain" }), false);
  }
});

test("[OI-09] if an approver leaves offline_access out, no refresh token outlives the session", async () => {
  const approver: LatchkeyOptions["approver"] = ({ scope }, { session, users, now }) => ({
    user: users.known().get("alice")!,
    scope: scope.filter((value) => value !== "offline_access"),
    authTime: session?.authTime ?? now(),
  });
  const b = await testServer({ ...severalUsers, approver });
  const browser = openBrowser(b);
  const tokens = await browser.login({ scope: "openid offline_access" });
  assertEquals(tokens.scope, "openid");
  await browser.get(`/oauth2/logout?${encode({ id_token_hint: tokens.id_token })}`);
  assertEquals(await getOutcome(await refresh(b, tokens.refresh_token)), "400 invalid_grant");
  const strict = await testServer({ ...severalUsers, approver, refresh: { onlyOffline: true } });
  assertEquals("refresh_token" in await openBrowser(strict).login({ scope: "openid offline_access" }), false);
});

test("[UI-07] the session cookie is limited to this server: HttpOnly, SameSite, its path, and Secure with TLS", async () => {
  await forEachCase(
    [
      ["https://as.test", "/", true],
      ["https://as.test/", "/", true],
      ["https://as.test/t1", "/t1/", true],
      ["http://localhost:9000", "/", false],
      ["http://127.0.0.1:9000/a/b", "/a/b/", false],
    ] as const,
    async ([issuer, path, secure]) => {
      const { as } = await testServer({ ...severalUsers, issuer });
      const url = `${issuer.replace(/\/$/, "")}/oauth2/authorize?${encode(goodRequest)}`;
      const response = await as.fetch(new Request(url, { redirect: "manual" }));
      const [line, ...others] = response.headers.getSetCookie();
      assertEquals(others, []);
      const [pair, ...attributes] = line!.split("; ");
      const prefix = !secure ? "" : path === "/" ? "__Host-" : "__Secure-";
      assertMatch(pair!, new RegExp(`^${prefix}latchkey_session(?:_9000)?=[A-Za-z0-9._~-]+$`));
      const expected = ["HttpOnly", `Path=${path}`, "SameSite=Lax", ...secure ? ["Secure"] : []];
      assertEquals(attributes.sort(), expected.sort());
    },
  );
});

test("[UI-07] a cookie with one changed character is no session", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await browser.login({ login_hint: "bob" });
  const good = browser.cookies.get(sessionCookie)!;
  assertEquals(await openBrowser(b, [[sessionCookie, good]]).authorizeSilently(), "code");
  const altered = Array.from(good, (char, i) => {
    const other = char === "A" ? "B" : "A";
    return good.slice(0, i) + other + good.slice(i + 1);
  });
  // The last character of unpadded base64url has bits that mean nothing: they count all the same.
  const last = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].map((c) =>
    good.slice(0, -1) + c
  );
  const [content, mac] = good.split(".") as [string, string];
  const made = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const [sid, , authTime] = JSON.parse(Buffer.from(content, "base64url").toString());
  const other = openBrowser(b);
  await other.login();
  const [otherContent, otherMac] = other.cookies.get(sessionCookie)!.split(".") as [string, string];
  const crafted = [
    ...["", ".", "..", "x", content, mac, `${content}.`, `.${mac}`, `${good}.`, `.${good}`, `${good}.${mac}`],
    ...[good.toLowerCase(), good.toUpperCase(), good.slice(1), good.slice(0, -1), `${good}A`, `${good}=`, `"${good}"`],
    ...[`${content}=.${mac}`, `${content}.${mac}==`, `${mac}.${content}`, `${content}.${otherMac}`],
    ...[`${otherContent}.${mac}`, `${made([sid, "alice", authTime])}.${mac}`, `${made([sid, "bob", authTime])}.`],
    ...[`${made([sid, "bob", authTime + 9e9])}.${mac}`, `${made(null)}.${mac}`, encodeURIComponent(good) + "%00"],
    ...[good.replaceAll(".", "%2E"), "a".repeat(8000), "null", "[object Object]", "__proto__"],
  ];
  const wrong = [...new Set([...altered, ...last, ...crafted])].filter((value) => value !== good);
  await forEachCase(wrong, async (value) => {
    assertEquals(await openBrowser(b, [[sessionCookie, value]]).authorizeSilently(), "login_required");
  });
  assertGreater(wrong.length, 150);
  assertEquals(b.events.filter(({ type }) => type === "internal_error"), []);
});

test("[UI-07] no other sealed value of this server is accepted as a session", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { sid } = login((await browser.login()).id_token);
  const { fields } = getForm(await (await browser.get("/oauth2/logout")).text());
  const seals = fields.map(([, value]) => value);
  assertGreater(seals.length, 0);
  await forEachCase(seals, async (seal) => {
    for (
      const content of [
        "logout",
        sid,
        `logout ${sid}`,
        `${sid} logout`,
        Buffer.from(`logout ${sid}`).toString("base64url"),
      ]
    ) {
      assertEquals(await openBrowser(b, [[sessionCookie, `${content}.${seal}`]]).authorizeSilently(), "login_required");
    }
  });
  assertEquals(b.events.filter(({ type }) => type === "internal_error"), []);
});

test("[UI-07] the cookie is found among others, and only by its own name", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await browser.login();
  const good = browser.cookies.get(sessionCookie)!;
  const silently = async (cookie: string) =>
    getRedirectParams(await b.authorize({ prompt: "none" }, { headers: { cookie } })).get("error") ?? "code";
  await forEachCase([
    `${sessionCookie}=${good}`,
    `a=b; ${sessionCookie}=${good}; c=d`,
    `a=b;${sessionCookie}=${good};c`,
    `theme="x=y"; empty=; =; ; ${sessionCookie}=${good}`,
  ], async (cookie) => assertEquals(await silently(cookie), "code"));
  await forEachCase([
    `x${sessionCookie}=${good}`,
    `${sessionCookie}2=${good}`,
    `${sessionCookie.toUpperCase()}=${good}`,
    `a=${sessionCookie}=${good}`,
    `${browserCookie}=${good}`,
    `latchkey_session=${good}`,
    `__Secure-latchkey_session=${good}`,
    `${sessionCookie}`,
  ], async (cookie) => assertEquals(await silently(cookie), "login_required"));
});

test("[OI-03, UI-07] a session ends exactly at its expiry, and a new login follows", async () => {
  const b = await testServer({ ...severalUsers, lifetimes: { session: 600 } });
  const browser = openBrowser(b);
  const first = login((await browser.login()).id_token);
  b.advance(599);
  assertEquals(await browser.authorizeSilently(), "code");
  b.advance(1);
  assertEquals(await browser.authorizeSilently(), "login_required");
  const second = login((await browser.login()).id_token);
  assertEquals([second.sub, second.auth_time, second.sid === first.sid], ["alice", first.auth_time + 600, false]);
  b.advance(599);
  assertEquals(await browser.authorizeSilently(), "code");
});

test("[OI-03] the session of a removed user is invalid, and yields no code", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await browser.login({ login_hint: "bob" });
  b.as.users.delete("bob");
  assertEquals(await browser.authorizeSilently(), "login_required");
  assertEquals(await browser.authorizeSilently({ login_hint: "bob" }), "login_required");
  assertEquals(login((await browser.login()).id_token).sub, "alice");
});

test("[UI-07] the cookie of another server is invalid, with the same users, clients and clock", async () => {
  const [one, two] = [await testServer(severalUsers), await testServer(severalUsers)];
  const browser = openBrowser(one);
  await browser.login();
  assertEquals(await browser.authorizeSilently(), "code");
  assertEquals(await openBrowser(two, browser.cookies).authorizeSilently(), "login_required");
});

test("[OI-03] a session continues at another server on the same store, and after a restart", async () => {
  const path = join(folder, "sessions.db");
  let time = Date.UTC(2026, 0, 1);
  const start = async () => await testServer({ ...severalUsers, now: () => time, store: await sqliteStore(path) });
  const one = await start();
  const two = await start();
  const browser = openBrowser(one);
  const first = login((await browser.login({ login_hint: "bob" })).id_token);
  time += 60_000;
  assertEquals(login((await openBrowser(two, browser.cookies).login({ prompt: "none" })).id_token), first);
  await one.as.close();
  await two.as.close();
  const three = await start();
  assertEquals(login((await openBrowser(three, browser.cookies).login({ prompt: "none" })).id_token), first);
  await three.as.close();
});

test("[UI-07] a planted cookie has no effect: every login starts a session with a new id", async () => {
  const b = await testServer(severalUsers);
  const attacker = openBrowser(b);
  const planted = login((await attacker.login({ login_hint: "bob" })).id_token);
  for (const fields of [{ prompt: "login" }, { max_age: "0" }, { login_hint: "alice" }]) {
    const victim = openBrowser(b, attacker.cookies);
    const { sid } = login((await victim.login(fields)).id_token);
    assertNotEquals(sid, planted.sid);
    assertNotEquals(victim.cookies.get(sessionCookie), attacker.cookies.get(sessionCookie));
    // The session of another user ends where it is replaced.
    if (fields.login_hint !== undefined) assertEquals(await attacker.authorizeSilently(), "login_required");
    else assertEquals(login((await attacker.login({ prompt: "none" })).id_token), planted);
  }
});

test("[UI-07] a thousand concurrent logins have a thousand ids and cookies", async () => {
  const b = await testServer(severalUsers);
  const cookies = await Promise.all(Array.from({ length: 1000 }, async () => {
    const browser = openBrowser(b);
    await browser.authorize();
    return browser.cookies.get(sessionCookie)!;
  }));
  assertEquals(new Set(cookies).size, 1000);
  const sids = cookies.map((value) => JSON.parse(Buffer.from(value.split(".")[0]!, "base64url").toString())[0]);
  assertEquals(new Set(sids).size, 1000);
  for (const sid of sids) assertMatch(sid, /^[A-Za-z0-9_-]{22,}$/);
});

test("[OI-02, OI-03] two tabs of one browser each get their own response in the same session", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const { sid } = login((await browser.login()).id_token);
  const tabs = [
    { client_id: "spa", state: "tab 1", nonce: "n1" },
    { client_id: "other", state: "tab 2", nonce: "n2" },
    { client_id: "spa", state: "tab 3", nonce: "n3" },
  ];
  const responses = await Promise.all(tabs.map((tab) => browser.authorize(tab)));
  for (const [i, { client_id, state, nonce }] of [...tabs.entries()].reverse()) {
    const { code } = assertAuthorizationResponse(responses[i]!, { state });
    for (const wrong of ["spa", "other"].filter((id) => id !== client_id)) {
      assertEquals(await getOutcome(await b.token({ code, client_id: wrong })), "400 invalid_grant");
    }
    const claims = decodeClaims((await assertTokenResponse(await b.token({ code, client_id }))).id_token);
    assertEquals([claims.aud, claims.nonce, claims.sid], [client_id, nonce, sid]);
  }
});

test("[OI-06] two tabs that request different users never mix them up", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const asked = ["alice", "bob", "alice", "bob", "bob", "alice"];
  const responses = await Promise.all(asked.map((login_hint) => browser.authorize({ login_hint, state: login_hint })));
  for (const [i, response] of responses.entries()) {
    const { code } = assertAuthorizationResponse(response, { state: asked[i]! });
    assertEquals(login((await assertTokenResponse(await b.token({ code }))).id_token).sub, asked[i]);
  }
});

test("[HT-02, OI-03] rejected requests and HEAD requests neither start nor end a session", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const rejected: Fields[] = [
    { scope: "unknown" },
    { response_type: "token" },
    { max_age: "x" },
    { claims: "{" },
    { prompt: "none login" },
    { client_id: "unknown" },
    { redirect_uri: "https://evil.example" },
    { id_token_hint: "x" },
    { resource: "x" },
    { claims: '{"id_token":{"sub":{"value":"unknown"}}}' },
  ];
  await forEachCase(rejected, async (fields) => {
    assertEquals((await browser.authorize(fields)).headers.getSetCookie(), []);
  });
  assertEquals((await b.authorize({}, { method: "HEAD" })).headers.getSetCookie(), []);
  const first = login((await browser.login()).id_token);
  for (const fields of rejected) assertEquals((await browser.authorize(fields)).headers.getSetCookie(), []);
  assertEquals(login((await browser.login({ prompt: "none" })).id_token), first);
});

test("[AR-06, HT-15] neither the response nor the trace contains the secrets of a session", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const response = await browser.authorize();
  const cookie = browser.cookies.get(sessionCookie)!;
  await browser.authorize({ prompt: "none" });
  const { fields } = getForm(await (await browser.get("/oauth2/logout")).text());
  await browser.post("/oauth2/logout", Object.fromEntries(fields));
  const trace = JSON.stringify(b.events);
  for (const secret of [cookie, ...cookie.split("."), ...fields.map(([, value]) => value)]) {
    assert(!trace.includes(secret), "the trace holds it");
    assert(!response.headers.get("location")!.includes(secret), "the redirect holds it");
  }
});
