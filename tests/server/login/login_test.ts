/**
 * Login by pages: who is there, in which browser, for which request (groups UI and OI).
 *
 * @extensions requested_claims
 */

import { failingPages } from "../failing_pages.ts";
import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { memoryStore, type Store } from "../../../src/mod.ts";
import { type Browser, browserCookie, openBrowser, sessionCookie } from "../browser.ts";
import {
  assertAuthorizationResponse,
  assertPage,
  assertTokenResponse,
  decodeClaims,
  forEachCase,
  getOutcome,
  getRejections,
  goodRequest,
  recordingStore,
  testServer,
} from "../../kit.ts";
import type { TestServer } from "../../kit.ts";
import {
  describePage,
  fillForm,
  getCode,
  logIn,
  logInAndAllow,
  openPage,
  requestAuthorization,
  send,
  submit,
} from "../page_navigation.ts";
import { other, refreshing, severalUsers, tokens } from "./several_users.ts";

/** Users offered on a page, in order. */
function offered(html: string): string[] {
  return [...html.matchAll(/<(?:button|a)[^>]* class="person"[^>]*>(?:<[^>]*>|[^<])*?<code>([^<]*)/g)].map(([, sub]) =>
    sub!
  );
}

test("one click logs in, a second one consents, and the next login is silent", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const login = await requestAuthorization(browser);
  assertEquals([describePage(login), login.status], ["login", 200]);
  assertStringIncludes(login.text, "The shop");
  const consent = await submit(browser, login, "sub", "bob");
  assertEquals(describePage(consent), "consent");
  const end = await submit(browser, consent, "decision", "allow");
  const { code } = assertAuthorizationResponse(end.response);
  assertEquals(decodeClaims((await tokens(b, code!)).id_token).sub, "bob");
  assertAuthorizationResponse((await requestAuthorization(browser)).response);
  assertEquals(describePage(await requestAuthorization(browser, { prompt: "none" })), "code");
});

test("with automatic login there is no login page", async () => {
  const b = await testServer({ ...severalUsers, login: "auto" });
  for (const path of ["/oauth2/login", "/oauth2/consent", "/account"]) assertEquals((await b.get(path)).status, 404);
});

test("a custom approver decides, with any login setting", async () => {
  const b = await testServer({
    ...severalUsers,
    approver: ({ scope }, { users, now }) => ({ user: users.known().get("carol")!, scope, authTime: now() }),
  });
  assertEquals(describePage(await requestAuthorization(openBrowser(b))), "code");
});

test("[UI-01, UI-02] pages of login, consent and account are not framed, not cached and send no referrer", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const login = await requestAuthorization(browser);
  const consent = await submit(browser, login, "sub", "alice");
  const account = await openPage(browser, "/account", await browser.get("/account"));
  for (const { response } of [login, consent, account]) {
    const policy = response.headers.get("content-security-policy")!;
    assertMatch(policy, /default-src 'none'/);
    assertMatch(policy, /frame-ancestors 'none'/);
    assertEquals([/unsafe-inline/.test(policy), /form-action/.test(policy)], [false, false]);
    assertEquals(response.headers.get("x-frame-options"), "DENY");
    assertEquals(response.headers.get("referrer-policy"), "same-origin");
    assertEquals(response.headers.get("cache-control"), "no-store");
    assertEquals(response.headers.get("x-content-type-options"), "nosniff");
  }
});

test("[UI-03, OI-06] markup in login_hint, the client's name and a user's claims stays text on every page", async () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
  const b = await testServer({
    ...severalUsers,
    clients: [{ client_id: "spa", client_name: hostile, ...refreshing }],
    users: [{ sub: `"><b>x</b>`, name: hostile, email: hostile }],
  });
  const browser = openBrowser(b);
  const login = await requestAuthorization(browser, { login_hint: hostile });
  const again = await submit(browser, login, "new", "yes", { subject: hostile, claims: hostile });
  assertEquals(again.status, 400);
  const consent = await submit(browser, login, "sub");
  assertEquals(describePage(consent), "consent");
  for (const { html } of [login, again, consent]) {
    for (const text of ["<script>", "<img src=x", "<b>x"]) assert(!html.includes(text), text);
    assertStringIncludes(html, "&lt;script>");
  }
});

test("[UI-07] every login starts a session with a new id, whatever cookie was present", async () => {
  const b = await testServer(severalUsers);
  const planted = openBrowser(b, [[sessionCookie, "x.y"], [browserCookie, "A".repeat(43)]]);
  const first = await logIn(planted, "alice");
  const one = planted.cookies.get(sessionCookie)!;
  assertNotEquals(one, "x.y");
  assertMatch(first.response.headers.get("content-type")!, /html/);
  await submit(planted, await requestAuthorization(planted, { prompt: "login" }), "sub", "alice");
  assertNotEquals(planted.cookies.get(sessionCookie), one);
});

test("[UI-07] cookies are limited to this server, Secure behind https, and work over http on loopback", async () => {
  for (const [issuer, secure] of [["https://as.test/tenant", true], ["http://localhost:9000", false]] as const) {
    const b = await testServer({ ...severalUsers, issuer });
    const result = await b.authorize();
    const page = await b.get(result.headers.get("location")!.replace(/^\/tenant/, ""), {
      headers: { cookie: result.headers.getSetCookie()[0]!.split(";")[0]! },
    });
    const html = await page.text();
    const fields = Object.fromEntries(
      [...html.matchAll(/name="(interaction|form_token)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
    );
    const login = await b.post("/oauth2/login", { ...fields, sub: "alice" }, {
      cookie: result.headers.getSetCookie()[0]!.split(";")[0]!,
    });
    assertEquals(login.status, 303);
    for (const line of [...result.headers.getSetCookie(), ...login.headers.getSetCookie()]) {
      assertMatch(line, /; HttpOnly; SameSite=Lax/);
      assertStringIncludes(line, issuer.endsWith("tenant") ? "; Path=/tenant/" : "; Path=/;");
      assertEquals(/; Secure/.test(line), secure);
    }
    assertEquals(login.headers.getSetCookie().length, 1);
  }
});

test("[UI-14] two tabs with two requests each get their own state and client", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const [one, two] = [await requestAuthorization(browser), await requestAuthorization(browser, other)];
  const second = await submit(browser, two, "sub", "bob");
  const secondEnd = await submit(browser, second, "decision", "allow");
  assertAuthorizationResponse(secondEnd.response, { uri: "https://other.example/cb", state: "another" });
  const first = await submit(browser, one, "sub", "bob");
  assertAuthorizationResponse((await submit(browser, first, "decision", "allow")).response);
});

test("[UI-14] after another login in between, the consent page issues no code to the wrong user", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const alices = await logIn(browser, "alice");
  await submit(browser, await requestAuthorization(browser, { ...other, prompt: "login" }), "sub", "bob");
  const late = await submit(browser, alices, "decision", "allow");
  assertEquals([late.status, late.location], [403, undefined]);
  // Asked for again, the page wants to know who is there.
  assertEquals(describePage(await openPage(browser, alices.path, await browser.get(alices.path))), "login");
});

test("[UI-14] a finished, expired, invalid or foreign pending request gets an error page and never a code", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const pages = async () => {
    const login = await requestAuthorization(browser, { prompt: "login consent" });
    return [login, await submit(browser, login, "sub", "alice")] as const;
  };
  const assertStale = async (
    who: Browser,
    page: Awaited<ReturnType<typeof requestAuthorization>>,
    name: string,
    value: string,
  ) => {
    const { path, fields } = fillForm(page, name, value);
    const before = new Map(who.cookies);
    for (const result of [await send(who, path, fields), await who.get(page.path)]) {
      await assertPage(result, 400);
      assertEquals(result.headers.getSetCookie(), []);
    }
    assertEquals(who.cookies, before);
  };
  const [login, consent] = await pages();
  for (const attacker of [openBrowser(b), openBrowser(b, [[browserCookie, "A".repeat(43)]])]) {
    await assertStale(attacker, login, "sub", "alice");
    await assertStale(attacker, consent, "decision", "allow");
  }
  assertAuthorizationResponse((await submit(browser, consent, "decision", "allow")).response);
  await assertStale(browser, login, "sub", "alice");
  await assertStale(browser, consent, "decision", "allow");
  const denied = (await pages())[1];
  assertAuthorizationResponse((await submit(browser, denied, "decision", "deny")).response);
  await assertStale(browser, denied, "decision", "allow");
  const [old, older] = await pages();
  b.advance(30 * 60);
  await assertStale(browser, old, "sub", "alice");
  await assertStale(browser, older, "decision", "allow");
  for (const id of ["", "x", "A".repeat(43), "a".repeat(5000), "__proto__", "%00"]) {
    await assertPage(await browser.get(`/oauth2/login?interaction=${id}`), 400);
    await assertPage(await browser.get(`/oauth2/consent?interaction=${id}`), 400);
  }
});

test("[UI-14] an open page is rejected after its client is removed or loses its redirect URI", async () => {
  for (const uris of [undefined, ["https://spa.example/elsewhere"]]) {
    const b = await testServer(severalUsers);
    const browser = openBrowser(b);
    const consent = await logIn(browser, "alice");
    b.as.clients.delete("spa");
    if (uris) b.as.clients.set({ client_id: "spa", redirect_uris: uris });
    const { path, fields } = fillForm(consent, "decision", "allow");
    await assertPage(await send(browser, path, fields), 400);
  }
});

test("[UI-14] repeated clicks on a button yield one code", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const consent = await logIn(browser, "alice");
  const { path, fields } = fillForm(consent, "decision", "allow");
  const responses = await Promise.all(Array.from({ length: 100 }, () => send(browser, path, fields)));
  assertEquals(responses.filter(({ status }) => status === 303).length, 1);
  assertEquals(responses.filter(({ status }) => status === 400).length, 99);
  const { path: again, fields: login } = fillForm(
    await requestAuthorization(browser, { prompt: "login" }),
    "sub",
    "alice",
  );
  const logins = await Promise.all(Array.from({ length: 100 }, () => send(browser, again, login)));
  assertEquals(logins.filter(({ headers }) => headers.get("location")?.includes("code=")).length, 1);
  assertEquals(b.events.filter(({ type }) => type === "code_issued").length, 2);
});

test("[UI-04] a form with a missing CSRF token, or one of another form, request, browser or login, is 403 and has no effect", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const login = await requestAuthorization(browser);
  const tokenOf = (page: typeof login) => /name="form_token" value="([^"]*)"/.exec(page.html)![1]!;
  const elsewhere = openBrowser(b);
  const consent = await logIn(elsewhere, "bob");
  const foreign = [
    tokenOf(consent),
    tokenOf(await requestAuthorization(elsewhere, { prompt: "login" })),
    tokenOf(await requestAuthorization(browser)),
  ];
  await forEachCase([undefined, "", "x", ...foreign, tokenOf(login).slice(1), `${tokenOf(login)}A`], async (token) => {
    for (const [name, value] of [["sub", "alice"], ["cancel", "yes"], ["new", "yes"]] as const) {
      const typed: Record<string, string> = name === "new" ? { subject: "mallory", claims: "{}" } : {};
      const { path, fields } = fillForm(login, name, value, typed);
      fields.delete("form_token");
      if (token !== undefined) fields.set("form_token", token);
      const result = await send(browser, path, fields);
      assertEquals(result.headers.getSetCookie(), []);
      await assertPage(result, 403);
    }
  });
  assertEquals([browser.cookies.has(sessionCookie), b.as.users.find("mallory")], [false, undefined]);
  const own = await submit(browser, login, "sub", "alice");
  for (const token of ["", "x", tokenOf(login), tokenOf(consent)]) {
    for (const decision of ["allow", "deny"]) {
      const { path, fields } = fillForm(own, "decision", decision);
      fields.set("form_token", token);
      await assertPage(await send(browser, path, fields), 403);
    }
  }
  assertAuthorizationResponse((await submit(browser, own, "decision", "allow")).response);
});

test("[UI-05] a form posted from another site is 403, by Sec-Fetch-Site or else by Origin", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const login = await requestAuthorization(browser);
  const { path, fields } = fillForm(login, "sub", "alice");
  const elsewhere: readonly Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "http://as.test" },
    { origin: "https://as.test:8443" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site", origin: "https://as.test" },
    { "sec-fetch-site": "cross-site", origin: "null" },
    { origin: "null" },
  ];
  await forEachCase(elsewhere, async (headers) => {
    await assertPage(await send(browser, path, fields, headers), 403);
    assertEquals(browser.cookies.has(sessionCookie), false);
  });
  const consents = [];
  const here: readonly Record<string, string>[] = [
    { origin: "https://as.test" },
    {},
    { "sec-fetch-site": "same-origin" },
  ];
  for (const headers of here) {
    const result = await send(browser, path, fields, headers);
    assertEquals(result.status, 303);
    consents.push(await openPage(browser, path, result));
  }
  const decision = fillForm(consents.at(-1)!, "decision", "allow");
  await assertPage(await send(browser, decision.path, decision.fields, { origin: "https://evil.example" }), 403);
  await assertPage(await send(browser, decision.path, decision.fields, { origin: "null" }), 403);
  assertAuthorizationResponse(
    await send(browser, decision.path, decision.fields, { "sec-fetch-site": "same-origin", origin: "null" }),
  );
});

test("[UI-05] the logout confirmation is accepted only from this server's own page", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice");
  const page = await openPage(browser, "/oauth2/logout", await browser.get("/oauth2/logout"));
  const { path, fields } = fillForm(page, "");
  await assertPage(await send(browser, path, fields, { "sec-fetch-site": "cross-site" }), 403);
  await assertPage(await send(browser, path, fields, { origin: "https://evil.example" }), 403);
  await assertPage(await send(browser, path, fields, { origin: "null" }), 403);
  assertEquals(await browser.authorizeSilently(), "code");
  await assertPage(await send(browser, path, fields, { origin: "https://as.test" }), 200);
  assertEquals(await browser.authorizeSilently(), "login_required");
});

test("[UI-06] a request with decision parameters is only a request", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const stated = { approve: "yes", decision: "allow", sub: "alice", new: "yes", subject: "x", confirm: "yes" };
  assertEquals(describePage(await requestAuthorization(browser, stated)), "login");
  for (const from of ["here", "elsewhere"] as const) {
    const result = await browser.post("/oauth2/authorize", { ...goodRequest, ...stated }, from);
    assertEquals(describePage(await openPage(browser, "/oauth2/authorize", result)), "login");
  }
  assertEquals([b.events.some(({ type }) => type === "code_issued"), b.as.users.list().length], [false, 3]);
});

test("[UI-08] a request posted by another site without cookies still finds the session", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice");
  for (const fields of [goodRequest, { ...goodRequest, prompt: "none" }]) {
    const parked = await browser.post("/oauth2/authorize", fields, "elsewhere");
    assertEquals([parked.status, parked.headers.getSetCookie()], [303, []]);
    const way = parked.headers.get("location")!;
    assertMatch(way, /^\/oauth2\/login\?interaction=[\w.-]+$/);
    assertAuthorizationResponse(await browser.get(way));
    await assertPage(await browser.get(way), 400);
  }
});

test("[UI-08, UI-14] a pending request belongs to the browser that opens it, and is completed once only", async () => {
  const b = await testServer(severalUsers);
  const [browser, attacker] = [openBrowser(b), openBrowser(b)];
  const parked = await browser.post("/oauth2/authorize", goodRequest, "elsewhere");
  const way = parked.headers.get("location")!;
  const login = await openPage(browser, way, await browser.get(way));
  assertEquals(describePage(login), "login");
  await assertPage(await attacker.get(login.path), 400);
  const elsewhere = await openPage(attacker, way, await attacker.get(way));
  assertAuthorizationResponse(
    (await submit(browser, await submit(browser, login, "sub", "alice"), "decision", "allow")).response,
  );
  await assertPage(await attacker.get(way), 400);
  const { path, fields } = fillForm(elsewhere, "sub", "alice");
  await assertPage(await send(attacker, path, fields), 400);

  const silent = await browser.post("/oauth2/authorize", { ...goodRequest, prompt: "none" }, "elsewhere");
  assertEquals(
    assertAuthorizationResponse(await attacker.get(silent.headers.get("location")!)).error,
    "login_required",
  );
  const raced = (await browser.post("/oauth2/authorize", goodRequest, "elsewhere")).headers.get("location")!;
  const responses = await Promise.all(Array.from({ length: 20 }, () => browser.get(raced)));
  assertEquals(responses.filter(({ headers }) => headers.get("location")?.includes("code=")).length, 1);
  assertEquals(responses.filter(({ status }) => status === 400).length, 19);
});

test("[UI-14] a pending request completed by one browser is completed for later browsers too", async () => {
  const b = await testServer(severalUsers);
  const [browser, attacker] = [openBrowser(b), openBrowser(b)];
  const way = (await browser.post("/oauth2/authorize", goodRequest, "elsewhere")).headers.get("location")!;
  const login = await openPage(browser, way, await browser.get(way));
  b.advance(29 * 60);
  const later = await openPage(attacker, way, await attacker.get(way));
  assertAuthorizationResponse(
    (await submit(browser, await submit(browser, login, "sub", "alice"), "decision", "allow")).response,
  );
  // The first page would have waited for 30 minutes, the other one waits longer.
  b.advance(5 * 60);
  await b.get("/");
  const { path, fields } = fillForm(later, "sub", "alice");
  await assertPage(await send(attacker, path, fields), 400);
});

test("[OI-03] prompt=none never shows a page, but returns login_required, consent_required or account_selection_required", async () => {
  const b = await testServer({ ...severalUsers, pages: failingPages(() => new Error("a page was drawn")) });
  assertEquals(await openBrowser(b).authorizeSilently(), "login_required");
  const real = await testServer(severalUsers);
  const browser = openBrowser(real);
  await logIn(browser, "alice");
  assertEquals(await browser.authorizeSilently(), "consent_required");
  await logInAndAllow(browser, "alice", { prompt: "login" });
  assertEquals(await browser.authorizeSilently(), "code");
  assertEquals(await browser.authorizeSilently({ scope: "openid read write" }), "consent_required");
  assertEquals(await browser.authorizeSilently({ login_hint: "alice" }), "code");
  assertEquals(await browser.authorizeSilently({ login_hint: "bob" }), "account_selection_required");
  // Guessing names reveals nothing: an unknown user looks like any other.
  assertEquals(await browser.authorizeSilently({ login_hint: "unknown" }), "account_selection_required");
  assertEquals(await browser.authorizeSilently({ max_age: "0" }), "login_required");
  real.advance(8 * 3600);
  assertEquals(await browser.authorizeSilently(), "login_required");
});

test("[OI-04] prompt=login authenticates again, select_account shows the picker, and the session skips neither", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const first = decodeClaims((await tokens(b, getCode(await logInAndAllow(browser, "alice")))).id_token);
  const before = browser.cookies.get(sessionCookie);
  b.advance(60);
  const chosen = await submit(
    browser,
    await requestAuthorization(browser, { prompt: "select_account" }),
    "sub",
    "alice",
  );
  assertEquals([describePage(chosen), browser.cookies.get(sessionCookie)], ["code", before]);
  assertEquals(decodeClaims((await tokens(b, getCode(chosen))).id_token).auth_time, first.auth_time);
  const renewed = await submit(browser, await requestAuthorization(browser, { prompt: "login" }), "sub", "alice");
  const { auth_time, sub } = decodeClaims((await tokens(b, getCode(renewed))).id_token);
  assertEquals([auth_time, sub], [first.auth_time as number + 60, "alice"]);
  // At the very moment of a login, too.
  assertEquals(describePage(await requestAuthorization(browser, { prompt: "login" })), "login");
  assertEquals(
    describePage(
      await submit(browser, await requestAuthorization(browser, { prompt: "select_account" }), "sub", "bob"),
    ),
    "consent",
  );
});

test("[OI-05] max_age requires a new login if the last one is older, however long the user takes", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice");
  b.advance(100);
  assertEquals(describePage(await requestAuthorization(browser, { max_age: "100" })), "code");
  const login = await requestAuthorization(browser, { max_age: "99" });
  assertEquals(describePage(login), "login");
  b.advance(500);
  const consent = await submit(browser, login, "sub", "bob");
  b.advance(500);
  const code = getCode(await submit(browser, consent, "decision", "allow"));
  assertEquals(decodeClaims((await tokens(b, code)).id_token).auth_time, Date.UTC(2026, 0, 1) / 1000 + 600);
  assertEquals(describePage(await requestAuthorization(browser, { max_age: "0" })), "login");
});

test("[OI-06] login_hint lists the named user first, by subject or email, and logs no user in", async () => {
  const b = await testServer(severalUsers);
  assertEquals(offered((await requestAuthorization(openBrowser(b))).html), ["alice", "bob", "carol"]);
  assertEquals(offered((await requestAuthorization(openBrowser(b), { login_hint: "carol" })).html), [
    "carol",
    "alice",
    "bob",
  ]);
  const hinted = await requestAuthorization(openBrowser(b), { login_hint: "ALICE@example.com" });
  assertEquals([describePage(hinted), offered(hinted.html)[0]], ["login", "alice"]);
  assertEquals(offered((await requestAuthorization(openBrowser(b), { login_hint: "unknown" })).html), [
    "alice",
    "bob",
    "carol",
  ]);
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice");
  assertEquals(describePage(await requestAuthorization(browser, { login_hint: "alice" })), "code");
  const second = await requestAuthorization(browser, { login_hint: "bob" });
  assertEquals([describePage(second), offered(second.html)[0]], ["login", "bob"]);
  for (const login_hint of ["x".repeat(60_000), "\u0000", "__proto__", "constructor"]) {
    const result = await openBrowser(b).post("/oauth2/authorize", { ...goodRequest, login_hint });
    assertEquals(result.status, 303);
  }
});

test("[OI-06, OI-08] the login page finds users that only the store has, by e-mail and by a requested sub", async () => {
  const store = Object.assign(memoryStore(), { persistent: true });
  const first = await testServer({ ...severalUsers, store });
  for (let i = 0; i < 300; i++) await first.as.users.set({ sub: `u${1000 + i}` });
  await first.as.users.set({ sub: "zoe", email: "zoe@example.com" });
  // This instance has read none of them.
  const b = await testServer({ ...severalUsers, store });
  const hinted = await requestAuthorization(openBrowser(b), { login_hint: "Zoe@example.com" });
  assertEquals(offered(hinted.html)[0], "zoe");
  const claims = JSON.stringify({ id_token: { sub: { value: "u1299" } } });
  const other = await testServer({ ...severalUsers, store });
  assertEquals(offered((await requestAuthorization(openBrowser(other), { claims })).html), ["u1299"]);
});

test("the account page says when it does not search all clients of the store", async () => {
  const store = Object.assign(memoryStore(), { persistent: true });
  const b = await testServer({ ...severalUsers, store });
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice");
  const account = async () => (await openPage(browser, "/account", await browser.get("/account"))).text;
  const note = "This server has more clients than this page searches";
  assertEquals((await account()).includes(note), false);
  for (let i = 0; i < 1000; i++) await b.as.clients.set({ client_id: `c${i}`, ...refreshing });
  assertStringIncludes(await account(), note);
  assertStringIncludes(await account(), "The shop");
});

test("the last user of this browser is offered first the next time, with or without a session", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await logIn(browser, "bob");
  await logIn(browser, "carol", { prompt: "login" });
  browser.cookies.delete(sessionCookie);
  assertEquals(offered((await requestAuthorization(browser)).html), ["carol", "bob", "alice"]);
  assertEquals(offered((await requestAuthorization(openBrowser(b))).html), ["alice", "bob", "carol"]);
});

test("[OI-07] an id_token_hint allows only the login of its user", async () => {
  const b = await testServer(severalUsers);
  const { id_token: id_token_hint } = await tokens(b, getCode(await logInAndAllow(openBrowser(b), "bob")));
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice");
  assertEquals(await browser.authorizeSilently({ id_token_hint }), "login_required");
  const login = await requestAuthorization(browser, { id_token_hint });
  assertEquals([describePage(login), offered(login.html)], ["login", ["bob"]]);
  const { path, fields } = fillForm(login, "sub", "bob");
  fields.set("sub", "alice");
  const wrong = await openPage(browser, path, await send(browser, path, fields));
  assertEquals([wrong.status, describePage(wrong)], [403, "login"]);
  fields.delete("sub");
  for (const [name, value] of [["new", "yes"], ["subject", "dave"]] as const) fields.set(name, value);
  assertEquals((await send(browser, path, fields)).status, 400);
  const code = getCode(await submit(browser, login, "sub", "bob"));
  assertEquals(decodeClaims((await tokens(b, code)).id_token).sub, "bob");
});

test("[LO-05] login as another user ends the previous session with its logins; a new login of the same user ends nothing", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const refresh = (refresh_token: string) =>
    b.token({ grant_type: "refresh_token", refresh_token, code_verifier: undefined, redirect_uri: undefined });
  const first = await tokens(b, getCode(await logInAndAllow(browser, "alice")));
  await submit(browser, await requestAuthorization(browser, { prompt: "login" }), "sub", "alice");
  const { refresh_token } = await assertTokenResponse(await refresh(first.refresh_token)) as typeof first;
  const late = await tokens(b, getCode(await requestAuthorization(browser)));
  const alices = browser.cookies.get(sessionCookie)!;

  const consent = await requestAuthorization(browser, { scope: "openid read write" });
  const way = /href="([^"]*)">Use another account/.exec(consent.html)![1]!.replaceAll("&amp;", "&");
  const choice = await openPage(browser, way, await browser.get(way));
  assertEquals([describePage(choice), offered(choice.html)[0]], ["login", "alice"]);
  const bobs = await submit(browser, await submit(browser, choice, "sub", "bob"), "decision", "allow");
  assertEquals(decodeClaims((await tokens(b, getCode(bobs))).id_token).sub, "bob");
  assertEquals(await openBrowser(b, [[sessionCookie, alices]]).authorizeSilently(), "login_required");
  assertEquals(await getOutcome(await refresh(late.refresh_token)), "400 invalid_grant");
  assertEquals(await getOutcome(await refresh(refresh_token)), "400 invalid_grant");
});

test("Cancel returns an error to the client by its response mode", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const end = await submit(browser, await requestAuthorization(browser), "cancel", "yes");
  const { error, error_description } = assertAuthorizationResponse(end.response);
  assertEquals(error, "access_denied");
  assertStringIncludes(error_description!, "AZ-21");
  const posted = await submit(
    browser,
    await requestAuthorization(browser, { response_mode: "form_post" }),
    "cancel",
    "yes",
  );
  assertEquals(posted.forms.map(({ action }) => action), ["https://spa.example/cb"]);
  assertStringIncludes(posted.html, "access_denied");
  assertEquals(browser.cookies.has(sessionCookie), false);
});

test("a guest user is created from a subject and claims, and is listed from then on", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const claims = JSON.stringify({ name: "Dave Dunn", birthdate: "1990-01-02", roles: ["a"] });
  const consent = await submit(
    browser,
    await requestAuthorization(browser, { scope: "openid profile" }),
    "new",
    "yes",
    {
      subject: "dave",
      claims,
    },
  );
  assertEquals(describePage(consent), "consent");
  assertStringIncludes(consent.text, "Dave Dunn");
  const { access_token } = await tokens(b, getCode(await submit(browser, consent, "decision", "allow")));
  const info = await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
  assertEquals(await info.json(), { sub: "dave", name: "Dave Dunn", birthdate: "1990-01-02", roles: ["a"] });
  assertEquals(describePage(await logIn(openBrowser(b), "dave")), "consent");
});

test("the name of a guest user needs no JSON, and the same claim in the JSON wins", async () => {
  const b = await testServer(severalUsers);
  await forEachCase([["{}", "Dave Dunn"], ["", "Dave Dunn"], ['{"name":"David"}', "David"]], async ([claims, name]) => {
    const browser = openBrowser(b);
    const fields = { subject: `dave-${claims!.length}`, name: " Dave Dunn ", claims: claims! };
    await submit(browser, await requestAuthorization(browser), "new", "yes", fields);
    assertEquals((await b.as.users.find(fields.subject))?.name, name);
  });
});

test("a guest user is stored until its consents expire, and every instance finds it", async () => {
  const { store, asked } = recordingStore();
  const b = await testServer({ ...severalUsers, store });
  const browser = openBrowser(b);
  const page = await requestAuthorization(browser);
  asked.length = 0;
  await submit(browser, page, "new", "yes", { subject: "dave", claims: "{}" });
  assertEquals(asked.filter((call) => /^(put|add) (user|override)/.test(call)), ["add user"]);
  const other = await testServer({ ...severalUsers, store });
  const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  await other.get("/account", { headers: { cookie } });
  assertEquals([(await other.as.users.find("dave"))?.sub, await other.as.users.count()], ["dave", 4]);
  const [guest] = await store.list("user", { prefix: "", limit: 2 });
  assert(guest!.expiresAt < Infinity);
  other.advance((guest!.expiresAt - Date.UTC(2026, 0, 1)) / 1000);
  assertEquals(await other.as.users.find("dave"), undefined);
});

test("invalid guest users are rejected with a reason and replace no user", async () => {
  const b = await testServer(severalUsers);
  const faults: readonly [string, string, string][] = [
    ["", "{}", "subject"],
    ["a b", "{}", "subject"],
    ["é", "{}", "subject"],
    ["x".repeat(256), "{}", "subject"],
    ["alice", "{}", "already"],
    ["dave", "{", "not JSON: expected a closing brace"],
    ["dave", "[]", "object"],
    ["dave", "null", "object"],
    ["dave", '{"sub":"alice"}', "sub"],
    ["dave", '{"password":"x"}', "password"],
    ["dave", '{"__proto__":{"x":1}}', "__proto__"],
    ["dave", JSON.stringify({ name: "x".repeat(5000) }), "longer"],
    // As JSON each of them has 21 digits.
    ["dave", `{"n":[${Array(800).fill("1e20")}]}`, "longer"],
  ];
  await forEachCase(faults, async ([subject, claims, word]) => {
    const browser = openBrowser(b);
    const again = await submit(browser, await requestAuthorization(browser), "new", "yes", { subject, claims });
    assertEquals([again.status, describePage(again)], [400, "login"]);
    assertStringIncludes(/role="alert">(.*?)<\/div>/.exec(again.html)![1]!, word);
    assertEquals(browser.cookies.has(sessionCookie), false);
  });
  assertEquals([b.as.users.list().length, b.as.users.find("alice")!.name], [3, "Alice Adams"]);
});

test("on a real host users are neither offered nor accepted without a password nor created, unless a setting allows it", async () => {
  const issuer = "https://login.widgets.com";
  const password = "$scrypt$ln=15,r=8,p=3$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo";
  const users = [{ sub: "alice", name: "Alice Adams", password }];
  const b = await testServer({ ...severalUsers, issuer, users });
  b.as.users.set({ sub: "carol" });
  const browser = openBrowser(b);
  const login = await requestAuthorization(browser, { login_hint: "carol" });
  assertEquals([describePage(login), offered(login.html), login.text.includes("Alice")], ["login", [], false]);
  assertEquals(login.html.includes('name="new"'), false);
  const { path, fields } = fillForm(login, "", undefined, { username: "carol", password: "x" });
  assertEquals((await openPage(browser, path, await send(browser, path, fields))).status, 403);
  fields.delete("password");
  assertEquals(describePage(await openPage(browser, path, await send(browser, path, fields))), "login");
  for (const [name, value] of [["new", "yes"], ["subject", "mallory"], ["claims", "{}"]] as const) {
    fields.set(name, value);
  }
  assertEquals((await send(browser, path, fields)).status, 400);
  assertEquals([b.as.users.find("mallory"), browser.cookies.has(sessionCookie)], [undefined, false]);

  const open = await testServer({ ...severalUsers, issuer, insecure: ["open-login"] });
  assertEquals(offered((await requestAuthorization(openBrowser(open))).html), ["alice", "bob", "carol"]);
});

test("[UI-24] guest users are valid only while they can be created: when login is restricted again, their sessions and grants end", async () => {
  const issuer = "https://login.widgets.com";
  const password = "$scrypt$ln=15,r=8,p=3$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo";
  const settings = {
    ...severalUsers,
    issuer,
    users: [{ sub: "alice", password }],
    store: { ...memoryStore(), persistent: true },
  };
  const open = await testServer({ ...settings, insecure: ["open-login"] });
  const browser = openBrowser(open);
  const scope = "openid offline_access";
  const made = await submit(browser, await requestAuthorization(browser, { scope }), "new", "yes", {
    subject: "mallory",
    claims: '{"roles":["admin"]}',
  });
  const { access_token, refresh_token } = await tokens(open, getCode(await submit(browser, made, "decision", "allow")));
  const code = getCode(await requestAuthorization(browser, { scope }));
  const refresh = { grant_type: "refresh_token", refresh_token, code_verifier: undefined, redirect_uri: undefined };
  const headers = { authorization: `Bearer ${access_token}` };
  const approver = () => Promise.reject(new Error("no user is asked"));
  for (const options of [settings, { ...settings, approver }]) {
    const closed = await testServer(options);
    assertEquals(await openBrowser(closed, browser.cookies).authorizeSilently({ scope }), "login_required");
    assertEquals((await closed.token(refresh)).status, 400);
    assertEquals((await closed.token({ code })).status, 400);
    assertEquals((await closed.get("/oauth2/userinfo", { headers })).status, 401);
    assertEquals(await closed.as.users.find("mallory"), undefined);
  }
  const again = await testServer({ ...settings, insecure: ["open-login"] });
  assertEquals(await openBrowser(again, browser.cookies).authorizeSilently({ scope }), "code");
});

test("[UI-24] a guest user exists only once the store confirms it; if another request was first, that one exists", async () => {
  const store = { ...memoryStore(), persistent: true };
  let trouble: "fails" | "another was first" | undefined;
  const b = await testServer({
    ...severalUsers,
    store: {
      ...store,
      async add(kind, id, value, stored) {
        if (kind !== "user" || trouble === undefined) return await store.add(kind, id, value, stored);
        if (trouble === "fails") throw Object.assign(new Error("the store is away"), { name: "StoreError" });
        await store.add("user", id, { entry: { sub: "erin", name: "The first Erin" } }, stored);
        return await store.add(kind, id, value, stored);
      },
    },
  });
  const browser = openBrowser(b);
  const page = await requestAuthorization(browser);
  const createGuest = async () => {
    const { path, fields } = fillForm(page, "new", "yes", { subject: "erin", claims: '{"name":"Another Erin"}' });
    return await send(browser, path, fields);
  };
  trouble = "fails";
  assertEquals((await createGuest()).status, 503);
  assertEquals(await b.as.users.find("erin"), undefined);
  trouble = "another was first";
  assertEquals((await createGuest()).status, 400);
  assertEquals((await b.as.users.find("erin"))?.name, "The first Erin");
  trouble = undefined;
  const again = await createGuest();
  assertEquals([again.status, (await b.as.users.find("erin"))!.name], [400, "The first Erin"]);
});

test("[UI-24] a removed guest user disappears on every instance, also after a restart, until created again", async () => {
  const memory = memoryStore();
  let isAway = false;
  const store: Store = {
    ...memory,
    persistent: true,
    delete: (...given) =>
      isAway
        ? Promise.reject(Object.assign(new Error("the store is away"), { name: "StoreError" }))
        : memory.delete(...given),
  };
  const settings = { ...severalUsers, store };
  const [one, two] = [await testServer(settings), await testServer(settings)];
  const browser = openBrowser(one);
  const createGuest = async (name: string) =>
    await submit(browser, await requestAuthorization(browser, { prompt: "login" }), "new", "yes", {
      subject: "mallory",
      claims: JSON.stringify({ name }),
    });
  const { refresh_token } = await tokens(
    one,
    getCode(await submit(browser, await createGuest("M"), "decision", "allow")),
  );
  const refresh = { grant_type: "refresh_token", refresh_token, code_verifier: undefined, redirect_uri: undefined };
  assertEquals(await openBrowser(two, browser.cookies).authorizeSilently(), "code");
  isAway = true;
  await assertRejects(async () => await one.as.users.delete("mallory"));
  isAway = false;
  assertEquals(await one.as.users.delete("mallory"), true);
  two.advance(1);
  for (const b of [one, two, await testServer(settings)]) {
    assertEquals(await openBrowser(b, browser.cookies).authorizeSilently(), "login_required");
    assertEquals((await b.token(refresh)).status, 400);
    assertEquals(await b.as.users.find("mallory"), undefined);
  }
  // Another user with the same subject, who has allowed nothing yet.
  getCode(await submit(browser, await createGuest("Another M"), "decision", "allow"));
  assertEquals(await openBrowser(two, browser.cookies).authorizeSilently(), "code");
  assertEquals((await two.as.users.find("mallory"))?.name, "Another M");
  // Removed at an instance that has not read the guest yet.
  const three = await testServer(settings);
  await three.as.users.delete("mallory");
  assertEquals(await openBrowser(await testServer(settings), browser.cookies).authorizeSilently(), "login_required");
});

test("every step may be served by another instance on the same store", async () => {
  const store = { ...memoryStore(), persistent: true };
  const [one, two] = [await testServer({ ...severalUsers, store }), await testServer({ ...severalUsers, store })];
  let turn = 0;
  const both: TestServer = { ...one, get: (path, init) => (turn++ % 2 === 0 ? one : two).get(path, init) };
  for (const skip of [0, 1]) {
    turn += skip;
    const browser = openBrowser(both);
    assertAuthorizationResponse((await logInAndAllow(browser, "alice")).response);
    for (let i = 0; i < 3; i++) assertAuthorizationResponse((await requestAuthorization(browser)).response);
  }
  const browser = openBrowser(both);
  const made = await submit(browser, await requestAuthorization(browser), "new", "yes", {
    subject: "erin",
    claims: '{"name":"Erin"}',
  });
  const code = getCode(await submit(browser, made, "decision", "allow"));
  for (const { as } of [one, two]) assertEquals((await as.users.find("erin"))?.name, "Erin");
  const { access_token, refresh_token } = await tokens(two, code);
  for (const { get } of [one, two]) {
    const info = await get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
    assertEquals((await info.json()).sub, "erin");
  }
  const refresh = { grant_type: "refresh_token", refresh_token, code_verifier: undefined, redirect_uri: undefined };
  assertEquals((await one.token(refresh)).status, 200);
});

test("HEAD and other methods have no effect", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const parked = (await browser.post("/oauth2/authorize", goodRequest, "elsewhere")).headers.get("location")!;
  for (const method of ["HEAD", "PUT", "DELETE"]) {
    const result = await browser.get(parked, { method });
    assertEquals([result.status, result.headers.get("location")], [method === "HEAD" ? 200 : 405, null]);
  }
  assertEquals(describePage(await openPage(browser, parked, await browser.get(parked))), "login");
});

test("an invalid or incomplete form posted to the pages gets an error page", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await requestAuthorization(browser);
  for (const path of ["/oauth2/login", "/oauth2/consent", "/account"]) {
    for (
      const [type, body] of [["application/json", "{}"], ["text/plain", "x"], [
        "application/x-www-form-urlencoded",
        "%",
      ]]
    ) {
      const result = await browser.get(path, { method: "POST", body, headers: { "content-type": type! } });
      await assertPage(result, 400);
    }
  }
  assertEquals(b.events.some(({ type }) => type === "internal_error"), false);
  assert(getRejections(b.events).length >= 9);
});
