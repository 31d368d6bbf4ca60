/**
 * Pairwise subjects: one per user and sector (OpenID Connect Core §8; group ID).
 *
 * @extensions requested_claims
 */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions, memoryStore } from "../../../../src/mod.ts";
import { sqliteStore } from "../../../../src/core/store/sqlite.ts";
import { type LoginTokens, openBrowser } from "../../browser.ts";
import {
  assertAuthorizationResponse,
  assertTokenResponse,
  decodeClaims,
  encode,
  forEachCase,
  getOutcome,
  getRedirectParams,
  testServer,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";
import { fetchIntrospection, refresh, userinfo } from "../../client_endpoints.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-pairwise-"));
after(() => rmSync(folder, { recursive: true }));

const refreshing = ["authorization_code", "refresh_token"];
const cb = "https://spa.example/cb";

async function subjectAt(b: TestServer, token: string): Promise<unknown> {
  return (await (await userinfo(b, token)).json()).sub;
}

/** Clients with pairwise subjects, by name and host; `a` and `a2` share a sector. */
const sectors: ClientMetadata[] = [
  { client_id: "a", redirect_uris: ["https://a.example/cb", "https://a.example/cb2"] },
  { client_id: "a2", redirect_uris: ["https://a.example/other"] },
  { client_id: "b", redirect_uris: ["https://b.example/cb"] },
  {
    client_id: "c",
    redirect_uris: ["https://x.example/cb", "https://y.example/cb"],
    sector_identifier_uri: "https://a.example/uris.json",
  },
].map((client) => ({ ...client, subject_type: "pairwise", grant_types: refreshing }));

const pairwise: LatchkeyOptions = {
  clients: [
    { client_id: "spa", redirect_uris: [cb], grant_types: refreshing },
    { client_id: "api", client_secret: "api-secret", grant_types: [], serves: ["https://api.example"] },
    { client_id: "nosy", client_secret: "nosy-secret", grant_types: [] },
    ...sectors,
  ],
  users: [{ sub: "alice", name: "Alice Adams" }, { sub: "bob" }],
};

function loginAt(b: TestServer, client_id: string, fields: Fields = {}): Promise<LoginTokens> {
  const client = sectors.find((one) => one.client_id === client_id);
  return openBrowser(b).login({ client_id, redirect_uri: client?.redirect_uris?.[0] ?? cb, ...fields });
}

const subOf = ({ id_token }: { id_token: string }) => decodeClaims(id_token).sub as string;

test("[ID-04] a pairwise subject is the same within its sector, and differs by sector and by user", async () => {
  const b = await testServer(pairwise);
  const subs = async (login_hint: string) =>
    await Promise.all(["a", "a2", "c", "b", "spa"].map(async (id) => subOf(await loginAt(b, id, { login_hint }))));
  const [alice, bob] = [await subs("alice"), await subs("bob")];
  for (const [a, a2, c, other, open] of [alice, bob]) {
    assertEquals([a2, c], [a, a]);
    assertEquals(new Set([a, other, open]).size, 3);
    for (const sub of [a, other]) assertMatch(sub!, /^[\x21-\x7E]{22,255}$/);
  }
  assertEquals([alice[4], bob[4]], ["alice", "bob"]);
  assertEquals(new Set([...alice, ...bob]).size, 6);
});

test("[ID-04, US-02, IN-03] it is the same in ID token, userinfo, introspection and after every refresh", async () => {
  const b = await testServer(pairwise);
  const tokens = await loginAt(b, "a", { login_hint: "bob" });
  const sub = subOf(tokens);
  let now = tokens;
  for (let i = 0; i < 3; i++) {
    assertEquals(subOf(now), sub);
    assertEquals(await subjectAt(b, now.access_token), sub);
    for (const id of ["api", "nosy"]) assertEquals((await fetchIntrospection(b, now.access_token, id)).sub, sub);
    now = await assertTokenResponse(await refresh(b, now.refresh_token, { client_id: "a" })) as LoginTokens;
  }
});

test("[ID-04] it does not depend on time, session, scope, response mode or other clients", async () => {
  const b = await testServer(pairwise);
  const sub = subOf(await loginAt(b, "a"));
  b.advance(100_000);
  b.as.clients.delete("b");
  b.as.users.set({ sub: "alice", name: "Renamed" });
  assertEquals(subOf(await loginAt(b, "a", { scope: "openid profile email", prompt: "login" })), sub);
  assertEquals(subOf(await loginAt(b, "a", { redirect_uri: "https://a.example/cb2" })), sub);
});

test("[ID-04, JK-05] it survives a restart on SQLite, is the same on two servers with one store, and differs on another store", async () => {
  const path = join(folder, "pairwise.db");
  const start = async () => await testServer({ ...pairwise, store: await sqliteStore(path) });
  const [one, two] = [await start(), await start()];
  const [sub, again] = await Promise.all(
    [loginAt(one, "a"), loginAt(two, "a")].map(async (login) => subOf(await login)),
  );
  assertEquals(again, sub);
  const { access_token } = await loginAt(one, "a");
  await Promise.all([one.as.close(), two.as.close()]);
  const three = await start();
  assertEquals([subOf(await loginAt(three, "a")), await subjectAt(three, access_token)], [sub, sub]);
  await three.as.close();
  assertNotEquals(subOf(await loginAt(await testServer({ ...pairwise, store: memoryStore() }), "a")), sub);
});

test("[ID-04] no response to a pairwise client, and no trace of its redirects, contains the user's local sub", async () => {
  const b = await testServer({ ...pairwise, users: [{ sub: "real-subject-of-alice", name: "Alice" }] });
  const response = await b.authorize({ client_id: "a", redirect_uri: "https://a.example/cb", scope: "openid profile" });
  const code = getRedirectParams(response).get("code")!;
  const tokens = await assertTokenResponse(
    await b.token({ client_id: "a", redirect_uri: "https://a.example/cb", code }),
  );
  const seen = [
    response.headers.get("location"),
    ...Object.values(tokens).map(String),
    JSON.stringify(decodeClaims(tokens.id_token)),
    await (await userinfo(b, tokens.access_token)).text(),
    JSON.stringify(await fetchIntrospection(b, tokens.access_token)),
  ];
  for (const text of seen) assert(!text!.includes("real-subject-of-alice"), text!);
});

test("[ID-04, US-03] the token of a pairwise client is invalid once its user is removed", async () => {
  const b = await testServer(pairwise);
  const { access_token, refresh_token } = await loginAt(b, "a", { login_hint: "bob" });
  assertEquals((await userinfo(b, access_token)).status, 200);
  b.as.users.delete("bob");
  assertEquals((await userinfo(b, access_token)).status, 401);
  assertEquals(await getOutcome(await refresh(b, refresh_token, { client_id: "a" })), "400 invalid_grant");
});

test("[OI-07, ID-04] an ID token with a pairwise subject is a hint of its user, logged in or not", async () => {
  const b = await testServer(pairwise);
  const redirect_uri = "https://a.example/cb";
  const tokens = await loginAt(b, "a", { login_hint: "bob" });
  const ask = { client_id: "a", redirect_uri, id_token_hint: tokens.id_token };
  const bobs = openBrowser(b);
  await bobs.login({ login_hint: "bob" });
  assertEquals(await bobs.authorizeSilently(ask), "code");
  const alices = openBrowser(b);
  await alices.login();
  assertEquals(await alices.authorizeSilently(ask), "login_required");
  for (const browser of [alices, openBrowser(b)]) assertEquals(subOf(await browser.login(ask)), subOf(tokens));
});

test("[OI-08, ID-04] a sub requested by a pairwise client is its own sub for the user, never another client's", async () => {
  const b = await testServer(pairwise);
  const redirect_uri = "https://a.example/cb";
  const asks = (value: string) => JSON.stringify({ id_token: { sub: { value } } });
  const sub = subOf(await loginAt(b, "a", { login_hint: "bob" }));
  const bobs = openBrowser(b);
  await bobs.login({ login_hint: "bob" });
  const ask = { client_id: "a", redirect_uri };
  assertEquals(await bobs.authorizeSilently({ ...ask, claims: asks(sub) }), "code");
  for (const value of ["bob", "alice", subOf(await loginAt(b, "b", { login_hint: "bob" }))]) {
    const result = getRedirectParams(await bobs.authorize({ ...ask, claims: asks(value) }));
    assertEquals([result.get("error"), result.get("code")], ["access_denied", null]);
  }
  // What the server calls the user is no name for them at that client, and the client's name is none at another.
  assertEquals(assertAuthorizationResponse(await bobs.authorize({ claims: asks(sub) })).error, "access_denied");
});

test("[ID-04] a sector is a host without its port", async () => {
  const b = await testServer(pairwise);
  const redirect_uri = "https://a.example:8443/cb";
  b.as.clients.set({
    client_id: "port",
    subject_type: "pairwise",
    redirect_uris: [redirect_uri, "https://a.example/cb"],
  });
  assertEquals(subOf(await loginAt(b, "port", { redirect_uri })), subOf(await loginAt(b, "a")));
});

test("[ID-04] redirect URIs without a host form no common sector", async () => {
  const b = await testServer(pairwise);
  const subs: string[] = [];
  for (const uri of ["com.one.app:/cb", "com.two.app:/cb"]) {
    try {
      b.as.clients.set({ client_id: uri, subject_type: "pairwise", redirect_uris: [uri], grant_types: refreshing });
    } catch (error) {
      assert(error instanceof ConfigurationError);
      continue;
    }
    subs.push(subOf(await loginAt(b, uri, { redirect_uri: uri })));
  }
  assertEquals(new Set(subs).size, subs.length, "applications of different makers share a subject");
});

test("[ID-04] a pairwise client with several hosts, or none, needs a sector_identifier_uri with https", async () => {
  await forEachCase([
    { redirect_uris: ["https://x.example/cb", "https://y.example/cb"] },
    { redirect_uris: [], grant_types: ["client_credentials"], client_secret: "s" },
    { redirect_uris: ["https://x.example/cb"], sector_identifier_uri: "http://x.example/" },
    { redirect_uris: ["https://x.example/cb"], sector_identifier_uri: "x" },
  ], async (client) => {
    const clients: ClientMetadata[] = [{ client_id: "p", subject_type: "pairwise", ...client }];
    try {
      await testServer({ clients });
    } catch (error) {
      return assert(error instanceof ConfigurationError);
    }
    throw new Error("it was accepted");
  });
});

test("[LO-02, ID-04] a pairwise client logs its user out with its own ID token", async () => {
  const b = await testServer(pairwise);
  const browser = openBrowser(b);
  const { id_token: id_token_hint, refresh_token } = await browser.login({
    client_id: "a",
    redirect_uri: "https://a.example/cb",
  });
  assertEquals((await browser.get(`/oauth2/logout?${encode({ id_token_hint })}`)).status, 200);
  assertEquals(await browser.authorizeSilently(), "login_required");
  assertEquals(await getOutcome(await refresh(b, refresh_token, { client_id: "a" })), "400 invalid_grant");
});
