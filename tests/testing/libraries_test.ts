/** Client libraries with the fetch of the mock: logins in one process, without a socket. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { Auth, customFetch as authFetch, skipCSRFCheck } from "@auth/core";
import type { AuthConfig } from "@auth/core";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { testLatchkey } from "./test_latchkey.ts";

test("openid-client logs in by the fetch of the mock, refreshes, and reports a user who denies", async () => {
  await using as = await testLatchkey();
  const { client_id, client_secret, redirect_uri } = as.client({ confidential: true });
  const config = await openid.discovery(
    new URL(as.issuer),
    client_id,
    client_secret,
    undefined,
    {
      [openid.customFetch]: as.fetch as openid.CustomFetch,
      execute: [openid.enableNonRepudiationChecks],
    },
  );
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const checks = { pkceCodeVerifier, expectedState: openid.randomState(), expectedNonce: openid.randomNonce() };
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: "openid email",
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const browser = as.browser();
  const callback = await browser.authorize(url);
  const tokens = await openid.authorizationCodeGrant(config, new URL(callback.url), checks);
  const { sub } = tokens.claims()!;
  assertEquals<object>(await openid.fetchUserInfo(config, tokens.access_token, sub), {
    sub: "alice",
    email: "alice@example.com",
    email_verified: true,
  });
  assertEquals((await openid.refreshTokenGrant(config, tokens.refresh_token!)).claims()!.sub, sub);

  as.decisions.deny("alice");
  const denied = new URL((await browser.authorize(url)).url);
  const rejection = await assertRejects(() => openid.authorizationCodeGrant(config, denied, checks));
  assert(rejection instanceof openid.AuthorizationResponseError);
  assertEquals(rejection.error, "access_denied");
});

test("[CL-03, CL-06, CL-12] openid-client receives all claims of the README's user: in userinfo, ID token and access token", async () => {
  await using as = await testLatchkey({ idTokenClaims: "like-userinfo", accessTokenClaims: ["roles"] });
  as.users.set({ sub: "carol", name: "Carol", roles: ["admin"] });
  const { client_id, client_secret, redirect_uri } = as.client({ confidential: true });
  const config = await openid.discovery(
    new URL(as.issuer),
    client_id,
    undefined,
    openid.ClientSecretBasic(client_secret),
    {
      [openid.customFetch]: as.fetch as openid.CustomFetch,
    },
  );
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: "openid profile",
    login_hint: "carol",
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const callback = await as.browser().authorize(url);
  const tokens = await openid.authorizationCodeGrant(config, new URL(callback.url), { pkceCodeVerifier });
  const carol = { sub: "carol", name: "Carol", roles: ["admin"] };
  assertEquals<object>(await openid.fetchUserInfo(config, tokens.access_token, "carol"), carol);
  // What libraries that never call userinfo show of the user, such as express-openid-connect.
  const { name, roles } = tokens.claims()!;
  assertEquals([name, roles], [carol.name, carol.roles]);
  const { active, sub, roles: inAccessToken } = await openid.tokenIntrospection(config, tokens.access_token);
  assertEquals([active, sub, inAccessToken], [true, "carol", ["admin"]]);
});

test("oauth4webapi logs in by the fetch of the mock, and rejects a minted token for another client", async () => {
  await using as = await testLatchkey();
  const { redirect_uri, ...registered } = as.client();
  const client: oauth.Client = { client_id: registered.client_id };
  const options = { [oauth.customFetch]: as.fetch };
  const issuer = new URL(as.issuer);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const verifier = oauth.generateRandomCodeVerifier();
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  const url = new URL(server.authorization_endpoint!);
  url.search = String(
    new URLSearchParams({
      response_type: "code",
      client_id: client.client_id,
      redirect_uri,
      scope: "openid",
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }),
  );
  const { url: callback } = await as.browser().authorize(url);
  const params = oauth.validateAuthResponse(server, client, new URL(callback), state);
  const result = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    params,
    redirect_uri,
    verifier,
    options,
  );
  const expectations = { expectedNonce: nonce, requireIdToken: true };
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, result, expectations);
  await oauth.validateApplicationLevelSignature(server, result, options);
  assertEquals(oauth.getValidatedIdTokenClaims(tokens)!.sub, "alice");

  const knock = (token: string) =>
    oauth.validateJwtAccessToken(
      server,
      new Request(as.issuer, { headers: { authorization: `Bearer ${token}` } }),
      as.issuer,
      options,
    );
  assertEquals((await knock(tokens.access_token)).sub, "alice");
  assertEquals((await knock(await as.mint.accessToken({ sub: "bob" }))).sub, "bob");
  for (const how of [{ expired: true }, { signedBy: "wrong key" }, { issuer: "https://other.test" }] as const) {
    await assertRejects(async () => await knock(await as.mint.accessToken(how)));
  }
});

test("Auth.js logs a user in by the mock's fetch", async () => {
  await using as = await testLatchkey();
  const redirect_uri = "https://app.example/auth/callback/latchkey";
  const { client_id, client_secret } = as.client({ confidential: true, redirect_uri });
  const config: AuthConfig = {
    basePath: "/auth",
    secret: "the secret of the application itself",
    trustHost: true,
    skipCSRFCheck,
    providers: [{
      id: "latchkey",
      name: "Latchkey",
      type: "oidc",
      issuer: as.issuer,
      clientId: client_id,
      clientSecret: client_secret,
      idToken: false,
      checks: ["pkce", "state", "nonce"],
      [authFetch]: as.fetch,
    }],
  };
  const cookies = new Map<string, string>();
  const ask = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await Auth(new Request(url, { ...init, headers: { ...init.headers as object, cookie } }), config);
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    return response;
  };
  const begun = await ask("https://app.example/auth/signin/latchkey", {
    method: "POST",
    body: "callbackUrl=https%3A%2F%2Fapp.example%2Fhome",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  as.decisions.loginNext("bob");
  const callback = await as.browser().authorize(begun.headers.get("location")!);
  assertEquals((await ask(callback.url)).headers.get("location"), "https://app.example/home");
  const { user } = await (await ask("https://app.example/auth/session")).json();
  assertEquals(user, { name: "Bob Brown", email: "bob@example.com" });
});
