/** Pushed requests of clients of the mock (group PA). */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import * as openid from "openid-client";
import { testLatchkey } from "./test_latchkey.ts";
import { goodRequest } from "../kit.ts";
import { prefix } from "../server/extensions/par/pushed_requests.ts";

test("[PA-07] a client that registers itself can demand pushed requests, and the mock pushes for it", async () => {
  await using as = await testLatchkey();
  const client = as.client({ require_pushed_authorization_requests: true });
  const { request } = await as.logIn(client);
  assertEquals(request.searchParams.get("request_uri")!.startsWith(prefix), true);
  as.log.expect("par").called(1).by(client).succeeded();
});

test("[PA-07] a client can demand it in its registration", async () => {
  await using as = await testLatchkey();
  const registered = await as.register({
    redirect_uris: ["https://client.test/callback"],
    token_endpoint_auth_method: "none",
    require_pushed_authorization_requests: true,
  });
  const { client_id } = registered;
  const callback = await as.browser().authorize({
    ...goodRequest,
    client_id,
    redirect_uri: "https://client.test/callback",
  });
  assertEquals(callback.error, "invalid_request");
  assertEquals((await as.logIn({ client_id })).callback.error, undefined);
});

test("the mock pushes for a client whose redirect URI is below the issuer, with and without pages", async () => {
  for (const login of ["auto", "interactive"] as const) {
    await using as = await testLatchkey({ login });
    const client = as.client({ redirect_uri: `${as.issuer}/app/callback` });
    const { callback } = await as.logIn(client, { par: true });
    assertEquals(callback.url.split("?")[0], `${as.issuer}/app/callback`);
  }
});

test("[PA-01, PA-02] openid-client pushes the request and logs in", async () => {
  await using as = await testLatchkey({ requirePushedAuthorizationRequests: true });
  const { client_id, client_secret, redirect_uri } = as.client({ confidential: true });
  const config = await openid.discovery(new URL(as.issuer), client_id, client_secret, undefined, {
    [openid.customFetch]: as.fetch as openid.CustomFetch,
  });
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const url = await openid.buildAuthorizationUrlWithPAR(config, {
    redirect_uri,
    scope: "openid email",
    state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  assertEquals([...url.searchParams.keys()].sort(), ["client_id", "request_uri"]);
  const callback = await as.browser().authorize(url);
  const tokens = await openid.authorizationCodeGrant(config, new URL(callback.url), {
    pkceCodeVerifier,
    expectedState,
  });
  assertEquals(tokens.claims()!.sub, "alice");
});
