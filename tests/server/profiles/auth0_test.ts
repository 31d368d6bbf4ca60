/** The profile `auth0`, with plain requests and with Auth0's own client for servers. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { AuthClient } from "@auth0/auth0-auth-js";
import { test } from "node:test";
import { latchkey } from "../../secret_leak_check.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { challenge, decodeClaims, forEachCase, verifier } from "../../kit.ts";
import { redirectUri, secret } from "./provider_server.ts";

const bye = "https://app.example/bye";
const api = "https://api.example";
const roles = "https://app.example/roles";

async function auth0(origin?: string) {
  const common = {
    ...{ redirect_uris: [redirectUri], post_logout_redirect_uris: [bye] },
    grant_types: ["authorization_code", "refresh_token", "client_credentials"],
  };
  const as = await testLatchkey({
    profile: "auth0",
    scopes: ["openid", "profile", "email", "offline_access", "read:notes"],
    ...origin && { origins: { issuer: origin } },
    clients: [
      { ...common, client_id: "spa", grant_types: ["authorization_code", "refresh_token"] },
      { ...common, client_id: "web", client_secret: secret },
    ],
    users: [{
      ...{ sub: "auth0|5f7c8ec7c33c6c004bbafe82", name: "Alice", email: "alice@app.example", email_verified: true },
      ...{ updated_at: 1767225600, plan: "free", [roles]: ["editor"] },
      ...{ org_id: "org_acme", org_name: "acme-inc" },
    }],
  });
  const authorize = (query: Record<string, string> = {}, init?: RequestInit) => {
    const params = new URLSearchParams({
      ...{ response_type: "code", client_id: "spa", redirect_uri: redirectUri, state: "st4te", nonce: "n" },
      ...{ scope: "openid profile email", code_challenge: challenge, code_challenge_method: "S256", ...query },
    });
    return as.fetch(`/authorize?${params}`, { redirect: "manual", ...init });
  };
  const exchange = (body: Record<string, string>) =>
    as.fetch("/oauth/token", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_id: "spa", redirect_uri: redirectUri, code_verifier: verifier, ...body }),
    });
  const logIn = async (query?: Record<string, string>) => {
    const code = new URL((await authorize(query)).headers.get("location")!).searchParams.get("code")!;
    return await (await exchange({ grant_type: "authorization_code", code })).json();
  };
  return { as, authorize, exchange, logIn, [Symbol.asyncDispose]: () => as.close() };
}

test("auth0: aud is the audience as it was sent, in a login, a refresh, for a machine and if minted", async () => {
  await using provider = await auth0();
  const { as } = provider;
  await forEachCase([api, `${api}/`, `${api}/v2/`], async (audience) => {
    const tokens = await provider.logIn({ audience, scope: "openid offline_access" });
    const refreshed = await (await provider.exchange({
      ...{ grant_type: "refresh_token", refresh_token: tokens.refresh_token },
    })).json();
    const machine = await (await provider.exchange({
      ...{ grant_type: "client_credentials", client_id: "web", client_secret: secret, audience, scope: "read:notes" },
    })).json();
    const minted = await as.mint.accessToken({ client: "web", resource: audience, scope: "read:notes" });
    const found = [tokens.access_token, refreshed.access_token, machine.access_token, minted].map((token) =>
      [decodeClaims(token).aud].flat()[0]
    );
    assertEquals(found, Array(4).fill(audience));
  });
});

test("auth0: without an audience the access token is opaque, with one a JWT for it and for userinfo", async () => {
  await using provider = await auth0();
  const { as } = provider;
  assertMatch(as.issuer, /[^/]\/$/);
  const { access_token, id_token, expires_in } = await provider.logIn();
  assertEquals([access_token.includes("."), expires_in], [false, 86400]);
  const id = decodeClaims(id_token);
  assertEquals([id.iss, id.nickname, id.updated_at, id[roles], id.plan], [
    ...[as.issuer, "alice", "2026-01-01T00:00:00.000Z", ["editor"], undefined],
  ]);
  const { userinfo_endpoint } = await (await as.fetch("/.well-known/openid-configuration")).json();
  for (const audience of [undefined, api]) {
    const tokens = await provider.logIn(audience === undefined ? {} : { audience });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const user = await (await as.fetch(userinfo_endpoint, { headers })).json();
    assertEquals([user.sub, user.updated_at], ["auth0|5f7c8ec7c33c6c004bbafe82", "2026-01-01T00:00:00.000Z"]);
    if (audience === undefined) continue;
    const access = decodeClaims(tokens.access_token);
    assertEquals([access.aud, access.azp, access[roles]], [[api, userinfo_endpoint], "spa", ["editor"]]);
  }
  const machine = await provider.exchange({
    ...{
      grant_type: "client_credentials",
      client_id: "web",
      client_secret: secret,
      audience: api,
      scope: "read:notes",
    },
  });
  const { access_token: machineToken } = await machine.json();
  const own = decodeClaims(machineToken);
  assertEquals([own.aud, own.azp, own.sub, own.gty], [api, "web", "web@clients", "client-credentials"]);
  const introspected = await as.fetch("/oauth2/introspect", {
    method: "POST",
    body: new URLSearchParams({ token: machineToken, client_id: "web", client_secret: secret }),
  });
  const { active, client_id, scope } = await introspected.json();
  assertEquals([active, client_id, scope], [true, "web", "read:notes"]);
});

test("auth0: tokens name the organization of the user, and a request for another one is denied", async () => {
  await using provider = await auth0();
  const named: Record<string, string>[] = [
    {},
    { organization: "org_acme" },
    { organization: "Acme-Inc" },
    { organization: "org_acme", response_type: "code", prompt: "none" },
  ];
  const { headers } = await provider.authorize();
  const cookie = headers.get("set-cookie")!.split(";")[0]!;
  await forEachCase(named, async (query) => {
    const back = new URL((await provider.authorize(query, { headers: { cookie } })).headers.get("location")!);
    const code = back.searchParams.get("code")!;
    const tokens = await (await provider.exchange({ grant_type: "authorization_code", code })).json();
    const { org_id, org_name } = decodeClaims(tokens.id_token);
    assertEquals([org_id, org_name], ["org_acme", "acme-inc"]);
  });
  const { access_token } = await provider.logIn({ audience: api, organization: "org_acme" });
  assertEquals(decodeClaims(access_token).org_id, "org_acme");
  await forEachCase(["org_other", "", "acme", "org_acme\u0000"], async (organization) => {
    const { searchParams } = new URL((await provider.authorize({ organization })).headers.get("location")!);
    assertEquals(
      [searchParams.get("error"), searchParams.get("code")],
      organization === "" ? [null, searchParams.get("code")] : ["access_denied", null],
    );
  });
});

test("auth0: errors are 403 and 401 with codes of its own, and refresh tokens need offline_access and rotate", async () => {
  await using provider = await auth0();
  const wrong = await provider.exchange({ grant_type: "authorization_code", code: "wrong" });
  assertEquals([wrong.status, (await wrong.json()).error], [403, "invalid_grant"]);
  const unknown = await provider.exchange({ grant_type: "authorization_code", code: "wrong", client_id: "other" });
  const { error, error_description } = await unknown.json();
  assertEquals([unknown.status, error, error_description], [401, "access_denied", "Unauthorized"]);
  assertEquals((await provider.logIn()).refresh_token, undefined);
  const { refresh_token } = await provider.logIn({ scope: "openid offline_access" });
  const refresh = () => provider.exchange({ grant_type: "refresh_token", refresh_token });
  const next = await (await refresh()).json();
  assert(next.refresh_token !== refresh_token);
  assertEquals((await refresh()).status, 403);
});

test("auth0: a message of a silent login goes to the exact origin of the redirect URI, and to no other frame", async () => {
  await using provider = await auth0();
  const first = await provider.authorize();
  const cookie = first.headers.get("set-cookie")!.split(";")[0]!;
  const silent = { prompt: "none", response_mode: "web_message" };
  const message = await provider.authorize(silent, { headers: { cookie } });
  const text = await message.text();
  assertEquals([message.status, message.headers.get("x-frame-options")], [200, null]);
  assertMatch(message.headers.get("content-security-policy")!, /frame-ancestors https:\/\/app\.example$/);
  assertMatch(text, /"message":\{"type":"authorization_response","response":\{"code":"[\w-]+","state":"st4te"\}\}/);
  assertStringIncludes(text, '"origin":"https://app.example"');
  const denied = await (await provider.authorize(silent)).text();
  assertStringIncludes(denied, '"error":"login_required"');
  // A value that ends the script is a value.
  const hostile = await (await provider.authorize({ ...silent, state: "</script><script>alert(1)//" })).text();
  assertEquals(hostile.split("</script>").length, 2);
  const elsewhere = await provider.authorize({ ...silent, redirect_uri: "https://evil.example/callback" });
  assertEquals([elsewhere.status, (await elsewhere.text()).includes("postMessage")], [400, false]);
  // A question mark in the query ends nothing.
  const query = `response_type=code&client_id=spa&state=s&response_mode=web_message&redirect_uri=${redirectUri}?more`;
  const longer = await provider.as.fetch(`/authorize?${query}`);
  assertEquals([longer.status, (await longer.text()).includes("postMessage")], [400, false]);
  // Without the profile, the mode does not exist.
  await using plain = await testLatchkey({ clients: [{ client_id: "spa", redirect_uris: [redirectUri] }] });
  const unknown = await plain.fetch(
    `/oauth2/authorize?client_id=spa&response_type=code&redirect_uri=${redirectUri}&response_mode=web_message`,
    { redirect: "manual" },
  );
  assertStringIncludes(unknown.headers.get("location")!, "error=invalid_request");
});

test("auth0: /v2/logout ends the session and redirects to a registered URI alone", async () => {
  await using provider = await auth0();
  const { as } = provider;
  const cookie = (await provider.authorize()).headers.get("set-cookie")!.split(";")[0]!;
  const logOut = (query: Record<string, string>, headers: Record<string, string> = {}) =>
    as.fetch(`/v2/logout?${new URLSearchParams(query)}`, { redirect: "manual", headers: { cookie, ...headers } });
  const evil = "https://evil.example/";
  const rejected: Record<string, string>[] = [
    ...[{ returnTo: evil }, { returnTo: evil, client_id: "spa" }, { returnTo: bye }, {
      returnTo: bye,
      client_id: "no",
    }],
    ...[{ returnTo: `${bye}/x`, client_id: "spa" }, { returnTo: bye.toUpperCase(), client_id: "spa" }],
  ];
  await forEachCase(rejected, async (query) => {
    const response = await logOut(query);
    assertEquals([response.status, response.headers.get("location"), response.headers.get("set-cookie")], [
      ...[400, null, null],
    ]);
  });
  const isLoggedIn = async () => {
    const response = await provider.authorize({ prompt: "none" }, { headers: { cookie } });
    return new URL(response.headers.get("location")!).searchParams.get("error") === null;
  };
  // A page of another site cannot log the user out: the server asks.
  const foreign = { "sec-fetch-site": "cross-site", referer: evil };
  const asked = await logOut({ client_id: "spa", returnTo: bye }, foreign);
  assertMatch(asked.headers.get("location")!, /\/oidc\/logout\?/);
  const head = await as.fetch(`/v2/logout?client_id=spa`, { method: "HEAD", headers: { cookie } });
  assertEquals([head.status, head.headers.get("set-cookie"), await isLoggedIn()], [200, null, true]);
  const left = await logOut({ client_id: "spa", returnTo: bye });
  assertEquals([left.status, left.headers.get("location")], [302, bye]);
  assertEquals(await isLoggedIn(), false);
  assertEquals((await logOut({})).status, 200);
});

test("[LO-03] a logout of a provider to an unregistered URI names the change that registers it", async () => {
  for (
    const [profile, path, name] of [["auth0", "/v2/logout", "returnTo"], ["cognito", "/logout", "logout_uri"]] as const
  ) {
    const changes: unknown[] = [];
    await using as = await latchkey({
      profile,
      clients: [{ client_id: "spa", redirect_uris: [redirectUri] }],
      trace: (event) => void (event.type === "rejected" && changes.push(event.explanation.change)),
    });
    const uri = "http://localhost:3000/bye";
    const query = new URLSearchParams({ client_id: "spa", [name]: uri });
    const response = await as.fetch(new Request(new URL(`${path}?${query}`, as.issuer)));
    assertEquals(response.status, 400, await response.text());
    assertEquals(changes, [{ client_id: "spa", isNew: false, post_logout_redirect_uri: uri }], profile);
  }
});

test("auth0-auth-js logs in, renews and names its logout at a tenant's own origin", async () => {
  await using provider = await auth0("https://acme.eu.auth0.com");
  using _ = provider.as.installFetch({ origins: "real" });
  const client = new AuthClient({
    ...{ domain: "acme.eu.auth0.com", clientId: "web", clientSecret: secret },
    authorizationParams: { redirect_uri: redirectUri, audience: api, scope: "openid profile email offline_access" },
  });
  const { codeVerifier, authorizationUrl } = await client.buildAuthorizationUrl();
  const back = (await fetch(authorizationUrl, { redirect: "manual" })).headers.get("location")!;
  const tokens = await client.getTokenByCode(new URL(back), { codeVerifier });
  assertEquals([tokens.claims!.sub, decodeClaims(tokens.accessToken).iss], [
    ...["auth0|5f7c8ec7c33c6c004bbafe82", "https://acme.eu.auth0.com/"],
  ]);
  const renewed = await client.getTokenByRefreshToken({ refreshToken: tokens.refreshToken! });
  assert(renewed.accessToken !== tokens.accessToken);
  const url = await client.buildLogoutUrl({ returnTo: bye });
  assertMatch(url.href, /^https:\/\/acme\.eu\.auth0\.com\/(?:oidc|v2)\/logout\?/);
});
