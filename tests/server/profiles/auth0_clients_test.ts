/** The profile `auth0` at a tenant's own origin, and at localhost, with clients that know nothing of Latchkey. */

import { assertEquals } from "@std/assert";
import Auth0 from "@auth/core/providers/auth0";
import * as arctic from "arctic";
import { auth0 } from "better-auth/plugins/generic-oauth";
import { test } from "node:test";
import { startExpressApplication } from "../../check/drivers/express_application.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { authJsApplication, getRedirectLocation, openBrowser } from "../applications.ts";
import { loginWithBetterAuth } from "./better_auth_application.ts";
import { getForm } from "../browser.ts";
import { redirectUri, secret } from "./provider_server.ts";

const domain = "acme.eu.auth0.com";

function start(callback = redirectUri) {
  return testLatchkey({
    profile: "auth0",
    origins: { issuer: `https://${domain}` },
    clients: [{
      ...{ client_id: "web", client_secret: secret, redirect_uris: [callback] },
      grant_types: ["authorization_code", "refresh_token"],
    }],
    users: [{ sub: "auth0|alice", name: "Alice Adams", email: "alice@app.example", email_verified: true }],
  });
}

test("Auth.js logs in with its provider Auth0", async () => {
  await using as = await start("https://app.example/auth/callback/auth0");
  using _ = as.installFetch({ origins: "real" });
  const app = authJsApplication([Auth0({ clientId: "web", clientSecret: secret, issuer: `https://${domain}/` })]);
  const user = await app.logIn("auth0");
  assertEquals([user.name, user.email], ["Alice Adams", "alice@app.example"]);
});

test("better-auth logs in with its provider auth0", async () => {
  await using as = await start("https://app.example/api/auth/callback/auth0");
  using _ = as.installFetch({ origins: "real" });
  const user = await loginWithBetterAuth(auth0({ clientId: "web", clientSecret: secret, domain }));
  assertEquals([user.name, user.email, user.emailVerified], ["Alice Adams", "alice@app.example", true]);
});

test("arctic exchanges a code, renews and revokes", async () => {
  await using as = await start();
  using _ = as.installFetch({ origins: "real" });
  const client = new arctic.Auth0(domain, "web", secret, redirectUri);
  const verifier = arctic.generateCodeVerifier();
  const url = client.createAuthorizationURL("st4te", verifier, ["openid", "email", "offline_access"]);
  const callback = new URL(await getRedirectLocation(await openBrowser()(url))).searchParams;
  const tokens = await client.validateAuthorizationCode(callback.get("code")!, verifier);
  assertEquals((arctic.decodeIdToken(tokens.idToken()) as { sub?: string }).sub, "auth0|alice");
  const renewed = await client.refreshAccessToken(tokens.refreshToken());
  await client.revokeToken(renewed.hasRefreshToken() ? renewed.refreshToken() : tokens.refreshToken());
});

const cookiesOf = (response: Response) => response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");

/** The user that express-openid-connect has after the login that `callback` completes. */
async function loginWithExpress(
  flow: "code" | "default",
  response_types: readonly string[],
  callback: (url: string, cookie: string) => Promise<Response>,
): Promise<Readonly<Record<string, unknown>>> {
  await using as = await start();
  await as.listen({ port: 0 });
  await using app = await startExpressApplication(
    as.issuer,
    (url) => as.client({ redirect_uris: [`${url}/callback`], client_secret: secret, response_types }),
    flow,
  );
  const begun = await fetch(`${app.url}/login`, { redirect: "manual" });
  const home = await callback(begun.headers.get("location")!, cookiesOf(begun));
  assertEquals(home.status, 302, await home.text());
  return await (await fetch(`${app.url}/me`, { headers: { cookie: cookiesOf(home) } })).json();
}

test("express-openid-connect logs in with the issuer of a tenant at localhost", async () => {
  const user = await loginWithExpress("code", ["code"], async (url, cookie) => {
    const back = await getRedirectLocation(await openBrowser()(url));
    return await fetch(back, { redirect: "manual", headers: { cookie } });
  });
  assertEquals([user.sub, user.nickname, user.updated_at], ["auth0|alice", "alice", "1970-01-01T00:00:00.000Z"]);
});

test("[HY-05, HY-09, HY-10] express-openid-connect logs in with its defaults: an ID token that is posted, and no code", async () => {
  const user = await loginWithExpress("default", ["id_token"], async (url, cookie) => {
    const { response_type, response_mode } = Object.fromEntries(new URL(url).searchParams);
    assertEquals([response_type, response_mode], ["id_token", "form_post"]);
    const { action, fields } = getForm(await (await openBrowser()(url)).text());
    assertEquals(fields.map(([name]) => name).sort(), ["id_token", "state"]);
    const body = new URLSearchParams(fields.map(([name, value]) => [name, value]));
    return await fetch(action, { method: "POST", body, redirect: "manual", headers: { cookie } });
  });
  assertEquals([user.sub, user.name, user.email], ["auth0|alice", "Alice Adams", "alice@app.example"]);
});
