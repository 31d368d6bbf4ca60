/** The profile `google` at its real origins, with clients that know nothing of Latchkey, before and since `iss`. */

import { assert, assertEquals } from "@std/assert";
import Google from "@auth/core/providers/google";
import * as arctic from "arctic";
import { test } from "node:test";
import { authorizationCodeGrant, discovery } from "openid-client";
import type { TestLatchkey } from "../../../src/testing/mod.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { authJsApplication, getRedirectLocation, openBrowser } from "../applications.ts";
import { redirectUri, secret } from "./provider_server.ts";

/** Runs each client with the profile before and since callbacks have `iss`. */
function testBothYears(name: string, run: () => Promise<void>): void {
  test(name, async () => {
    for (const profile of ["google@2025", "google"] as const) {
      await using as = await start(profile);
      using _ = as.installFetch({ origins: "real" });
      await run();
    }
  });
}

function start(profile: "google" | "google@2025"): Promise<TestLatchkey> {
  return testLatchkey({
    profile,
    clients: [{
      ...{ client_id: "web", client_secret: secret },
      redirect_uris: [redirectUri, "https://app.example/auth/callback/google"],
      grant_types: ["authorization_code", "refresh_token"],
    }],
    users: [{ sub: "110169484474386276334", name: "Alice Adams", email: "alice@app.example", email_verified: true }],
  });
}

testBothYears("Auth.js logs in with its provider Google", async () => {
  const app = authJsApplication([Google({ clientId: "web", clientSecret: secret })]);
  const user = await app.logIn("google");
  assertEquals(user, { name: "Alice Adams", email: "alice@app.example" });
});

testBothYears("arctic exchanges a code and revokes the token", async () => {
  const client = new arctic.Google("web", secret, redirectUri);
  const verifier = arctic.generateCodeVerifier();
  const url = client.createAuthorizationURL("st4te", verifier, ["openid", "email"]);
  url.searchParams.set("access_type", "offline");
  const callback = new URL(await getRedirectLocation(await openBrowser()(url))).searchParams;
  const tokens = await client.validateAuthorizationCode(callback.get("code")!, verifier);
  assertEquals((arctic.decodeIdToken(tokens.idToken()) as { email?: string }).email, "alice@app.example");
  await client.refreshAccessToken(tokens.refreshToken());
  await client.revokeToken(tokens.accessToken());
});

testBothYears("openid-client discovers Google and verifies the login", async () => {
  const config = await discovery(new URL("https://accounts.google.com"), "web", secret);
  const { authorization_endpoint } = config.serverMetadata();
  const params = { client_id: "web", redirect_uri: redirectUri, response_type: "code", scope: "openid", state: "s" };
  const back = await getRedirectLocation(
    await openBrowser()(`${authorization_endpoint}?${new URLSearchParams(params)}`),
  );
  const tokens = await authorizationCodeGrant(config, new URL(back), { expectedState: "s" });
  assertEquals(tokens.claims()?.iss, "https://accounts.google.com");
  assert(tokens.expiresIn()! > 3500);
});
