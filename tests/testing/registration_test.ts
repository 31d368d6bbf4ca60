/** Registration with the mock: as.register, faults, the log, client libraries (group DR). */

import { fault } from "../../src/check/fault.ts";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { exportJWK, generateKeyPair } from "jose";
import { test } from "node:test";
import * as openid from "openid-client";
import { inspector } from "../../src/devtools/mod.ts";
import { describeEvent } from "../../src/cli/operating/describe_event.ts";
import { formatEvent } from "../../src/cli/operating/format_event.ts";
import { faults, LoginError } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";

const redirect_uri = "https://app.example/cb";
const initialAccessToken = "an-initial-access-token";

test("as.register returns a client that logs in, with every method of authentication", async () => {
  await using as = await testLatchkey();
  const client = await as.register();
  assertEquals([client.redirect_uri, client.token_endpoint_auth_method], ["https://client.test/callback", "none"]);
  const { tokens, claims } = await as.logIn(client);
  assertEquals([claims!.aud, claims!.sub], [client.client_id, "alice"]);
  assertEquals(typeof (await as.refresh(client, tokens.refresh_token!)).access_token, "string");
  for (const token_endpoint_auth_method of ["client_secret_basic", "client_secret_post", "client_secret_jwt"]) {
    const confidential = await as.register({ redirect_uris: [redirect_uri], token_endpoint_auth_method });
    assertEquals((await as.logIn(confidential)).claims!.aud, confidential.client_id);
    as.log.expect("token", { client: confidential }).with(confidential.token_endpoint_auth_method).called(1);
  }
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const keyed = await as.register({
    redirect_uris: [redirect_uri],
    token_endpoint_auth_method: "private_key_jwt",
    jwks: { keys: [await exportJWK(publicKey)] },
  });
  const { kty, crv, x, y, d } = await exportJWK(privateKey) as Record<"kty" | "crv" | "x" | "y" | "d", string>;
  const private_jwk = { kty, crv, x, y, d, alg: "ES256" };
  assertEquals((await as.logIn({ ...keyed, private_jwk })).claims!.aud, keyed.client_id);
});

test("[DR-04, DR-05] as.register throws what the server rejects, with the explanation", async () => {
  await using as = await testLatchkey({ registration: { mode: "token", initialAccessTokens: [initialAccessToken] } });
  const missing = await assertRejects(() => as.register(), LoginError);
  assertEquals([missing.status, missing.error, missing.explanation?.rule], [401, "invalid_token", "DR-05"]);
  const faulty = await assertRejects(() => as.register({ redirect_uris: ["/cb"] }, { initialAccessToken }), LoginError);
  assertEquals([faulty.status, faulty.error, faulty.explanation?.rule], [400, "invalid_redirect_uri", "DR-04"]);
  assertStringIncludes(faulty.message, "redirect_uris[0]: expected an absolute URI");
  assertStringIncludes(faulty.message, "received: ");
  assertEquals((await as.logIn(await as.register(undefined, { initialAccessToken }))).claims!.sub, "alice");
  as.log.expect("register").called(3);
  as.log.expect("register", { client: undefined }).called();
  await assertRejects(() => as.register({}, { token: "x" } as object), TypeError, "register");
  // Secrets are in no transcript.
  assert(!String(as.log).includes(initialAccessToken));
});

test("[DR-12] as.register throws that registration is off, and how to switch it on", async () => {
  await using as = await testLatchkey({ registration: { mode: "off" } });
  const error = await assertRejects(() => as.register(), LoginError, "registration is off: set registration.mode");
  assertEquals([error.status, error.explanation?.rule], [404, "DR-12"]);
  as.log.expect("register").called(1);
});

test("[DR-01] faults apply to registration, and reset forgets registered clients", async () => {
  await using as = await testLatchkey({ registration: { maxClients: 1 } });
  as.on("register").once(faults.error("invalid_client_metadata"));
  const rejected = await assertRejects(() => as.register(), LoginError);
  assertEquals([rejected.status, rejected.error], [400, "invalid_client_metadata"]);
  as.on("register").once(faults.error("temporarily_unavailable", { status: 429, retryAfter: 5 }));
  assertEquals((await assertRejects(() => as.register(), LoginError)).status, 429);
  as.on("register").once(fault("transport/body-wrong", { how: "truncated" }));
  assertEquals((await assertRejects(() => as.register(), LoginError)).status, 201);
  await as.reset();
  const client = await as.register();
  as.on("client_configuration").once(faults.error("invalid_token"));
  const read = () =>
    as.fetch(client.registration_client_uri, {
      headers: { authorization: `Bearer ${client.registration_access_token}` },
    });
  const failed = await read();
  assertEquals([failed.status, failed.headers.get("www-authenticate")?.includes("invalid_token")], [401, true]);
  assertEquals((await read()).status, 200);
  await as.reset();
  assertEquals(as.clients.count(), 0);
  assertEquals((await read()).status, 401);
  await as.register();
});

test("[DR-04] the log, /flows, its export, the page and the error say how to fix this metadata, not only the rule", async () => {
  const inspected = inspector();
  await using as = await testLatchkey({ plugins: [inspected] });
  const general = "Correct the named member";
  const cases = [
    ["/cb", "Begin it with https:// or, on a loopback host, http://."],
    ["https://app.example/cb#x", "Remove the # and the text after it."],
  ] as const;
  for (const [i, [uri, fix]] of cases.entries()) {
    const error = await assertRejects(() => as.register({ redirect_uris: [uri] }), LoginError);
    assertEquals(error.explanation?.fix, fix);
    const line = [...as.log.flows].at(-1)!.exchanges[0]!.events.map((event) =>
      formatEvent(event, { details: describeEvent(event) })
    )
      .join();
    const flow = await (await as.fetch(`/flows/${i + 1}`)).text();
    const exported = await (await as.fetch(`/flows/${i + 1}.md`)).text();
    for (const text of [error.message, line, flow, exported, String(as.log)]) {
      assertStringIncludes(text, fix);
      assert(!text.includes(general), text);
    }
  }
  // A warning has its own fix too.
  await as.register({ redirect_uris: ["http://127.0.0.1/cb"], token_endpoint_auth_method: "none" });
  const warned = await (await as.fetch("/flows/3")).text();
  assertStringIncludes(warned, "for an app on the device of the user");
  assert(!warned.includes(general), warned);
});

test("[DR-06] the log and /flows show a registration with its management as one flow, without secrets", async () => {
  const inspected = inspector();
  await using as = await testLatchkey({ plugins: [inspected] });
  const client = await as.register({ redirect_uris: [redirect_uri], client_name: "App" });
  const bearer = { authorization: `Bearer ${client.registration_access_token}` };
  await as.fetch(client.registration_client_uri, { headers: bearer });
  await as.fetch(client.registration_client_uri, { method: "DELETE", headers: bearer });
  as.log.expect("register").passed("DR-01");
  as.log.expect("client_configuration").passed("DR-06").called(2);
  assertEquals(as.log.flows.map(({ exchanges }) => exchanges.map(({ endpoint }) => endpoint)), [
    ["register", "client_configuration", "client_configuration"],
  ]);
  const list = await (await as.fetch("/flows")).text();
  assertStringIncludes(list, client.client_id);
  const flow = await (await as.fetch("/flows/1")).text();
  assertStringIncludes(flow, "Client registration");
  assertStringIncludes(flow, "the client metadata is valid");
  for (const secret of [client.registration_access_token, client.client_secret!]) {
    for (const text of [list, flow, String(as.log)]) assert(!text.includes(secret));
  }
});

test("[DR-01, DR-05] openid-client registers itself, with a secret and without, and logs in", async () => {
  await using as = await testLatchkey({ registration: { mode: "open", initialAccessTokens: [initialAccessToken] } });
  const options = { [openid.customFetch]: as.fetch as openid.CustomFetch };
  const issuer = new URL(as.issuer);
  const cases = [
    // The library sends the secret in the body unless another method is named.
    [{ redirect_uris: [redirect_uri] }, undefined, options],
    [{ redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" }, openid.None(), options],
    [{ redirect_uris: [redirect_uri], client_name: "Trusted" }, undefined, { ...options, initialAccessToken }],
  ] as const;
  for (const [metadata, authentication, extra] of cases) {
    const config = await openid.dynamicClientRegistration(
      issuer,
      { ...metadata, redirect_uris: [...metadata.redirect_uris] },
      authentication,
      extra,
    );
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const checks = { pkceCodeVerifier, expectedState: openid.randomState(), expectedNonce: openid.randomNonce() };
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri,
      scope: "openid",
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    });
    const callback = await as.browser().authorize(url);
    const tokens = await openid.authorizationCodeGrant(config, new URL(callback.url), checks);
    assertEquals(tokens.claims()!.aud, config.clientMetadata().client_id);
  }
  const error = await assertRejects(
    () => openid.dynamicClientRegistration(issuer, { redirect_uris: ["x"] }, undefined, options),
    openid.ResponseBodyError,
  );
  assertEquals([error.error, error.status], ["invalid_redirect_uri", 400]);
  await assertRejects(
    () => openid.dynamicClientRegistration(issuer, {}, undefined, { ...options, initialAccessToken: "wrong-token" }),
    openid.WWWAuthenticateChallengeError,
  );
});

test("a client of the mock that registered itself is there after months without a use", async () => {
  await using as = await testLatchkey();
  const client = await as.register();
  await as.logIn(client);
  for (let months = 0; months < 6; months++) {
    as.clock.advance(30 * 24 * 3600);
    await as.fetch(new Request(as.issuer));
  }
  assertEquals((await as.logIn(client)).claims!.aud, client.client_id);
});
