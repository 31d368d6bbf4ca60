/** Journeys of client libraries with signed requests and signed responses (groups JR and JM). */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { importJWK } from "jose";
import { test } from "node:test";
import * as openid from "openid-client";
import { testLatchkey } from "./test_latchkey.ts";

/** As a server of FAPI 2.0 Message Signing would be: requests are pushed and signed, responses signed. */
const strictSettings = {
  requirePushedAuthorizationRequests: true,
  requireSignedRequestObject: true,
  requestObjectTimes: "required",
  responseModes: ["jwt", "query.jwt", "form_post.jwt"],
} as const;

async function openidConfig(as: Awaited<ReturnType<typeof testLatchkey>>) {
  const client = as.client({ token_endpoint_auth_method: "private_key_jwt" });
  const { alg, kid } = client.private_jwk;
  const key = { key: await importJWK(client.private_jwk, alg) as openid.CryptoKey, kid };
  const config = await openid.discovery(
    new URL(as.issuer),
    client.client_id,
    { authorization_signed_response_alg: "RS256" },
    openid.PrivateKeyJwt(key),
    { [openid.customFetch]: as.fetch as openid.CustomFetch },
  );
  return { client, config, key };
}

test("[JR-02, JM-03] openid-client signs and pushes the request, and verifies the signed response", async () => {
  await using as = await testLatchkey({ ...strictSettings, alg: "RS256" });
  const { client, config, key } = await openidConfig(as);
  openid.useJwtResponseMode(config);
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const signed = await openid.buildAuthorizationUrlWithJAR(config, {
    redirect_uri: client.redirect_uri,
    scope: "openid email",
    state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    claims: JSON.stringify({ id_token: { email: { essential: true } } }),
    max_age: "3600",
  }, key);
  assertEquals([...signed.searchParams.keys()].sort(), ["client_id", "request"]);
  const url = await openid.buildAuthorizationUrlWithPAR(config, signed.searchParams);
  assertEquals([...url.searchParams.keys()].sort(), ["client_id", "request_uri"]);
  const callback = await as.browser().authorize(url);
  assertEquals([...new URL(callback.url).searchParams.keys()], ["response"]);
  const tokens = await openid.authorizationCodeGrant(config, new URL(callback.url), {
    pkceCodeVerifier,
    expectedState,
    maxAge: 3600,
  });
  assertEquals([tokens.claims()!.sub, typeof tokens.claims()!.email], ["alice", "string"]);
  as.log.expect("par").called(1).by(client).succeeded();
});

test("[JR-03] parameters that an attacker adds to a signed URL of openid-client change nothing", async () => {
  await using as = await testLatchkey({ responseModes: ["query", "jwt"] });
  const { client, config, key } = await openidConfig(as);
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const url = await openid.buildAuthorizationUrlWithJAR(config, {
    redirect_uri: client.redirect_uri,
    scope: "openid",
    state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  }, key);
  for (
    const [name, value] of Object.entries({
      redirect_uri: "https://evil.example/cb",
      scope: "openid write",
      state: "of the attacker",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      response_mode: "jwt",
      nonce: "of the attacker",
    })
  ) url.searchParams.set(name, value);
  const callback = await as.browser().authorize(url);
  assert(callback.url.startsWith(`${client.redirect_uri}?`));
  const tokens = await openid.authorizationCodeGrant(config, new URL(callback.url), {
    pkceCodeVerifier,
    expectedState,
  });
  assertEquals([tokens.scope, tokens.claims()!.nonce], ["openid", undefined]);
});

test("[JM-02, JM-05] openid-client reads a signed error; a response that is not signed is rejected by it", async () => {
  await using as = await testLatchkey({ alg: "RS256", responseModes: ["query", "jwt"] });
  const { client, config } = await openidConfig(as);
  openid.useJwtResponseMode(config);
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: client.redirect_uri,
    scope: "openid",
    prompt: "none",
  });
  assertEquals(url.searchParams.get("response_mode"), "jwt");
  const callback = await as.browser().authorize(url);
  const error = await openid.authorizationCodeGrant(config, new URL(callback.url)).catch((cause) => cause);
  assertEquals(error.error, "login_required");
  url.searchParams.delete("response_mode");
  const plain = await as.browser().authorize(url);
  const rejected = await openid.authorizationCodeGrant(config, new URL(plain.url)).catch((cause) => cause);
  assertMatch(String(rejected.message), /response/);
});
