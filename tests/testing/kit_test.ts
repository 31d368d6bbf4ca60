/** The handles of the mock: creation, reset, listening, fetch, clock, user decisions and claim overrides. */

import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { decodeJwt } from "jose";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { customFetch, discovery, None } from "openid-client";
import { sqliteStore } from "../../src/platform/store/sqlite.ts";
import { createFetch } from "../../src/testing/fetch.ts";
import { p256KeyFrom } from "../../src/platform/runtime/p256_key.ts";
import { type Claims, faults, LogError, LoginError, type TestLatchkey } from "../../src/testing/mod.ts";
import type { ClaimOverrideContext } from "../../src/testing/claim_overrides.ts";
import { testLatchkey } from "./test_latchkey.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-kit-"));
after(() => rmSync(folder, { recursive: true }));

const json = async (response: Response | Promise<Response>) => await (await response).json();

function userinfo(as: TestLatchkey, token: string): Promise<Response> {
  return as.fetch("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } });
}

/** The address that sends a browser to log in as that client. */
function authorizeUrl(as: TestLatchkey, client: { client_id: string; redirect_uri: string }, more = ""): string {
  const challenge = "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256";
  const uri = encodeURIComponent(client.redirect_uri);
  return `${as.issuer}/oauth2/authorize?response_type=code&client_id=${client.client_id}&scope=read&state=s` +
    `&redirect_uri=${uri}&${challenge}${more}`;
}

/** The error of a rejected login. */
async function rejectionText(login: Promise<unknown>): Promise<string | undefined> {
  return (await assertRejects(() => login, LoginError)).error;
}

test("a mock server needs no options and no socket, and is strict", async () => {
  await using as = await testLatchkey();
  assertEquals(as.issuer, "https://latchkey.test");
  assertEquals((await json(as.fetch("/.well-known/openid-configuration"))).issuer, as.issuer);
  assertEquals(as.users.list().map((user) => user.sub), ["alice", "bob"]);
  assertEquals(as.clients.list(), []);
  const client = as.client();
  const { tokens, claims, code, verifier } = await as.logIn(client);
  assertEquals([claims!.iss, claims!.sub, claims!.aud], [as.issuer, "alice", client.client_id]);
  assertEquals((await json(userinfo(as, tokens.access_token))).name, "Alice Adams");
  const again = { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: client.redirect_uri };
  assertEquals(await rejectionText(as.token(client, again)), "invalid_grant");
  assertEquals((await userinfo(as, tokens.access_token)).status, 401);
});

test("servers in one process are independent", async () => {
  await using one = await testLatchkey();
  await using two = await testLatchkey();
  const client = one.client({ access_token_format: "opaque" });
  two.client({ access_token_format: "opaque" });
  const { tokens } = await one.logIn(client);
  one.users.delete("bob");
  one.decisions.loginAs("alice");
  one.clock.advance(60);
  one.on("token").once(faults.error("server_error"));
  assertEquals(two.users.list().length, 2);
  assert(two.clock.now() < one.clock.now());
  assertEquals(await rejectionText(two.refresh(client, tokens.refresh_token!)), "invalid_grant");
  assertEquals((await userinfo(two, tokens.access_token)).status, 401);
  assertEquals((await userinfo(one, tokens.access_token)).status, 200);
  assertEquals(await rejectionText(one.logIn(client)), "server_error");
});

test("a test client has the credentials for its authentication method", async () => {
  await using as = await testLatchkey();
  const open = as.client();
  assertEquals([open.client_id, open.token_endpoint_auth_method, open.client_secret], ["client-1", "none", undefined]);
  assertEquals(open.redirect_uri, "https://client.test/callback");
  const secret: string = as.client({ confidential: true }).client_secret;
  assertMatch(secret, /^[\w-]{43}$/);
  const machine = { grant_type: "client_credentials", scope: "read" };
  for (
    const token_endpoint_auth_method of ["client_secret_basic", "client_secret_post", "client_secret_jwt"] as const
  ) {
    assertEquals((await as.token(as.client({ token_endpoint_auth_method }), machine)).scope, "read");
  }
  const one = as.client({ token_endpoint_auth_method: "private_key_jwt" });
  const two = as.client({ token_endpoint_auth_method: "private_key_jwt" });
  assertNotEquals(one.private_jwk.d, two.private_jwk.d);
  assertEquals("d" in one.jwks!.keys[0]!, false);
  assertEquals((await as.token(one, machine)).scope, "read");
  assertEquals(await rejectionText(as.token({ ...one, private_jwk: two.private_jwk }, machine)), "invalid_client");
  await as.logIn(as.client({ redirect_uri: "http://127.0.0.1/cb", client_id: "mine", scope: "openid read" }));
  assertEquals(as.clients.find("mine")!.redirectUris, ["http://127.0.0.1/cb"]);
  as.clients.set({ client_id: "client-9", redirect_uris: ["https://a.test/"] });
  assertEquals([as.client().client_id, as.client().client_id], ["client-8", "client-10"]);
});

test("[CA-16] a confidential client without a registered method may use Basic or post; one with a method only that method", async () => {
  await using as = await testLatchkey();
  const ask = async (client: { client_id: string; client_secret: string }, way: "basic" | "post") => {
    const { client_id, client_secret } = client;
    const response = await as.fetch("/oauth2/token", {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        ...way === "post" && { client_id, client_secret },
      }),
      headers: way === "basic" ? { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` } : {},
    });
    return response.status;
  };
  const statuses = async (client: { client_id: string; client_secret: string }) => [
    await ask(client, "basic"),
    await ask(client, "post"),
  ];
  const { client_id, client_secret } = as.client({ confidential: true });
  assertEquals(await ask({ client_id, client_secret }, "basic"), 200);
  as.log.expectNoWarnings();
  assertEquals(await ask({ client_id, client_secret }, "post"), 200);
  assertThrows(() => as.log.expectNoWarnings(), LogError, "token_endpoint_auth_method");
  assertEquals(await statuses(as.client({ client_secret: "of its own" })), [200, 200]);
  assertEquals(await statuses(as.client({ token_endpoint_auth_method: "client_secret_basic" })), [200, 401]);
  assertEquals(await statuses(as.client({ token_endpoint_auth_method: "client_secret_post" })), [401, 200]);
  assertEquals(as.client({ confidential: true }).token_endpoint_auth_method, "client_secret_basic");
});

test("contradictory options of a client are rejected", async () => {
  await using as = await testLatchkey();
  assertThrows(
    () => as.client({ confidential: true, token_endpoint_auth_method: "none" as never }),
    TypeError,
    "expected a method for a confidential client, received none",
  );
  assertThrows(
    () => as.client({ confidential: false, client_secret: "x" }),
    TypeError,
    "expected a method for a public client",
  );
  assertThrows(() => as.client({ redirect_uris: ["nowhere"] }), Error, "redirect_uris[0]");
  assertThrows(
    () => as.client({ token_endpoint_auth_method: "private_key_jwt", token_endpoint_auth_signing_alg: "PS256" }),
    TypeError,
    "expected ES256",
  );
});

test("a reset restores the initial state, except for the signing keys", async () => {
  await using as = await testLatchkey({ startsAt: "2026-05-01T00:00:00Z", users: [{ sub: "ann" }, { sub: "ben" }] });
  const keys = await json(as.fetch("/oauth2/jwks"));
  const agent = as.browser();
  const client = as.client();
  const { tokens } = await as.logIn(client, { browser: agent });
  assertEquals((await as.logIn(client, { browser: agent, prompt: "none" })).claims!.sub, "ann");
  as.users.delete("ann");
  as.users.set({ sub: "cid" });
  as.decisions.loginAs("cid");
  as.decisions.deny();
  as.issue.everyIdToken({ odd: true });
  as.clock.advance(1e6);
  as.clock.freeze();

  await as.reset();
  assertEquals(as.clients.list(), []);
  assertEquals(as.users.list().map((user) => user.sub), ["ann", "ben"]);
  assertEquals([as.clock.frozen, new Date(as.clock.now()).toISOString().slice(0, 15)], [false, "2026-05-01T00:0"]);
  assertEquals(as.log.exchanges, []);
  assertEquals(as.client().client_id, client.client_id);
  assertEquals(await rejectionText(as.refresh(client, tokens.refresh_token!)), "invalid_grant");
  assertEquals(await rejectionText(as.logIn(client, { browser: agent, prompt: "none" })), "login_required");
  const { claims } = await as.logIn(client);
  assertEquals([claims!.sub, "odd" in claims!], ["ann", false]);
  assertEquals(await json(as.fetch("/oauth2/jwks")), keys);
});

test("a reset with keep preserves clients and users, and nothing else", async () => {
  for (const seed of [undefined, "keep"]) {
    await using as = await testLatchkey({ seed });
    const client = as.client({ confidential: true });
    as.users.set({ sub: "cid" });
    const { tokens } = await as.logIn(client, { as: "cid" });
    await as.reset({ keep: ["clients"] });
    assertEquals(as.clients.list().map(({ id }) => id), [client.client_id]);
    assertEquals(as.users.list().map(({ sub }) => sub), ["alice", "bob"]);
    assertEquals(as.log.exchanges, []);
    assertEquals(await rejectionText(as.refresh(client, tokens.refresh_token!)), "invalid_grant");
    const other = as.client({ confidential: true });
    assertNotEquals([other.client_id, other.client_secret], [client.client_id, client.client_secret]);
    assertNotEquals(other.client_secret, client.client_secret);
    assertEquals((await as.logIn(client)).claims!.sub, "alice");

    as.users.set({ sub: "cid" });
    await as.reset({ keep: ["clients", "users"] });
    assertEquals(as.clients.list().length, 2);
    assertEquals(as.users.list().map(({ sub }) => sub), ["alice", "bob", "cid"]);
    await as.reset({ keep: ["users"] });
    assertEquals([as.clients.list(), as.users.list().length], [[], 3]);
    await as.reset({ keep: [] });
    assertEquals(as.users.list().length, 2);
    const misspelt = ["client"] as unknown as ["clients"];
    await assertRejects(() => as.reset({ keep: misspelt }), TypeError, 'received ["client"]');
    const bare = "clients" as unknown as ["clients"];
    await assertRejects(
      () => as.reset({ keep: bare }),
      TypeError,
      'a list of "clients" and "users", received "clients"',
    );
  }
});

test("[AZ-02, CA-07] the rejection of a client that a reset removed says so; for a client that never existed it does not", async () => {
  await using as = await testLatchkey({ clients: [{ client_id: "api", client_secret: "x", grant_types: [] }] });
  const clients = [
    as.client(),
    as.client({ confidential: true }),
    as.client({ token_endpoint_auth_method: "private_key_jwt" }),
  ];
  await as.reset();
  const gone = "a client of this id existed until reset()";
  for (const client of clients) {
    await assertRejects(() => as.logIn(client), LoginError, gone);
    await as.refresh(client, "x").catch(() => {});
    assertEquals(as.log.last("token").rejection!.explanation.earlier, gone);
  }
  as.client({ client_id: "removed" });
  as.clients.delete("removed");
  for (
    const [client_id, earlier] of [["removed", "a client of this id existed until its removal"], ["never"]] as const
  ) {
    const form = { grant_type: "client_credentials", client_id: client_id! };
    await as.fetch("/oauth2/token", { method: "POST", body: new URLSearchParams(form) });
    assertEquals(as.log.last("token").rejection!.explanation.earlier, earlier);
  }
});

test("a reset clears code challenges, so that two tests may use the same one", async () => {
  const warnings: unknown[] = [];
  await using as = await testLatchkey({ trace: (event) => event.type === "warning" && warnings.push(event) });
  for (const expected of [0, 1]) {
    const client = as.client();
    await as.fetch(authorizeUrl(as, client));
    assertEquals(warnings.length, 0);
    if (expected === 0) await as.reset();
    else {
      await as.fetch(authorizeUrl(as, client));
      assertEquals(warnings.length, 1);
    }
  }
});

test("a reset clears a persistent store, except for the keys", async () => {
  await using as = await testLatchkey({ store: sqliteStore(join(folder, "reset.db")) });
  const client = as.client();
  const { tokens } = await as.logIn(client);
  const keys = await json(as.fetch("/oauth2/jwks"));
  await as.reset();
  as.client();
  assertEquals(await rejectionText(as.refresh(client, tokens.refresh_token!)), "invalid_grant");
  await as.logIn(client);
  assertEquals(await json(as.fetch("/oauth2/jwks")), keys);
});

test("a reset removes the clients and users of a persistent store, and restores the configured ones", async () => {
  await using as = await testLatchkey({
    ...{ seed: 1, store: sqliteStore(join(folder, "restored.db")), users: [{ sub: "alice" }, { sub: "bob" }] },
    clients: [{ client_id: "web", redirect_uris: ["https://web.example/cb"] }],
  });
  const getAll = async () => [
    (await as.clients.list()).map(({ id, redirectUris }) => [id, ...redirectUris]),
    (await as.users.list()).map(({ sub }) => sub),
    [await as.clients.find("late"), await as.users.find("carol")],
    [as.clients.known().size, as.users.known().size],
  ];
  const initial = await getAll();
  await as.clients.set({ client_id: "web", redirect_uris: ["https://moved.example/cb"] });
  await as.clients.set({ client_id: "late", redirect_uris: ["https://late.example/cb"] });
  await as.users.set({ sub: "carol" });
  await as.users.makeDefault("carol");
  await as.users.delete("alice");
  assertEquals((await getAll())[1], ["carol", "bob"]);
  await as.reset();
  assertEquals(await getAll(), initial);
});

test("listening picks a free port, the issuer follows, and clients registered before keep working", async () => {
  await using as = await testLatchkey();
  await using other = await testLatchkey();
  const client = as.client();
  const { url } = await as.listen();
  assertNotEquals((await other.listen()).url, url);
  assertEquals(as.issuer, url);
  const metadata = await json(fetch(`${url}/.well-known/openid-configuration`));
  assertEquals(metadata.issuer, url);
  const sent = await fetch(authorizeUrl(as, client), { redirect: "manual" });
  assertMatch(sent.headers.get("location")!, /^https:\/\/client\.test\/callback\?code=/);
  const { tokens, claims } = await as.logIn(client);
  assertEquals(claims!.iss, url);
  const socket = await fetch(metadata.userinfo_endpoint, {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  assertEquals((await socket.json()).sub, "alice");
  await as.reset();
  assertEquals(as.issuer, url);
});

test("an issuer from the options stays when the server listens", async () => {
  await using as = await testLatchkey({ issuer: "https://login.example" });
  const { url } = await as.listen();
  assertMatch(url, /^http:\/\/localhost:\d+$/);
  assertEquals((await json(fetch(`${url}/.well-known/openid-configuration`))).issuer, "https://login.example");
});

test("fetch takes the arguments of the global fetch, and a path", async () => {
  await using as = await testLatchkey({ issuer: "https://latchkey.test/tenant" });
  const url = `${as.issuer}/.well-known/openid-configuration`;
  const basic = { headers: { "x-odd": "1" }, method: "GET" };
  for (const input of [url, new URL(url), new Request(url), "/tenant/.well-known/openid-configuration"]) {
    const response = await as.fetch(input, basic);
    assertEquals([response.status, response.url, response.redirected], [200, url, false]);
  }
  const client = as.client({ confidential: true });
  const body = new URLSearchParams({ grant_type: "client_credentials", scope: "read" });
  const authorization = `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`;
  const request = new Request(`${as.issuer}/oauth2/token`, { method: "POST", body, headers: { authorization } });
  assertEquals((await as.fetch(request)).status, 200);
  assertEquals((await as.fetch(`${as.issuer}/oauth2/token`, { method: "POST", body })).status, 401);
  await assertRejects(() => as.fetch("https://"), TypeError);
  const standard: typeof fetch = as.fetch;
  const library = await discovery(new URL(as.issuer), "any", undefined, None(), { [customFetch]: as.fetch });
  assertEquals([standard, library.serverMetadata().issuer], [as.fetch, as.issuer]);
});

test("fetch follows redirects within the server, and returns redirects that leave it", async () => {
  await using as = await testLatchkey();
  const away = as.client();
  const home = as.client({ redirect_uri: `${as.issuer}/authorized` });
  const sent = await as.fetch(authorizeUrl(as, away));
  assertEquals([sent.status, sent.redirected], [302, false]);
  assertMatch(sent.headers.get("location")!, /^https:\/\/client\.test\/callback\?/);

  const landed = await as.fetch(authorizeUrl(as, home));
  assertEquals([landed.status, landed.redirected, new URL(landed.url).pathname], [200, true, "/authorized"]);
  const manual = await as.fetch(authorizeUrl(as, home), { redirect: "manual" });
  assertEquals([manual.status, manual.redirected], [302, false]);
  assertEquals((await as.fetch(new Request(authorizeUrl(as, home), { redirect: "manual" }))).status, 302);
  await assertRejects(() => as.fetch(authorizeUrl(as, away), { redirect: "error" }), TypeError, "redirects");

  const [path, query] = authorizeUrl(as, home).split("?") as [string, string];
  const posted = await as.fetch(path, { method: "POST", body: new URLSearchParams(query) });
  assertEquals([posted.status, posted.redirected], [200, true]);
});

test("fetch sends credentials to no other origin when it follows a redirect", async () => {
  const sent: string[] = [];
  const urls = { issuer: () => "https://as.test", origins: () => ["https://as.test", "https://api.test"] };
  const targets: Record<string, string> = { "/away": "https://api.test/end", "/on": "https://as.test/end" };
  const fetch = createFetch(urls, ({ url, method, headers }) => {
    const names = ["authorization", "cookie", "x-other"].filter((name) => headers.has(name));
    sent.push(`${method} ${url} ${names}`);
    const location = targets[new URL(url).pathname];
    return Promise.resolve(new Response(null, { status: location ? 307 : 200, headers: location ? { location } : {} }));
  });
  const headers = { authorization: "Bearer secret", cookie: "a=b", "x-other": "c" };
  for (const [path, method] of [["/away", "GET"], ["/away", "POST"], ["/on", "GET"]] as const) {
    await fetch(`https://as.test${path}`, { method, headers });
  }
  assertEquals(sent, [
    "GET https://as.test/away authorization,cookie,x-other",
    "GET https://api.test/end x-other",
    "POST https://as.test/away authorization,cookie,x-other",
    "POST https://api.test/end x-other",
    "GET https://as.test/on authorization,cookie,x-other",
    "GET https://as.test/end authorization,cookie,x-other",
  ]);
});

test("fetch rejects when its signal is aborted, before the request or before the response", async () => {
  await using as = await testLatchkey();
  as.on("discovery").once(faults.hang());
  const ending = new AbortController();
  const asked = as.fetch("/.well-known/openid-configuration", { signal: ending.signal });
  ending.abort(new Error("enough"));
  await assertRejects(() => asked, Error, "enough");
  let reached = 0;
  await using deaf = await testLatchkey({ plugins: [{ handle: (next) => (reached++, next) }] });
  reached = 0;
  await assertRejects(() => deaf.fetch("/", { signal: AbortSignal.abort() }), DOMException);
  assertEquals(reached, 0);
});

test("an installed fetch applies to one origin; several can be installed and removed in any order", async () => {
  const before = globalThis.fetch;
  const elsewhere: string[] = [];
  const outside = ((input: string) => {
    elsewhere.push(String(input));
    return Promise.resolve(new Response("outside"));
  }) as typeof fetch;
  globalThis.fetch = outside;
  try {
    await using one = await testLatchkey({ issuer: "https://one.test" });
    await using two = await testLatchkey({ issuer: "https://two.test" });
    const issuerAt = async (host: string) => {
      const response = await fetch(`https://${host}/.well-known/openid-configuration`);
      return response.headers.get("content-type")?.startsWith("application/json")
        ? (await response.json()).issuer
        : await response.text();
    };
    const first = one.installFetch();
    const second = two.installFetch();
    assertEquals(await issuerAt("one.test"), one.issuer);
    assertEquals(await issuerAt("two.test"), two.issuer);
    assertEquals(await issuerAt("api.test"), "outside");
    assertEquals(await (await one.fetch("https://api.test/x")).text(), "outside");
    first.uninstall();
    assertEquals(await issuerAt("one.test"), "outside");
    assertEquals(await issuerAt("two.test"), two.issuer);
    second.uninstall();
    second.uninstall();
    assertEquals(globalThis.fetch, outside);
    {
      using _ = one.installFetch();
      assertEquals(await issuerAt("one.test"), one.issuer);
    }
    assertEquals(globalThis.fetch, outside);
    one.installFetch();
    two.installFetch();
    await two.close();
    await one.close();
    assertEquals(globalThis.fetch, outside);
    assertEquals(elsewhere.length, 3);
  } finally {
    globalThis.fetch = before;
  }
});

test("of two installed fetches for one origin, the later one responds while it is installed", async () => {
  await using one = await testLatchkey();
  await using two = await testLatchkey({ scopes: ["openid", "two"] });
  const scopes = async () =>
    (await json(fetch("https://latchkey.test/.well-known/openid-configuration"))).scopes_supported;
  using _ = one.installFetch();
  const usual = await scopes();
  using later = two.installFetch();
  assertEquals(await scopes(), ["openid", "two"]);
  later.uninstall();
  assertEquals(await scopes(), usual);
});

test("a removed fetch below an installed one passes every request through", async () => {
  const before = globalThis.fetch;
  await using as = await testLatchkey();
  const mine = as.installFetch();
  const covered = globalThis.fetch;
  globalThis.fetch = ((input, init) => covered(input, init)) as typeof fetch;
  try {
    assertEquals((await fetch(`${as.issuer}/oauth2/jwks`)).status, 200);
    mine.uninstall();
    await assertRejects(() => fetch(`${as.issuer}/oauth2/jwks`));
  } finally {
    globalThis.fetch = before;
  }
});

test("the clock reaches codes, tokens, sessions and assertions, each to the second", async () => {
  await using as = await testLatchkey({ lifetimes: { code: 60, access_token: 600, session: 900 } });
  as.clock.freeze();
  const client = as.client();
  const agent = as.browser();
  const verifier = "a".repeat(43);
  const exchangeCode = async (code: string) =>
    await as.token(client, {
      grant_type: "authorization_code",
      code,
      code_verifier: verifier,
      redirect_uri: client.redirect_uri,
    });
  const [early, late] = [await as.mint.code({ client, verifier }), await as.mint.code({ client, verifier })];
  const { tokens, claims } = await as.logIn(client, { browser: agent });
  assertEquals(tokens.expires_in, 600);
  assertEquals(claims!.iat, Math.floor(as.clock.now() / 1000));
  as.clock.advance(59);
  await exchangeCode(early);
  as.clock.advance(1);
  assertEquals(await rejectionText(exchangeCode(late)), "invalid_grant");
  as.clock.set(Number(claims!.iat) * 1000 + 599_999);
  assertEquals((await userinfo(as, tokens.access_token)).status, 200);
  as.clock.set(Number(claims!.iat) * 1000 + 600_000);
  assertEquals((await userinfo(as, tokens.access_token)).status, 401);
  await as.logIn(client, { browser: agent, prompt: "none" });
  as.clock.advance(301);
  assertEquals(await rejectionText(as.logIn(client, { browser: agent, prompt: "none" })), "login_required");

  // The assertion that goes with a token request is made by the server's clock too.
  const machine = as.client({ token_endpoint_auth_method: "private_key_jwt" });
  await as.token(machine, { grant_type: "client_credentials", scope: "read" });
  const hour = 3600;
  as.clock.advance(24 * hour);
  await as.token(machine, { grant_type: "client_credentials", scope: "read" });
});

test("a moment without a zone is in UTC wherever one is read, and a text whose zone is unknown is rejected", async () => {
  const zone = process.env.TZ;
  try {
    process.env.TZ = "America/New_York";
    const midnight = Date.UTC(2027, 0, 1);
    for (
      const moment of ["2027", "2027-01", "2027-01-01", "2027-01-01T00:00", "2027-01-01 00:00", "2027-01-01T00:00:00"]
        .concat(
          "2027-01-01T00:00:00.000",
          "2027-01-01T00:00Z",
          "2026-12-31T19:00-05:00",
          "Fri, 01 Jan 2027 00:00:00 GMT",
        )
    ) {
      await using as = await testLatchkey({ startsAt: moment, control: true });
      as.clock.freeze(moment);
      assertEquals(as.clock.now(), midnight, moment);
      as.clock.set(0);
      as.clock.set(moment);
      assertEquals(as.clock.now(), midnight, moment);
      await using tenant = await as.tenant({ startsAt: moment });
      assertEquals(Math.floor(tenant.clock.now() / 60_000) * 60_000, midnight, moment);
      const control = (path: string, body: object) =>
        as.fetch(
          new Request(`${as.issuer}/_control/${path}`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
          }),
        );
      assertEquals((await control("clock/set", { time: moment })).status, 200);
      assertEquals(as.clock.now(), midnight, moment);
      const minted = await (await control("mint/idToken", { authTime: moment })).json();
      assertEquals(decodeJwt(minted.token).auth_time, midnight / 1000, moment);
    }
    await using as = await testLatchkey();
    for (
      const moment of ["January 1, 2027", "1/1/2027", "2027-01-01T00:00 EST5", "01 Jan 2027 00:00", "2027-1-1", "0"]
    ) {
      assertThrows(() => as.clock.set(moment), RangeError, `received ${moment}`);
      await assertRejects(() => testLatchkey({ startsAt: moment }), RangeError);
    }
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    new Date();
  }
});

test("the clock runs with the system clock unless it is frozen; it can be set, and rejects invalid times", async () => {
  let machine = Date.UTC(2026, 0, 1);
  await using as = await testLatchkey({ now: () => machine });
  const { clock } = as;
  const at = () => new Date(clock.now()).toISOString().slice(11, 23);
  assertEquals(at(), "00:00:00.000");
  machine += 1000;
  assertEquals(at(), "00:00:01.000");
  clock.advance(59);
  assertEquals(at(), "00:01:00.000");
  clock.freeze();
  machine += 5000;
  assertEquals([at(), clock.frozen], ["00:01:00.000", true]);
  clock.advance(-0.5);
  assertEquals(at(), "00:00:59.500");
  clock.resume();
  machine += 500;
  assertEquals([at(), clock.frozen], ["00:01:00.000", false]);
  clock.set("2026-01-01T12:00:00Z");
  machine += 1;
  assertEquals(at(), "12:00:00.001");
  clock.freeze(new Date(Date.UTC(2027, 0, 1, 1)));
  assertEquals(at(), "01:00:00.000");
  assertThrows(() => clock.advance(NaN), RangeError, "received NaN");
  // @ts-expect-error A program without types may pass text.
  assertThrows(() => clock.advance("60"), RangeError, 'a number of seconds, received "60"');
  assertThrows(() => clock.set("tomorrow"), RangeError, "received tomorrow");
  await assertRejects(() => testLatchkey({ startsAt: NaN }), RangeError);
  assertThrows(() => clock.advance(9e12), RangeError, "expected a time in the years 1970 to 9999");
  assertThrows(() => clock.set(-1), RangeError, "received 1969-12-31T23:59:59.999Z");
  assertThrows(() => clock.freeze("+010000-01-01T00:00:00Z"), RangeError, "received +010000-01-01");
  assertEquals(at(), "01:00:00.000");
});

test("decisions: the next user, the default user, denial, and a limited scope", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const sub = async () => (await as.logIn(client)).claims!.sub;
  as.decisions.loginNext("bob");
  assertEquals([await sub(), await sub()], ["bob", "alice"]);
  as.decisions.loginAs("bob");
  as.decisions.loginNext("alice");
  assertEquals([await sub(), await sub(), await sub()], ["alice", "bob", "bob"]);
  as.decisions.deny("bob");
  assertEquals(await rejectionText(as.logIn(client)), "access_denied");
  assertEquals((await as.logIn(client, { as: "alice" })).claims!.sub, "alice");
  as.decisions.allowAll("bob");
  as.decisions.limitScope("bob", "openid email");
  assertEquals((await as.logIn(client, { scope: "openid profile email read" })).tokens.scope, "openid email");
  assertEquals(await rejectionText(as.logIn(client, { scope: "read" })), "access_denied");
  as.decisions.deny();
  assertEquals(await rejectionText(as.logIn(client, { as: "alice" })), "access_denied");
  as.decisions.allowAll();
  assertEquals((await as.logIn(client, { scope: "openid read" })).tokens.scope, "openid read");
  assertThrows(() => as.decisions.loginNext("unknown"), TypeError, `no user "unknown". Its users: alice, bob.`);
  assertThrows(() => as.decisions.deny("unknown"), TypeError);
});

test("[OI-06] a login_hint that names no user is rejected, unless the option says otherwise", async () => {
  const hint = { login_hint: "carol" };
  for (
    const [unknownLoginHint, expected] of [[undefined, "invalid_request"], ["default", "alice"], [
      "create",
      "carol",
    ]] as const
  ) {
    await using as = await testLatchkey({ ...unknownLoginHint && { unknownLoginHint } });
    const client = as.client();
    const login = as.logIn(client, { scope: "openid", authorization: hint });
    const received = await login.then(({ claims }) => claims!.sub, ({ error }) => error);
    assertEquals(received, expected);
    if (unknownLoginHint !== undefined) continue;
    as.log.expect("authorize").rejected("invalid_request", "OI-06");
    const { claims } = await as.logIn(client, { scope: "openid", authorization: { login_hint: "bob@example.com" } });
    assertEquals(claims?.sub, "bob");
    as.decisions.loginNext("bob");
    assertEquals((await as.logIn(client, { scope: "openid", authorization: hint })).claims?.sub, "bob");
  }
});

test("[AR-05] the mock logs in without iss where its metadata does not announce it", async () => {
  await using as = await testLatchkey({ metadata: { authorization_response_iss_parameter_supported: false } });
  const { callback, tokens } = await as.logIn(as.client());
  assertEquals([callback.iss, tokens.token_type], [undefined, "Bearer"]);
});

test("a login as an unknown user names the users of the server, and the call that adds one", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const { error, message } = await assertRejects(() => as.logIn(client, { as: "carol" }), LoginError);
  assertEquals(error, "access_denied");
  assertMatch(message, /expected: +alice or bob\n.*received: +carol\n.*as\.users\.set\(\{ sub: "carol" \}\)/);
  as.users.set({ sub: "carol" });
  assertEquals((await as.logIn(client, { as: "carol" })).claims!.sub, "carol");
});

test("[OI-03, OI-07] decisions respect sessions: prompt=none uses no decision, and id_token_hint requires its user", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const agent = as.browser();
  as.decisions.loginNext("bob");
  assertEquals(await rejectionText(as.logIn(client, { browser: agent, prompt: "none" })), "login_required");
  const { tokens, claims } = await as.logIn(client, { browser: agent });
  assertEquals(claims!.sub, "bob");
  as.decisions.loginNext("alice");
  const silent = await as.logIn(client, { browser: agent, prompt: "none" });
  assertEquals([silent.claims!.sub, silent.claims!.sid], ["bob", claims!.sid]);
  const hinted = { browser: agent, authorization: { id_token_hint: tokens.id_token! } };
  assertEquals(await rejectionText(as.logIn(client, hinted)), "access_denied");
  as.decisions.loginNext("bob");
  assertEquals((await as.logIn(client, { browser: agent })).claims!.sid, claims!.sid);
  as.decisions.deny("bob");
  assertEquals(await rejectionText(as.logIn(client, { browser: agent, prompt: "none" })), "consent_required");
  as.decisions.allowAll();
  as.decisions.loginNext("alice");
  const switched = await as.logIn(client, { browser: agent, authorization: { login_hint: "bob" } });
  assertEquals(switched.claims!.sub, "alice");
  assertNotEquals(switched.claims!.sid, claims!.sid);
});

test("a custom approver decides where the test made no decision", async () => {
  await using as = await testLatchkey({
    approver: ({ scope }, { users, now }) => ({ user: users.known().get("bob")!, scope, authTime: now() }),
  });
  const client = as.client();
  assertEquals((await as.logIn(client)).claims!.sub, "bob");
  as.decisions.loginNext("alice");
  assertEquals((await as.logIn(client)).claims!.sub, "alice");
  as.decisions.deny("bob");
  assertEquals(await rejectionText(as.logIn(client)), "access_denied");
});

test("claim overrides change the next token or every token, and the signature is valid", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  as.issue.everyIdToken({ roles: ["user"], amr: ["pwd"] });
  as.issue.nextIdToken(({ roles, auth_time: _, ...claims }) => ({ ...claims, roles: [...roles as string[], "admin"] }));
  as.issue.nextIdToken({ amr: undefined });
  const [first, second, third] = [await as.logIn(client), await as.logIn(client), await as.logIn(client)];
  assertEquals([first.claims!.roles, first.claims!.auth_time], [["user", "admin"], undefined]);
  assertEquals([second.claims!.roles, "amr" in second.claims!], [["user"], false]);
  assertEquals(third.claims!.amr, ["pwd"]);

  as.issue.nextAccessToken({ tenant: "a", aud: [as.issuer, "https://api.test"] });
  const [shaped, plain] = [await as.logIn(client), await as.logIn(client)];
  assertEquals([decodeJwt(shaped.tokens.access_token).tenant, decodeJwt(shaped.tokens.access_token).aud], [
    "a",
    [as.issuer, "https://api.test"],
  ]);
  assertEquals("tenant" in decodeJwt(plain.tokens.access_token), false);
  assertEquals((await userinfo(as, shaped.tokens.access_token)).status, 200);
  assertEquals("tenant" in decodeJwt(await as.mint.accessToken({ client })), false);
});

test("[CC-03] userinfo rejects an access token that acts for no user, also with the scope openid", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const claims = { sub: client.client_id, sid: undefined, auth_time: undefined };
  const response = await userinfo(as, await as.mint.accessToken({ client, scope: "openid", claims }));
  assertEquals(response.status, 403);
  assertMatch(response.headers.get("www-authenticate")!, /error="insufficient_scope".*\[CC-03\]/);
});

test("claim overrides apply to opaque access tokens, whose expiry follows their claims", async () => {
  await using as = await testLatchkey();
  as.clock.freeze();
  const client = as.client({ confidential: true, access_token_format: "opaque" });
  as.issue.nextAccessToken(({ exp, ...claims }) => ({ ...claims, tenant: "a", exp: Number(exp) + 3600 }));
  const { tokens } = await as.logIn(client);
  const introspect = async () =>
    await json(as.fetch("/oauth2/introspect", {
      method: "POST",
      body: new URLSearchParams({ token: tokens.access_token }),
      headers: { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}` },
    }));
  assertEquals((await introspect()).tenant, "a");
  as.clock.advance(2 * 3600 - 1);
  assertEquals((await introspect()).active, true);
  as.clock.advance(1);
  assertEquals((await introspect()).active, false);
});

test("claim overrides apply to userinfo, plain and signed, and not to errors", async () => {
  await using as = await testLatchkey();
  const plain = (await as.logIn(as.client())).tokens.access_token;
  const signed = (await as.logIn(as.client({ userinfo_signed_response_alg: "ES256" }))).tokens.access_token;
  as.issue.nextUserinfo({ name: "Nemo", picture: "x" });
  assertEquals((await userinfo(as, "wrong")).status, 401);
  const result = await json(userinfo(as, plain));
  assertEquals([result.sub, result.name, result.picture], ["alice", "Nemo", "x"]);
  assertEquals((await json(userinfo(as, plain))).name, "Alice Adams");
  as.issue.everyUserinfo(() => ({ sub: "other" }));
  assertEquals(await json(userinfo(as, plain)), { sub: "other" });
  assertEquals(decodeJwt(await (await userinfo(as, signed)).text()), { sub: "other" });
});

test("claim overrides receive request, client, user and grant", async () => {
  await using as = await testLatchkey();
  const logged: unknown[] = [];
  const listen = (kind: string) => (claims: Claims, { request, client, user, grant }: ClaimOverrideContext) => {
    const { endpoint, method, params } = request;
    logged.push([kind, client.id, user?.name, grant.type, grant.scope.join(" "), grant.resources, endpoint, method]);
    assertEquals(params.code_verifier !== undefined, grant.type === "authorization_code");
    assertEquals(request.client, client.id);
    assertEquals(request.header("host"), null);
    assertMatch(grant.id, /^[\w-]{16,}$/);
    return { ...claims, first_name: String(user?.name).split(" ")[0] };
  };
  const grants = ["authorization_code", "refresh_token", "client_credentials"];
  for (const access_token_format of ["jwt", "opaque"] as const) {
    as.issue.everyIdToken(listen("id"));
    as.issue.everyAccessToken(listen("access"));
    as.issue.everyUserinfo(listen("userinfo"));
    as.issue.everyTokenResponse(listen("response"));
    const client = as.client({ access_token_format, confidential: true, grant_types: grants });
    as.decisions.loginNext("bob");
    const resource = [as.issuer, "https://api.test"];
    const { tokens, claims } = await as.logIn(client, { scope: "openid read", authorization: { resource } });
    assertEquals([claims!.first_name, (tokens as unknown as Claims).first_name], ["Bob", "Bob"]);
    const id = client.client_id;
    const flow = [id, "Bob Brown", "authorization_code", "openid read", resource, "token", "POST"];
    assertEquals(logged.splice(0), [["access", ...flow], ["id", ...flow], ["response", ...flow]]);
    await as.refresh(client, tokens.refresh_token!, { scope: "read" });
    const renewed = [id, "Bob Brown", "refresh_token", "read", resource, "token", "POST"];
    assertEquals(logged.splice(0), [["access", ...renewed], ["response", ...renewed]]);
    if (access_token_format === "jwt") {
      assertEquals((await json(userinfo(as, tokens.access_token))).first_name, "Bob");
      assertEquals(logged.splice(0), [
        ["userinfo", id, "Bob Brown", undefined, "openid read", resource, "userinfo", "GET"],
      ]);
    }
    await as.token(client, { grant_type: "client_credentials", scope: "read" });
    const machine = [id, undefined, "client_credentials", "read", [], "token", "POST"];
    assertEquals(logged.splice(0), [["access", ...machine], ["response", ...machine]]);
    await as.reset();
  }
});

test("token responses and metadata can be changed, and an unused change is not an error", async () => {
  const as = await testLatchkey();
  const client = as.client();
  as.issue.everyTokenResponse({ tenant: "a", refresh_token: undefined });
  as.issue.nextTokenResponse(({ scope: _, ...members }) => ({ ...members, expires_in: "3600" }));
  const [first, second] = [await as.logIn(client), await as.logIn(client)].map(({ tokens }) =>
    tokens as object as Claims
  );
  assertEquals([first!.tenant, first!.expires_in, "scope" in first!, "refresh_token" in first!], [
    ...["a", "3600"],
    ...[false, false],
  ]);
  assertEquals([second!.tenant, second!.expires_in, "scope" in second!], ["a", 3600, true]);

  const addresses = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];
  const read = async (path: string) => await json(as.fetch(path));
  const before = await read(addresses[0]!);
  as.issue.everyMetadata({ scopes_supported: ["openid"], introspection_endpoint: undefined });
  as.issue.nextMetadata((document, { request }) => ({ ...document, asked: request.path }));
  const { introspection_endpoint: _, ...rest } = before;
  const shaped = { ...rest, scopes_supported: ["openid"] };
  assertEquals(await read(addresses[0]!), { ...shaped, asked: addresses[0] });
  for (const path of addresses) assertEquals(await read(path), shaped);
  as.on("discovery").once(faults.body.edited({ issuer: "https://evil.test" }));
  assertEquals((await read(addresses[1]!)).issuer, "https://evil.test");
  assertEquals("keys" in await read("/oauth2/jwks"), true);

  await as.reset();
  assertEquals(await read(addresses[0]!), before);
  as.issue.everyMetadata({ a: 1 });
  as.issue.everyTokenResponse({ a: 1 });
  as.issue.nextMetadata({ a: 1 });
  await as.close();
});

test("faults apply after claim overrides, in any order of the calls", async () => {
  await using as = await testLatchkey();
  as.on("token").once(faults.idToken.edited({ aud: "another-client" }));
  as.issue.nextIdToken({ aud: "mine", extra: 1 });
  const { claims } = await as.logIn(as.client());
  assertEquals(claims!.extra, 1);
  assertNotEquals(claims!.aud, "mine");
});

test("a fault that did not fire is reported once at the end of a test, after the server is closed", async () => {
  const as = await testLatchkey();
  as.on("token").once(faults.error("invalid_grant"));
  const logged = await assertRejects(() => as.reset(), Error, "1 fault fired less often than expected");
  assertMatch(logged.message, /on\("token"\)\.once\(invalid_grant\) never fired: no request to token arrived/);
  await as.reset();
  await as.logIn(as.client());
  as.on("jwks").times(2, faults.drop());
  using _ = as.installFetch();
  const before = globalThis.fetch;
  await assertRejects(() => as.close(), Error, "never fired");
  assertNotEquals(globalThis.fetch, before);
  await as.close();
});

test("an error of disposal is also printed, because a SuppressedError would hide it", async (t) => {
  const printed = t.mock.method(console, "error", () => {});
  const failing = async () => {
    await using as = await testLatchkey();
    as.on("token").once(faults.error("invalid_grant"));
    throw new Error("the test's own");
  };
  const { error, suppressed } = await assertRejects(failing, SuppressedError);
  assertMatch(error.message, /^1 fault fired less often than expected/);
  assertEquals(suppressed.message, "the test's own");
  assertEquals(printed.mock.calls.map(({ arguments: lines }) => lines), [
    [`Closing a mock server: ${error.message}`],
  ]);
});

test("closing does not wait for requests that a fault delays", async () => {
  const as = await testLatchkey();
  const { url } = await as.listen();
  const kept = faults.hold();
  as.on("jwks").once(kept);
  const asked = fetch(`${url}/oauth2/jwks`).then(() => "completed", () => "dropped");
  await kept.arrived;
  await as.close();
  assertMatch(await asked, /completed|dropped/);
});

test("minting registers a client if the server has none", async () => {
  await using as = await testLatchkey();
  const token = await as.mint.accessToken({ scope: "openid" });
  assertEquals(decodeJwt(token).client_id, "client-1");
  assertEquals((await json(userinfo(as, token))).sub, "alice");
});

test("a custom plugin runs inside faults and claim overrides, and server options apply", async () => {
  const seen: string[] = [];
  await using as = await testLatchkey({
    alg: "ES256",
    lifetimes: { access_token: 5 },
    plugins: [{
      handle: (next) => async (request, peer) => {
        seen.push(new URL(request.url).pathname);
        return await next(request, peer);
      },
    }],
  });
  const client = as.client();
  as.on("token").once(faults.error("invalid_grant"));
  await assertRejects(() => as.logIn(client));
  assertEquals(seen, ["/oauth2/authorize"]);
  assertEquals((await as.logIn(client)).tokens.expires_in, 5);
});

test("[JC-06] the keys of a client are fetched by the current global fetch, and again by the clock of the server", async () => {
  await using as = await testLatchkey();
  as.clock.freeze();
  const machine = { grant_type: "client_credentials" };
  const keys = ["one", "two"].map((kid, i) => ({ ...p256KeyFrom(new Uint8Array(32).fill(i + 1)), kid, alg: "ES256" }));
  const client = as.client({ token_endpoint_auth_method: "private_key_jwt", jwks_uri: "https://keys.test/jwks" });
  assertEquals(client.private_jwk, undefined);
  const responses = [true, true, false, true].map((good, i) => {
    const { d: _, ...half } = keys[i === 0 ? 0 : 1]!;
    return good ? Response.json({ keys: [half] }) : new Response(null, { status: 500 });
  });
  const before = globalThis.fetch;
  globalThis.fetch = () => Promise.resolve(responses.shift()!);
  const [one, two] = keys.map((private_jwk) => as.token.bind(as, { ...client, private_jwk }, machine));
  try {
    await one!();
    assertEquals(await rejectionText(two!()), "invalid_client");
    as.clock.advance(29);
    assertEquals([await rejectionText(two!()), responses.length], ["invalid_client", 3]);
    as.clock.advance(1);
    await two!();
    as.clock.advance(60);
    // An unknown key is looked for, in vain; the known one is not forgotten over it.
    assertEquals([await rejectionText(one!()), responses.length], ["invalid_client", 1]);
    await two!();
    as.clock.advance(541);
    await two!();
    assertEquals(responses.length, 0);
  } finally {
    globalThis.fetch = before;
  }
});

test("with login pages, the browser submits the decisions of the test", async () => {
  await using as = await testLatchkey({ login: "interactive" });
  const client = as.client();
  const sub = async (options = {}) => (await as.logIn(client, options)).claims!.sub;
  as.decisions.loginNext("bob");
  assertEquals([await sub(), await sub(), await sub({ as: "bob" })], ["bob", "alice", "bob"]);
  as.decisions.deny("alice");
  assertEquals(await rejectionText(as.logIn(client)), "access_denied");
  as.decisions.limitScope("bob", "openid email");
  assertEquals(
    (await as.logIn(client, { as: "bob", scope: "openid profile email", prompt: "consent" })).tokens.scope,
    "openid email",
  );
  const shown = await as.browser().open(authorizeUrl(as, client));
  assertMatch(shown.headers.get("content-type")!, /^text\/html/);
});
