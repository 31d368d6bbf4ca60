/** Consent by a page: what is shown, what is granted, what is remembered, and how it is taken back (groups UI and OI). */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../src/mod.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { browse } from "./browser.ts";
import { basic, bench, claimsOf, each, outcome, sentTo, shownPage, tokensOf } from "./harness.ts";
import type { Browser } from "./browser.ts";
import type { Bench, Fields } from "./harness.ts";
import { ask, codeOf, filled, landing, logIn, logInAndAllow, look, press, send } from "./walk.ts";

const grant_types = ["authorization_code", "refresh_token"];

const crowd: LatchkeyOptions = {
  login: "interactive",
  clients: [
    { client_id: "spa", client_name: "The shop", redirect_uris: ["https://spa.example/cb"], grant_types },
    { client_id: "other", redirect_uris: ["https://other.example/cb"], grant_types },
    { client_id: "native", redirect_uris: ["http://127.0.0.1/cb", "http://localhost/cb", "com.example.app:/cb"] },
    { client_id: "web", client_secret: "web-secret", redirect_uris: ["http://localhost:3000/cb"] },
  ],
  users: [{ sub: "alice", name: "Alice Adams", email: "alice@example.com", birthdate: "1990-01-02" }, { sub: "bob" }],
};

const other: Fields = { client_id: "other", redirect_uri: "https://other.example/cb" };

async function tokens(b: Bench, code: string, fields: Fields = {}) {
  return await tokensOf(await b.token({ code, ...fields })) as Awaited<ReturnType<typeof tokensOf>> & {
    refresh_token: string;
  };
}

function refresh(b: Bench, refresh_token: string, client_id = "spa"): Promise<Response> {
  return b.token({
    grant_type: "refresh_token",
    refresh_token,
    client_id,
    code_verifier: undefined,
    redirect_uri: undefined,
  });
}

test("[UI-10] consent shows who asks, who is asked, where the answer goes, and the scope in words with a tick each", async () => {
  const b = await bench(crowd);
  const { text, html } = await logIn(browse(b), "alice", { scope: "openid email read offline_access" });
  const words = ["The shop", "spa", "operator", "Alice Adams", "spa.example", "https://spa.example/cb", "e-mail"];
  for (const word of [...words, "Read your data", "while you are away"]) assertStringIncludes(text, word);
  const boxes = [...html.matchAll(/<input[^>]*type="checkbox"[^>]*>/g)].map(([tag]) => tag);
  assertEquals(boxes.length, 4);
  for (const box of boxes) {
    assertMatch(box, / checked/);
    assertStringIncludes(html, `<label for="${/ id="([^"]*)"/.exec(box)![1]}"`);
  }
  assertEquals(boxes.filter((box) => / disabled/.test(box)).length, 1);
  const buttons = [...html.matchAll(/<button[^>]*class="([^"]*)"[^>]*name="decision" value="(\w+)">/g)];
  assertEquals(buttons.map(([, , value]) => value), ["allow", "deny"]);
  assertEquals(new Set(buttons.map(([, look]) => look)).size, 1, "one of the two looks more important");
});

test("[UI-10] an app or a program on the device is called what it is", async () => {
  const b = await bench(crowd);
  for (
    const [redirect_uri, words] of [
      ["http://127.0.0.1:4711/cb", "a program on this device, at 127.0.0.1:4711"],
      ["com.example.app:/cb", "the app on this device that opens com.example.app:"],
    ]
  ) {
    assertStringIncludes((await logIn(browse(b), "alice", { client_id: "native", redirect_uri })).text, words!);
  }
});

test("[UI-10, AZ-18] what is unticked is not granted; the login itself cannot be", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  const consent = await logIn(browser, "alice", { scope: "openid profile email read write" });
  const end = await press(browser, consent, "decision", "allow", {}, ["email", "write"]);
  assertEquals((await tokens(b, codeOf(end))).scope, "openid profile read");
  const { path, fields } = filled(await ask(browser, { prompt: "consent" }), "decision", "allow");
  fields.delete("scope");
  const bare = await look(browser, path, await send(browser, path, fields));
  assertEquals((await tokens(b, codeOf(bare))).scope, "openid");
  const more = filled(await ask(browser, { prompt: "consent" }), "decision", "allow");
  for (const value of ["write", "admin", "offline_access"]) more.fields.append("scope", value);
  const end2 = await look(browser, more.path, await send(browser, more.path, more.fields));
  assertEquals((await tokens(b, codeOf(end2))).scope, "openid read");
});

test("[AZ-21, UI-10] Deny, and Allow with nothing left to allow, tell the client access_denied", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  assertEquals(
    sentTo((await press(browser, await logIn(browser, "bob"), "decision", "deny")).response).error,
    "access_denied",
  );
  const nothing = await press(browser, await ask(browser, { scope: "read" }), "decision", "allow", {}, ["read"]);
  assertEquals(sentTo(nothing.response).error, "access_denied");
  assertEquals(landing(await ask(browser)), "consent");
  const page = await ask(browser);
  const { path, fields } = filled(page, "decision", "allow");
  for (const decision of [undefined, "", "yes", "Allow"]) {
    fields.delete("decision");
    if (decision !== undefined) fields.set("decision", decision);
    await shownPage(await send(browser, path, fields), 400);
  }
  sentTo((await press(browser, page, "decision", "allow")).response);
});

test("what was allowed is not asked again: for this person, this client, this much and this long", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  await logInAndAllow(browser, "alice", { scope: "openid read write" });
  for (const scope of ["openid read write", "openid", "read"]) {
    assertEquals(landing(await ask(browser, { scope })), "code", scope);
  }
  assertEquals(landing(await ask(browser, { scope: "openid email" })), "consent");
  assertEquals(landing(await ask(browser, other)), "consent");
  assertEquals(landing(await ask(browser, { prompt: "consent" })), "consent");
  assertEquals(landing(await ask(browser, { resource: "https://api.example" })), "consent");
  assertEquals(landing(await logIn(browse(b), "bob")), "consent");
  assertEquals(landing(await logIn(browse(b), "alice")), "code");
  b.advance(30 * 24 * 3600);
  assertEquals(landing(await logIn(browse(b), "alice")), "consent");
});

test("what was allowed adds up, and what is unticked later is forgotten", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  await logInAndAllow(browser, "alice", { scope: "openid read" });
  await press(browser, await ask(browser, { scope: "openid write" }), "decision", "allow");
  assertEquals(landing(await ask(browser, { scope: "openid read write" })), "code");
  const again = await ask(browser, { scope: "openid read", prompt: "consent" });
  assertStringIncludes(again.text, "allowed before");
  await press(browser, again, "decision", "allow", {}, ["read"]);
  assertEquals(landing(await ask(browser, { scope: "openid write" })), "code");
  assertEquals(landing(await ask(browser, { scope: "openid read" })), "consent");
});

const payments = { resource: "https://payments.example" };
const calendar = { resource: "https://calendar.example" };

async function allow(browser: Browser, fields: Fields, unticked: readonly string[] = []) {
  return codeOf(await press(browser, await ask(browser, fields), "decision", "allow", {}, unticked));
}

/** The page of one's own, with a button for each client. */
async function accountOf(browser: Browser) {
  return await look(browser, "/account", await browser.get("/account"));
}

/** The clients that the page lists. */
async function listed(browser: Browser): Promise<(string | undefined)[]> {
  const { forms } = await accountOf(browser);
  return forms.map(({ controls }) => controls.find(({ name }) => name === "client_id")?.value);
}

test("[UI-11] a scope value that was allowed at one resource is not allowed at another, nor at the default audience", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  await logInAndAllow(browser, "alice", { scope: "read", ...payments });
  await allow(browser, { scope: "write", ...calendar });
  const both = { resource: [payments.resource, calendar.resource] };
  const silent: [string, Fields, string][] = [
    ["read", payments, "code"],
    ["write", calendar, "code"],
    ["write", payments, "consent_required"],
    ["read", calendar, "consent_required"],
    ["read", {}, "consent_required"],
    ["write", {}, "consent_required"],
    ["read", both, "consent_required"],
    ["read", { resource: b.as.issuer }, "consent_required"],
  ];
  const outcomes = async () => {
    const found: string[] = [];
    for (const [scope, fields] of silent) found.push(await browser.silently({ scope, ...fields }));
    return found;
  };
  assertEquals(await outcomes(), silent.map(([, , expected]) => expected));
  const account = await accountOf(browser);
  for (const words of ["read at https://payments.example", "write at https://calendar.example"]) {
    assertStringIncludes(account.text, words);
  }
  await allow(browser, { scope: "read", ...both });
  assertEquals(await browser.silently({ scope: "read", ...both }), "code");
  assertEquals(await browser.silently({ scope: "read", ...calendar }), "code");
  assertEquals(await browser.silently({ scope: "write", ...payments }), "consent_required");
  await allow(browser, { scope: "read" });
  assertEquals(await browser.silently({ scope: "read" }), "code");
  assertEquals(await browser.silently({ scope: "read write", ...calendar }), "code");
});

test("[UI-11] the page calls allowed before what was allowed for this very resource, and a refusal holds for it alone", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  await logInAndAllow(browser, "alice", { scope: "read write", ...payments });
  const elsewhere = await ask(browser, { scope: "read write", ...calendar });
  assert(!elsewhere.text.includes("allowed before"));
  await press(browser, elsewhere, "decision", "allow", {}, ["write"]);
  assertEquals(await browser.silently({ scope: "read", ...calendar }), "code");
  assertEquals(await browser.silently({ scope: "write", ...calendar }), "consent_required");
  assertEquals(await browser.silently({ scope: "read write", ...payments }), "code");
  const again = await ask(browser, { scope: "read write", prompt: "consent", ...payments });
  assertStringIncludes(again.text, "allowed before");
});

test("[UI-11] claims that an allowed scope value shows are covered for the resource of that scope value alone", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  const claims = '{"userinfo":{"email":null}}';
  await logInAndAllow(browser, "alice", { scope: "openid email", ...payments });
  await allow(browser, { scope: "openid" });
  assertEquals(await browser.silently({ scope: "openid", claims, ...payments }), "code");
  assertEquals(await browser.silently({ scope: "openid", claims }), "consent_required");
});

test("[UI-11] what a former version remembered covers nothing, is listed, and can be taken back", async () => {
  const store = memoryStore();
  const b = await bench({ ...crowd, store });
  const browser = browse(b);
  const { refresh_token } = await tokens(b, codeOf(await logInAndAllow(browser, "alice", { scope: "read" })));
  const older: Store = {
    ...store,
    async get(kind, id) {
      const entry = await store.get(kind, id);
      if (entry === undefined || kind !== "consent") return entry;
      const { scopes: _, ...value } = entry.value as unknown as Record<string, unknown>;
      return { ...entry, value: { ...value, scope: ["read", "write"], resources: [payments.resource] } as never };
    },
  };
  const later = await bench({ ...crowd, store: older });
  const same = browse(later, browser.cookies);
  for (const fields of [{}, payments]) {
    assertEquals(await same.silently({ scope: "read", ...fields }), "consent_required");
  }
  assertEquals(landing(await ask(same, { scope: "read" })), "consent");
  assertEquals(await listed(same), ["spa"]);
  await press(same, await accountOf(same), "");
  assertEquals(await outcome(await refresh(b, refresh_token)), "400 invalid_grant");
  assertEquals(await listed(same), []);
});

test("[UI-11] refusing a scope value forgets the claims that it would show and that were allowed by name", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  const byName = { scope: "openid", claims: '{"userinfo":{"email":null,"birthdate":null}}' };
  await logInAndAllow(browser, "alice", byName);
  assertEquals(await browser.silently(byName), "code");
  await allow(browser, { scope: "openid email", prompt: "consent" }, ["email"]);
  assertEquals(await browser.silently(byName), "consent_required");
  // The scope value that would show this one was not refused.
  assertEquals(await browser.silently({ ...byName, claims: '{"userinfo":{"birthdate":null}}' }), "code");
});

test("[UI-11] refusing all that was asked for forgets it, too", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  await logInAndAllow(browser, "alice", { scope: "read write" });
  const nothing = await press(
    browser,
    await ask(browser, { scope: "read", prompt: "consent" }),
    "decision",
    "allow",
    {},
    ["read"],
  );
  assertEquals(sentTo(nothing.response).error, "access_denied");
  assertEquals(await browser.silently({ scope: "read" }), "consent_required");
  assertEquals(await browser.silently({ scope: "write" }), "code");
  const stranger = browse(b);
  const page = await logIn(stranger, "bob", { scope: "read" });
  await press(stranger, page, "decision", "allow", {}, ["read"]);
  assertEquals(await listed(stranger), []);
});

test("[UI-11] a public client on loopback or a private-use scheme is asked about every time", async () => {
  const b = await bench(crowd);
  await each(["http://127.0.0.1:4711/cb", "http://localhost:4711/cb", "com.example.app:/cb"], async (redirect_uri) => {
    const browser = browse(b);
    const fields = { client_id: "native", redirect_uri };
    const consent = await logIn(browser, "alice", fields);
    assertEquals(landing(consent), "consent");
    sentTo((await press(browser, consent, "decision", "allow")).response, { uri: redirect_uri });
    assertEquals(landing(await ask(browser, fields)), "consent");
    assertEquals(await browser.silently(fields), "consent_required");
  });
  const browser = browse(b);
  const web = { client_id: "web", redirect_uri: "http://localhost:3000/cb" };
  await logInAndAllow(browser, "alice", web);
  assertEquals(landing(await ask(browser, web)), "code");
});

test("[OI-09] offline_access is granted by consent alone, and left out where it was unticked", async () => {
  const b = await bench({ ...crowd, refresh: { onlyOffline: true } });
  const browser = browse(b);
  await logInAndAllow(browser, "alice", { scope: "openid read" });
  const offline = { scope: "openid read offline_access" };
  assertEquals(await browser.silently(offline), "consent_required");
  const consent = await ask(browser, offline);
  assertEquals(landing(consent), "consent");
  const without = await tokens(b, codeOf(await press(browser, consent, "decision", "allow", {}, ["offline_access"])));
  assertEquals([without.scope, without.refresh_token], ["openid read", undefined] as unknown[]);
  const with_ = await tokens(b, codeOf(await press(browser, await ask(browser, offline), "decision", "allow")));
  assertEquals([with_.scope, typeof with_.refresh_token], [offline.scope, "string"]);
});

test("[OI-08] claims asked for by name are shown and remembered, and go with the scope value that is refused", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  const claims = { scope: "openid read", claims: '{"userinfo":{"birthdate":null,"email":null}}' };
  const info = async (code: string) => {
    const { access_token } = await tokens(b, code);
    return await (await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } })).json();
  };
  const consent = await logIn(browser, "alice", claims);
  assertStringIncludes(consent.text, "birthdate and email");
  const all = { sub: "alice", birthdate: "1990-01-02", email: "alice@example.com" };
  assertEquals(await info(codeOf(await press(browser, consent, "decision", "allow"))), all);
  assertEquals(await info(codeOf(await ask(browser, claims))), all);
  assertEquals(landing(await ask(browser, { ...claims, claims: '{"userinfo":{"gender":null}}' })), "consent");
  const page = await ask(browser, { ...claims, scope: "openid email", prompt: "consent" });
  const less = await press(browser, page, "decision", "allow", {}, ["email"]);
  assertEquals(await info(codeOf(less)), { sub: "alice", birthdate: "1990-01-02" });
});

test("[UI-16] what was allowed is listed per client, and taking it back ends its refresh tokens and the next silence", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  const scope = "openid read offline_access";
  const mine = await tokens(b, codeOf(await logInAndAllow(browser, "alice", { scope })));
  const later = await tokens(b, codeOf(await ask(browser, { scope })));
  const code = codeOf(await ask(browser, { scope }));
  const kept = codeOf(await press(browser, await ask(browser, { ...other, scope }), "decision", "allow"));
  const others = await tokens(b, kept, other);
  const bobs = await tokens(b, codeOf(await logInAndAllow(browse(b), "bob", { scope })));

  const account = await look(browser, "/account", await browser.get("/account"));
  for (const word of ["Alice Adams", "The shop", scope, "other"]) assertStringIncludes(account.text, word);
  assertEquals(account.forms.map(({ controls }) => controls.find(({ name }) => name === "client_id")!.value), [
    "spa",
    "other",
  ]);
  const after = await press(browser, account, "");
  assertEquals([after.path, after.text.includes("The shop")], ["/account", false]);

  for (const { refresh_token } of [mine, later]) {
    assertEquals(await outcome(await refresh(b, refresh_token)), "400 invalid_grant");
  }
  assertEquals(await outcome(await b.token({ code })), "400 invalid_grant");
  assertEquals(await browser.silently({ scope }), "consent_required");
  assertEquals((await refresh(b, others.refresh_token, "other")).status, 200);
  assertEquals((await refresh(b, bobs.refresh_token)).status, 200);

  // What is allowed anew is new.
  const again = await tokens(b, codeOf(await press(browser, await ask(browser, { scope }), "decision", "allow")));
  assertEquals((await refresh(b, again.refresh_token)).status, 200);
  assertEquals(await outcome(await refresh(b, mine.refresh_token)), "400 invalid_grant");
});

test("[UI-16] a refresh token whose consent was taken back is inactive, and rotation does not outrun it", async () => {
  const clients = [{ ...crowd.clients![0]!, client_secret: "spa-secret" }];
  const b = await bench({ ...crowd, clients });
  const browser = browse(b);
  const headers = basic("spa", "spa-secret");
  const fields = { client_id: undefined };
  const answer = await b.token({ code: codeOf(await logInAndAllow(browser, "alice")), ...fields }, { headers });
  const { refresh_token } = await tokensOf(answer) as unknown as { refresh_token: string };
  const introspect = async () => {
    const response = await b.get("/oauth2/introspect", {
      method: "POST",
      body: new URLSearchParams({ token: refresh_token }).toString(),
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    });
    return (await response.json()).active;
  };
  assertEquals(await introspect(), true);
  await press(browser, await look(browser, "/account", await browser.get("/account")), "");
  assertEquals(await introspect(), false);
});

const day = 24 * 3600;
const lasting = { scope: "openid read offline_access" };

test("[UI-16] what a silent login obtains late can still be taken back when the consent itself is over", async () => {
  const b = await bench(crowd);
  await logInAndAllow(browse(b), "alice", lasting);
  b.advance(29 * day);
  const browser = browse(b);
  const late = await tokens(b, codeOf(await logIn(browser, "alice", lasting)));
  b.advance(2 * day);
  const anew = browse(b);
  assertEquals(landing(await logIn(anew, "alice", lasting)), "consent");
  assertEquals(await listed(anew), ["spa"]);
  const { refresh_token } = await (await refresh(b, late.refresh_token)).json();
  await press(anew, await accountOf(anew), "");
  assertEquals(await outcome(await refresh(b, refresh_token)), "400 invalid_grant");
  b.advance(20 * day);
  assertEquals(await outcome(await refresh(b, refresh_token)), "400 invalid_grant");
});

test("[UI-16] a later consent is one with the earlier one: taking it back ends what rests on either", async () => {
  const b = await bench(crowd);
  await logInAndAllow(browse(b), "alice", { scope: "openid read write offline_access" });
  b.advance(29 * day);
  const late = await tokens(b, codeOf(await logIn(browse(b), "alice", lasting)));
  b.advance(2 * day);
  const browser = browse(b);
  const page = await logIn(browser, "alice", lasting);
  assert(!page.text.includes("allowed before"));
  const newest = await tokens(b, codeOf(await press(browser, page, "decision", "allow")));
  // Of what was allowed so long ago nothing is left to build on.
  assertEquals(await browser.silently({ scope: "write" }), "consent_required");
  await press(browser, await accountOf(browser), "");
  for (const { refresh_token } of [late, newest]) {
    assertEquals(await outcome(await refresh(b, refresh_token)), "400 invalid_grant");
  }
  assertEquals(await listed(browser), []);
  const again = await tokens(b, await allow(browser, lasting));
  assertEquals((await refresh(b, again.refresh_token)).status, 200);
});

test("[UI-16] a refresh token that would outlast what is remembered of its consent takes a new consent", async () => {
  const store = memoryStore();
  const b = await bench({ ...crowd, store });
  await logInAndAllow(browse(b), "alice", lasting);
  const longer = await bench({ ...crowd, store, lifetimes: { refresh_token: 90 * day } });
  const browser = browse(longer);
  assertEquals(landing(await logIn(browser, "alice", lasting)), "consent");
  const shorter = await bench({ ...crowd, store, lifetimes: { refresh_token: day } });
  assertEquals(landing(await logIn(browse(shorter), "alice", lasting)), "code");
});

test("[UI-16] consents are not forgotten for room: what cannot be listed could not be taken back", async () => {
  const clients = Array.from({ length: 5 }, (_, i) => ({ ...crowd.clients![0]!, client_id: `spa${i}` }));
  const b = await bench({ ...crowd, clients, store: memoryStore({ limit: 3 }) });
  const browser = browse(b);
  await logInAndAllow(browser, "alice", { ...lasting, client_id: "spa0" });
  for (const { client_id } of clients.slice(1)) await allow(browser, { ...lasting, client_id });
  assertEquals(await listed(browser), clients.map(({ client_id }) => client_id));
});

/** The same store, with something that happens before a call of one kind. */
function interrupted(
  store: Store,
  before: (verb: "put" | "revoke", kind: string) => Promise<unknown> | undefined,
): Store {
  return {
    ...store,
    async put(...args) {
      await before("put", args[0]);
      await store.put(...args);
    },
    async revoke(...args) {
      await before("revoke", "ended_family");
      await store.revoke(...args);
    },
  };
}

test("[UI-16] taking back while Allow is pressed: the earlier tokens end, and what was allowed just then holds", async () => {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const store = interrupted(memoryStore(), (verb, kind) => {
    const now = verb === "put" && kind === "consent" ? meanwhile : undefined;
    if (now !== undefined) meanwhile = undefined;
    return now?.();
  });
  const b = await bench({ ...crowd, store });
  const browser = browse(b);
  const before = await tokens(b, codeOf(await logInAndAllow(browser, "alice", lasting)));
  const page = await ask(browser, { ...lasting, scope: "openid write offline_access" });
  const account = await accountOf(browser);
  meanwhile = () => press(browser, account, "");
  const after = await tokens(b, codeOf(await press(browser, page, "decision", "allow")));
  assertEquals(await outcome(await refresh(b, before.refresh_token)), "400 invalid_grant");
  assertEquals(await browser.silently({ scope: "read" }), "consent_required");
  assertEquals(await browser.silently({ scope: "write" }), "code");
  const next = await refresh(b, after.refresh_token);
  assertEquals(next.status, 200);
  const { refresh_token } = await next.json();
  assertEquals(await listed(browser), ["spa"]);
  await press(browser, await accountOf(browser), "");
  assertEquals(await outcome(await refresh(b, refresh_token)), "400 invalid_grant");
});

test("[UI-16] a consent that was taken back while a silent login looked at it counts as gone", async () => {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const store = interrupted(memoryStore(), (verb, kind) => {
    const now = verb === "put" && kind === "code" ? meanwhile : undefined;
    if (now !== undefined) meanwhile = undefined;
    return now?.();
  });
  const b = await bench({ ...crowd, store });
  const browser = browse(b);
  await logInAndAllow(browser, "alice", lasting);
  const account = await accountOf(browser);
  meanwhile = () => press(browser, account, "");
  const code = codeOf(await ask(browser, lasting));
  assertEquals(await outcome(await b.token({ code })), "400 invalid_grant");
  assertEquals(await browser.silently(lasting), "consent_required");
});

test("[UI-16] of two windows that allow at once both end by taking it back, the first time and later on", async () => {
  let together: Promise<unknown>[] = [];
  let release = () => {};
  const store = interrupted(memoryStore(), (verb, kind) => {
    if (verb !== "put" || kind !== "consent") return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    together.push(promise);
    const former = release;
    release = () => (former(), resolve());
    if (together.length === 2) release();
    return promise;
  });
  const b = await bench({ ...crowd, store });
  const browser = browse(b);
  const first = await logIn(browser, "alice", lasting);
  for (let page = first, round = 0; round < 2; round++, page = await ask(browser, lasting)) {
    const second = await ask(browser, lasting);
    together = [];
    release = () => {};
    const ends = await Promise.all([page, second].map((one) => press(browser, one, "decision", "allow")));
    const both = [await tokens(b, codeOf(ends[0]!)), await tokens(b, codeOf(ends[1]!))];
    await press(browser, await accountOf(browser), "");
    for (const { refresh_token } of both) {
      assertEquals(await outcome(await refresh(b, refresh_token)), "400 invalid_grant");
    }
  }
});

test("[UI-04, UI-16] only the account's own page takes something back, and only for who is logged in", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  await logInAndAllow(browser, "alice");
  const account = await look(browser, "/account", await browser.get("/account"));
  const { path, fields } = filled(account, "");
  const bobs = browse(b);
  await logInAndAllow(bobs, "bob");
  const foreign = filled(await look(bobs, "/account", await bobs.get("/account")), "").fields.get("form_token")!;
  for (const token of [undefined, "x", foreign]) {
    const forged = new URLSearchParams(fields);
    forged.delete("form_token");
    if (token !== undefined) forged.set("form_token", token);
    await shownPage(await send(browser, path, forged), 403);
  }
  await shownPage(await send(browser, path, fields, { "sec-fetch-site": "cross-site" }), 403);
  await shownPage(await send(browse(b), path, fields), 403);
  assertEquals(await browser.silently(), "code");
  const unknown = new URLSearchParams(fields);
  unknown.set("client_id", "nobody");
  assertEquals((await send(browser, path, unknown)).status, 303);
  const nobody = await look(browse(b), "/account", await b.get("/account"));
  assertStringIncludes(nobody.text, "Nobody is logged in");
});

test("[LO-05, UI-14] after logout in another tab, Allow gives no code", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  const consent = await logIn(browser, "alice");
  const logout = await look(browser, "/oauth2/logout", await browser.get("/oauth2/logout"));
  await press(browser, logout, "");
  const late = await press(browser, consent, "decision", "allow");
  assertEquals([late.status, late.location], [403, undefined]);
});

test("[FP-01] the answer travels by form_post where the client asked for it, with its state", async () => {
  const b = await bench(crowd);
  const browser = browse(b);
  const end = await logInAndAllow(browser, "alice", { response_mode: "form_post", state: "a b&c" });
  const [form] = end.forms;
  assertEquals(form!.action, "https://spa.example/cb");
  const answer = Object.fromEntries(form!.controls.map(({ name, value }) => [name, value]));
  assertEquals([answer.state, answer.iss], ["a b&c", "https://as.test"]);
  assertEquals(claimsOf((await tokens(b, answer.code!)).id_token).sub, "alice");
});

test("whoever records what held learns why nobody was asked", async () => {
  const held: string[] = [];
  const b = await bench({
    ...crowd,
    layers: [{ during: (server) => ({ ...server, held: (rule) => held.push(rule) }) }],
  });
  const browser = browse(b);
  await logInAndAllow(browser, "alice");
  for (const rule of ["UI-14", "UI-04"]) assert(held.includes(rule), rule);
  held.length = 0;
  await ask(browser);
  for (const rule of ["OI-05", "UI-11"]) assert(held.includes(rule), rule);
});
