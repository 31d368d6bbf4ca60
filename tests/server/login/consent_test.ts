/**
 * Consent by a page: what is shown, what is granted, what is remembered, and how it is taken back (groups UI and OI).
 *
 * @extensions requested_claims
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { memoryStore } from "../../../src/core/store/memory.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { type Browser, openBrowser } from "../browser.ts";
import {
  assertAuthorizationResponse,
  assertPage,
  assertTokenResponse,
  basic,
  decodeClaims,
  forEachCase,
  getOutcome,
  type ListedOptions,
  observedStore,
  testServer,
} from "../../kit.ts";
import type { Fields } from "../../kit.ts";
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
import { refresh } from "../client_endpoints.ts";
import { tokens } from "./several_users.ts";

const grant_types = ["authorization_code", "refresh_token"];

const severalUsers: ListedOptions = {
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

test("[UI-10] the consent page shows client, user, redirect target, and each scope value in words with a checkbox", async () => {
  const b = await testServer(severalUsers);
  const { text, html } = await logIn(openBrowser(b), "alice", { scope: "openid email read offline_access" });
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
  assertEquals(buttons.map(([, look, value]) => [look, value]), [["button", "allow"], ["button plain", "deny"]]);
});

test("[UI-10] native apps are labelled as apps or programs on the device", async () => {
  const b = await testServer(severalUsers);
  for (
    const [redirect_uri, words] of [
      ["http://127.0.0.1:4711/cb", "a program on this device, at 127.0.0.1:4711"],
      ["com.example.app:/cb", "the app on this device that handles com.example.app:"],
    ]
  ) {
    assertStringIncludes((await logIn(openBrowser(b), "alice", { client_id: "native", redirect_uri })).text, words!);
  }
});

test("[UI-10, AZ-18] unchecked scope values are not granted; openid cannot be unchecked", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const consent = await logIn(browser, "alice", { scope: "openid profile email read write" });
  const end = await submit(browser, consent, "decision", "allow", {}, ["email", "write"]);
  assertEquals((await tokens(b, getCode(end))).scope, "openid profile read");
  const { path, fields } = fillForm(await requestAuthorization(browser, { prompt: "consent" }), "decision", "allow");
  fields.delete("scope");
  const bare = await openPage(browser, path, await send(browser, path, fields));
  assertEquals((await tokens(b, getCode(bare))).scope, "openid");
  const more = fillForm(await requestAuthorization(browser, { prompt: "consent" }), "decision", "allow");
  for (const value of ["write", "admin", "offline_access"]) more.fields.append("scope", value);
  const end2 = await openPage(browser, more.path, await send(browser, more.path, more.fields));
  assertEquals((await tokens(b, getCode(end2))).scope, "openid read");
});

test("[AZ-21, UI-10] Deny, and Allow with nothing checked, return access_denied to the client", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  assertEquals(
    assertAuthorizationResponse((await submit(browser, await logIn(browser, "bob"), "decision", "deny")).response)
      .error,
    "access_denied",
  );
  const nothing = await submit(
    browser,
    await requestAuthorization(browser, { scope: "read" }),
    "decision",
    "allow",
    {},
    ["read"],
  );
  assertEquals(assertAuthorizationResponse(nothing.response).error, "access_denied");
  assertEquals(describePage(await requestAuthorization(browser)), "consent");
  const page = await requestAuthorization(browser);
  const { path, fields } = fillForm(page, "decision", "allow");
  for (const decision of [undefined, "", "yes", "Allow"]) {
    fields.delete("decision");
    if (decision !== undefined) fields.set("decision", decision);
    await assertPage(await send(browser, path, fields), 400);
  }
  assertAuthorizationResponse((await submit(browser, page, "decision", "allow")).response);
});

test("consent is remembered per user, client, scope and time", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice", { scope: "openid read write" });
  for (const scope of ["openid read write", "openid", "read"]) {
    assertEquals(describePage(await requestAuthorization(browser, { scope })), "code", scope);
  }
  assertEquals(describePage(await requestAuthorization(browser, { scope: "openid email" })), "consent");
  assertEquals(describePage(await requestAuthorization(browser, other)), "consent");
  assertEquals(describePage(await requestAuthorization(browser, { prompt: "consent" })), "consent");
  assertEquals(describePage(await requestAuthorization(browser, { resource: "https://api.example" })), "consent");
  assertEquals(describePage(await logIn(openBrowser(b), "bob")), "consent");
  assertEquals(describePage(await logIn(openBrowser(b), "alice")), "code");
  b.advance(30 * 24 * 3600);
  assertEquals(describePage(await logIn(openBrowser(b), "alice")), "consent");
});

test("remembered consent accumulates, and a later unchecked value is forgotten", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice", { scope: "openid read" });
  await submit(browser, await requestAuthorization(browser, { scope: "openid write" }), "decision", "allow");
  assertEquals(describePage(await requestAuthorization(browser, { scope: "openid read write" })), "code");
  const again = await requestAuthorization(browser, { scope: "openid read", prompt: "consent" });
  assertStringIncludes(again.text, "allowed before");
  await submit(browser, again, "decision", "allow", {}, ["read"]);
  assertEquals(describePage(await requestAuthorization(browser, { scope: "openid write" })), "code");
  assertEquals(describePage(await requestAuthorization(browser, { scope: "openid read" })), "consent");
});

const payments = { resource: "https://payments.example" };
const calendar = { resource: "https://calendar.example" };

async function allow(browser: Browser, fields: Fields, denied: readonly string[] = []) {
  return getCode(await submit(browser, await requestAuthorization(browser, fields), "decision", "allow", {}, denied));
}

/** The page of one's own, with a button for each client. */
async function accountOf(browser: Browser) {
  return await openPage(browser, "/account", await browser.get("/account"));
}

/** The clients that the page lists. */
async function listed(browser: Browser): Promise<(string | undefined)[]> {
  const { forms } = await accountOf(browser);
  return forms.map(({ controls }) => controls.find(({ name }) => name === "client_id")?.value);
}

test("[UI-11] consent for one resource covers neither another resource nor the default audience", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
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
    for (const [scope, fields] of silent) found.push(await browser.authorizeSilently({ scope, ...fields }));
    return found;
  };
  assertEquals(await outcomes(), silent.map(([, , expected]) => expected));
  const account = await accountOf(browser);
  for (const words of ["read at https://payments.example", "write at https://calendar.example"]) {
    assertStringIncludes(account.text, words);
  }
  await allow(browser, { scope: "read", ...both });
  assertEquals(await browser.authorizeSilently({ scope: "read", ...both }), "code");
  assertEquals(await browser.authorizeSilently({ scope: "read", ...calendar }), "code");
  assertEquals(await browser.authorizeSilently({ scope: "write", ...payments }), "consent_required");
  await allow(browser, { scope: "read" });
  assertEquals(await browser.authorizeSilently({ scope: "read" }), "code");
  assertEquals(await browser.authorizeSilently({ scope: "read write", ...calendar }), "code");
});

test("[UI-11] the page marks values as allowed before for the same resource only, and a denial applies to that resource only", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice", { scope: "read write", ...payments });
  const elsewhere = await requestAuthorization(browser, { scope: "read write", ...calendar });
  assert(!elsewhere.text.includes("allowed before"));
  await submit(browser, elsewhere, "decision", "allow", {}, ["write"]);
  assertEquals(await browser.authorizeSilently({ scope: "read", ...calendar }), "code");
  assertEquals(await browser.authorizeSilently({ scope: "write", ...calendar }), "consent_required");
  assertEquals(await browser.authorizeSilently({ scope: "read write", ...payments }), "code");
  const again = await requestAuthorization(browser, { scope: "read write", prompt: "consent", ...payments });
  assertStringIncludes(again.text, "allowed before");
});

test("[UI-11] claims of an allowed scope value are covered for its resource only", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const claims = '{"userinfo":{"email":null}}';
  await logInAndAllow(browser, "alice", { scope: "openid email", ...payments });
  await allow(browser, { scope: "openid" });
  assertEquals(await browser.authorizeSilently({ scope: "openid", claims, ...payments }), "code");
  assertEquals(await browser.authorizeSilently({ scope: "openid", claims }), "consent_required");
});

test("[UI-11] denying a scope value forgets its claims that were allowed by name", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const byName = { scope: "openid", claims: '{"userinfo":{"email":null,"birthdate":null}}' };
  await logInAndAllow(browser, "alice", byName);
  assertEquals(await browser.authorizeSilently(byName), "code");
  await allow(browser, { scope: "openid email", prompt: "consent" }, ["email"]);
  assertEquals(await browser.authorizeSilently(byName), "consent_required");
  // The scope value of this claim was not denied.
  assertEquals(await browser.authorizeSilently({ ...byName, claims: '{"userinfo":{"birthdate":null}}' }), "code");
});

test("[UI-11] denying the whole request forgets the consent", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice", { scope: "read write" });
  const nothing = await submit(
    browser,
    await requestAuthorization(browser, { scope: "read", prompt: "consent" }),
    "decision",
    "allow",
    {},
    ["read"],
  );
  assertEquals(assertAuthorizationResponse(nothing.response).error, "access_denied");
  assertEquals(await browser.authorizeSilently({ scope: "read" }), "consent_required");
  assertEquals(await browser.authorizeSilently({ scope: "write" }), "code");
  const attacker = openBrowser(b);
  const page = await logIn(attacker, "bob", { scope: "read" });
  await submit(attacker, page, "decision", "allow", {}, ["read"]);
  assertEquals(await listed(attacker), []);
});

test("[UI-11] a public client on loopback or with a private-use scheme needs consent every time", async () => {
  const b = await testServer(severalUsers);
  await forEachCase(
    ["http://127.0.0.1:4711/cb", "http://localhost:4711/cb", "com.example.app:/cb"],
    async (redirect_uri) => {
      const browser = openBrowser(b);
      const fields = { client_id: "native", redirect_uri };
      const consent = await logIn(browser, "alice", fields);
      assertEquals(describePage(consent), "consent");
      assertAuthorizationResponse((await submit(browser, consent, "decision", "allow")).response, {
        uri: redirect_uri,
      });
      assertEquals(describePage(await requestAuthorization(browser, fields)), "consent");
      assertEquals(await browser.authorizeSilently(fields), "consent_required");
    },
  );
  const browser = openBrowser(b);
  const web = { client_id: "web", redirect_uri: "http://localhost:3000/cb" };
  await logInAndAllow(browser, "alice", web);
  assertEquals(describePage(await requestAuthorization(browser, web)), "code");
});

test("[UI-11] a consent does not cover a redirect URI of strangers that nobody registered", async () => {
  for (const accepted of [{ redirectUris: "any" }, { clients: "any" }] as const) {
    const { clients: _, ...others } = severalUsers;
    const b = await testServer({ ...("clients" in accepted ? others : severalUsers), ...accepted });
    const browser = openBrowser(b);
    const web = { client_id: "web", redirect_uri: "http://localhost:3000/cb" };
    const first = await logIn(browser, "alice", web);
    if (describePage(first) === "consent") await submit(browser, first, "decision", "allow");
    assertEquals(describePage(await requestAuthorization(browser, web)), "code");
    const foreign = { ...web, redirect_uri: "https://evil.example/cb" };
    for (const _ of "12") {
      const asked = await requestAuthorization(browser, foreign);
      assertEquals(describePage(asked), "consent");
      await submit(browser, asked, "decision", "allow");
    }
    assertEquals(await browser.authorizeSilently(foreign), "consent_required");
  }
});

test("[OI-09] offline_access is granted only by consent, and left out if unchecked", async () => {
  const b = await testServer({ ...severalUsers, refresh: { onlyOffline: true } });
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice", { scope: "openid read" });
  const offline = { scope: "openid read offline_access" };
  assertEquals(await browser.authorizeSilently(offline), "consent_required");
  const consent = await requestAuthorization(browser, offline);
  assertEquals(describePage(consent), "consent");
  const without = await tokens(b, getCode(await submit(browser, consent, "decision", "allow", {}, ["offline_access"])));
  assertEquals([without.scope, without.refresh_token], ["openid read", undefined] as unknown[]);
  const with_ = await tokens(
    b,
    getCode(await submit(browser, await requestAuthorization(browser, offline), "decision", "allow")),
  );
  assertEquals([with_.scope, typeof with_.refresh_token], [offline.scope, "string"]);
});

test("[OI-08] claims requested by name are shown and remembered, and removed with a denied scope value", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const claims = { scope: "openid read", claims: '{"userinfo":{"birthdate":null,"email":null}}' };
  const info = async (code: string) => {
    const { access_token } = await tokens(b, code);
    return await (await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } })).json();
  };
  const consent = await logIn(browser, "alice", claims);
  assertStringIncludes(consent.text, "birthdate and email");
  const all = { sub: "alice", birthdate: "1990-01-02", email: "alice@example.com" };
  assertEquals(await info(getCode(await submit(browser, consent, "decision", "allow"))), all);
  assertEquals(await info(getCode(await requestAuthorization(browser, claims))), all);
  assertEquals(
    describePage(await requestAuthorization(browser, { ...claims, claims: '{"userinfo":{"gender":null}}' })),
    "consent",
  );
  const page = await requestAuthorization(browser, { ...claims, scope: "openid email", prompt: "consent" });
  const less = await submit(browser, page, "decision", "allow", {}, ["email"]);
  assertEquals(await info(getCode(less)), { sub: "alice", birthdate: "1990-01-02" });
});

test("[UI-16] consents are listed per client, and revoking one revokes its refresh tokens and asks again", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const scope = "openid read offline_access";
  const mine = await tokens(b, getCode(await logInAndAllow(browser, "alice", { scope })));
  const later = await tokens(b, getCode(await requestAuthorization(browser, { scope })));
  const code = getCode(await requestAuthorization(browser, { scope }));
  const kept = getCode(
    await submit(browser, await requestAuthorization(browser, { ...other, scope }), "decision", "allow"),
  );
  const others = await tokens(b, kept, other);
  const bobs = await tokens(b, getCode(await logInAndAllow(openBrowser(b), "bob", { scope })));

  const account = await openPage(browser, "/account", await browser.get("/account"));
  for (const word of ["Alice Adams", "The shop", scope, "other"]) assertStringIncludes(account.text, word);
  assertEquals(account.forms.map(({ controls }) => controls.find(({ name }) => name === "client_id")!.value), [
    "spa",
    "other",
  ]);
  const after = await submit(browser, account, "");
  assertEquals([after.path, after.text.includes("The shop")], ["/account", false]);

  for (const { refresh_token } of [mine, later]) {
    assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
  }
  assertEquals(await getOutcome(await b.token({ code })), "400 invalid_grant");
  assertEquals(await browser.authorizeSilently({ scope }), "consent_required");
  assertEquals((await refresh(b, others.refresh_token, { client_id: "other" })).status, 200);
  assertEquals((await refresh(b, bobs.refresh_token)).status, 200);

  // The later consent is new.
  const again = await tokens(
    b,
    getCode(await submit(browser, await requestAuthorization(browser, { scope }), "decision", "allow")),
  );
  assertEquals((await refresh(b, again.refresh_token)).status, 200);
  assertEquals(await getOutcome(await refresh(b, mine.refresh_token)), "400 invalid_grant");
});

test("[UI-16] a refresh token of a revoked consent is inactive, even after rotation", async () => {
  const clients = [{ ...severalUsers.clients![0]!, client_secret: "spa-secret" }];
  const b = await testServer({ ...severalUsers, clients });
  const browser = openBrowser(b);
  const headers = basic("spa", "spa-secret");
  const fields = { client_id: undefined };
  const result = await b.token({ code: getCode(await logInAndAllow(browser, "alice")), ...fields }, { headers });
  const { refresh_token } = await assertTokenResponse(result) as unknown as { refresh_token: string };
  const introspect = async () => {
    const response = await b.post("/oauth2/introspect", { token: refresh_token }, headers);
    return (await response.json()).active;
  };
  assertEquals(await introspect(), true);
  await submit(browser, await openPage(browser, "/account", await browser.get("/account")), "");
  assertEquals(await introspect(), false);
});

const day = 24 * 3600;
const lasting = { scope: "openid read offline_access" };

test("[UI-16] tokens issued late by a silent login are still revoked with the consent", async () => {
  const b = await testServer(severalUsers);
  await logInAndAllow(openBrowser(b), "alice", lasting);
  b.advance(29 * day);
  const browser = openBrowser(b);
  const late = await tokens(b, getCode(await logIn(browser, "alice", lasting)));
  b.advance(2 * day);
  const renewed = openBrowser(b);
  assertEquals(describePage(await logIn(renewed, "alice", lasting)), "consent");
  assertEquals(await listed(renewed), ["spa"]);
  const { refresh_token } = await (await refresh(b, late.refresh_token)).json();
  await submit(renewed, await accountOf(renewed), "");
  assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
  b.advance(20 * day);
  assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
});

test("[UI-16] a later consent merges with the earlier one: revoking it revokes tokens of both", async () => {
  const b = await testServer(severalUsers);
  await logInAndAllow(openBrowser(b), "alice", { scope: "openid read write offline_access" });
  b.advance(29 * day);
  const late = await tokens(b, getCode(await logIn(openBrowser(b), "alice", lasting)));
  b.advance(2 * day);
  const browser = openBrowser(b);
  const page = await logIn(browser, "alice", lasting);
  assert(!page.text.includes("allowed before"));
  const newest = await tokens(b, getCode(await submit(browser, page, "decision", "allow")));
  // Of what was allowed so long ago nothing is left to build on.
  assertEquals(await browser.authorizeSilently({ scope: "write" }), "consent_required");
  await submit(browser, await accountOf(browser), "");
  for (const { refresh_token } of [late, newest]) {
    assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
  }
  assertEquals(await listed(browser), []);
  const again = await tokens(b, await allow(browser, lasting));
  assertEquals((await refresh(b, again.refresh_token)).status, 200);
});

test("[UI-16] a refresh token that would outlive the consent record needs a new consent", async () => {
  const store = memoryStore();
  const b = await testServer({ ...severalUsers, store });
  await logInAndAllow(openBrowser(b), "alice", lasting);
  const longer = await testServer({ ...severalUsers, store, lifetimes: { refresh_token: 90 * day } });
  const browser = openBrowser(longer);
  assertEquals(describePage(await logIn(browser, "alice", lasting)), "consent");
  const shorter = await testServer({ ...severalUsers, store, lifetimes: { refresh_token: day } });
  assertEquals(describePage(await logIn(openBrowser(shorter), "alice", lasting)), "code");
});

test("[UI-16] consents are not evicted for space, because unlisted consents could not be revoked", async () => {
  const clients = Array.from({ length: 5 }, (_, i) => ({ ...severalUsers.clients![0]!, client_id: `spa${i}` }));
  const b = await testServer({ ...severalUsers, clients, store: memoryStore({ maxRecords: 3 }) });
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice", { ...lasting, client_id: "spa0" });
  for (const { client_id } of clients.slice(1)) await allow(browser, { ...lasting, client_id });
  assertEquals(await listed(browser), clients.map(({ client_id }) => client_id));
});

/** The same store, with something that happens before a call of one kind. */
function interrupted(
  store: Store,
  before: (verb: "write" | "revoke", kind: string) => Promise<unknown> | undefined,
): Store {
  return observedStore(store, (verb, [kind]) => {
    if (verb === "revoke") return before("revoke", "revocation");
    return ["put", "add", "replace"].includes(verb) ? before("write", kind as string) : undefined;
  });
}

test("[UI-16] revoking during Allow revokes the earlier tokens and keeps the new consent", async () => {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const store = interrupted(memoryStore(), (verb, kind) => {
    const now = verb === "write" && kind === "consent" ? meanwhile : undefined;
    if (now !== undefined) meanwhile = undefined;
    return now?.();
  });
  const b = await testServer({ ...severalUsers, store });
  const browser = openBrowser(b);
  const before = await tokens(b, getCode(await logInAndAllow(browser, "alice", lasting)));
  const page = await requestAuthorization(browser, { ...lasting, scope: "openid write offline_access" });
  const account = await accountOf(browser);
  meanwhile = () => submit(browser, account, "");
  const after = await tokens(b, getCode(await submit(browser, page, "decision", "allow")));
  assertEquals(await getOutcome(await refresh(b, before.refresh_token)), "400 invalid_grant");
  assertEquals(await browser.authorizeSilently({ scope: "read" }), "consent_required");
  assertEquals(await browser.authorizeSilently({ scope: "write" }), "code");
  const next = await refresh(b, after.refresh_token);
  assertEquals(next.status, 200);
  const { refresh_token } = await next.json();
  assertEquals(await listed(browser), ["spa"]);
  await submit(browser, await accountOf(browser), "");
  assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
});

test("[UI-16] a consent revoked while a silent login reads it counts as revoked", async () => {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const store = interrupted(memoryStore(), (verb, kind) => {
    const now = verb === "write" && kind === "code" ? meanwhile : undefined;
    if (now !== undefined) meanwhile = undefined;
    return now?.();
  });
  const b = await testServer({ ...severalUsers, store });
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice", lasting);
  const account = await accountOf(browser);
  meanwhile = () => submit(browser, account, "");
  const code = getCode(await requestAuthorization(browser, lasting));
  assertEquals(await getOutcome(await b.token({ code })), "400 invalid_grant");
  assertEquals(await browser.authorizeSilently(lasting), "consent_required");
});

test("[UI-16] revoking ends the consents of two windows that allow at the same time, now and later", async () => {
  let together: Promise<unknown>[] = [];
  let release = () => {};
  const store = interrupted(memoryStore(), (verb, kind) => {
    // The one that comes second writes again.
    if (verb !== "write" || kind !== "consent" || together.length === 2) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    together.push(promise);
    const former = release;
    release = () => (former(), resolve());
    if (together.length === 2) release();
    return promise;
  });
  const b = await testServer({ ...severalUsers, store });
  const browser = openBrowser(b);
  const first = await logIn(browser, "alice", lasting);
  for (let page = first, round = 0; round < 2; round++, page = await requestAuthorization(browser, lasting)) {
    const second = await requestAuthorization(browser, lasting);
    together = [];
    release = () => {};
    const ends = await Promise.all([page, second].map((one) => submit(browser, one, "decision", "allow")));
    const both = [await tokens(b, getCode(ends[0]!)), await tokens(b, getCode(ends[1]!))];
    await submit(browser, await accountOf(browser), "");
    for (const { refresh_token } of both) {
      assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_grant");
    }
  }
});

test("[UI-04, UI-16] only the account page revokes a consent, and only for the logged-in user", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice");
  const account = await openPage(browser, "/account", await browser.get("/account"));
  const { path, fields } = fillForm(account, "");
  const bobs = openBrowser(b);
  await logInAndAllow(bobs, "bob");
  const foreign = fillForm(await openPage(bobs, "/account", await bobs.get("/account")), "").fields.get("form_token")!;
  for (const token of [undefined, "x", foreign]) {
    const forged = new URLSearchParams(fields);
    forged.delete("form_token");
    if (token !== undefined) forged.set("form_token", token);
    await assertPage(await send(browser, path, forged), 403);
  }
  await assertPage(await send(browser, path, fields, { "sec-fetch-site": "cross-site" }), 403);
  await assertPage(await send(openBrowser(b), path, fields), 403);
  assertEquals(await browser.authorizeSilently(), "code");
  const unknown = new URLSearchParams(fields);
  unknown.set("client_id", "unknown");
  assertEquals((await send(browser, path, unknown)).status, 303);
  const anonymous = await openPage(openBrowser(b), "/account", await b.get("/account"));
  assertStringIncludes(anonymous.text, "You are not logged in");
});

test("[LO-05, UI-14] Allow issues no code after logout in another tab", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const consent = await logIn(browser, "alice");
  const logout = await openPage(browser, "/oauth2/logout", await browser.get("/oauth2/logout"));
  await submit(browser, logout, "");
  const late = await submit(browser, consent, "decision", "allow");
  assertEquals([late.status, late.location], [403, undefined]);
});

test("[FP-01] the response uses form_post if the client requested it, with its state", async () => {
  const b = await testServer(severalUsers);
  const browser = openBrowser(b);
  const end = await logInAndAllow(browser, "alice", { response_mode: "form_post", state: "a b&c" });
  const [form] = end.forms;
  assertEquals(form!.action, "https://spa.example/cb");
  const result = Object.fromEntries(form!.controls.map(({ name, value }) => [name, value]));
  assertEquals([result.state, result.iss], ["a b&c", "https://as.test"]);
  assertEquals(decodeClaims((await tokens(b, result.code!)).id_token).sub, "alice");
});

test("a recorder of passed checks sees why no consent was needed", async () => {
  const open: string[] = [];
  const b = await testServer({
    ...severalUsers,
    plugins: [{ extend: (server) => ({ ...server, passed: (rule) => open.push(rule) }) }],
  });
  const browser = openBrowser(b);
  await logInAndAllow(browser, "alice");
  for (const rule of ["UI-14", "UI-04"]) assert(open.includes(rule), rule);
  open.length = 0;
  await requestAuthorization(browser);
  for (const rule of ["OI-05", "UI-11"]) assert(open.includes(rule), rule);
});
