/** The profile `keycloak`, with clients of Keycloak that know nothing of Latchkey: only their issuer is another one. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { customFetch } from "@auth/core";
import Keycloak from "@auth/core/providers/keycloak";
import { KeyCloak } from "arctic";
import { keycloak } from "better-auth/plugins/generic-oauth";
import { jwtVerify } from "jose";
import { test } from "node:test";
import { createPublicKey } from "node:crypto";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { decodeClaims, verifier } from "../../kit.ts";
import { authJsApplication, getRedirectLocation, openBrowser } from "../applications.ts";
import { loginWithBetterAuth } from "./better_auth_application.ts";
import { redirectUri, secret, serveProvider } from "./provider_server.ts";

test("Auth.js logs in with its provider Keycloak", async () => {
  await using as = await serveProvider("keycloak");
  const app = authJsApplication([
    Keycloak({ clientId: "web", clientSecret: secret, issuer: as.issuer, [customFetch]: fetch }),
  ]);
  const user = await app.logIn("keycloak");
  assertEquals(user, { name: "Alice Adams", email: "alice@app.example" });
});

test("better-auth logs in with its provider keycloak", async () => {
  await using as = await serveProvider("keycloak");
  const user = await loginWithBetterAuth(keycloak({ clientId: "web", clientSecret: secret, issuer: as.issuer }));
  assertEquals([user.name, user.email, user.emailVerified], ["Alice Adams", "alice@app.example", true]);
});

test("arctic logs in with its class KeyCloak, and a used refresh token stays valid", async () => {
  await using as = await serveProvider("keycloak");
  const client = new KeyCloak(as.issuer, "web", secret, redirectUri);
  const url = client.createAuthorizationURL("st4te", verifier, ["openid"]);
  const callback = new URL(await getRedirectLocation(await openBrowser()(url)));
  const tokens = await client.validateAuthorizationCode(callback.searchParams.get("code")!, verifier);
  const [first, second] = [
    tokens.refreshToken(),
    (await client.refreshAccessToken(tokens.refreshToken())).refreshToken(),
  ];
  assert(first !== second);
  for (const token of [first, second]) await client.refreshAccessToken(token);
  await client.revokeToken(second);
});

const app = "http://localhost:5173";

async function frames(options: Parameters<typeof testLatchkey>[0] = {}) {
  const as = await testLatchkey({
    profile: "keycloak",
    registration: { mode: "open" },
    ...options,
    clients: [
      { client_id: "spa", redirect_uris: [`${app}/`, "https://other.example/", "app.example:/cb"] },
      { client_id: "third", redirect_uris: ["https://third.example/", "https://a;script-src.example/"] },
    ],
  });
  const at = `${as.issuer}/protocol/openid-connect`;
  const login = await as.fetch(
    `${at}/auth?client_id=spa&response_type=code&scope=openid&redirect_uri=${app}/`,
    { redirect: "manual" },
  );
  const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
  const code = new URL(login.headers.get("location")!).searchParams.get("code")!;
  const { access_token } = await (await as.fetch(`${at}/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "authorization_code", client_id: "spa", redirect_uri: `${app}/`, code }),
  })).json();
  const check = async (query: Record<string, string>, sent: string | undefined = cookie) => {
    const url = `${at}/login-status-iframe.html/init?${new URLSearchParams(query)}`;
    const response = await as.fetch(url, { headers: sent === "" ? {} : { cookie: sent } });
    return response.status === 200 ? (await response.json()).status : response.status;
  };
  return { as, at, check, sid: String(decodeClaims(access_token).sid), [Symbol.asyncDispose]: () => as.close() };
}

test("keycloak: the frames are for the origins of configured clients, every other page is for none", async () => {
  await using provider = await frames();
  const { as, at } = provider;
  // A client that registers itself has no trusted pages.
  await as.fetch(`${as.issuer}/clients-registrations/openid-connect`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: ["https://registered.example/"] }),
  });
  for (const path of ["login-status-iframe.html", "3p-cookies/step2.html"]) {
    const { status, headers } = await as.fetch(`${at}/${path}`);
    const ancestors = /frame-ancestors (.*)$/.exec(headers.get("content-security-policy")!)![1];
    assertEquals([path, status, headers.get("x-frame-options"), ancestors], [
      ...[path, 200, null, `${app} https://other.example https://third.example`],
    ]);
  }
  for (const path of ["auth", "logout"]) {
    const { headers } = await as.fetch(`${at}/${path}`);
    assertEquals(headers.get("x-frame-options"), "DENY");
  }
  const plain = await testLatchkey({ profile: "keycloak", clients: "any" });
  const { headers } = await plain.fetch(`${plain.issuer}/protocol/openid-connect/login-status-iframe.html`);
  assertMatch(headers.get("content-security-policy")!, /frame-ancestors 'none'$/);
  await plain.close();
});

test("keycloak: where any redirect URI is accepted, the frames are also for pages on this machine", async () => {
  await using provider = await frames({ redirectUris: "any" });
  const { as, at, check, sid } = provider;
  const { headers } = await as.fetch(`${at}/3p-cookies/step2.html`);
  assertMatch(
    headers.get("content-security-policy")!,
    / http:\/\/localhost:\* https:\/\/localhost:\* http:\/\/127\.0\.0\.1:\*$/,
  );
  const own = { client_id: "spa", session_state: sid };
  assertEquals(await check({ ...own, origin: "http://localhost:4200" }), "unchanged");
  for (const origin of ["http://localhost:4200.evil.example", "http://evil.example:80", "http://localhost:4200/"]) {
    assertEquals([origin, await check({ ...own, origin })], [origin, 403]);
  }
});

test("keycloak: the login is unchanged for its client and its origins alone", async () => {
  await using provider = await frames();
  const { as, at, check, sid } = provider;
  const own = { client_id: "spa", origin: app, session_state: sid };
  assertEquals(await check(own), "unchanged");
  assertEquals(await check({ ...own, session_state: "" }), "changed");
  assertEquals(await check({ ...own, session_state: `${sid}x` }), "changed");
  assertEquals(await check(own, ""), "changed");
  assertEquals(await check({ ...own, session_state: "" }, ""), "unchanged");
  for (const origin of ["https://evil.example", "https://third.example", "null", "", `${app}/`]) {
    assertEquals([origin, await check({ ...own, origin })], [origin, 403]);
  }
  for (const client_id of ["third", "unknown", ""]) assertEquals(await check({ ...own, client_id }), 403);
  // No other page can read the response.
  const foreign = await as.fetch(`${at}/login-status-iframe.html/init?${new URLSearchParams(own)}`, {
    headers: { origin: "https://evil.example" },
  });
  assertEquals(foreign.headers.get("access-control-allow-origin"), null);
  // Whether the browser sends cookies in frames.
  const frame = await as.fetch(`${at}/3p-cookies/step1.html`, { redirect: "manual" });
  const testCookie = frame.headers.get("set-cookie")!.split(";")[0]!;
  const results = await Promise.all(["", testCookie].map(async (cookie) => {
    const response = await as.fetch(new URL(frame.headers.get("location")!, at), {
      headers: cookie === "" ? {} : { cookie },
    });
    return /"((?:un)?supported)"/.exec(await response.text())![1];
  }));
  assertEquals(results, ["unsupported", "supported"]);
});

test("keycloak: the document of the realm has the key of its tokens", async () => {
  await using as = await testLatchkey({ profile: "keycloak", alg: "RS256" });
  const response = await as.fetch(as.issuer);
  const { realm, public_key, ...others } = await response.json();
  assertEquals([response.headers.get("access-control-allow-origin"), realm], ["*", "myrealm"]);
  assertEquals(others["token-service"], `${as.issuer}/protocol/openid-connect`);
  const key = createPublicKey(`-----BEGIN PUBLIC KEY-----\n${public_key}\n-----END PUBLIC KEY-----`);
  await jwtVerify(await as.mint.accessToken(), key, { issuer: as.issuer });
});

test("keycloak: refresh_expires_in is what the token lives, 0 for an offline one; an ended one has its own message", async () => {
  for (const [lifetimes, seconds] of [[{}, 1800], [{ refresh_token_idle: 600 }, 600]] as const) {
    await using as = await testLatchkey({ profile: "keycloak", lifetimes });
    const client = as.client();
    const { tokens } = await as.logIn(client, { scope: "openid" });
    assertEquals(tokens.refresh_expires_in, seconds);
    const offline = await as.logIn(client, { scope: "openid offline_access" });
    assertEquals(offline.tokens.refresh_expires_in, 0);
    const rejection = (token: string) => as.refresh(client, token).then(() => "none", ({ message }) => message);
    assertMatch(await rejection("unknown"), /invalid_grant, Invalid refresh token/);
    as.clock.advance(seconds);
    assertMatch(await rejection(tokens.refresh_token!), /invalid_grant, Token is not active/);
  }
});
