/**
 * The profile cognito, with plain requests: claims, texts instead of booleans, bare errors and its logout endpoint.
 *
 * @extensions registration
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { decodeClaims, forEachCase } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";

const origin = "http://localhost:9000";
const redirect_uri = "https://app.example/cb";
const logout_uri = "https://app.example/bye";
const alice = {
  ...{ sub: "0a1b2c3d-0000-4000-8000-000000000001", preferred_username: "alice", email: "alice@app.example" },
  ...{ email_verified: true, groups: ["admins"] },
};

async function cognito() {
  const as = await latchkey({
    profile: "cognito",
    clients: [{
      ...{ client_id: "app", redirect_uris: [redirect_uri], post_logout_redirect_uris: [logout_uri] },
      ...{ token_endpoint_auth_method: "client_secret_basic", client_secret: "a secret of thirty-two characters" },
      grant_types: ["authorization_code", "refresh_token"],
    }],
    users: [alice],
  });
  const request = (path: string, init: RequestInit = {}) =>
    as.fetch(new Request(`${origin}${path}`, { redirect: "manual", ...init }));
  const authorization = `Basic ${btoa("app:a+secret+of+thirty-two+characters")}`;
  const authorize = async (more: Record<string, string> = {}) => {
    const query = new URLSearchParams({ response_type: "code", client_id: "app", redirect_uri, state: "s", ...more });
    const response = await request(`/oauth2/authorize?${query}`);
    return { response, callback: new URL(response.headers.get("location")!).searchParams };
  };
  const post = (fields: Record<string, string>) =>
    request("/oauth2/token", {
      method: "POST",
      headers: { authorization },
      body: new URLSearchParams({ redirect_uri, ...fields }),
    });
  const logIn = async (scope: string, more: Record<string, string> = {}) => {
    const code = (await authorize({ scope, ...more })).callback.get("code")!;
    return await (await post({ grant_type: "authorization_code", code })).json();
  };
  return { request, authorize, post, logIn, [Symbol.asyncDispose]: () => as.close() };
}

test("cognito: endpoints beside the issuer, userInfo with a capital letter, keys below it", async () => {
  await using provider = await cognito();
  const issuer = `${origin}/us-east-1_example`;
  const metadata = await (await provider.request("/us-east-1_example/.well-known/openid-configuration")).json();
  assertEquals(
    [metadata.issuer, metadata.token_endpoint, metadata.userinfo_endpoint, metadata.end_session_endpoint],
    [issuer, `${origin}/oauth2/token`, `${origin}/oauth2/userInfo`, `${origin}/logout`],
  );
  assertEquals([metadata.jwks_uri, metadata.code_challenge_methods_supported], [
    `${issuer}/.well-known/jwks.json`,
    undefined,
  ]);
});

test("cognito: token_use, groups, no aud in the access token, which userinfo accepts, and texts for booleans", async () => {
  await using provider = await cognito();
  const { id_token, access_token, refresh_token, scope } = await provider.logIn("openid email");
  const id = decodeClaims(id_token);
  assertEquals([id.token_use, id["cognito:username"], id["cognito:groups"], id.email_verified, id.aud], [
    "id",
    "alice",
    ["admins"],
    true,
    "app",
  ]);
  const access = decodeClaims(access_token);
  assertEquals([access.token_use, access.client_id, access.username, access.aud, access.scope, scope], [
    "access",
    "app",
    "alice",
    undefined,
    "openid email",
    undefined,
  ]);
  const headers = { authorization: `Bearer ${access_token}` };
  const userinfo = await (await provider.request("/oauth2/userInfo", { headers })).json();
  assertEquals([userinfo.email_verified, userinfo.username], ["true", "alice"]);
  const refreshed = await (await provider.post({ grant_type: "refresh_token", refresh_token })).json();
  assertEquals([typeof refreshed.id_token, refreshed.refresh_token], ["string", undefined]);
});

test("[BR-02] cognito: a token for another resource keeps its aud, and userinfo rejects it", async () => {
  const resource = "https://api.example";
  await using provider = await cognito();
  const { access_token } = await provider.logIn("openid", { resource });
  assertEquals(decodeClaims(access_token).aud, resource);
  const headers = { authorization: `Bearer ${access_token}` };
  assertEquals((await provider.request("/oauth2/userInfo", { headers })).status, 401);
});

test("cognito: errors have no description, and a challenge needs its method", async () => {
  await using provider = await cognito();
  const response = await provider.post({ grant_type: "authorization_code", code: "wrong" });
  assertEquals([response.status, await response.json()], [400, { error: "invalid_grant" }]);
  const { callback } = await provider.authorize({ scope: "openid", code_challenge: "a".repeat(43) });
  assertEquals([callback.get("error"), callback.get("error_description"), callback.get("iss")], [
    "invalid_request",
    null,
    null,
  ]);
});

test("cognito: logout takes client_id and a registered logout_uri, ends the session, and leads nowhere else", async () => {
  await using provider = await cognito();
  const cookie = (await provider.authorize({ scope: "openid" })).response.headers.get("set-cookie")!;
  assertMatch(cookie, /; Path=\/;/);
  const headers = { cookie: cookie.split(";")[0]! };
  const silently = async () => {
    const query = new URLSearchParams({ response_type: "code", client_id: "app", redirect_uri, scope: "openid" });
    const response = await provider.request(`/oauth2/authorize?${query}&prompt=none`, { headers });
    return new URL(response.headers.get("location")!).searchParams.get("error");
  };
  assertEquals(await silently(), null);
  const query = (fields: Record<string, string>) => `/logout?${new URLSearchParams(fields)}`;
  await forEachCase<Record<string, string>>([
    { id_token_hint: "x", post_logout_redirect_uri: logout_uri },
    { client_id: "app" },
    { client_id: "app", logout_uri: "https://evil.example/" },
    { client_id: "app", logout_uri: `${logout_uri}/more` },
    { client_id: "unknown", logout_uri },
  ], async (fields) => {
    const response = await provider.request(query(fields), { headers });
    assertEquals([response.status, response.headers.get("location")], [400, null]);
  });
  assertEquals(await silently(), null);
  const login = { client_id: "app", response_type: "code", redirect_uri: "https://evil.example/" };
  const again = await provider.request(query(login));
  assert(again.headers.get("location")!.startsWith(`${origin}/oauth2/authorize?`));
  const done = await provider.request(query({ client_id: "app", logout_uri }), { headers });
  assertEquals([done.status, done.headers.get("location")], [302, logout_uri]);
  assertMatch(done.headers.get("set-cookie")!, /Max-Age=0/);
});

test("cognito: /login takes the parameters of the authorization endpoint", async () => {
  await using provider = await cognito();
  const query = new URLSearchParams({ response_type: "code", client_id: "app", redirect_uri, scope: "openid" });
  const { headers } = await provider.request(`/login?${query}`);
  assertMatch(headers.get("location")!, /^https:\/\/app\.example\/cb\?code=/);
});

test("[LO-03] cognito: logout does not lead to a URI that a client has registered itself, and HEAD ends no session", async () => {
  await using provider = await cognito();
  const evil = "https://evil.example/bye";
  const registered = await provider.request("/us-east-1_example/oauth2/register", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: ["https://evil.example/cb"], post_logout_redirect_uris: [evil] }),
  });
  const { client_id } = await registered.json();
  const rejected = await provider.request(`/logout?${new URLSearchParams({ client_id, logout_uri: evil })}`);
  assertEquals([registered.status, rejected.status, rejected.headers.get("location")], [201, 400, null]);
  const cookie = (await provider.authorize({ scope: "openid" })).response.headers.get("set-cookie")!.split(";")[0]!;
  const query = new URLSearchParams({ client_id: "app", logout_uri });
  const head = await provider.request(`/logout?${query}`, { method: "HEAD", headers: { cookie } });
  assertEquals([head.status, head.headers.get("location"), head.headers.get("set-cookie")], [200, null, null]);
});
