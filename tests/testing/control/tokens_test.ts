/** Verbs about issued tokens, keys and settings, and logins without a page, by plain HTTP. */

import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { decodeProtectedHeader, exportJWK, generateKeyPair } from "jose";
import { programControl } from "../../../src/testing/control/program_control.ts";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { testLatchkey } from "../test_latchkey.ts";
import { challenge, decodeClaims, forEachCase } from "../../kit.ts";
import { controlClient } from "./harness.ts";

async function start(options: LatchkeyOptions = {}) {
  const as = await testLatchkey({ control: true, seed: 1, ...options });
  return { as, ...controlClient(as) };
}

test("what was issued to a user, or to a client, is revoked", async () => {
  const { as, post } = await start();
  const [web, app] = [as.client({ client_id: "web" }), as.client({ client_id: "app" })];
  const logIn = async (client: typeof web, user: string) => ({ client, ...await as.logIn(client, { as: user }) });
  const grants = [await logIn(web, "alice"), await logIn(web, "bob"), await logIn(app, "bob")];
  const statuses = () =>
    Promise.all(grants.map(async ({ tokens }) => {
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      return (await as.fetch("/oauth2/userinfo", { headers })).status;
    }));
  assertEquals(await statuses(), [200, 200, 200]);
  assertEquals((await post("/revoke", { sub: "bob", client: "web" })).body, { revoked: 1 });
  assertEquals(await statuses(), [200, 401, 200]);
  assertEquals((await post("/revoke", { sub: "bob" })).body, { revoked: 1 });
  assertEquals(await statuses(), [200, 401, 401]);
  const minted = await as.mint.accessToken({ client: "web", sub: "bob" });
  assertEquals((await post("/revoke", { client: "web" })).body, { revoked: 2 });
  assertEquals(await statuses(), [401, 401, 401]);
  const headers = { authorization: `Bearer ${minted}` };
  assertEquals((await as.fetch("/oauth2/userinfo", { headers })).status, 401);
  const refreshed = await as.refresh(web, grants[0]!.tokens.refresh_token!).catch(({ error }) => error);
  assertEquals(refreshed, "invalid_grant");
  const { status, body } = await post("/revoke");
  assertEquals(
    [status, body.detail],
    [400, "revoke: expected a user, a client or both, or a token, received none of them"],
  );
});

test("one access token is revoked, or one refresh token with its grant, without the client", async () => {
  const { as, post } = await start();
  const client = as.client({ client_id: "web", confidential: true });
  const { tokens } = await as.logIn(client);
  const statusOf = async (token: string) =>
    (await as.fetch("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } })).status;
  assertEquals((await post("/revoke", { token: tokens.access_token })).body, { revoked: 1 });
  assertEquals(await statusOf(tokens.access_token), 401);
  const refreshed = await as.refresh(client, tokens.refresh_token!);
  assertEquals(await statusOf(refreshed.access_token), 200);
  assertEquals((await post("/revoke", { token: tokens.refresh_token })).body, { revoked: 1 });
  assertEquals(await statusOf(refreshed.access_token), 401);
  assertEquals(await as.refresh(client, tokens.refresh_token!).catch(({ error }) => error), "invalid_grant");
  assertEquals(as.log.last("token").rejection?.explanation?.rule, "RT-04");
  await forEachCase<[object, RegExp]>([
    [{ token: "no-token-of-this-server" }, /expected a token that this server issued/],
    [{ token: tokens.access_token, user: "alice" }, /expected a token alone/],
  ], async ([input, detail]) => {
    const { status, body } = await post("/revoke", input);
    assertEquals(status, 400);
    assertMatch(body.detail, detail);
  });
});

test("an access token with another sub and aud stays valid at this server", async () => {
  const { as, post } = await start();
  const changed = { sub: "subject-elsewhere", aud: ["https://elsewhere.example"] };
  for (const access_token_format of ["jwt", "opaque"] as const) {
    const client = as.client({ confidential: true, access_token_format });
    assertEquals((await post("/issue/nextAccessToken", { claims: changed })).status, 204);
    const { tokens: { access_token } } = await as.logIn(client, { scope: "openid email" });
    const userinfo = () => as.fetch("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
    const response = await userinfo();
    assertEquals(response.status, 200);
    assertEquals(await response.json(), { sub: changed.sub, email: "alice@example.com", email_verified: true });
    const introspected = await as.fetch("/oauth2/introspect", {
      method: "POST",
      body: new URLSearchParams({ token: access_token }),
      headers: { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}` },
    });
    const { active, sub, aud } = await introspected.json();
    assertEquals({ active, sub, aud }, { active: true, ...changed });
    await post("/revoke", { token: access_token });
    assertEquals((await userinfo()).status, 401);
  }
});

test("a code, an access token and a refresh token have the fixed values once, and at_hash fits", async () => {
  const { as, post } = await start({ alg: "RS256" });
  const client = as.client();
  const values = { code: "code-1", access_token: "access-1", refresh_token: "refresh-1" };
  assertEquals((await post("/nextValues", values)).status, 204);
  const { tokens } = await as.logIn(client, { scope: "openid read" });
  assertEquals([tokens.access_token, tokens.refresh_token], ["access-1", "refresh-1"]);
  assertEquals(as.log.unmasked.last("token").request.form.find(([name]) => name === "code")?.[1], "code-1");
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("access-1")));
  const half = btoa(String.fromCharCode(...digest.slice(0, 16))).replaceAll("+", "-").replaceAll("/", "_");
  assertEquals(decodeClaims(tokens.id_token!).at_hash, half.replaceAll("=", ""));
  const userinfo = await as.fetch("/oauth2/userinfo", { headers: { authorization: "Bearer access-1" } });
  assertEquals((await userinfo.json()).sub, "alice");
  const refreshed = await as.refresh(client, "refresh-1");
  assertNotEquals(refreshed.access_token, "access-1");
  const replayed = await as.refresh(client, "refresh-1").catch(({ error }) => error);
  assertEquals(replayed, "invalid_grant");
  await post("/nextValues", { access_token: "access-2" });
  const { tokens: second } = await as.logIn(client, { scope: "openid read" });
  assertEquals(second.access_token, "access-2");
  assertNotEquals((await as.refresh(client, second.refresh_token!)).access_token, "access-2");
  await post("/nextValues", { code: "later" });
  await post("/reset");
  const { tokens: random } = await as.logIn(as.client());
  assertNotEquals(random.access_token, "access-1");
  const invalid = [{ code: "" }, { access_token: "a.b" }, { refresh_token: "x y" }, { code: "x".repeat(257) }, {
    id_token: "x",
  }];
  await forEachCase(invalid, async (values) => assertEquals((await post("/nextValues", values)).status, 400));
});

test("settings of refresh tokens and lifetimes change at run time, until the reset", async () => {
  const { as, post } = await start();
  const client = as.client({ client_id: "web", confidential: true });
  const refresh = async () => {
    const { tokens } = await as.logIn(client);
    const next = await as.refresh(client, tokens.refresh_token!);
    return { isRotated: next.refresh_token !== undefined && next.refresh_token !== tokens.refresh_token, ...next };
  };
  const before = await refresh();
  assertEquals([before.isRotated, before.expires_in], [false, 3600]);
  const changes = { refresh: { rotateConfidential: true }, lifetimes: { access_token: 60 } };
  assertEquals((await post("/changeSettings", changes)).status, 204);
  const after = await refresh();
  assertEquals([after.isRotated, after.expires_in], [true, 60]);
  const minted = decodeClaims(await as.mint.accessToken({ client }));
  assertEquals(Number(minted.exp) - Number(minted.iat), 60);
  await post("/reset", { keep: ["clients"] });
  assertEquals((await refresh()).expires_in, 3600);
  const wrong = await post("/changeSettings", { refresh: { rotate: true }, lifetimes: { access_token: 0 } });
  assertEquals(wrong.body.errors.map(({ place }: { place: string }) => place), [
    "refresh.rotate",
    "lifetimes.access_token",
  ]);
});

test("[JK-04] a key stays published for the tokens of a lifetime that was raised at run time", async () => {
  const { as } = await start();
  const client = as.client();
  as.changeSettings({ lifetimes: { access_token: 100_000 } });
  const { tokens } = await as.logIn(client);
  await as.rotateKeys(undefined, 0);
  const publishes = async () => {
    const { keys } = await (await as.fetch("/oauth2/jwks")).json();
    return keys.some(({ kid }: { kid: string }) => kid === decodeProtectedHeader(tokens.access_token).kid);
  };
  const userinfo = async () => {
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    return (await as.fetch("/oauth2/userinfo", { headers })).status;
  };
  as.clock.advance(99_990);
  assertEquals([await publishes(), await userinfo()], [true, 200]);
  as.clock.advance(20);
  assertEquals([await publishes(), await userinfo()], [false, 401]);
});

test("a key of the test signs with its kid, and the one before stays published", async () => {
  const { as, post } = await start();
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...await exportJWK(privateKey), kid: "my-key", alg: "ES256" };
  assertEquals((await post("/importKey", { key })).status, 204);
  const client = as.client({ id_token_signed_response_alg: "ES256" });
  const { tokens } = await as.logIn(client, { scope: "openid" });
  assertEquals(decodeProtectedHeader(tokens.id_token!).kid, "my-key");
  const { keys } = await (await as.fetch("/oauth2/jwks")).json();
  assert(keys.some(({ kid, d }: { kid: string; d?: string }) => kid === "my-key" && d === undefined));
  const { kids } = (await post("/rotateKeys", { alg: "ES256", lead: 0 })).body;
  assertEquals([kids.includes("my-key"), kids.at(-1) === "my-key"], [true, false]);
  const { publicKey } = await generateKeyPair("ES256", { extractable: true });
  const { x, y } = await exportJWK(publicKey);
  const invalid: readonly [object, RegExp][] = [
    [{ ...key }, /a kid that no key of the server has, received "my-key"/],
    [{ ...key, kid: undefined }, /a kid of 1 to 128 characters/],
    [{ ...key, kid: "other", d: undefined }, /received a public key/],
    [{ ...key, kid: "other", x, y }, /a private key for ES256/],
    [{ ...key, kid: "other", alg: "HS256" }, /alg to be one of/],
    [{ kty: "oct", k: "AAAA", d: "x", kid: "other", alg: "ES256" }, /a private key for ES256/],
  ];
  await forEachCase(invalid, async ([key, detail]) => {
    const { status, body } = await post("/importKey", { key });
    assertEquals(status, 400);
    assertMatch(body.detail, detail);
  });
  assertEquals((await as.logIn(client, { scope: "openid" })).tokens.token_type, "Bearer");
});

test("the practices of a client are reported", async () => {
  const { as, get } = await start();
  await as.logIn(as.client({ client_id: "web" }));
  const { passed, text, practices } = (await get("/checkPractices", { client: "web" })).body;
  assertEquals([passed, practices.length >= 10], [true, true]);
  assertMatch(text, /^\d+ best practices: /);
});

test("a decision logs in, denies and narrows without a page, by a call or by the header, and only then", async () => {
  const { plugins } = programControl({});
  const redirect_uri = "http://localhost:3000/cb";
  await using as = await latchkey({
    ...{ login: "interactive", issuer: "http://localhost:9000" },
    clients: [{ client_id: "shop", redirect_uris: [redirect_uri] }],
    users: [{ sub: "alice" }, { sub: "bob" }],
    plugins: [...plugins],
  });
  const { post } = controlClient(as);
  const authorize = async (headers: Record<string, string> = {}, query: Record<string, string> = {}) => {
    const params = { response_type: "code", client_id: "shop", redirect_uri, scope: "openid read", ...query };
    const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
    const url = `${as.issuer}/oauth2/authorize?${new URLSearchParams({ ...params, ...pkce })}`;
    const location = new URL((await as.fetch(new Request(url, { headers }))).headers.get("location")!, as.issuer);
    const error = location.searchParams.get("error");
    return error ?? (location.searchParams.has("code") ? "code" : location.pathname);
  };
  assertEquals(await authorize(), "/oauth2/login");
  await post("/decisions/loginNext", { sub: "bob" });
  assertEquals([await authorize(), await authorize()], ["code", "/oauth2/login"]);
  await post("/decisions/loginNext", { sub: "bob" });
  assertEquals(await authorize({}, { prompt: "none" }), "login_required");
  await post("/decisions/deny", { sub: "bob" });
  assertEquals(await authorize(), "access_denied");
  assertEquals(await authorize({ "latchkey-persona": "as=alice" }), "code");
  assertEquals(await authorize({ "latchkey-persona": "deny=yes" }), "access_denied");
  const fromElsewhere = { "latchkey-persona": "as=alice", origin: "http://evil.example.com" };
  assertEquals(await authorize(fromElsewhere), "/oauth2/login");
  await post("/decisions/loginAs", { sub: "alice" });
  assertEquals([await authorize(), await authorize()], ["code", "code"]);
  await post("/reset");
  assertEquals(await authorize(), "/oauth2/login");
  await post("/decisions/deny");
  assertEquals(await authorize(), "access_denied");
  const unknown = await post("/decisions/loginNext", { sub: "mallory" });
  assertStringIncludes(unknown.body.detail, "Its users: alice, bob");
});

test("on a real host the header of a request decides nothing, also with the control", async () => {
  const { plugins } = programControl({ secret: "a-secret-for-the-control" });
  const redirect_uri = "https://web.corp.com/cb";
  await using as = await latchkey({
    ...{ issuer: "https://auth.corp.com", login: "interactive", insecure: ["open-login"] },
    ...{ users: [{ sub: "alice" }], clients: [{ client_id: "web", redirect_uris: [redirect_uri] }] },
    plugins: [...plugins],
  });
  const params = { response_type: "code", client_id: "web", redirect_uri, scope: "openid" };
  const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
  const url = `${as.issuer}/oauth2/authorize?${new URLSearchParams({ ...params, ...pkce })}`;
  const response = await as.fetch(new Request(url, { headers: { "latchkey-persona": "as=alice" } }));
  assertStringIncludes(response.headers.get("location")!, "/oauth2/login");
});
