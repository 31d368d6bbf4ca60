/** Step-up authentication at protected resources: challenges, and the client that follows them (group ST). */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import { introspectionVerifier, jwksVerifier, requireToken, stepUpChallenge } from "../../src/resource/mod.ts";
import type { RequiredToken } from "../../src/resource/mod.ts";
import type { RequiredLogin, ResourceRejection } from "../../src/resource/protected_resource.ts";
import type { TestLatchkey, TestLatchkeyOptions } from "../../src/testing/mod.ts";
import { decodeClaims, forEachCase } from "../kit.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";

const resource = "https://bank.example/api";
const metadata = "https://bank.example/.well-known/oauth-protected-resource/api";
const pwd = "urn:x:pwd";
const mfa = "urn:x:mfa";
const levels: TestLatchkeyOptions = { acrValues: [{ value: pwd }, { value: mfa, amr: ["pwd", "otp", "mfa"] }] };

/** The parameters of a login with acr_values or max_age. */
function withLevel(acr_values: string | undefined, max_age?: string) {
  return { scope: "openid read", resource, authorization: { acr_values, max_age } };
}

function api(as: TestLatchkey, login: RequiredLogin = {}, more: Partial<RequiredToken> = {}): RequiredToken {
  const verifier = jwksVerifier({ issuer: as.issuer, fetch: as.fetch as typeof fetch, now: as.clock.now });
  return { resource, verifier, clockToleranceSeconds: 0, ...login, ...more };
}

function request(token?: string): Request {
  return new Request(resource, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
}

/** Status and parameters of a challenge, as a client library reads them; only the status without one. */
async function outcome(result: ReturnType<typeof requireToken>): Promise<Record<string, unknown>> {
  const response = await result;
  if (!(response instanceof Response)) return { status: 200 };
  const copy = response.clone();
  const error = await oauth.processUserInfoResponse(
    { issuer: "https://x.test" },
    { client_id: "x" },
    oauth.skipSubjectCheck,
    response,
  ).catch((cause) => cause);
  assert(error instanceof oauth.WWWAuthenticateChallengeError, String(error));
  assertEquals(error.cause.length, 1);
  const { scheme, parameters: { error_description: _, resource_metadata, ...parameters } } = error.cause[0]!;
  assertEquals([scheme, resource_metadata], ["bearer", metadata]);
  assertEquals((await copy.json()).error, parameters.error);
  return { status: copy.status, ...parameters };
}

const insufficient = "insufficient_user_authentication";

test("[ST-01, ST-02, ST-04] a token whose login is too weak or too old is 401 with acr_values and max_age", async () => {
  await using as = await testLatchkey({ ...levels, startsAt: 0 });
  const client = as.client();
  const { tokens: { access_token: weak } } = await as.logIn(client, withLevel(undefined));
  const { tokens: { access_token: strong } } = await as.logIn(client, withLevel(mfa));
  const both = `urn:x:key ${mfa}`;
  assertEquals(await outcome(requireToken(request(weak), api(as, { acrValues: ["urn:x:key", mfa] }))), {
    status: 401,
    error: insufficient,
    acr_values: both,
  });
  assertEquals(
    await outcome(requireToken(request(weak), api(as, { acrValues: [mfa], maxAgeSeconds: 300 }, { scope: ["write"] }))),
    { status: 401, error: insufficient, acr_values: mfa, max_age: "300", scope: "write" },
  );
  as.clock.advance(301);
  const old = { status: 401, error: insufficient, max_age: "300" };
  assertEquals(await outcome(requireToken(request(strong), api(as, { maxAgeSeconds: 300 }))), old);
  assertEquals(await outcome(requireToken(request(strong), api(as, { maxAgeSeconds: 301 }))), { status: 200 });
  assertEquals(await outcome(requireToken(request(strong), api(as, { acrValues: ["urn:x:key", mfa] }))), {
    status: 200,
  });
  const tolerant = api(as, { maxAgeSeconds: 292 }, { clockToleranceSeconds: undefined });
  assertEquals(await outcome(requireToken(request(strong), tolerant)), { status: 200 });
  // The tokens stay valid elsewhere.
  assertEquals(await outcome(requireToken(request(weak), api(as))), { status: 200 });
});

test("[ST-03] a token that is invalid or missing does not learn the required level", async () => {
  await using as = await testLatchkey(levels);
  const required = api(as, { acrValues: [mfa], maxAgeSeconds: 5 });
  as.client();
  assertEquals(await outcome(requireToken(request("garbage"), required)), { status: 401, error: "invalid_token" });
  const expired = await as.mint.accessToken({ resource, expired: true, acr: mfa });
  assertEquals(await outcome(requireToken(request(expired), required)), { status: 401, error: "invalid_token" });
  const response = await requireToken(request(), required) as Response;
  assertEquals(response.headers.get("www-authenticate"), `Bearer resource_metadata="${metadata}"`);
});

test("[ST-04] a token without the member does not meet the demand, with keys and with introspection", async () => {
  await using as = await testLatchkey(levels);
  const { client_id, client_secret } = as.client({ confidential: true, serves: [resource] });
  const options = { issuer: as.issuer, clientId: client_id, clientSecret: client_secret };
  const verifier = introspectionVerifier({ ...options, fetch: as.fetch as typeof fetch, now: as.clock.now });
  const machine = as.client({ confidential: true, grant_types: ["client_credentials"] });
  const { access_token } = await as.token(machine, { grant_type: "client_credentials", scope: "read", resource });
  const { tokens } = await as.logIn(as.client({ access_token_format: "opaque" }), withLevel(mfa));
  const opaque = tokens.access_token;
  const rejections: ResourceRejection[] = [];
  const onRejection = (rejection: ResourceRejection) => void rejections.push(rejection);
  await forEachCase([{ acrValues: [mfa] }, { maxAgeSeconds: 300 }], async (login) => {
    for (const more of [{}, { verifier }]) {
      const { status, ...parameters } = await outcome(requireToken(request(access_token), api(as, login, more)));
      assertEquals([status, "error" in parameters && parameters.error], [401, insufficient]);
    }
    assertEquals(await outcome(requireToken(request(opaque), api(as, login, { verifier }))), { status: 200 });
  });
  await requireToken(request(access_token), api(as, { acrValues: [mfa], maxAgeSeconds: 300 }, { onRejection }));
  const [{ rule, status, error, expected, received, fix }] = rejections as [ResourceRejection];
  assertEquals([rule, status, error], ["ST-04", 401, insufficient]);
  assertEquals(expected, `acr ${mfa}, a login at most 300 seconds old`);
  assertEquals(received, "no acr, no auth_time");
  assert(fix!.includes("acr_values"));
});

test("[ST-01] stepUpChallenge challenges a token that requireToken has accepted, for what the resource finds later", async () => {
  await using as = await testLatchkey(levels);
  const { tokens } = await as.logIn(as.client(), withLevel(undefined));
  const token = await requireToken(request(tokens.access_token), api(as));
  assert(!(token instanceof Response));
  assertEquals(stepUpChallenge(token, api(as, { acrValues: [pwd], maxAgeSeconds: 60 })), undefined);
  const challenge = stepUpChallenge(token, api(as, { acrValues: [mfa] }))!;
  assertEquals(await outcome(Promise.resolve(challenge)), { status: 401, error: insufficient, acr_values: mfa });
});

test("[ST-02] values that cannot stand in a challenge are a programming error", async () => {
  await using as = await testLatchkey(levels);
  const wrong: readonly RequiredLogin[] = [
    ...[["two words"], [""], ['"'], ["ü"], [mfa, "a\\b"]].map((acrValues) => ({ acrValues })),
    ...[-1, 1.5, NaN, Infinity].map((maxAgeSeconds) => ({ maxAgeSeconds })),
  ];
  await forEachCase(wrong, async (login) => {
    await assertRejects(() => requireToken(request("x"), api(as, login)), TypeError, "expected");
    assertThrows(() => as.resource("/mcp", { tools: { pay: [] }, toolLogins: { pay: login } }), TypeError);
  });
});

test("[ST-01, ST-05, ST-06, ST-13] a client follows the challenge of a tool: same scope, a new login, and the call succeeds", async () => {
  await using as = await testLatchkey(levels);
  const bank = as.resource("/bank", {
    scopes: ["read"],
    tools: { balance: [], pay: ["write"] },
    toolLogins: { pay: { acrValues: [mfa], maxAgeSeconds: 60 } },
  });
  const call = (token: string, name: string) =>
    as.fetch(bank.url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } }),
    });
  const client = as.client();
  const browser = as.browser();
  const first = await as.logIn(client, { browser, scope: "read", resource: bank.url });
  assertEquals((await call(first.tokens.access_token, "balance")).status, 200);
  const challenged = await call(first.tokens.access_token, "pay");
  assertEquals(challenged.status, 401);
  const header = challenged.headers.get("www-authenticate")!;
  const parameter = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(header)?.[1];
  assertEquals([parameter("error"), parameter("max_age"), parameter("scope")], [insufficient, "60", "read write"]);
  const authorization = { acr_values: parameter("acr_values"), max_age: parameter("max_age") };
  const scope = parameter("scope");
  as.clock.advance(5);
  const second = await as.logIn(client, { browser, scope, resource: bank.url, authorization });
  const paid = await call(second.tokens.access_token, "pay");
  const { result } = await paid.json();
  assertEquals([paid.status, result.structuredContent.acr, result.structuredContent.scope], [200, mfa, "read write"]);
  assertEquals((await call(first.tokens.access_token, "pay")).status, 401);
  as.clock.advance(61);
  assertEquals((await call(second.tokens.access_token, "pay")).status, 401);
  as.log.expect("resource", ({ response }) => response?.status === 401).rejected(insufficient, "ST-04");
});

test("[ST-06, ST-07] the mock: a user or a browser that reaches one level only", async () => {
  await using as = await testLatchkey(levels);
  const client = as.client();
  const outcomeOf = (options: Parameters<TestLatchkey["logIn"]>[1]) =>
    as.logIn(client, options).then(({ claims }) => claims!.acr, (error) => error.error);
  as.decisions.limitAcr("alice", pwd);
  assertEquals(await outcomeOf({}), pwd);
  assertEquals(await outcomeOf(withLevel(mfa)), "unmet_authentication_requirements");
  assertEquals(await outcomeOf({ ...withLevel(mfa), as: "bob" }), mfa);
  as.decisions.allowAll("alice");
  assertEquals(await outcomeOf(withLevel(mfa)), mfa);
  assertEquals(await outcomeOf({ acr: mfa }), mfa);
  assertEquals(await outcomeOf({ ...withLevel(mfa), acr: pwd }), "unmet_authentication_requirements");
  assertEquals(await outcomeOf({ acr: "urn:x:unknown" }), "server_error");
  // A session that continues keeps its level.
  const browser = as.browser({ acr: pwd });
  await as.logIn(client, { browser, acr: mfa });
  assertEquals(await outcomeOf({ browser }), mfa);
  assertThrows(() => as.decisions.limitAcr("alice", "urn:x:unknown"), TypeError, `acr: expected a value of acrValues`);
  assertThrows(() => as.decisions.limitAcr("eve", mfa), TypeError, "no user");
  as.decisions.limitAcr("alice", pwd);
  await as.reset();
  assertEquals((await as.logIn(as.client(), withLevel(mfa))).claims!.acr, mfa);
});

test("[ST-09] minted tokens and codes have acr and amr", async () => {
  await using as = await testLatchkey(levels);
  const client = as.client({ grant_types: ["authorization_code", "refresh_token"] });
  const options = { client, acr: mfa, amr: ["face"] };
  const verifier = "x".repeat(43);
  const minted = [
    await as.mint.accessToken(options),
    await as.mint.idToken(options),
    (await as.mint.tokens(options)).access_token,
    (await as.refresh(client, await as.mint.refreshToken(options))).access_token,
    (await as.token(client, {
      grant_type: "authorization_code",
      code: await as.mint.code({ ...options, verifier }),
      redirect_uri: client.redirect_uri,
      code_verifier: verifier,
    })).access_token,
  ];
  for (const jwt of minted) {
    const { acr, amr } = decodeClaims(jwt);
    assertEquals({ acr, amr }, { acr: mfa, amr: ["face"] });
  }
});

test("[ST-09, IJ-07] exchanged tokens and ID-JAGs keep acr, amr and auth_time of the login", async () => {
  const audience = "https://auth.chat.example";
  await using as = await testLatchkey({
    ...levels,
    tokenExchange: {},
    resourceAuthorizationServers: [{ issuer: audience }],
  });
  const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
  const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
  const grant_types = ["authorization_code", "refresh_token", exchange];
  const client = as.client({ confidential: true, grant_types, serves: [resource] });
  const { tokens } = await as.logIn(client, withLevel(mfa));
  const { auth_time } = decodeClaims(tokens.access_token);
  as.clock.advance(100);
  const subjects = [
    ["access_token", tokens.access_token, {}],
    ["id_token", tokens.id_token, { requested_token_type: type("id-jag"), audience }],
    ["refresh_token", tokens.refresh_token, { requested_token_type: type("id-jag"), audience }],
  ] as const;
  for (const [name, subject_token, fields] of subjects) {
    const exchanged = await as.token(client, {
      grant_type: exchange,
      subject_token,
      subject_token_type: type(name),
      ...fields,
    });
    const claims = decodeClaims(exchanged.access_token);
    const login = { acr: claims.acr, amr: claims.amr, auth_time: claims.auth_time };
    assertEquals(login, { acr: mfa, amr: ["pwd", "otp", "mfa"], auth_time }, name);
  }
});
