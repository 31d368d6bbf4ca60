/** The check of a client of a running server, by its functions. The pages: `client_check_pages_test.ts`. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { decodeJwt, exportJWK, generateKeyPair } from "jose";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { type ClientAuth, ClientSecretBasic, type PrivateKey, PrivateKeyJwt } from "openid-client";
import {
  type ClientMetadata,
  ConfigurationError,
  type Latchkey,
  type LatchkeyOptions,
  memoryStore,
} from "../../src/mod.ts";
import { basic } from "../kit.ts";
import type { ClientCheckOptions } from "../../src/check/check_options.ts";
import { clientCheck } from "../../src/check/client_check.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { testControl } from "../../src/testing/mod.ts";
import { findFreePort } from "../platform/runtime/free_port.ts";
import { until } from "../until.ts";
import { type ApplicationMistake, startWebApplication } from "./small_web_application.ts";

const alg = "EdDSA";

/** A server, and an application that has it as its issuer. */
async function start(
  mistake?: ApplicationMistake,
  { authentication, requestKey, ...metadata }:
    & Partial<ClientMetadata>
    & { readonly authentication?: ClientAuth; readonly requestKey?: PrivateKey } = {},
  options: LatchkeyOptions = {},
) {
  const check = clientCheck();
  const control = testControl();
  const as = await latchkey({ alg, ...options, plugins: [check.plugin, control.plugin] });
  const { url: serverUrl } = await as.listen({ port: 0 });
  const application = await startWebApplication(() => ({
    ...{ issuer: as.issuer, clientId: "shop", alg, mistake, authentication, requestKey },
  }));
  const { url } = application;
  await as.clients.set({ client_id: "shop", redirect_uris: [`${url}/callback`], ...metadata });
  return {
    ...{ as, control, check, url, serverUrl },
    begin: (input: Partial<ClientCheckOptions> = {}) =>
      check.start({ client: "shop", loginUrl: `${url}/login`, loggedInUrl: `${url}/me`, ...input }, as.issuer),
    async end() {
      await until(() => check.state().status !== "running");
      return check.state();
    },
    report: () =>
      check.report()!.toJSON() as { readonly control: { readonly passed: boolean; readonly error?: string } },
    async [Symbol.asyncDispose]() {
      await application[Symbol.asyncDispose]();
      await as.close();
    },
  };
}

test("[CO-07] a correct application passes, one with a mistake fails, and the server is as before", async () => {
  for (const mistake of [undefined, "believes any userinfo"] as const) {
    await using server = await start(mistake);
    const { as, control: { clock, log }, begin, end, report } = server;
    clock.freeze("2030-01-01");
    const now = clock.now();
    const keys = await (await fetch(`${as.issuer}/oauth2/jwks`)).text();
    log.clear();
    const begun = await begin({ only: ["userinfo/sub-other", "id-token/nonce-wrong"] });
    assertEquals([begun.status, begun.client], ["running", "shop"]);
    const { status, passed, failed, done, total } = await end();
    assertEquals([status, passed], ["ended", mistake === undefined], JSON.stringify(report().control));
    assertEquals(failed > 0, mistake !== undefined);
    assert(done === total && done > 1);
    assertEquals(log.exchanges, []);
    assertEquals(clock.now(), now);
    assertEquals(await (await fetch(`${as.issuer}/oauth2/jwks`)).text(), keys);
  }
});

test("[CO-07] a correct application that signs assertions and requests by its own clock is accused of nothing", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const jwks = { keys: [{ ...await exportJWK(publicKey), kid: "shop", alg: "ES256" }] };
  const key = { key: privateKey, kid: "shop" };
  const metadata = { token_endpoint_auth_method: "private_key_jwt", jwks } as const;
  for (const how of [{}, { requestKey: key, require_signed_request_object: true }]) {
    await using server = await start(undefined, { authentication: PrivateKeyJwt(key), ...metadata, ...how });
    await server.begin({ only: ["clock/small", "id-token/nonce-wrong"] });
    const { passed, failed } = await server.end();
    assertEquals([passed, failed], [true, 0], JSON.stringify(server.report()));
  }
});

test("[CO-07] a login URL on another host, an unknown client, and an unknown attack are rejected", async () => {
  await using server = await start();
  const { control, begin } = server;
  const cases: readonly (readonly [Partial<ClientCheckOptions>, string])[] = [
    [{ loginUrl: "http://169.254.169.254/latest" }, "loginUrl"],
    [{ loginUrl: "https://app.example.com/login" }, "loginUrl"],
    [{ loginUrl: "file:///etc/passwd" }, "loginUrl"],
    [{ loginUrl: "http://user:password@localhost/login" }, "loginUrl"],
    [{ loggedInUrl: "http://10.0.0.1/me" }, "loggedInUrl"],
    [{ refreshUrl: "http://10.0.0.1/refresh" }, "refreshUrl"],
    [{ client: "other" }, "client"],
    [{ only: ["id-tokens"] }, "only"],
  ];
  for (const [input, place] of cases) {
    const { issues } = await assertRejects(() => begin(input), ConfigurationError);
    assertEquals(issues.map(({ path }) => path), [place]);
  }
  const { client_id } = await control.register({ redirect_uris: ["http://localhost:3000/cb"] });
  const { issues } = await assertRejects(() => begin({ client: client_id }), ConfigurationError);
  assertEquals(issues[0]!.received, "a client that registered itself");
});

test("[CO-07] a check requests no redirect URI on another host, and a client that has no other is rejected", async () => {
  await using server = await start();
  const { as, begin, end, report, url } = server;
  const real = "https://shop.example.com/callback";
  await as.clients.set({ client_id: "shop", redirect_uris: [real, "http://127.0.0.1:1/callback", `${url}/callback`] });
  await as.clients.set({ client_id: "real", redirect_uris: [real] });
  const { issues } = await assertRejects(() => begin({ client: "real" }), ConfigurationError);
  assertEquals(issues[0]!.path, "client");
  // A response goes to the redirect URI that the request names.
  const request = { client_id: "shop", redirect_uri: real, response_type: "code", code_challenge: "x".repeat(43) };
  const loginUrl = `${as.issuer}/oauth2/authorize?${new URLSearchParams(request)}`;
  await begin({ loginUrl, only: ["response/late"] });
  await end();
  assertStringIncludes(JSON.stringify(report().control), "redirect_uri");
  await begin({ only: ["response/late"] });
  assertEquals((await end()).status, "ended");
  assertEquals(report().control.passed, true, JSON.stringify(report().control));
  assertEquals(as.clients.find("shop")!.redirectUris.length, 3);
});

test("[CO-07] requests to the application have the limits of requests to URLs that others name", async () => {
  await using server = await start();
  const large = createServer((_, response) => response.end("x".repeat(1024 * 1024 + 1)));
  await new Promise<void>((resolve) => large.listen(0, "127.0.0.1", resolve));
  const loginUrl = `http://127.0.0.1:${(large.address() as AddressInfo).port}/login`;
  await server.begin({ loginUrl, loggedInUrl: undefined, only: ["response/late"] });
  const { error } = await server.end();
  const { control } = server.report();
  assertEquals(error, control.error, "the reason, without the report");
  assertStringIncludes(JSON.stringify(control), "expected a body of at most 1048576 bytes");
  large.closeAllConnections();
  await new Promise((resolve) => large.close(resolve));
});

test("[CO-07] where other machines reach the server, a check reaches only the client that its configuration names", async () => {
  const listen = async (respond: RequestListener) => {
    const server = createServer(respond);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };
  const received: (string | undefined)[] = [];
  const service = await listen(({ url }, response) => (received.push(url), response.end("a secret of the network")));
  const shop = await listen((_, response) => response.writeHead(302, { location: `${service.url}/redirected` }).end());
  const check = clientCheck({ exposed: true });
  const clients = [{ client_id: "shop", redirect_uris: [`${shop.url}/callback`] }];
  await using as = await latchkey({ clients, plugins: [check.plugin] });
  const start = (options: Partial<ClientCheckOptions>) =>
    check.start({ client: "shop", loginUrl: `${shop.url}/login`, only: ["response/late"], ...options }, as.issuer);
  const message = "because other machines reach this server";
  await assertRejects(() => start({ loginUrl: `${service.url}/login` }), Error, message);
  await assertRejects(() => start({ loggedInUrl: `${service.url}/me` }), Error, message);
  await assertRejects(() => start({ refreshUrl: `${service.url}/refresh` }), Error, message);
  // A visitor may change clients.
  const redirect_uris = [`${service.url}/callback`];
  await as.clients.set({ client_id: "another", redirect_uris });
  await assertRejects(() => start({ client: "another", loginUrl: redirect_uris[0]! }), Error, message);
  await as.clients.set({ client_id: "shop", redirect_uris });
  await assertRejects(() => start({ loginUrl: redirect_uris[0]! }), Error, message);
  // A page of the application may redirect the browser of the check.
  await as.clients.set(clients[0]!);
  await start({});
  await until(() => check.state().status !== "running");
  assertStringIncludes(
    JSON.stringify(check.report()!.toJSON().control),
    `expected a URL at ${new URL(as.issuer).origin}`,
  );
  assertEquals(received, []);
  for (const { server } of [service, shop]) await new Promise((resolve) => server.close(resolve));
});

test("[CO-07] a confidential client keeps its secret in the check, and has its former grants afterwards", async () => {
  const check = clientCheck();
  const control = testControl();
  await using as = await latchkey({ plugins: [check.plugin, control.plugin] });
  await as.listen({ port: 0 });
  // An application that never responds, so that the check waits.
  const waiting = createServer(() => {});
  await new Promise<void>((resolve) => waiting.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(waiting.address() as AddressInfo).port}`;
  const client_secret = "secret-of-the-api-client";
  const grant_types = ["authorization_code", "refresh_token", "client_credentials"];
  await as.clients.set({
    ...{ client_id: "api", client_secret, redirect_uris: [`${url}/callback`], grant_types, scope: "read" },
  });
  const request = async (path: string, params: Readonly<Record<string, string>>, secret = client_secret) => {
    const init = { method: "POST", headers: basic("api", secret), body: new URLSearchParams(params) };
    const response = await fetch(as.issuer + path, init);
    return { status: response.status, body: await response.json() };
  };
  const isActive = async (token: string) => (await request("/oauth2/introspect", { token })).body.active;
  const before = await control.mint.refreshToken({ client: "api", sub: "alice", scope: "read" });
  assertEquals(await isActive(before), true);
  await check.start({ client: "api", loginUrl: `${url}/login` }, as.issuer);
  const grant = { grant_type: "client_credentials", scope: "read" };
  assertEquals((await request("/oauth2/token", grant, "another-secret-of-the-client")).status, 401);
  const { status, body } = await request("/oauth2/token", grant);
  assertEquals([status, await isActive(body.access_token), await isActive(before)], [200, true, false]);
  await check.stop();
  // The key that signed it is that of the server.
  assertEquals([await isActive(body.access_token), await isActive(before)], [false, true]);
  waiting.closeAllConnections();
  await new Promise((resolve) => waiting.close(resolve));
});

test("[CO-07] a token that a check issues by a moved clock is not valid when the server reaches that time", async () => {
  const check = clientCheck();
  const { plugin, clock } = testControl();
  await using as = await latchkey({ alg, plugins: [check.plugin, plugin] });
  await as.listen({ port: 0 });
  const client_secret = "secret-of-the-shop-client";
  const tokenUrl = `${as.issuer}/oauth2/token`;
  const tokens: string[] = [];
  const request = async (url: string, params: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams(params);
    return await (await fetch(url, { method: "POST", headers: basic("shop", client_secret), body })).json();
  };
  await using application = await startWebApplication(() => ({
    issuer: as.issuer,
    clientId: "shop",
    alg,
    authentication: ClientSecretBasic(client_secret),
    async fetch(url, init) {
      if (url === tokenUrl) {
        tokens.push((await request(url, { grant_type: "client_credentials", scope: "read" })).access_token);
      }
      return await fetch(url, init);
    },
  }));
  const { url } = application;
  const grant_types = ["authorization_code", "client_credentials"];
  await as.clients.set({ client_id: "shop", client_secret, redirect_uris: [`${url}/callback`], grant_types });
  const input = { client: "shop", loginUrl: `${url}/login`, loggedInUrl: `${url}/me`, only: ["response/late"] };
  await check.start(input, as.issuer);
  await until(() => check.state().status !== "running");
  const expiries = tokens.map((token) => (decodeJwt(token).exp! * 1000 - clock.now()) / 3_600_000);
  assert(expiries.some((hours) => hours > 24), String(expiries));
  clock.advance(2 * 3600);
  for (const token of tokens) {
    assertEquals((await request(`${as.issuer}/oauth2/introspect`, { token })).active, false);
  }
});

test("[CO-07] during a check, a login of another client ends with 503 and the reason, and works again afterwards", async () => {
  await using server = await start();
  const { as, begin } = server;
  await as.clients.set({ client_id: "other", redirect_uris: ["http://localhost:3000/callback"] });
  const logIn = async (client_id: string, redirect_uri: string) => {
    const pkce = { code_challenge: "x".repeat(43), code_challenge_method: "S256" };
    const params = new URLSearchParams({ response_type: "code", client_id, redirect_uri, ...pkce });
    const response = await fetch(`${as.issuer}/oauth2/authorize?${params}`, { redirect: "manual" });
    return { status: response.status, text: await response.text(), retryAfter: response.headers.get("retry-after") };
  };
  await begin({ only: ["response"] });
  const other = await logIn("other", "http://localhost:3000/callback");
  assertEquals([other.status, other.retryAfter], [503, "60"]);
  assertStringIncludes(other.text, "A check of shop is running.");
  await server.check.stop();
  assertEquals((await logIn("other", "http://localhost:3000/callback")).status, 302);
});

test("[CO-07] during a check, a client that the application registers logs in, and one of another origin does not", async () => {
  await using server = await start(undefined, {}, { registration: {} });
  const { as, begin, url } = server;
  await begin({ only: ["response"] });
  for (const [redirect_uri, status] of [[`${url}/callback`, 302], ["http://localhost:3000/callback", 503]] as const) {
    const registration = await fetch(`${as.issuer}/oauth2/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" }),
    });
    const { client_id } = await registration.json();
    const pkce = { code_challenge: "x".repeat(43), code_challenge_method: "S256" };
    const params = new URLSearchParams({ response_type: "code", client_id, redirect_uri, ...pkce });
    const response = await fetch(`${as.issuer}/oauth2/authorize?${params}`, { redirect: "manual" });
    assertEquals(response.status, status, await response.text());
  }
  await server.check.stop();
});

test("[CO-07] during a check, tokens of another client are refreshed, introspected and revoked as before", async () => {
  await using server = await start();
  const { as, control, begin } = server;
  const client_secret = "secret-of-the-api-client";
  const redirect_uris = ["http://localhost:3000/callback"];
  const grant_types = ["authorization_code", "refresh_token"];
  await as.clients.set({ client_id: "api", client_secret, redirect_uris, grant_types });
  await as.clients.set({ client_id: "spa", redirect_uris, grant_types });
  const issued = await control.mint.refreshToken({ client: "api", sub: "alice", scope: "read" });
  const issuedToPublic = await control.mint.refreshToken({ client: "spa", sub: "alice", scope: "read" });
  const request = async (path: string, params: Readonly<Record<string, string>>, headers = {}) => {
    const response = await fetch(as.issuer + path, { method: "POST", headers, body: new URLSearchParams(params) });
    return { status: response.status, text: await response.text() };
  };
  const byHeader = basic("api", client_secret);
  await begin({ only: ["response"] });
  const refreshed = await request("/oauth2/token", { grant_type: "refresh_token", refresh_token: issued }, byHeader);
  assertEquals(refreshed.status, 200, refreshed.text);
  const { access_token } = JSON.parse(refreshed.text);
  const byBody = { client_id: "api", client_secret };
  const isActive = async () =>
    JSON.parse((await request("/oauth2/introspect", { token: access_token, ...byBody })).text);
  assertEquals((await isActive()).active, true);
  assertEquals((await request("/oauth2/revoke", { token: access_token, ...byBody })).status, 200);
  assertEquals((await isActive()).active, false);
  const ofPublic = { grant_type: "refresh_token", refresh_token: issuedToPublic, client_id: "spa" };
  assertEquals((await request("/oauth2/token", ofPublic)).status, 200);
  const userinfo = (token: string) =>
    fetch(`${as.issuer}/oauth2/userinfo`, { headers: { authorization: `Bearer ${token}` } });
  const token = await control.mint.accessToken({ client: "spa", sub: "alice", scope: "openid" });
  assertEquals((await (await userinfo(token)).json()).sub, "alice");
  assertEquals((await userinfo(`${token}x`)).status, 401);
  const login = { response_type: "code", client_id: "spa", redirect_uri: redirect_uris[0]! };
  assertEquals((await request("/oauth2/authorize", login)).status, 503);
  assertEquals(server.check.state().status, "running");
  await server.check.stop();
});

test("[CO-07] during a check, the server serves a client that it has not read from its store before", async () => {
  const store = Object.assign(memoryStore(), { persistent: true });
  await using before = await latchkey({ store });
  const client_secret = "secret-of-the-job";
  await before.clients.set({ client_id: "job", client_secret, grant_types: ["client_credentials"] });
  await using server = await start(undefined, {}, { store });
  await server.begin({ only: ["response"] });
  const init = { method: "POST", body: new URLSearchParams({ grant_type: "client_credentials" }) };
  const response = await fetch(`${server.as.issuer}/oauth2/token`, { ...init, headers: basic("job", client_secret) });
  assertEquals([response.status, (await response.json()).error], [200, undefined]);
  await server.check.stop();
});

test("[CO-07] during a check, another client registers at the server, which knows it afterwards", async () => {
  await using server = await start();
  const { as, begin } = server;
  await begin({ only: ["response"] });
  const response = await fetch(`${as.issuer}/oauth2/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: ["http://localhost:3000/callback"] }),
  });
  assertEquals(response.status, 201);
  const registered = await response.json();
  const authorization = `Bearer ${registered.registration_access_token}`;
  assertEquals((await fetch(registered.registration_client_uri, { headers: { authorization } })).status, 200);
  await server.check.stop();
  assertEquals(as.clients.find(registered.client_id)?.id, registered.client_id);
});

test("[CO-07] the command's check shows its logins at the recorder of the server, and no page", async () => {
  const check = clientCheck();
  const flows = inspector();
  const port = await findFreePort();
  const clients = [{ client_id: "shop", redirect_uris: [`http://127.0.0.1:${port}/callback`] }];
  await using as = await latchkey({ clients, alg, plugins: [check.plugin, flows] });
  const { url } = await as.listen({ port: 0 });
  await using application = await startWebApplication(() => ({ issuer: as.issuer, clientId: "shop", alg }), port);
  const started: string[] = [];
  const results: string[] = [];
  const report = await check.run(
    {
      loginUrl: `${application.url}/login`,
      loggedInUrl: `${application.url}/me`,
      only: ["id-token/alg-none"],
    },
    as.issuer,
    {
      repeat: (id) => id,
      onStart: (id) => started.push(id),
      onResult: ({ attack }) => results.push(attack.id),
      recorder: flows.recorder,
    },
  );
  assertEquals([report.passed, started.length > 0, started], [true, true, results], String(report));
  await (await fetch(`${url}/flows`)).text();
  const endpoints = new Set(flows.recorder.exchanges().map(({ endpoint }) => endpoint));
  assertEquals([endpoints.has("token"), endpoints.has("unknown")], [true, false]);
});

test("[CO-07] another instance with the same store and keys accepts no token of a check, and its own tokens stay valid", async () => {
  const waiting = createServer(() => {});
  await new Promise<void>((resolve) => waiting.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(waiting.address() as AddressInfo).port}`;
  const client_secret = "secret-of-the-api-client";
  const grant_types = ["authorization_code", "client_credentials"];
  const clients = [{ client_id: "api", client_secret, redirect_uris: [`${url}/callback`], grant_types, scope: "read" }];
  const store = memoryStore();
  const check = clientCheck();
  await using checking = await latchkey({ clients, store, plugins: [check.plugin] });
  await using other = await latchkey({ clients, store });
  const request = async (as: Latchkey, path: string, params: Readonly<Record<string, string>>) => {
    const init = { method: "POST", headers: basic("api", client_secret), body: new URLSearchParams(params) };
    return await (await as.fetch(new Request(as.issuer + path, init))).json();
  };
  const issue = async (as: Latchkey) =>
    (await request(as, "/oauth2/token", { grant_type: "client_credentials", scope: "read" })).access_token;
  const activeAt = async (token: string) =>
    await Promise.all([checking, other].map(async (as) => (await request(as, "/oauth2/introspect", { token })).active));
  await check.start({ client: "api", loginUrl: `${url}/login`, only: ["response/late"] }, checking.issuer);
  const [ofCheck, ofOther] = [await issue(checking), await issue(other)];
  assertEquals([await activeAt(ofCheck), (await activeAt(ofOther))[1]], [[true, false], true]);
  await check.stop();
  assertEquals([await activeAt(ofCheck), await activeAt(ofOther)], [[false, false], [true, true]]);
  waiting.closeAllConnections();
  await new Promise((resolve) => waiting.close(resolve));
});
