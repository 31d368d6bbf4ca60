/**
 * The profile `github`, with clients of GitHub that know nothing of Latchkey: only their base URL is another one.
 *
 * @extensions device
 */

import { assertEquals, assertRejects } from "@std/assert";
import GitHub from "@auth/core/providers/github";
import { Octokit } from "@octokit/core";
import { OAuthApp } from "@octokit/oauth-app";
import { GitHub as ArcticGitHub, OAuth2RequestError } from "arctic";
import { test } from "node:test";
import { authJsApplication, getRedirectLocation, openBrowser } from "../applications.ts";
import { redirectUri, secret, serveProvider } from "./provider_server.ts";
import { replaceOrigins } from "./real_origins.ts";

/** Octokit with the base URL of a GitHub Enterprise Server. */
function octokitFor(issuer: string): typeof Octokit {
  return Octokit.defaults({ baseUrl: `${new URL(issuer).origin}/api/v3`, log: { ...console, warn() {} } });
}

test("octokit's oauth-app logs in, reads the user, checks and deletes its token", async () => {
  await using as = await serveProvider("github");
  const app = new OAuthApp({ clientId: "web", clientSecret: secret, Octokit: octokitFor(as.issuer) });
  const { url } = app.getWebFlowAuthorizationUrl({
    ...{ state: "st4te", scopes: ["repo", "user:email"], redirectUrl: redirectUri },
  });
  const callback = new URL(await getRedirectLocation(await openBrowser()(url)));
  const { authentication } = await app.createToken({
    code: callback.searchParams.get("code")!,
    state: "st4te",
    redirectUrl: redirectUri,
  });
  // GitHub separates scope values by commas, and the client splits at spaces.
  assertEquals((authentication as { scopes: string[] }).scopes, ["repo,user:email"]);
  const { token } = authentication;
  const octokit = await app.getUserOctokit({ token, scopes: [] });
  const { data: user } = await octokit.request("GET /user");
  assertEquals([user.login, user.name, user.email], ["alice", "Alice Adams", null]);
  const { data: emails } = await octokit.request("GET /user/emails");
  assertEquals((emails as { email: string }[]).map(({ email }) => email), ["alice@app.example"]);
  const checked = await app.checkToken({ token });
  assertEquals(checked.data.scopes, ["repo", "user:email"]);
  await app.deleteToken({ token });
  await assertRejects(() => app.checkToken({ token }));
});

test("octokit's oauth-app reports an error with status 200", async () => {
  await using as = await serveProvider("github");
  const app = new OAuthApp({ clientId: "web", clientSecret: secret, Octokit: octokitFor(as.issuer) });
  const error = await assertRejects(() => app.createToken({ code: "wrong" }), Error);
  assertEquals(error.message.includes("bad_verification_code"), true, error.message);
});

test("octokit's oauth-app refreshes the tokens of a GitHub App", async () => {
  await using as = await serveProvider("github");
  const app = new OAuthApp({
    ...{ clientType: "github-app", clientId: "web", clientSecret: secret, Octokit: octokitFor(as.issuer) } as const,
  });
  const { url } = app.getWebFlowAuthorizationUrl({ state: "st4te" });
  const callback = new URL(await getRedirectLocation(await openBrowser()(`${url}&redirect_uri=${redirectUri}`)));
  const created = await app.createToken({ code: callback.searchParams.get("code")!, redirectUrl: redirectUri });
  const { refreshToken } = created.authentication as { refreshToken: string };
  const { authentication } = await app.refreshToken({ refreshToken });
  assertEquals(typeof authentication.refreshToken, "string");
  assertEquals(authentication.refreshToken === refreshToken, false);
});

test("octokit's oauth-app logs in a device", async () => {
  const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
  const clients = [{
    client_id: "cli",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", deviceGrant],
  }];
  await using as = await serveProvider("github", { clients });
  const app = new OAuthApp({ clientId: "cli", clientSecret: "unused", Octokit: octokitFor(as.issuer) });
  const { authentication } = await app.createToken({
    scopes: ["gist"],
    // The user is logged in automatically.
    onVerification: ({ user_code, interval }) =>
      assertEquals([typeof user_code, typeof interval], ["string", "number"]),
  });
  assertEquals((authentication as { scopes: string[] }).scopes, ["gist"]);
});

test("Auth.js logs in with its provider GitHub", async () => {
  await using as = await serveProvider("github");
  const { origin: baseUrl } = new URL(as.issuer);
  const app = authJsApplication([
    GitHub({ clientId: "web", clientSecret: secret, enterprise: { baseUrl }, issuer: as.issuer }),
  ]);
  const user = await app.logIn("github");
  assertEquals([user.name, user.email], ["Alice Adams", "alice@app.example"]);
});

test("arctic logs in with its class GitHub at the real origin, and reports an error with status 200", async () => {
  await using as = await serveProvider("github");
  using _ = replaceOrigins(as.issuer, ["https://github.com"]);
  const github = new ArcticGitHub("web", secret, redirectUri);
  const url = github.createAuthorizationURL("st4te", ["user:email"]);
  const callback = new URL(await getRedirectLocation(await openBrowser()(url)));
  const tokens = await github.validateAuthorizationCode(callback.searchParams.get("code")!);
  assertEquals(tokens.tokenType(), "bearer");
  const error = await assertRejects(() => github.validateAuthorizationCode("wrong"), OAuth2RequestError);
  assertEquals(error.code, "bad_verification_code");
});
