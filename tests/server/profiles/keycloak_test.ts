/** The profile `keycloak`, with clients of Keycloak that know nothing of Latchkey: only their issuer is another one. */

import { assert, assertEquals } from "@std/assert";
import { customFetch } from "@auth/core";
import Keycloak from "@auth/core/providers/keycloak";
import { KeyCloak } from "arctic";
import { keycloak } from "better-auth/plugins/generic-oauth";
import { test } from "node:test";
import { verifier } from "../../kit.ts";
import { authJsApplication, getRedirectLocation, openBrowser } from "../applications.ts";
import { loginWithBetterAuth } from "./better_auth_application.ts";
import { redirectUri, secret, serveProvider } from "./provider_server.ts";

test("Auth.js logs in with its provider Keycloak", async () => {
  await using as = await serveProvider("keycloak");
  const app = authJsApplication([
    Keycloak({ clientId: "web", clientSecret: secret, issuer: as.issuer, [customFetch]: fetch }),
  ]);
  const back = await getRedirectLocation(await openBrowser()(await app.begin("keycloak")));
  assertEquals(await getRedirectLocation(await app.visit(back)), "https://app.example/home");
  const { user } = await (await app.visit("https://app.example/auth/session")).json();
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
