/** Passwords: asked of those who have one, never shown, and dear to guess (UI-12). */

import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { AsyncLocalStorage } from "node:async_hooks";
import { test } from "node:test";
import { ConfigurationError, type LatchkeyOptions, memoryStore, type Store } from "../../../src/mod.ts";
import { formatPasswordDigest, parsePasswordDigest } from "../../../src/server/config/password_digest.ts";
import { scryptDigest, verifyPassword } from "../../../src/platform/runtime/scrypt.ts";
import { type Browser, openBrowser, sessionCookie } from "../browser.ts";
import { observeScrypt, recordScryptCosts } from "../digests.ts";
import {
  assertTokenResponse,
  basic,
  clients,
  decodeClaims,
  forEachCase,
  getOutcome,
  getRedirectParams,
  getRejections,
  type ListedOptions,
  recordingStore,
  testServer,
} from "../../kit.ts";
import type { TestServer } from "../../kit.ts";
import { describePage, fillForm, getCode, openPage, requestAuthorization, send, submit } from "../page_navigation.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { until } from "../../until.ts";
import { refresh } from "../client_endpoints.ts";

/** As cheap as a digest may be, for fast tests. */
async function digestOf(password: string, { ln = 10, p = 1 } = {}): Promise<string> {
  const cost = { ln, r: 8, p, salt: new TextEncoder().encode(password.padEnd(16)) };
  return formatPasswordDigest({ ...cost, hash: await scryptDigest(password, cost, 32) });
}

/** Of nothing, and as dear to guess as a real host wants it. */
const dear = "$scrypt$ln=15,r=8,p=3$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo";

const secret = "correct horse battery staple";
const digest = await digestOf(secret);

const severalUsers: ListedOptions = {
  login: "interactive",
  throttle: true,
  users: [
    { sub: "alice", name: "Alice Adams", password: digest },
    { sub: "bob" },
    { sub: "erin", password: await digestOf("pässwörd 🔑") },
  ],
};

/** Types a name and a password on the login page that a request leads to. */
async function type(browser: Browser, username: string, password: string, fields = {}) {
  return await submit(browser, await requestAuthorization(browser, fields), "", undefined, { username, password });
}

test("a user with a password logs in only with that password", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  assertEquals(describePage(await type(browser, "alice", secret)), "consent");
  assertEquals(describePage(await type(openBrowser(b), "erin", "pässwörd 🔑")), "consent");
  // However an input method spells it.
  assertEquals(describePage(await type(openBrowser(b), "erin", "pässwörd 🔑".normalize("NFD"))), "consent");
  const wrong = ["", " ", `${secret} `, secret.toUpperCase(), secret.slice(1), digest, "x".repeat(2000)];
  for (const password of wrong) {
    const attempt = openBrowser(await testServer(severalUsers));
    const page = await requestAuthorization(attempt);
    const { path, fields } = fillForm(page, "", undefined, { username: "alice", password });
    const again = await openPage(attempt, path, await send(attempt, path, fields));
    assertEquals([describePage(again), attempt.cookies.has(sessionCookie)], ["login", false], password);
    assertEquals(again.status, password === "" ? 200 : 403);
  }
});

test("the fields are username and password, and take any name of the user that a hint may have", async () => {
  const user = { sub: "alice", preferred_username: "ally", email: "alice@app.example", password: digest };
  for (const username of ["alice", "ally", "ALICE@app.example"]) {
    const b = await testServer({ ...severalUsers, users: [user, { sub: "bob" }] });
    const browser = openBrowser(b);
    const page = await requestAuthorization(browser);
    for (const field of ["username", "password"]) {
      assertMatch(page.html, new RegExp(`<input(?=[^>]* id="${field}")[^>]* name="${field}"`));
    }
    const next = await submit(browser, page, "", undefined, { username, password: secret });
    assertEquals(describePage(next), "consent", username);
  }
});

test("a click on a user with a password opens the password field, with the name filled in", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const page = await requestAuthorization(browser, { login_hint: "erin" });
  const [, href] = /<a class="person" href="([^"]*as=alice[^"]*)"/.exec(page.html)!;
  const asked = await openPage(browser, "", await browser.get(href!.replaceAll("&amp;", "&")));
  assertMatch(asked.html, /<input(?=[^>]* value="alice")[^>]* name="username"[^>]* autocomplete="username"/);
  assertMatch(asked.html, /<input[^>]* autocomplete="current-password"[^>]* autofocus/);
  assertMatch(page.html, /<input(?=[^>]* value="erin")[^>]* autocomplete="username"/);
  const { path, fields } = fillForm(page, "sub", "bob");
  fields.set("sub", "alice");
  const posted = await openPage(browser, path, await send(browser, path, fields));
  assertEquals([posted.status, describePage(posted), browser.cookies.has(sessionCookie)], [200, "login", false]);
});

test("a logged-in user continues without the password, unless a new login is required", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await submit(browser, await type(browser, "alice", secret), "decision", "allow");
  const chosen = await submit(
    browser,
    await requestAuthorization(browser, { prompt: "select_account" }),
    "sub",
    "alice",
  );
  assertEquals(describePage(chosen), "code");
  const again = await requestAuthorization(browser, { prompt: "login" });
  assertEquals(/<button[^>]*name="sub" value="alice"/.test(again.html), false);
  const { path, fields } = fillForm(again, "sub", "bob");
  fields.set("sub", "alice");
  assertEquals(describePage(await openPage(browser, path, await send(browser, path, fields))), "login");
  assertEquals(
    describePage(await submit(browser, again, "", undefined, { username: "alice", password: secret })),
    "code",
  );
});

test("neither password nor digest is in a page, token, claim, trace or user record returned by the server", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const pages = [await requestAuthorization(browser)];
  pages.push(await type(browser, "alice", "a wrong guess"));
  pages.push(await type(browser, "a wrong guess", secret));
  const claims = '{"userinfo":{"password":{"essential":true}},"id_token":{"password":null}}';
  const consent = await type(browser, "alice", secret, { claims, scope: "openid profile" });
  const end = await submit(browser, consent, "decision", "allow");
  const { id_token, access_token } = await assertTokenResponse(await b.token({ code: getCode(end) }));
  const info = await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
  const metadata = await b.get("/.well-known/openid-configuration");
  const documents = await Promise.all(
    ["/", "/users", "/account"].map(async (path) => (await browser.get(path)).text()),
  );
  const logged = [
    ...[...pages, consent].map(({ html }) => html),
    ...documents,
    JSON.stringify([decodeClaims(id_token), decodeClaims(access_token), await info.json(), await metadata.json()]),
    JSON.stringify([b.events, b.as.users.list(), b.as.users.find("alice")]),
  ].join("\n");
  for (const word of [digest, digest.split("$").at(-1)!, secret, "$scrypt"]) assert(!logged.includes(word), word);
  assertNotMatch(JSON.stringify(b.events), /a wrong guess/);
  const rules = getRejections(b.events).map(({ explanation }) => explanation.rule);
  // Not every server has a page of users.
  assertEquals(rules.filter((rule) => rule !== "HT-01"), ["UI-12", "UI-12"]);
});

test("[UI-12] no response reveals whether the name or the password was wrong", async () => {
  const b = await testServer(severalUsers);
  const seen = new Set<string>();
  for (const sub of ["alice", "unknown", "constructor"]) {
    const page = await type(openBrowser(b), sub, "wrong");
    const same = page.html.replaceAll(`value="${sub}"`, "").replace(/(?:[\w-]+\.)*[\w-]{43}/g, "");
    seen.add(`${page.status} ${same}`);
  }
  assertEquals(seen.size, 1);
});

/** A server on a real host, where names are secret. */
async function realHost(
  users: LatchkeyOptions["users"],
): Promise<{ readonly b: TestServer; asked(work: () => Promise<unknown>): Promise<string> }> {
  const { store, asked } = recordingStore();
  return {
    b: await testServer({ ...severalUsers, issuer: "https://login.widgets.com", throttle: false, store, users }),
    async asked(work) {
      asked.length = 0;
      await work();
      return asked.join();
    },
  };
}

test("[UI-12] every login attempt is verified once at each cost in use, for every name", async () => {
  const b = await testServer({
    ...severalUsers,
    users: [...severalUsers.users!, { sub: "frank", password: await digestOf("dearer", { ln: 11, p: 3 }) }],
  });
  for (const sub of ["alice", "erin", "frank", "unknown", "constructor"]) {
    const costs = await recordScryptCosts(async () => {
      const page = await type(openBrowser(b), sub, sub === "frank" ? "dearer" : "wrong");
      assertEquals(describePage(page), sub === "frank" ? "consent" : "login");
    });
    assertEquals(costs.sort(), ["1024 8 1", "2048 8 3"], sub);
  }
});

test("[UI-12] the costs of stored users count before anything has read those users", async () => {
  const store: Store = { ...memoryStore(), persistent: true, close: () => Promise.resolve() };
  const first = await testServer({ ...severalUsers, store });
  await first.as.users.set({ sub: "zed", password: await digestOf("dearer", { ln: 11, p: 3 }) });
  const restarted = await testServer({ ...severalUsers, store });
  for (const sub of ["unknown", "zed", "alice"]) {
    const costs = await recordScryptCosts(async () => {
      assertEquals(describePage(await type(openBrowser(restarted), sub, "wrong")), "login");
    });
    assertEquals(costs.sort(), ["1024 8 1", "2048 8 3"], sub);
  }
});

test("[UI-12] known and unknown names cause the same store reads", async () => {
  const strong = { password: await digestOf(secret, { ln: 13, p: 8 }) };
  const { b, asked } = await realHost([
    { sub: "alice", email: "alice@widgets.com", ...strong },
    { sub: "erin", ...strong },
  ]);
  const names = ["alice", "alice@widgets.com", "unknown", "unknown@widgets.com"];
  const shown = new Set<string>();
  const tried = new Set<string>();
  // The first attempt of a server lists the costs of all users, whatever name it has.
  await type(openBrowser(b), "unknown", "wrong");
  for (const name of names) {
    const browser = openBrowser(b);
    await requestAuthorization(browser);
    shown.add(await asked(() => requestAuthorization(browser, { login_hint: name })));
    const page = await requestAuthorization(browser);
    const questions = await asked(() => submit(browser, page, "", undefined, { username: name, password: "wrong" }));
    tried.add(questions.replace("get override", "get user"));
  }
  assertEquals([shown.size, tried.size], [1, 1], JSON.stringify([...shown, ...tried]));
  assert(![...shown].some((questions) => /user|override/.test(questions)));
  assertEquals([...tried].map((questions) => questions.split("get user").length), [2]);
});

test("[UI-12, CI-11] a hint preselects a user known to this browser, by subject or email address", async () => {
  const strong = { password: await digestOf(secret, { ln: 13, p: 8 }) };
  const { b } = await realHost([
    { sub: "alice", email: "alice@widgets.com", ...strong },
    { sub: "erin", ...strong },
    { sub: "frank", ...strong },
  ]);
  const browser = openBrowser(b);
  await type(browser, "alice", secret);
  await type(browser, "erin", secret, { prompt: "login" });
  const offered = async (login_hint?: string) =>
    [...(await requestAuthorization(browser, { prompt: "select_account", login_hint })).html.matchAll(
      /class="person"[^>]*>(?:<[^>]*>|[^<])*?<code>([^<]*)/g,
    )].map(([, sub]) => sub);
  assertEquals(await offered(), ["erin", "alice"]);
  for (const hint of ["alice", "ALICE@widgets.com"]) assertEquals(await offered(hint), ["alice", "erin"]);
  for (const hint of ["frank", "unknown"]) assertEquals(await offered(hint), ["erin", "alice"]);
  // The page does not show this browser the new user with the subject of the removed one.
  await b.as.users.delete("alice");
  await b.as.users.set({ sub: "alice", name: "Another Alice", ...strong });
  assertEquals(await offered(), ["erin"]);
  await type(browser, "alice", secret, { prompt: "login" });
  assertEquals(await offered(), ["alice", "erin"]);
});

test("[UI-12] after ten wrong attempts even the correct password must wait; other users are not affected", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  for (let i = 0; i < 10; i++) assertEquals((await type(browser, "alice", `guess ${i}`)).status, 403);
  const late = await type(browser, "alice", secret);
  assertEquals([late.status, describePage(late), browser.cookies.has(sessionCookie)], [429, "login", false]);
  assertEquals(late.response.headers.get("retry-after"), "60");
  assertStringIncludes(late.text, "60");
  assertEquals(describePage(await type(openBrowser(b), "erin", "pässwörd 🔑")), "consent");
  assertEquals((await type(openBrowser(b), "alice", secret)).status, 429);
  b.advance(60);
  assertEquals(describePage(await type(browser, "alice", secret)), "consent");
});

test("[UI-12] wrong passwords from the networks of one IPv6 site are counted together, those of other sites apart", async () => {
  const b = await testServer(severalUsers);
  const from = (address: string): TestServer => ({
    ...b,
    get: (path, init) => b.as.fetch(new Request(b.as.issuer + path, { redirect: "manual", ...init }), { address }),
  });
  const guess = async (address: string, password = "wrong") =>
    (await type(openBrowser(from(address)), "alice", password)).status;
  for (let i = 0; i < 100; i++) assertEquals(await guess(`2001:db8:1:${i.toString(16)}::1`), 403);
  assertEquals(await guess("2001:db8:1:ffff::1", secret), 429);
  assertEquals(await guess("2001:db8:2::1", secret), 200);
  assertEquals(await guess("192.0.2.1", secret), 200);
  b.advance(60);
  assertEquals(await guess("2001:db8:1:ffff::1", secret), 200);
});

/** A user who logs in and allows all, and what the client gets. */
async function enter(b: TestServer, sub: string, password: string | undefined, scope: string) {
  const browser = openBrowser(b);
  const page = password === undefined
    ? await submit(browser, await requestAuthorization(browser, { scope }), "sub", sub)
    : await type(browser, sub, password, { scope });
  const end = describePage(page) === "consent" ? await submit(browser, page, "decision", "allow") : page;
  const { refresh_token } = await assertTokenResponse(await b.token({ code: getCode(end) })) as {
    refresh_token?: string;
  };
  return { browser, refresh_token: refresh_token!, code: getCode(await requestAuthorization(browser, { scope })) };
}

const renewing = clients.map((one) => ({ ...one, grant_types: ["authorization_code", "refresh_token"] }));
const other = await digestOf("another one");

test("[LO-06] a changed, set or removed password ends earlier sessions, at restart or at run time", async () => {
  const changes = [
    ["changed", secret, { sub: "alice", password: other }],
    ["set", undefined, { sub: "bob", password: other }],
    ["taken away", secret, { sub: "alice" }],
  ] as const;
  await forEachCase(changes, async ([, password, changed]) => {
    const store = memoryStore();
    const users = severalUsers.users!.map((user) => user.sub === changed.sub ? changed : user);
    const b = await testServer({ ...severalUsers, clients: renewing, store });
    const scope = "openid read";
    const bound = await enter(b, changed.sub, password, scope);
    const lasting = await enter(b, changed.sub, password, "openid offline_access");
    const others = await enter(b, "erin", "pässwörd 🔑", scope);
    const elsewhere = await testServer({ ...severalUsers, clients: renewing, store });
    assertEquals(await openBrowser(elsewhere, bound.browser.cookies).authorizeSilently({ scope }), "code");

    const later = await testServer({ ...severalUsers, clients: renewing, store, users });
    b.as.users.set(changed);
    for (const server of [b, later]) {
      assertEquals(await openBrowser(server, bound.browser.cookies).authorizeSilently({ scope }), "login_required");
      assertEquals(await openBrowser(server, others.browser.cookies).authorizeSilently({ scope }), "code");
      assertEquals(await getOutcome(await refresh(server, bound.refresh_token)), "400 invalid_grant");
      assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "LO-06");
      assertEquals(await getOutcome(await server.token({ code: bound.code })), "400 invalid_grant");
      assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "LO-06");
    }
    // What was to outlive the session does, until it is taken back.
    assertEquals((await refresh(later, lasting.refresh_token)).status, 200);
    assertEquals((await later.token({ code: lasting.code })).status, 200);
    assertEquals((await refresh(later, others.refresh_token)).status, 200);
  });
});

test("[LO-06, CI-11] nothing is issued by a login during which the password changes or the user is replaced", async () => {
  const changes = [
    ["changed password", (b: TestServer) => b.as.users.set({ sub: "alice", password: other })],
    ["replaced", (b: TestServer) => [b.as.users.delete("alice"), b.as.users.set({ sub: "alice", password: digest })]],
  ] as const;
  const scopes = ["openid read", "openid offline_access"];
  await forEachCase(changes.flatMap((change) => scopes.map((scope) => [...change, scope] as const)), async (one) => {
    const [, change, scope] = one;
    // The login continues at the consent page, or at the client if the user has consented before.
    for (const hasConsented of [false, true]) {
      const b = await testServer({ ...severalUsers, clients: renewing });
      if (hasConsented) await enter(b, "alice", secret, scope);
      const browser = openBrowser(b);
      let isChanged = false;
      const end = await observeScrypt(() => type(browser, "alice", secret, { scope }), () => {
        if (!isChanged) change(b);
        isChanged = true;
      });
      assert(isChanged);
      assertEquals(await openBrowser(b, browser.cookies).authorizeSilently({ scope }), "login_required");
      if (hasConsented) assertEquals(new URL(end.location!).searchParams.get("error"), "access_denied");
      else assertEquals(describePage(end), "login");
    }
    // The same with an approver of the program.
    for (const withSession of [false, true]) {
      let onFound = () => {};
      const b = await testServer({
        ...severalUsers,
        clients: renewing,
        approver: async (request, { users, session, now }) => {
          const user = (await users.find("alice"))!;
          onFound();
          return { user, scope: request.scope, authTime: session?.authTime ?? now() };
        },
      });
      const cookie = withSession ? (await b.authorize({ scope })).headers.get("set-cookie")!.split(";")[0]! : "";
      onFound = () => void change(b);
      const response = await b.authorize({ scope }, { headers: { cookie } });
      assertEquals(getRedirectParams(response).get("error"), "access_denied");
      assertEquals(response.headers.get("set-cookie"), null);
    }
  });
});

test("[LO-06] other changes of a user end no session, and the cookie reveals nothing about the password", async () => {
  const b = await testServer({ ...severalUsers, clients: renewing });
  const { browser, refresh_token } = await enter(b, "alice", secret, "openid");
  b.as.users.set({ sub: "alice", name: "Alice Brown", password: digest });
  assertEquals(await browser.authorizeSilently({ scope: "openid" }), "code");
  assertEquals((await refresh(b, refresh_token)).status, 200);
  const sealed = JSON.parse(Buffer.from(browser.cookies.get(sessionCookie)!.split(".")[0]!, "base64url").toString());
  const same = await testServer(severalUsers);
  const again = (await enter(same, "alice", secret, "openid")).browser.cookies.get(sessionCookie)!;
  const elsewhere = JSON.parse(Buffer.from(again.split(".")[0]!, "base64url").toString());
  assertEquals([sealed[1], elsewhere[1]], ["alice", "alice"]);
  assert(sealed[3] !== elsewhere[3], "a mark that another server would make, too, could be guessed at");
});

test("[LO-06] introspection reports an earlier refresh token as inactive", async () => {
  const web = { client_id: "spa", client_secret: "s", redirect_uris: ["https://spa.example/cb"] };
  const b = await testServer({ ...severalUsers, clients: [{ ...web, grant_types: renewing[0]!.grant_types }] });
  const browser = openBrowser(b);
  const page = await submit(browser, await type(browser, "alice", secret), "decision", "allow");
  const headers = { ...basic("spa", "s"), "content-type": "application/x-www-form-urlencoded" };
  const exchanged = await b.token({ code: getCode(page), client_id: undefined }, { headers });
  const { refresh_token } = await assertTokenResponse(exchanged) as unknown as { refresh_token: string };
  const body = new URLSearchParams({ token: refresh_token }).toString();
  const isActive = async () =>
    (await (await b.get("/oauth2/introspect", { method: "POST", headers, body })).json()).active;
  assertEquals(await isActive(), true);
  b.as.users.set({ sub: "alice", password: other });
  assertEquals(await isActive(), false);
});

test("[LO-06] if every user needs a password, sessions of users without one end", async () => {
  const issuer = "https://login.widgets.com";
  const store = memoryStore();
  const users = [{ sub: "alice", password: dear }];
  const settings = { ...severalUsers, clients: renewing, issuer, store, users };
  const open = await testServer({ ...settings, users: [...users, { sub: "bob" }], insecure: ["open-login"] });
  const bob = await enter(open, "bob", undefined, "openid");
  const closed = await testServer(settings);
  closed.as.users.set({ sub: "bob" });
  assertEquals(await openBrowser(closed, bob.browser.cookies).authorizeSilently({ scope: "openid" }), "login_required");
  assertEquals(await getOutcome(await refresh(closed, bob.refresh_token)), "400 invalid_grant");
  assertEquals(await getOutcome(await closed.token({ code: bob.code })), "400 invalid_grant");
  assertEquals((await refresh(open, bob.refresh_token)).status, 200);
});

/** Floods of attempts: their addresses, and the number of their sites. */
const floods = {
  "many networks of one IPv6 site": { sites: 1, addresses: (i: number) => `2001:db8:7:${(i % 200).toString(16)}00::1` },
  "four IPv6 sites": { sites: 4, addresses: (i: number) => `2001:db8:${i % 4}:${(i % 200).toString(16)}00::1` },
  "70 IPv4 addresses": { sites: 70, addresses: (i: number) => `198.51.100.${i % 70}` },
};

interface Guess {
  readonly sub?: string;
  readonly password?: string;
  readonly headers?: Record<string, string>;
}

/** A server, and guesses of a password from addresses, for alice unless they name another user. */
async function guessing(options: ListedOptions = severalUsers, loggedIn?: string) {
  const b = await testServer(options);
  const browser = openBrowser(b);
  if (loggedIn !== undefined) await type(browser, loggedIn, secret);
  b.advance(60);
  const { path, fields } = fillForm(await requestAuthorization(browser, { prompt: "login" }), "", undefined, {});
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  let reads = 0;
  const { find } = b.as.users;
  Object.assign(b.as.users, { find: (sub: string) => (reads++, find(sub)) });
  return {
    async guess(address: string, { sub = "alice", password = "wrong", headers }: Guess = {}) {
      const body = new URLSearchParams(fields);
      body.set("sub", sub);
      body.set("password", password);
      const request = new Request(b.as.issuer + path, {
        ...{ method: "POST", body: body.toString(), redirect: "manual" },
        headers: { "content-type": "application/x-www-form-urlencoded", cookie, ...headers },
      });
      return (await b.as.fetch(request, { address })).status;
    },
    /** Resolves when this many users have been read: after the last of them, no guess waits before the queue. */
    async haveArrived(count: number) {
      await until(() => reads >= count);
      await new Promise((resolve) => setTimeout(resolve));
    },
  };
}

/** What others send while a colleague at 192.0.2.1 logs in with the right password. */
const situations: Record<string, {
  readonly attempts: number;
  readonly by: (i: number) => Guess & { readonly address: string };
  /** How many attempts may be verified before the colleague's. */
  readonly turns: number;
  /** The status of each attempt if all have the same. */
  readonly status?: number;
  /** Who has logged in before in the browser that all share. */
  readonly loggedIn?: string;
}> = {
  "a guest behind the same address guesses for eight names": {
    ...{ attempts: 80, turns: 8 },
    by: (i) => ({ sub: `user${i % 8}`, address: "192.0.2.1" }),
  },
  "ten colleagues behind one address log in at once": {
    ...{ attempts: 9, turns: 9, status: 303 },
    by: (i) => ({ sub: `user${i}`, password: secret, address: "192.0.2.1" }),
  },
  "seventy addresses guess for eight names": {
    ...{ attempts: 80, turns: 8 },
    by: (i) => ({ sub: `user${i % 8}`, address: `198.51.100.${i % 70}` }),
  },
  "seventy addresses guess for names that nobody has": {
    ...{ attempts: 80, turns: 70 },
    by: (i) => ({ sub: `nobody${i}`, address: `198.51.100.${i % 70}` }),
  },
  "the same, and the colleague has logged in before in this browser": {
    ...{ attempts: 80, turns: 0, loggedIn: "user9" },
    by: (i) => ({ sub: `nobody${i}`, address: `198.51.100.${i % 70}` }),
  },
  "the same behind one address": {
    ...{ attempts: 80, turns: 0, loggedIn: "user9" },
    by: (i) => ({ sub: `nobody${i}`, address: "192.0.2.1" }),
  },
  "the networks of one IPv6 site guess for names that nobody has": {
    ...{ attempts: 80, turns: 1 },
    by: (i) => ({ sub: `nobody${i}`, address: `2001:db8:7:${i.toString(16)}::1` }),
  },
  "somebody behind the same address who has logged in before logs in again and again": {
    ...{ attempts: 80, turns: 1, status: 303, loggedIn: "user8" },
    by: () => ({ sub: "user8", password: secret, address: "192.0.2.1" }),
  },
  "a page of another site sends its forms": {
    ...{ attempts: 80, turns: 0, status: 403 },
    by: () => ({ headers: { "sec-fetch-site": "cross-site", origin: "https://other.example" }, address: "192.0.2.1" }),
  },
};

test("[UI-12] a right password waits for its own turns only, whatever others send", async () => {
  const users = Array.from({ length: 10 }, (_, i) => ({ sub: `user${i}`, password: digest }));
  await forEachCase(Object.entries(situations), async ([, { attempts, turns, by, status, loggedIn }]) => {
    const { guess, haveArrived } = await guessing({ ...severalUsers, users }, loggedIn);
    const { promise: queued, resolve: start } = Promise.withResolvers<void>();
    let begun = 0;
    let before: number | undefined;
    const ownDigest = new AsyncLocalStorage<boolean>();
    const others: Promise<number>[] = [];
    await observeScrypt(async () => {
      for (let i = 0; i < attempts; i++) {
        const { address, ...sent } = by(i);
        others.push(guess(address, sent));
      }
      const login = ownDigest.run(true, () => guess("192.0.2.1", { sub: "user9", password: secret }));
      const arriving = (status === 403 ? 0 : attempts) + 1;
      await haveArrived(loggedIn === undefined ? arriving : 2 * arriving);
      start();
      assertEquals(await login, 303);
    }, () => {
      if (ownDigest.getStore()) before ??= begun;
      begun++;
      return queued;
    });
    // As many as run at the same time can begin before or with it.
    assert(before! <= turns + 3, `${before} attempts came before`);
    const statuses = new Set(await Promise.all(others));
    if (status !== undefined) assertEquals([...statuses], [status]);
  });
});

test("[UI-12] wrong passwords for other names reject no first attempt from the same network", async () => {
  const { guess } = await guessing();
  for (let i = 0; i < 100; i++) assertEquals(await guess("192.0.2.1", { sub: `nobody${i}` }), 403);
  assertEquals(await guess("192.0.2.1", { sub: "nobody0" }), 429);
  assertEquals(await guess("192.0.2.1", { password: secret }), 303);
});

test("[UI-12] a flood of attempts delays a login by at most one attempt of each site, and never rejects it", async () => {
  await forEachCase(Object.entries(floods), async ([, { sites, addresses }]) => {
    const { guess, haveArrived } = await guessing({ ...severalUsers, throttle: false });
    let verified = 0;
    const { promise: queued, resolve: start } = Promise.withResolvers<void>();
    const flood: Promise<number>[] = [];
    await observeScrypt(async () => {
      for (let i = 0; i < 280; i++) {
        flood.push(
          guess(addresses(i)).then((status) => {
            if (status === 403) verified++;
            return status;
          }),
        );
      }
      const login = guess("192.0.2.1");
      await haveArrived(281);
      start();
      assertEquals(await login, 403);
    }, () => queued);
    // Those that run at the same time end before too.
    assert(verified <= sites + 3, `${verified} attempts came before`);
    const statuses = await Promise.all(flood);
    assert(statuses.every((status) => status === 403 || status === 429), statuses.join());
    assert(statuses.includes(429));
  });
});

test("[UI-12] attempts for several names are verified on all cores but one, those for one name one at a time", async () => {
  const at = (cores: number | undefined) =>
    Object.defineProperty(navigator, "hardwareConcurrency", { value: cores, configurable: true });
  const expected = [[1, 1], [2, 1], [3, 2], [64, 3]] as const;
  try {
    await forEachCase(expected, async ([cores, most]) => {
      at(cores);
      const mostRunning = async (names: readonly string[]) => {
        const { guess, haveArrived } = await guessing();
        let [running, peak] = [0, 0];
        const onDigest = () => {
          peak = Math.max(peak, ++running);
          return haveArrived(names.length);
        };
        const send = () => Promise.all(names.map((sub, i) => guess(`192.0.2.${i % 2}`, { sub })));
        await observeScrypt(send, onDigest, () => running--);
        return peak;
      };
      assertEquals(await mostRunning(["alice", "erin", "frank", "grace", "heidi"]), most);
      assertEquals(await mostRunning(Array(5).fill("alice")), 1);
    });
  } finally {
    delete (navigator as { hardwareConcurrency?: number }).hardwareConcurrency;
  }
});

test("users added or changed at run time keep their passwords secret too", async () => {
  const b: TestServer = await testServer(severalUsers);
  b.as.users.set({ sub: "frank", password: await digestOf("frank's") });
  assertEquals(b.as.users.find("frank"), { sub: "frank" });
  assertEquals((await type(openBrowser(b), "frank", "wrong")).status, 403);
  assertEquals(describePage(await type(openBrowser(b), "frank", "frank's")), "consent");
  let logged = "";
  try {
    b.as.users.set({ sub: "grace", password: "$2b$12$hunter2" });
  } catch (error) {
    logged = String(error);
  }
  assertStringIncludes(logged, "latchkey hash-password");
  assert(!logged.includes("hunter2"));
});

test("a real host requires a password of every user, or an explicit setting", async () => {
  const issuer = "https://login.widgets.com";
  const places = async (options: LatchkeyOptions) => {
    try {
      await (await latchkey({ issuer, clients: [], login: "interactive", ...options })).close();
      return [];
    } catch (error) {
      return (error as ConfigurationError).issues.map(({ path }) => path);
    }
  };
  assertEquals(await places({}), ["users"]);
  const password = dear;
  assertEquals(await places({ users: [{ sub: "a", password }, { sub: "b" }] }), ["users[1].password"]);
  assertEquals(await places({ users: [{ sub: "a", password }] }), []);
  assertEquals(await places({ insecure: ["open-login"] }), []);
  assertEquals(await places({ login: "auto" }), ["login"]);
});

test("[UI-12] a digest that is too cheap is rejected on a real host, at startup and at run time", async () => {
  const issuer = "https://login.widgets.com";
  const costing = (cost: string) =>
    `$scrypt$${cost}$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo`;
  const start = async (password: string, at = issuer) =>
    await latchkey({ issuer: at, clients: [], login: "interactive", users: [{ sub: "a", password }] });
  const cheap = [
    "ln=10,r=1,p=1",
    "ln=10,r=8,p=16",
    "ln=13,r=7,p=16",
    "ln=13,r=8,p=7",
    "ln=14,r=8,p=1",
    "ln=15,r=8,p=1",
  ];
  await forEachCase(cheap, async (cost) => {
    const logged = String(await start(costing(cost)).catch((error) => error));
    assertMatch(
      logged,
      /users\[0\]\.password\n +Expected .* ln=16, r=8, p=1.* found ln=\d+, r=\d, p=\d+.*hash-password/s,
    );
    await (await start(costing(cost), "https://as.test")).close();
  });
  // Costs of OWASP's list, and the default of passlib.
  for (
    const cost of [
      "ln=13,r=8,p=10",
      "ln=14,r=8,p=5",
      "ln=15,r=8,p=3",
      "ln=16,r=8,p=2",
      "ln=17,r=8,p=1",
      "ln=16,r=8,p=1",
    ]
  ) {
    await (await start(costing(cost))).close();
  }
  const as = await start(costing("ln=15,r=8,p=3"));
  assertThrows(
    () => as.users.set({ sub: "b", password: costing("ln=10,r=1,p=1") }),
    ConfigurationError,
    "ln=10, r=1, p=1",
  );
  assertEquals(as.users.find("b"), undefined);
  await as.close();
});

test("digests use scrypt and are parsed as written (RFC 7914 §12, PHC string format)", async () => {
  const cost = { ln: 14, r: 8, p: 1, salt: new TextEncoder().encode("SodiumChloride") };
  const hash = await scryptDigest("pleaseletmein", cost, 64);
  assertEquals(
    Buffer.from(hash).toString("hex"),
    "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2" +
      "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
  );
  const text = formatPasswordDigest({ ...cost, hash });
  const read = parsePasswordDigest(text)!;
  assertEquals({ ...read, salt: [...read.salt], hash: [...read.hash] }, {
    ...cost,
    salt: [...cost.salt],
    hash: [...hash],
  });
  assertEquals([await verifyPassword("pleaseletmein", read), await verifyPassword("Pleaseletmein", read)], [
    true,
    false,
  ]);
  // Made by another program, passlib.
  const foreign = "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E";
  assertEquals(await verifyPassword("password", parsePasswordDigest(foreign)!), true);
});
