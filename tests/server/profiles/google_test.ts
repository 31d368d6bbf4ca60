/**
 * The profile `google`, with plain requests and with Google's own client, which knows nothing of Latchkey: it reaches
 * the real origins inside the process, or the same paths at another one.
 */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { OAuth2Client } from "google-auth-library";
import { test } from "node:test";
import type { TestLatchkeyOptions } from "../../../src/testing/mod.ts";
import { challenge, decodeClaims, forEachCase, verifier } from "../../kit.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";

const redirectUri = "https://app.example/callback";
const secret = "a-secret-of-32-characters-or-more";
const options: TestLatchkeyOptions = {
  profile: "google",
  clients: [{
    ...{ client_id: "web", client_secret: secret, redirect_uris: [redirectUri] },
    grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
  }],
  users: [
    {
      sub: "110169484474386276334",
      name: "Alice Adams",
      email: "alice@app.example",
      email_verified: true,
      hd: "app.example",
    },
    { sub: "110169484474386276335", name: "Bob", email: "bob@mail.example", email_verified: true },
  ],
};

const authUrl = "https://accounts.google.com/o/oauth2/v2/auth";

/** Logs in at the real origins, and returns the parameters of the callback and the token response. */
async function logIn(query: Record<string, string> = {}) {
  const params = { response_type: "code", client_id: "web", redirect_uri: redirectUri, state: "st4te", ...query };
  const url = `${authUrl}?${new URLSearchParams({ scope: "openid email profile", ...params })}`;
  const response = await fetch(url, { redirect: "manual" });
  const callback = new URL(response.headers.get("location")!).searchParams;
  return { callback, tokens: await (await exchange({ code: callback.get("code")! })).json() };
}

function exchange(fields: Record<string, string>, url = "https://oauth2.googleapis.com/token") {
  const form = { grant_type: "authorization_code", client_id: "web", client_secret: secret, redirect_uri: redirectUri };
  return fetch(url, { method: "POST", body: new URLSearchParams({ ...form, ...fields }) });
}

const refresh = (refresh_token: string) => exchange({ grant_type: "refresh_token", refresh_token });

test("google-auth-library logs in, verifies, refreshes, reads and revokes at the real origins", async () => {
  await using as = await testLatchkey(options);
  using _ = as.installFetch({ origins: "real" });
  const client = new OAuth2Client({
    ...{ clientId: "web", clientSecret: secret, redirectUri },
    transporterOptions: {
      fetchImplementation: ((url, init) => fetch(url as string, init as RequestInit)) as typeof fetch,
    },
  });
  const verifier = await client.generateCodeVerifierAsync();
  const url = client.generateAuthUrl({
    ...{ access_type: "offline", scope: ["openid", "email", "profile"], state: "st4te", include_granted_scopes: true },
    ...{ code_challenge: verifier.codeChallenge!, code_challenge_method: "S256" as never },
  });
  const back = (await fetch(url, { redirect: "manual" })).headers.get("location")!;
  const callback = new URL(back).searchParams;
  const { tokens } = await client.getToken({ code: callback.get("code")!, codeVerifier: verifier.codeVerifier });
  client.setCredentials(tokens);
  const ticket = await client.verifyIdToken({ idToken: tokens.id_token!, audience: "web" });
  const payload = ticket.getPayload()!;
  assertEquals([payload.email, payload.email_verified, payload.hd], ["alice@app.example", true, "app.example"]);
  const info = await client.getTokenInfo(tokens.access_token!);
  assertEquals([info.aud, info.email, info.scopes.includes("openid")], ["web", "alice@app.example", true]);
  const { credentials } = await client.refreshAccessToken();
  assertEquals(credentials.refresh_token, tokens.refresh_token);
  assert(credentials.access_token !== tokens.access_token);
  assertEquals((await client.revokeToken(credentials.access_token!)).status, 200);
  await assertRejects(() => client.refreshAccessToken(), Error, "invalid_grant");
});

test("google, before 2026 and since: the callback gains iss, and nothing else changes", async () => {
  const others: string[][] = [];
  for (const [profile, iss] of [["google@2025", null], ["google", "https://accounts.google.com"]] as const) {
    await using as = await testLatchkey({ ...options, profile });
    using _ = as.installFetch({ origins: "real" });
    const { callback, tokens } = await logIn();
    assertEquals(callback.get("iss"), iss);
    const denied = await fetch(`${authUrl}?client_id=web&redirect_uri=${redirectUri}`, { redirect: "manual" });
    const error = new URL(denied.headers.get("location")!).searchParams;
    assertEquals([error.get("error"), error.get("iss")], ["invalid_request", iss]);
    others.push([...callback.keys(), ...Object.keys(tokens)].filter((name) => name !== "iss").sort());
  }
  assertEquals(others[0], others[1]);
});

test("google: long names of scope values, authuser, prompt and hd in the callback; codes and tokens with prefixes", async () => {
  await using as = await testLatchkey(options);
  using _ = as.installFetch({ origins: "real" });
  const { callback, tokens } = await logIn({ access_type: "offline" });
  const long = "openid https://www.googleapis.com/auth/userinfo.email https://www.googleapis.com/auth/userinfo.profile";
  assertEquals([callback.get("scope"), tokens.scope], [long, long]);
  assertEquals([callback.get("authuser"), callback.get("prompt"), callback.get("hd")], ["0", "consent", "app.example"]);
  assertMatch(callback.get("code")!, /^4\/0A/);
  assertMatch(tokens.access_token, /^ya29\./);
  assertMatch(tokens.refresh_token, /^1\/\/0/);
  assertEquals([tokens.token_type, tokens.expires_in], ["Bearer", 3599]);
  const { azp, hd, sid, auth_time, email_verified } = decodeClaims(tokens.id_token);
  assertEquals([azp, hd, sid, auth_time, email_verified], ["web", "app.example", undefined, undefined, true]);
  const bob = await logIn({ login_hint: "110169484474386276335", hd: "app.example" });
  // The request parameter restricts nothing: the application must check the claim.
  assertEquals([bob.callback.get("hd"), decodeClaims(bob.tokens.id_token).hd], [null, undefined]);
});

test("google: a refresh token with access_type=offline, the first time and after a revocation, or with prompt=consent", async () => {
  await using as = await testLatchkey(options);
  using _ = as.installFetch({ origins: "real" });
  const hasToken = async (query: Record<string, string>) => (await logIn(query)).tokens.refresh_token !== undefined;
  assertEquals(await hasToken({}), false);
  const { tokens } = await logIn({ access_type: "offline" });
  assert(tokens.refresh_token !== undefined);
  assertEquals(await hasToken({ access_type: "offline" }), false);
  assertEquals(await hasToken({ access_type: "offline", login_hint: "110169484474386276335" }), true);
  assertEquals(await hasToken({ access_type: "offline", prompt: "consent" }), true);
  assertEquals(await hasToken({ prompt: "consent" }), false);
  const second = await (await refresh(tokens.refresh_token)).json();
  assertEquals([second.refresh_token, typeof second.id_token], [undefined, "string"]);
  const again = (await logIn({ access_type: "offline", prompt: "consent" })).tokens;
  await fetch(`https://oauth2.googleapis.com/revoke?token=${encodeURIComponent(again.refresh_token)}`, {
    method: "POST",
  });
  assertEquals(await hasToken({ access_type: "offline" }), true);
  as.reset();
  using __ = as.installFetch({ origins: "real" });
  assertEquals(await hasToken({ access_type: "offline" }), true);
});

test("google: the token endpoint reads JSON with the names of either spelling, and forms with the standard ones", async () => {
  await using as = await testLatchkey(options);
  using _ = as.installFetch({ origins: "real" });
  const names = { clientId: "web", clientSecret: secret, grantType: "authorization_code", redirectUri };
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const standard = Object.fromEntries(Object.entries(names).map(([name, value]) => [snake(name), value]));
  await forEachCase<[boolean, Record<string, string>, number]>([
    [true, names, 200],
    [true, standard, 200],
    [false, standard, 200],
    [false, names, 401],
  ], async ([isJson, fields, status]) => {
    const params = { response_type: "code", client_id: "web", redirect_uri: redirectUri, scope: "openid" };
    const back = (await fetch(`${authUrl}?${new URLSearchParams(params)}`, { redirect: "manual" })).headers;
    const code = new URL(back.get("location")!).searchParams.get("code")!;
    const body = isJson ? JSON.stringify({ ...fields, code }) : new URLSearchParams({ ...fields, code });
    const headers: HeadersInit = isJson ? { "content-type": "application/json" } : {};
    const response = await fetch("https://oauth2.googleapis.com/token", { method: "POST", headers, body });
    await response.body?.cancel();
    assertEquals(response.status, status);
  });
});

test("google: a wrong secret is 401, and a web client without its secret is rejected even with PKCE", async () => {
  const publicClients = (["web", "native"] as const).map((application_type) => ({
    ...{ client_id: application_type === "web" ? "spa" : "ios", redirect_uris: [redirectUri], application_type },
  }));
  await using as = await testLatchkey({ ...options, clients: [...options.clients as [], ...publicClients] });
  using _ = as.installFetch({ origins: "real" });
  const wrong = await exchange({ code: "4/0A", client_secret: "wrong" });
  assertEquals([wrong.status, (await wrong.json()).error_description], [401, "Unauthorized"]);
  for (const [client, status] of [["spa", 400], ["ios", 200]] as const) {
    const response = await as.browser().authorize({
      ...{ response_type: "code", client_id: client, redirect_uri: redirectUri, scope: "openid" },
      ...{ code_challenge: challenge, code_challenge_method: "S256" },
    });
    const body = { client_id: client, code: response.code!, code_verifier: verifier, redirect_uri: redirectUri };
    const token = await fetch("https://oauth2.googleapis.com/token", {
      method: "POST",
      body: new URLSearchParams({ grant_type: "authorization_code", ...body }),
    });
    const { error, error_description = "" } = await token.json();
    assertEquals([token.status, error], status === 400 ? [400, "invalid_request"] : [200, undefined]);
    if (status === 400) assertStringIncludes(error_description, "client_secret is missing");
  }
});

test("google: tokeninfo describes a token in texts, and all other values get one response", async () => {
  await using as = await testLatchkey(options);
  using _ = as.installFetch({ origins: "real" });
  const { tokens } = await logIn({ access_type: "offline" });
  const ask = (query: Record<string, string>, init?: RequestInit) =>
    fetch(`https://oauth2.googleapis.com/tokeninfo?${new URLSearchParams(query)}`, init);
  const access = await (await ask({ access_token: tokens.access_token })).json();
  assertEquals([access.aud, access.email_verified, typeof access.exp, access.expires_in], [
    "web",
    "true",
    "string",
    "3599",
  ]);
  const { iss, sub, email } = await (await ask({ id_token: tokens.id_token })).json();
  assertEquals([iss, sub, email], ["https://accounts.google.com", "110169484474386276334", "alice@app.example"]);
  as.clock.advance(7200);
  const invalid = [
    ...[{}, { access_token: "ya29.unknown" }, { access_token: tokens.access_token }, { id_token: tokens.id_token }],
    ...[{ id_token: "a.b.c" }, { access_token: tokens.refresh_token }, { access_token: tokens.id_token }],
  ] as Record<string, string>[];
  const bodies = new Set<string>();
  await forEachCase(invalid, async (query) => {
    const response = await ask(query);
    assertEquals([response.status, response.headers.get("access-control-allow-origin")], [400, null]);
    const { error, error_description } = await response.json();
    bodies.add(`${error} ${error_description}`);
  });
  assertEquals(bodies.size, 1);
  for (const path of ["tokeninfo?access_token=x", "revoke?token=x"]) {
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const response = await fetch(`https://oauth2.googleapis.com/${path}`, { method: "POST", headers });
    assertEquals([response.status, response.headers.get("access-control-allow-origin")], [403, null]);
  }
});

test("google: revocation takes the token in the query or the form, and ends its whole grant", async () => {
  await using as = await testLatchkey(options);
  using _ = as.installFetch({ origins: "real" });
  const url = "https://oauth2.googleapis.com/revoke";
  for (const place of ["query", "form"]) {
    const { tokens } = await logIn({ access_type: "offline", prompt: "consent" });
    const send = () => {
      const fields = new URLSearchParams({ token: tokens.access_token });
      return fetch(place === "query" ? `${url}?${fields}` : url, {
        method: "POST",
        ...place === "form" && { body: fields },
      });
    };
    assertEquals([(await send()).status, (await send()).status], [200, 400]);
    assertEquals((await (await refresh(tokens.refresh_token)).json()).error, "invalid_grant");
  }
});

test("google: certificates as PEM, earlier URLs, and the device response with verification_url", async () => {
  await using as = await testLatchkey(options);
  using _ = as.installFetch({ origins: "real" });
  const pems = await (await fetch("https://www.googleapis.com/oauth2/v1/certs")).json();
  const { keys } = await (await fetch("https://www.googleapis.com/oauth2/v3/certs")).json();
  assertEquals(Object.keys(pems), keys.map(({ kid }: { kid: string }) => kid));
  for (const pem of Object.values<string>(pems)) assertMatch(pem, /^-----BEGIN PUBLIC KEY-----/);
  const params = { response_type: "code", client_id: "web", redirect_uri: redirectUri, scope: "openid email" };
  const response = await fetch(`${authUrl}?${new URLSearchParams(params)}`, { redirect: "manual" });
  const code = new URL(response.headers.get("location")!).searchParams.get("code")!;
  const tokens = await (await exchange({ code }, "https://www.googleapis.com/oauth2/v4/token")).json();
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const user = await (await fetch("https://www.googleapis.com/oauth2/v3/userinfo", { headers })).json();
  assertEquals([user.email, user.hd], ["alice@app.example", "app.example"]);
  const device = await (await exchange({ scope: "email" }, "https://oauth2.googleapis.com/device/code")).json();
  assertEquals([typeof device.verification_url, device.verification_uri], ["string", undefined]);
});

test("a request over a socket at an earlier path of the token endpoint keeps its body", async () => {
  await using as = await testLatchkey(options);
  const { url } = await as.listen({ port: 0 });
  const errors = ["/token", "/oauth2/v4/token"].map(async (path) => {
    const body = new URLSearchParams({ grant_type: "refresh_token", client_id: "web", client_secret: secret });
    return (await (await fetch(url + path, { method: "POST", body })).json()).error;
  });
  assertEquals(await Promise.all(errors), ["invalid_request", "invalid_request"]);
});

test("google: every scope with e-mail or profile gives an ID token, and openid is one of its values", async () => {
  await using as = await testLatchkey(options);
  using _ = as.installFetch({ origins: "real" });
  const [email, profile] = ["email", "profile"].map((name) => `https://www.googleapis.com/auth/userinfo.${name}`);
  await forEachCase(["openid", "email", "profile", email!, profile!, `${profile} ${email}`], async (scope) => {
    const { callback, tokens } = await logIn({ scope });
    assertEquals(decodeClaims(tokens.id_token).sub, "110169484474386276334");
    for (const received of [tokens.scope, callback.get("scope")]) {
      assertEquals(received.split(" ").includes("openid"), true, received);
    }
    const response = await fetch("https://people.googleapis.com/v1/people/me?personFields=names,emailAddresses,other", {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const { names, emailAddresses, resourceName, other } = await response.json();
    assertEquals([resourceName, other], ["people/110169484474386276334", undefined]);
    assertEquals(names?.[0].displayName, scope.includes("profile") ? "Alice Adams" : undefined);
    assertEquals(emailAddresses?.[0].value, scope.includes("email") ? "alice@app.example" : undefined);
  });
});

test("google: the APIs of quick starts get Google's own errors, and nothing reaches the network", async () => {
  await using as = await testLatchkey(options);
  using _ = as.installFetch({ origins: "real" });
  const authorization = `Bearer ${await as.mint.accessToken({ scope: "openid" })}`;
  await forEachCase(
    [
      ["https://people.googleapis.com/v1/people/me", 400, "INVALID_ARGUMENT"],
      ["https://people.googleapis.com/v1/people/me/connections?personFields=names", 404, "NOT_FOUND"],
      ["https://gmail.googleapis.com/gmail/v1/users/me/labels", 404, "NOT_FOUND"],
      ["https://sheets.googleapis.com/v4/spreadsheets/1/values/A1", 404, "NOT_FOUND"],
      ["https://www.googleapis.com/calendar/v3/calendars/primary/events", 404, "NOT_FOUND"],
      ["https://www.googleapis.com/drive/v3/files", 404, "NOT_FOUND"],
      ["https://youtube.googleapis.com/youtube/v3/channels", 404, "NOT_FOUND"],
    ] as const,
    async ([url, status, name]) => {
      const response = await fetch(url, { headers: { authorization } });
      const { error } = await response.json();
      assertEquals([response.status, error.code, error.status], [status, status, name]);
    },
  );
  const anonymous = await fetch("https://people.googleapis.com/v1/people/me?personFields=names");
  assertEquals([anonymous.status, (await anonymous.json()).error.status], [401, "UNAUTHENTICATED"]);
});
