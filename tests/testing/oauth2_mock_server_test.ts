/** The interface of oauth2-mock-server: what suites that use it call, and what the mock rejects. */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { request as send, type RequestListener } from "node:http";
import { test } from "node:test";
import {
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from "jose";
import { Events, HttpServer, OAuth2Server, OAuth2Service } from "../../src/testing/oauth2_mock_server/mod.ts";
import type {
  MutableToken,
  OAuth2Options,
  TokenRequestIncomingMessage,
} from "../../src/testing/oauth2_mock_server/mod.ts";
import { faults } from "../../src/testing/mod.ts";

const redirectUri = "http://localhost:3000/callback";
const basic = { authorization: `Basic ${btoa("web:any secret")}` };

/** A server with a key, which the test stops. */
async function started(options?: OAuth2Options) {
  const server = new OAuth2Server(undefined, undefined, options);
  await server.issuer.keys.generate("ES256", { kid: "key-1" });
  await server.start();
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.stop() });
}

async function authorize(server: OAuth2Server, parameters: Record<string, string> = {}): Promise<URL> {
  const query = new URLSearchParams({
    ...{ response_type: "code", client_id: "web", redirect_uri: redirectUri, scope: "openid api" },
    ...parameters,
  });
  const { status, headers } = await fetch(`${server.issuer.url}/authorize?${query}`, { redirect: "manual" });
  assertEquals(status, 302);
  return new URL(headers.get("location")!);
}

async function postForm(server: OAuth2Server, path: string, fields: Record<string, string>, headers = {}) {
  const response = await fetch(server.issuer.url + path, {
    method: "POST",
    headers,
    body: new URLSearchParams(fields),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

/** Logs in, and returns the token response. */
async function logIn(server: OAuth2Server, parameters?: Record<string, string>) {
  const code = (await authorize(server, parameters)).searchParams.get("code")!;
  const { status, body } = await postForm(server, "/token", {
    ...{ grant_type: "authorization_code", code, redirect_uri: redirectUri },
  }, basic);
  assertEquals(status, 200, JSON.stringify(body));
  return body;
}

async function getUserinfo(server: OAuth2Server, accessToken: string) {
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await fetch(`${server.issuer.url}/userinfo`, { headers });
  return { status: response.status, body: await response.json() };
}

test("a login ends with tokens that have the claims of oauth2-mock-server and a key of the issuer", async () => {
  await using server = await started();
  const tokens = await logIn(server, { nonce: "n-1" });
  assertEquals([tokens.token_type, tokens.expires_in, tokens.scope], ["Bearer", 3600, "openid api"]);
  const jwks = createRemoteJWKSet(new URL(`${server.issuer.url}/jwks`));
  const { payload, protectedHeader } = await jwtVerify(tokens.id_token, jwks, { issuer: server.issuer.url });
  assertEquals(protectedHeader, { typ: "JWT", kid: "key-1", alg: "ES256" });
  const { iat, exp, nbf, ...claims } = payload;
  assertEquals(claims, { iss: server.issuer.url!, sub: "johndoe", aud: "web", nonce: "n-1" });
  assertEquals([exp! - iat!, iat! - nbf!], [3600, 10]);
  const { sub, amr, scope } = decodeJwt(tokens.access_token);
  assertEquals({ sub, amr, scope }, { sub: "johndoe", amr: ["pwd"], scope: "openid api" });
  assertEquals(await getUserinfo(server, tokens.access_token), { status: 200, body: { sub: "johndoe" } });
});

test("a listener changes header and claims of each token, and receives the request", async () => {
  await using server = await started();
  const bodies: string[] = [];
  server.service.on(Events.BeforeTokenSigning, (token: MutableToken, { body }: TokenRequestIncomingMessage) => {
    bodies.push(body.grant_type);
    Object.assign(token.payload, { sub: "another user", roles: ["admin"] });
    token.header.typ = "at+jwt";
  });
  const { access_token, id_token } = await logIn(server);
  assertEquals(bodies, ["authorization_code", "authorization_code"]);
  assertEquals([access_token, id_token].map((token) => decodeJwt(token).roles), [["admin"], ["admin"]]);
  assertEquals(decodeProtectedHeader(access_token).typ, "at+jwt");
  // The mock recognizes the token although its claims were changed.
  assertEquals((await getUserinfo(server, access_token)).status, 200);
});

test("listeners change token, userinfo, introspection and revocation responses", async () => {
  await using server = await started();
  const { access_token } = await logIn(server);
  server.service.once("beforeResponse", (response, request) => {
    response.body = { error: "invalid_grant", from: request.body.client_id };
    response.statusCode = 400;
  });
  const client = { client_id: "web", client_secret: "any" };
  const granted = () => postForm(server, "/token", { grant_type: "client_credentials", scope: "a", ...client });
  assertEquals(await granted(), { status: 400, body: { error: "invalid_grant", from: "web" } });
  assertEquals((await granted()).body.scope, "a");
  server.service.once("beforeUserinfo", (response) => Object.assign(response.body, { email: "a@example.com" }));
  assertEquals((await getUserinfo(server, access_token)).body, { sub: "johndoe", email: "a@example.com" });
  server.service.once("beforeIntrospect", (response) => response.body.username = "dummy");
  const { body } = await postForm(server, "/introspect", { token: access_token }, basic);
  assertEquals([body.active, body.username, body.iss], [true, "dummy", server.issuer.url]);
  server.service.once("beforeRevoke", (response) => response.statusCode = 418);
  assertEquals((await postForm(server, "/revoke", { token: access_token }, basic)).status, 418);
  assertEquals((await getUserinfo(server, access_token)).status, 401);
});

test("the response goes to any redirect URI, also over http to another host", async () => {
  await using server = await started();
  for (const uri of ["http://example.com/callback", "https://app.example.com/cb", "app:/cb"]) {
    assertEquals((await authorize(server, { redirect_uri: uri })).href.split("?")[0], uri);
  }
});

test("listeners change the redirects after login and logout, and metadata", async () => {
  await using server = await started();
  server.service.once("beforeAuthorizeRedirect", ({ url }, { query }) => url.searchParams.set("foo", query.client_id));
  assertEquals((await authorize(server, { state: "s" })).searchParams.get("foo"), "web");
  const { id_token } = await logIn(server);
  server.service.once("beforePostLogoutRedirect", ({ url }) => url.searchParams.set("foo", "bar"));
  const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: redirectUri, state: "s" });
  const { headers } = await fetch(`${server.issuer.url}/endsession?${query}`, { redirect: "manual" });
  assertEquals(headers.get("location"), `${redirectUri}?state=s&foo=bar`);
  server.service.once("beforeWellKnownOpenIdConfiguration", ({ body }) => body.service_documentation = "here");
  const metadata = await (await fetch(`${server.issuer.url}/.well-known/openid-configuration`)).json();
  assertEquals(metadata.service_documentation, "here");
  assertEquals(metadata.end_session_endpoint, `${server.issuer.url}/endsession`);
  assertEquals(metadata.id_token_signing_alg_values_supported, ["ES256"]);
});

test("metadata has an algorithm before the suite generates a key", async () => {
  const server = new OAuth2Server();
  await server.start();
  const metadata = await (await fetch(`${server.issuer.url}/.well-known/openid-configuration`)).json();
  assertEquals(metadata.id_token_signing_alg_values_supported, ["RS256"]);
  assertEquals(await (await fetch(metadata.jwks_uri)).json(), { keys: [] });
  await server.stop();
});

test("the keys sign in turn, and buildToken signs claims of the test with any of them", async () => {
  const server = new OAuth2Server();
  const { issuer } = server;
  await assertRejects(() => issuer.buildToken(), Error, "Unknown key");
  const first = await issuer.keys.generate("RS256", { kid: "first" });
  await issuer.keys.add(await issuer.keys.generate("ES384", { kid: "second" }));
  await assertRejects(() => issuer.buildToken(), Error, "Unknown issuer url");
  issuer.url = "https://issuer.example";
  const kids = await Promise.all([1, 2, 3].map(async () => decodeProtectedHeader(await issuer.buildToken()).kid));
  // The first turn ended with the error above.
  assertEquals(kids, ["second", "first", "second"]);
  const token = await issuer.buildToken({ kid: "second", scopesOrTransform: ["a", "b"], expiresIn: 60 });
  const { iss, scope, iat, exp } = decodeJwt(token);
  assertEquals([iss, scope, exp! - iat!], ["https://issuer.example", "a b", 60]);
  const transformed = await issuer.buildToken({ scopesOrTransform: (header, payload) => payload.from = header.kid });
  assert(["first", "second"].includes(String(decodeJwt(transformed).from)));
  assertEquals(issuer.keys.toJSON().map(({ d }) => d), [undefined, undefined]);
  assertEquals(issuer.keys.get("first"), first);
  await assertRejects(() => issuer.keys.generate("HS256"), Error, 'Unsupported JWK "alg"');
  await assertRejects(() => issuer.keys.add({ kty: "RSA" }), Error, 'Unspecified JWK "alg"');
  await assertRejects(() => issuer.keys.add({ ...issuer.keys.toJSON()[0] }), Error, "private key");
});

test("the issuer of a test is in metadata, tokens and redirects, with a slash if the test wants one", async () => {
  const server = new OAuth2Server(undefined, undefined, { shouldIssuerUrlBeSuffixedWithATralingSlash: true });
  await server.issuer.keys.generate("ES256");
  server.issuer.url = "https://tenant.example.com";
  await server.start();
  const { port } = server.address();
  const metadata = await (await fetch(`http://localhost:${port}/.well-known/openid-configuration`)).json();
  assertEquals([metadata.issuer, metadata.token_endpoint], [
    "https://tenant.example.com/",
    "https://tenant.example.com/token",
  ]);
  const query = new URLSearchParams({ response_type: "code", client_id: "web", redirect_uri: redirectUri });
  const { headers } = await fetch(`http://localhost:${port}/authorize?${query}`, { redirect: "manual" });
  assertEquals(new URL(headers.get("location")!).searchParams.get("iss"), "https://tenant.example.com/");
  await server.stop();
  assertEquals(server.issuer.url, undefined);
});

test("a server starts once, stops once, and starts again with its keys and listeners", async () => {
  await using server = await started();
  assertEquals([server.listening, server.issuer.url], [true, `http://localhost:${server.address().port}`]);
  await assertRejects(() => server.start(), Error, "already been started");
  server.service.on("beforeTokenSigning", (token) => token.payload.kept = true);
  await server.stop();
  assertThrows(() => server.address(), Error, "not started");
  await assertRejects(() => server.stop(), Error, "not started");
  await server.start(0, "127.0.0.1");
  assertEquals(decodeJwt((await logIn(server)).id_token).kept, true);
  assertThrows(() => new OAuth2Server("key.pem"), Error, "Both key and cert");
});

test("paths of a test replace those of oauth2-mock-server", async () => {
  await using server = await started({ endpoints: { wellKnownDocument: "/config", token: "/oauth/token" } });
  const metadata = await (await fetch(`${server.issuer.url}/config`)).json();
  assertEquals(metadata.token_endpoint, `${server.issuer.url}/oauth/token`);
  assertEquals((await fetch(metadata.jwks_uri)).status, 200);
  assertThrows(() => new OAuth2Service(server.issuer, { token: "token" }), Error, "begins with a slash");
});

test("a route of a test, and the request handler in a server of a test", async () => {
  await using server = await started();
  server.service.addRoute("POST", "/users", (request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify([request.body, request.query]));
  });
  assertThrows(() => server.service.addRoute("POST", "/users", () => {}), Error, "already exists");
  const http = new HttpServer(server.service.requestHandler as RequestListener);
  await http.start();
  const response = await fetch(`http://localhost:${http.address().port}/users?a=1&a=2`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "x" }),
  });
  assertEquals(await response.json(), [{ name: "x" }, { a: ["1", "2"] }]);
  await http.stop();
});

test("a test uses the faults and the log of the mock behind the server", async () => {
  await using server = await started();
  const mock = await server.mock;
  mock.on("token").once(faults.error("temporarily_unavailable"));
  const code = (await authorize(server)).searchParams.get("code")!;
  const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri };
  assertEquals((await postForm(server, "/token", fields, basic)).body.error, "temporarily_unavailable");
  mock.log.expect("authorize").called(1);
  mock.clock.advance(3600);
  assertEquals((await postForm(server, "/token", fields, basic)).body.error, "invalid_grant");
});

test("[TK-05] [TK-02] [TK-15] a rejected request has no event, and the response says how to fix it", async () => {
  await using server = await started();
  server.service.on("beforeResponse", (response) => response.statusCode = 299);
  const client = { client_id: "web", client_secret: "any" };
  const password = await postForm(server, "/token", {
    grant_type: "password",
    username: "a",
    password: "b",
    ...client,
  });
  assertEquals([password.status, password.body.error], [400, "unsupported_grant_type"]);
  assertMatch(password.body.error_description, /OAuth 2.1 has no password grant/);
  const implicit = await authorize(server, { response_type: "token" });
  assertEquals(implicit.searchParams.get("error"), "unsupported_response_type");
  const code = (await authorize(server)).searchParams.get("code")!;
  const fields = { grant_type: "authorization_code", code, redirect_uri: `${redirectUri}/`, ...client };
  const { status, body } = await postForm(server, "/token", fields);
  assertEquals([status, body.error], [400, "invalid_grant"]);
  assertMatch(body.error_description, /redirect_uri does not match.*character for character/);
  assertEquals((await fetch(`${server.issuer.url}/userinfo`)).status, 401);
});

test("[TK-02] JSON bodies and token requests without a client are accepted, with a warning; each line is there once", async () => {
  const lines: string[] = [];
  const { error } = console;
  console.error = (line: string) => void lines.push(line);
  try {
    await using server = await started();
    const postJson = (fields: object) =>
      fetch(`${server.issuer.url}/token`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(fields),
      });
    const events: unknown[] = [];
    server.service.on("beforeTokenSigning", (_token, { body }) => events.push(body.scope));
    for (const _ of [1, 2]) {
      const json = await postJson({ grant_type: "client_credentials", client_id: "a", client_secret: "b", scope: "x" });
      assertEquals([json.status, json.headers.get("pragma"), json.headers.get("cache-control")], [
        ...[200, "no-cache", "no-store"],
      ]);
      await json.body?.cancel();
    }
    assertEquals(events, ["x", "x"]);
    const unnamed = await postForm(server, "/token", { grant_type: "client_credentials", scope: "y" });
    assertEquals(unnamed.status, 200);
    const code = (await authorize(server)).searchParams.get("code")!;
    const grant = { grant_type: "authorization_code", code, redirect_uri: redirectUri };
    assertEquals((await postForm(server, "/token", grant)).status, 200);
    assertEquals(lines.map((line) => /JSON|names no client/.exec(line)?.[0]), ["JSON", "names no client"]);
    lines.length = 0;
    for (const _ of [1, 2]) assertEquals((await postForm(server, "/token", grant)).body.error, "invalid_grant");
    const strange = await postJson({ grant_type: { toString: 1 }, scope: [[[]]] });
    assertEquals(strange.status, 401);
    await strange.body?.cancel();
    assertEquals((await fetch(`${server.issuer.url}/userinfo`)).status, 401);
    assertEquals(lines.length, 3, lines.join("\n"));
    assertMatch(lines[0]!, /^Latchkey rejected \/token: invalid_grant: .*\[/);
    assertMatch(lines[2]!, /^Latchkey rejected \/userinfo: invalid_token: .*\[/);
    assertEquals(lines.join().includes(code), false);
  } finally {
    console.error = error;
  }
});

test("a client with keys is registered at the mock behind the server, and authenticates by its assertion", async () => {
  await using server = await started();
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const jwk = { ...await exportJWK(publicKey), alg: "ES256", use: "sig" };
  const mock = await server.mock;
  mock.client({
    ...{ client_id: "signer", token_endpoint_auth_method: "private_key_jwt", grant_types: ["client_credentials"] },
    jwks: { keys: [jwk] },
  });
  const assertion = await new SignJWT({}).setProtectedHeader({ alg: "ES256" }).setIssuer("signer").setSubject("signer")
    .setAudience(server.issuer.url!).setJti("1").setIssuedAt().setExpirationTime("1m").sign(privateKey);
  const { status, body } = await postForm(server, "/token", {
    ...{ grant_type: "client_credentials", scope: "read", client_id: "signer", client_assertion: assertion },
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  });
  assertEquals(status, 200, JSON.stringify(body));
});

test("a mock that is used before the server starts follows it to its port", async () => {
  const server = new OAuth2Server();
  await server.issuer.keys.generate("RS256");
  const mock = await server.mock;
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  mock.client({
    ...{ client_id: "signer", token_endpoint_auth_method: "private_key_jwt", grant_types: ["client_credentials"] },
    jwks: { keys: [{ ...await exportJWK(publicKey), alg: "ES256" }] },
  });
  await server.start();
  try {
    assertEquals(mock.issuer, server.issuer.url);
    assertEquals(await server.mock, mock);
    assertEquals(decodeJwt(await mock.mint.accessToken()).iss, server.issuer.url);
    const assertion = await new SignJWT({}).setProtectedHeader({ alg: "ES256" }).setIssuer("signer")
      .setSubject("signer").setAudience(server.issuer.url!).setJti("1").setIssuedAt().setExpirationTime("1m")
      .sign(privateKey);
    const { status, body } = await postForm(server, "/token", {
      ...{ grant_type: "client_credentials", scope: "read", client_id: "signer", client_assertion: assertion },
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    });
    assertEquals(status, 200, JSON.stringify(body));
  } finally {
    await server.stop();
  }
});

test("userinfo accepts no token that a listener issued expired", async () => {
  await using server = await started();
  server.service.on("beforeTokenSigning", ({ payload }) => payload.exp = payload.iat - 1);
  const { access_token } = await logIn(server);
  assertEquals((await getUserinfo(server, access_token)).status, 401);
});

test("a login without openid has no ID token, and its access token works at userinfo", async () => {
  await using server = await started();
  const tokens = await logIn(server, { scope: "profile" });
  assertEquals([tokens.id_token, tokens.scope, decodeJwt(tokens.access_token).scope], [
    undefined,
    "profile",
    "profile",
  ]);
  assertEquals((await getUserinfo(server, tokens.access_token)).body, { sub: "johndoe" });
});

test("userinfo and introspection accept a token of buildToken, and no token of another key or issuer", async () => {
  await using server = await started();
  const { issuer } = server;
  const introspect = (token: string) => postForm(server, "/introspect", { token }, basic);
  const token = await issuer.buildToken({ scopesOrTransform: (_, payload) => Object.assign(payload, { sub: "x" }) });
  assertEquals((await getUserinfo(server, token)).body, { sub: "johndoe" });
  const { body } = await introspect(token);
  assertEquals([body.active, body.sub, body.iss], [true, "x", issuer.url]);
  const other = new OAuth2Server();
  other.issuer.url = issuer.url;
  await other.issuer.keys.generate("ES256", { kid: "key-1" });
  assertEquals((await introspect(await other.issuer.buildToken())).body, { active: false });
  assertEquals((await getUserinfo(server, await issuer.buildToken({ expiresIn: -1 }))).status, 401);
  const foreign = await issuer.buildToken({ scopesOrTransform: (_, payload) => payload.iss = "https://other.test" });
  assertEquals((await getUserinfo(server, foreign)).status, 401);
});

test("a client may inspect a token of another client, with the claims of the listener, and log out by its id", async () => {
  await using server = await started();
  server.service.once("beforeTokenSigning", ({ payload }) => payload.roles = ["admin"]);
  const { access_token, id_token } = await logIn(server);
  const headers = { authorization: `Basic ${btoa("api:any secret")}` };
  const { body } = await postForm(server, "/introspect", { token: access_token }, headers);
  assertEquals([body.active, body.client_id, body.roles], [true, "web", ["admin"]]);
  const query = new URLSearchParams({ client_id: "web", post_logout_redirect_uri: redirectUri });
  const response = await fetch(`${server.issuer.url}/endsession?${query}`, { redirect: "manual" });
  assertEquals(response.headers.get("location"), redirectUri);
  // An ID token is no access token.
  assertEquals((await getUserinfo(server, id_token)).status, 401);
});

test("a strange target, method or body is rejected without an error of the server", async () => {
  await using server = await started();
  const { port } = server.address();
  const getStatus = (method: string, path: string, body = "", headers = {}) =>
    new Promise<number | undefined>((resolve, reject) => {
      send({ host: "127.0.0.1", port, method, path, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on("error", reject).end(body);
    });
  assertEquals(await getStatus("GET", "//:x"), 404);
  assertEquals(await getStatus("TRACE", "/token"), 501);
  assertEquals(await getStatus("GET", "http://other.test/jwks"), 200);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  assertEquals(await getStatus("POST", "/introspect", "token=a&token=b&client_id=a&client_secret=b", form), 400);
  assertEquals(await getStatus("POST", "/token", "x".repeat(100_000), form), 413);
  assertEquals(await getStatus("POST", "/token", "{", { "content-type": "application/json" }), 400);
});
