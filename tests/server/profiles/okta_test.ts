/** The profile `okta`, with clients of Okta that know nothing of Latchkey: only their issuer is another one. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { customFetch } from "@auth/core";
import Okta from "@auth/core/providers/okta";
import { type AccessToken, buildAuthorizeParams, getWellKnown, OktaAuth, TokenKind } from "@okta/okta-auth-js";
import { Okta as ArcticOkta } from "arctic";
import { okta } from "better-auth/plugins/generic-oauth";
import { test } from "node:test";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { verifier } from "../../kit.ts";
import { authJsApplication, getRedirectLocation, openBrowser } from "../applications.ts";
import { loginWithBetterAuth } from "./better_auth_application.ts";
import { redirectUri, secret, serveProvider } from "./provider_server.ts";
import { replaceOrigins } from "./real_origins.ts";

test("@okta/okta-auth-js logs in, verifies the tokens, reads userinfo, renews and revokes", async () => {
  await using as = await serveProvider("okta");
  const client = new OktaAuth({
    ...{ issuer: as.issuer, clientId: "spa", redirectUri },
    scopes: ["openid", "profile", "email", "offline_access"],
  });
  const { authorization_endpoint } = await getWellKnown(client);
  const params = await client.token.prepareTokenParams();
  const back = await getRedirectLocation(
    await openBrowser()(authorization_endpoint + buildAuthorizeParams(params)),
  );
  const authorizationCode = new URL(back).searchParams.get("code")!;
  const { tokens } = await client.token.exchangeCodeForTokens({ ...params, authorizationCode });
  const { idToken, accessToken, refreshToken } = tokens;
  assertEquals(idToken!.claims.sub, "00u1alice");
  const user = await client.token.getUserInfo(accessToken!, idToken!);
  assertEquals(user.preferred_username, "alice");
  const renewed = await client.token.renewTokensWithRefresh({ scopes: accessToken!.scopes }, refreshToken!);
  assert(renewed.accessToken!.accessToken !== accessToken!.accessToken);
  const inspect = (token: AccessToken) => client.token.introspect(TokenKind.ACCESS, token);
  assertEquals((await inspect(renewed.accessToken!)).active, true);
  await client.token.revoke(renewed.accessToken!);
  assertEquals((await inspect(renewed.accessToken!)).active, false);
  await assertRejects(() => client.token.getUserInfo(renewed.accessToken!, idToken!));
});

test("[CA-07, IN-02] a public client introspects its own tokens alone, a confidential one never without its secret", async () => {
  const common = { redirect_uris: [redirectUri] };
  await using as = await testLatchkey({
    profile: "okta",
    clients: [{ ...common, client_id: "spa" }, { ...common, client_id: "web", client_secret: secret }],
  });
  const introspect = async (token: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const response = await as.fetch(`${as.issuer}/v1/introspect`, {
      method: "POST",
      headers,
      body: new URLSearchParams({ token, ...fields }),
    });
    return [response.status, (await response.json()).active];
  };
  const [own, foreign] = [await as.mint.accessToken({ client: "spa" }), await as.mint.accessToken({ client: "web" })];
  assertEquals(await introspect(own, { client_id: "spa" }), [200, true]);
  assertEquals(await introspect(foreign, { client_id: "spa" }), [200, false]);
  assertEquals(await introspect("no token", { client_id: "spa" }), [200, false]);
  assertEquals(await introspect(own, { client_id: "web", client_secret: secret }), [200, true]);
  assertEquals((await introspect(own, { client_id: "web" }))[0], 401);
  assertEquals((await introspect(own, { client_id: "unknown" }))[0], 401);
  // A page of another site, which has a token, learns nothing more by the browser of the developer.
  const foreignPage = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  assertEquals((await introspect(own, { client_id: "spa" }, foreignPage))[0], 403);
});

test("Auth.js logs in with its provider Okta", async () => {
  await using as = await serveProvider("okta");
  const app = authJsApplication([
    Okta({ clientId: "web", clientSecret: secret, issuer: as.issuer, [customFetch]: fetch }),
  ]);
  const user = await app.logIn("okta");
  assertEquals(user, { name: "Alice Adams", email: "alice@app.example" });
});

test("better-auth logs in with its provider okta", async () => {
  await using as = await serveProvider("okta");
  const user = await loginWithBetterAuth(okta({ clientId: "web", clientSecret: secret, issuer: as.issuer }));
  assertEquals([user.name, user.email, user.emailVerified], ["Alice Adams", "alice@app.example", true]);
});

test("arctic logs in with its class Okta at the domain of an organization", async () => {
  await using as = await serveProvider("okta");
  using _ = replaceOrigins(as.issuer, ["https://widgets.okta.com"]);
  const client = new ArcticOkta("widgets.okta.com", "default", "web", secret, redirectUri);
  const url = client.createAuthorizationURL("st4te", verifier, ["openid", "offline_access"]);
  const callback = new URL(await getRedirectLocation(await openBrowser()(url)));
  const tokens = await client.validateAuthorizationCode(callback.searchParams.get("code")!, verifier);
  const renewed = await client.refreshAccessToken(tokens.refreshToken(), ["openid"]);
  await client.revokeToken(renewed.accessToken());
});

test("the paths of Okta's org server are those of its authorization server", async () => {
  for (const issuer of ["http://localhost:9666", "http://localhost:9666/oauth2/default"]) {
    await using as = await testLatchkey({ issuer, profile: "okta" });
    for (
      const name of ["authorize", "token", "userinfo", "keys", "revoke", "introspect", "logout", "device/authorize"]
    ) {
      const statuses = await Promise.all([`${issuer}/v1/${name}`, `http://localhost:9666/oauth2/v1/${name}`].map(
        async (url) => (await as.fetch(new Request(url, { redirect: "manual" }))).status,
      ));
      assertEquals(statuses[1], statuses[0], name);
      assert(statuses[0] !== 404, name);
    }
  }
});

test("[UI-31] a page with the sign-in widget authenticates at the server, if a client has its origin", async () => {
  const client = { client_id: "spa", redirect_uris: ["https://shop.test:3000/cb"] };
  await using as = await testLatchkey({
    ...{ profile: "okta", login: "interactive", clients: [client] },
    users: [{ sub: "alice", email: "alice@app.example", password: "correct horse" }],
  });
  const send = (method: string, origin: string, more: Readonly<Record<string, string>>, body?: object) =>
    as.fetch(new URL("/api/v1/authn", as.issuer), {
      method,
      headers: { origin, "content-type": "application/json", ...more },
      body: body && JSON.stringify(body),
    });
  const corsOf = ({ status, headers }: Response) =>
    ["origin", "credentials", "headers"].reduce<unknown[]>(
      (values, name) => [...values, headers.get(`access-control-allow-${name}`)],
      [status],
    );
  const names = "content-type,x-okta-user-agent-extended";
  const preflight = { "access-control-request-method": "POST", "access-control-request-headers": names };
  const right = { username: "alice@app.example", password: "correct horse" };
  const own = "https://shop.test:3000";
  assertEquals(corsOf(await send("OPTIONS", own, preflight)), [204, own, "true", names]);
  const response = await send("POST", own, { "sec-fetch-site": "cross-site" }, right);
  assertEquals(corsOf(response), [200, own, "true", null]);
  assertEquals((await response.json()).status, "SUCCESS");
  assertEquals(corsOf(await send("POST", own, {}, { ...right, password: "wrong" })), [401, own, "true", null]);
  for (const origin of ["https://evil.example", "https://shop.test", "http://shop.test:3000", "null"]) {
    assertEquals(corsOf(await send("OPTIONS", origin, preflight)), [405, null, null, null], origin);
    const [, ...cors] = corsOf(await send("POST", origin, { "sec-fetch-site": "cross-site" }, right));
    assertEquals(cors, [null, null, null], origin);
  }
});

test("[OI-06] Okta's authentication creates the user of the name if any user is accepted", async () => {
  for (const [users, expected] of [["any", 200], [[{ sub: "alice" }], 401]] as const) {
    await using as = await testLatchkey({ profile: "okta", login: "interactive", users });
    const response = await as.fetch(new URL("/api/v1/authn", as.issuer), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "carol@app.example", password: "any" }),
    });
    assertEquals(response.status, expected);
    await response.body?.cancel();
  }
});
