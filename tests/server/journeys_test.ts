/**
 * Whole logins with client libraries, configured only with the issuer and their credentials (group SC).
 *
 * @extensions assertion_authentication, requested_claims
 */

import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { exportJWK, type JWK } from "jose";
import { after, test } from "node:test";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import type { ClientMetadata, Latchkey } from "../../src/mod.ts";
import { forEachCase } from "../kit.ts";
import { getForm } from "./browser.ts";
import { clientKeyPair } from "../rsa_keys.ts";
import { latchkey } from "../secret_leak_check.ts";

const redirectUri = "https://app.example/cb";
const goodbye = "https://app.example/bye";
/** Long enough for HS256, and made of what form-encoding and Basic make most of. */
const secret = "a-_.!~*'()+ %:&=/?#-secret-of-some-length";

/** A method of client authentication, for the server and for the two libraries. */
interface Way {
  readonly name: string;
  readonly metadata: Partial<ClientMetadata>;
  readonly oauth4webapi: () => oauth.ClientAuth;
  readonly openidClient: () => openid.ClientAuth;
}

const keys: { readonly alg: string; readonly key: CryptoKey; readonly jwk: JWK }[] = await Promise.all(
  // Both libraries call EdDSA by the name that RFC 9864 gives it.
  ["ES256", "RS256", "PS256", "Ed25519"].map(async (alg) => {
    const { privateKey, publicKey } = await clientKeyPair(alg);
    return { alg, key: privateKey, jwk: { ...await exportJWK(publicKey), kid: `key-${alg}`, use: "sig" } };
  }),
);

const ways: readonly Way[] = [
  { name: "none", metadata: {}, oauth4webapi: () => oauth.None(), openidClient: () => openid.None() },
  {
    name: "client_secret_basic",
    metadata: { client_secret: secret },
    oauth4webapi: () => oauth.ClientSecretBasic(secret),
    openidClient: () => openid.ClientSecretBasic(secret),
  },
  {
    name: "client_secret_post",
    metadata: { client_secret: secret, token_endpoint_auth_method: "client_secret_post" },
    oauth4webapi: () => oauth.ClientSecretPost(secret),
    openidClient: () => openid.ClientSecretPost(secret),
  },
  {
    name: "client_secret_jwt",
    metadata: { client_secret: secret, token_endpoint_auth_method: "client_secret_jwt" },
    oauth4webapi: () => oauth.ClientSecretJwt(secret),
    openidClient: () => openid.ClientSecretJwt(secret),
  },
  ...keys.map(({ alg, key, jwk }): Way => ({
    name: `private_key_jwt ${alg}`,
    metadata: { jwks: { keys: [{ ...jwk }] }, token_endpoint_auth_method: "private_key_jwt" },
    oauth4webapi: () => oauth.PrivateKeyJwt({ key, kid: jwk.kid! }),
    openidClient: () => openid.PrivateKeyJwt({ key, kid: jwk.kid! }),
  })),
];

const idOf = ({ name }: Way) => `client-_.!~*'() ${name}`;

/** One client for each way, which may do all there is. */
const clients: readonly ClientMetadata[] = ways.map((way) => ({
  client_id: idOf(way),
  redirect_uris: [redirectUri],
  post_logout_redirect_uris: [goodbye],
  grant_types: ["authorization_code", "refresh_token", ...way.name === "none" ? [] : ["client_credentials"]],
  ...way.metadata,
}));

const users = [{ sub: "alice", name: "Alice Adams", email: "alice@example.com", email_verified: true }];

/** A server with default settings, and how a library and a browser reach it. */
interface Place {
  readonly issuer: string;
  readonly fetch: typeof globalThis.fetch;
  readonly insecure: boolean;
}

async function inProcess(more: readonly ClientMetadata[] = []): Promise<Place & { readonly as: Latchkey }> {
  const as = await latchkey({ issuer: "https://as.test", clients: [...clients, ...more], users });
  const fetch = (input: string | URL | Request, init?: RequestInit) =>
    as.fetch(new Request(input instanceof URL ? input.href : input, { ...init, redirect: "manual" }));
  return { as, issuer: as.issuer, fetch: fetch as typeof globalThis.fetch, insecure: false };
}

const opened: Latchkey[] = [];
after(() => Promise.all(opened.map((as) => as.close())));

async function overSocket(more: readonly ClientMetadata[] = []): Promise<Place & { readonly as: Latchkey }> {
  const as = await latchkey({ clients: [...clients, ...more], users });
  opened.push(as);
  await as.listen({ port: 0 });
  const fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, { ...init, redirect: "manual" });
  return { as, issuer: as.issuer, fetch, insecure: true };
}

/** A browser that goes where it is sent, as long as it is sent to the server. */
function surf({ issuer, fetch }: Place) {
  const cookies = new Map<string, string>();
  const send = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(String(url), {
      ...init,
      headers: { ...init.headers as object, ...cookie && { cookie } },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (line.includes("Max-Age=0")) cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    return response;
  };
  return {
    cookies,
    send,
    /** Where the first redirect leads that leaves the server. */
    async visit(url: string | URL): Promise<URL> {
      const response = await send(url);
      const location = response.headers.get("location");
      await response.body?.cancel();
      assert(location !== null, `${url} does not redirect: ${response.status}`);
      return location.startsWith(`${issuer}/`) ? await this.visit(location) : new URL(location);
    },
  };
}

/** `openid-client`, discovered and ready; every signature is checked, although TLS would do. */
async function discovered(place: Place, way: Way, algorithm: "oidc" | "oauth2" = "oidc") {
  return await openid.discovery(new URL(place.issuer), idOf(way), undefined, way.openidClient(), {
    algorithm,
    [openid.customFetch]: place.fetch as openid.CustomFetch,
    execute: [openid.enableNonRepudiationChecks, ...place.insecure ? [openid.allowInsecureRequests] : []],
  });
}

/** The whole journey of a user with `openid-client`. */
async function travel(place: Place, way: Way, algorithm?: "oidc" | "oauth2"): Promise<void> {
  const config = await discovered(place, way, algorithm);
  const browser = surf(place);
  const start = async (more: Record<string, string> = {}) => {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: "openid profile email offline_access read",
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      state: expectedState,
      nonce: expectedNonce,
      ...more,
    });
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    return { reply: await browser.visit(url), checks };
  };

  const { reply, checks } = await start();
  const tokens = await openid.authorizationCodeGrant(config, reply, checks);
  assertEquals([tokens.token_type, tokens.scope], ["bearer", "openid profile email offline_access read"]);
  const { sub, auth_time } = tokens.claims()!;
  assertEquals(sub, "alice");
  const info = await openid.fetchUserInfo(config, tokens.access_token, sub);
  assertEquals<object>(info, { ...users[0]! });

  const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token!);
  assertEquals(renewed.claims()!.sub, "alice");
  assertNotEquals(renewed.access_token, tokens.access_token);

  if (way.name !== "none") {
    const { active, client_id, username } = await openid.tokenIntrospection(config, renewed.access_token);
    assertEquals([active, client_id, username], [true, idOf(way), undefined]);
  }
  await openid.tokenRevocation(config, renewed.access_token, { token_type_hint: "access_token" });
  if (way.name !== "none") {
    assertEquals<object>(await openid.tokenIntrospection(config, renewed.access_token), { active: false });
  }
  await assertRejects(
    () => openid.fetchUserInfo(config, renewed.access_token, sub),
    openid.WWWAuthenticateChallengeError,
  );

  const silent = await start({ prompt: "none", max_age: "3600" });
  const again = await openid.authorizationCodeGrant(config, silent.reply, { ...silent.checks, maxAge: 3600 });
  assertEquals([again.claims()!.sub, again.claims()!.auth_time], [sub, auth_time]);
  const fresh = await start({ prompt: "login", max_age: "0" });
  const renewedTokens = await openid.authorizationCodeGrant(config, fresh.reply, { ...fresh.checks, maxAge: 0 });
  assert(renewedTokens.claims()!.auth_time! >= auth_time!);

  const state = openid.randomState();
  const farewell = openid.buildEndSessionUrl(config, {
    id_token_hint: renewedTokens.id_token!,
    post_logout_redirect_uri: goodbye,
    state,
  });
  assertEquals(String(await browser.visit(farewell)), `${goodbye}?state=${state}`);
  assertEquals([...browser.cookies.keys()].filter((name) => name.includes("latchkey_session")), []);
  const alone = await start({ prompt: "none" });
  const rejected = await assertRejects(() => openid.authorizationCodeGrant(config, alone.reply, alone.checks));
  assert(rejected instanceof openid.AuthorizationResponseError);
  assertEquals(rejected.error, "login_required");

  const { refresh_token } = renewed;
  await openid.tokenRevocation(config, refresh_token!);
  const dead = await assertRejects(() => openid.refreshTokenGrant(config, refresh_token!));
  assert(dead instanceof openid.ResponseBodyError);
  assertEquals([dead.error, dead.status], ["invalid_grant", 400]);
}

test("[SC-01, SC-05, SC-09, SC-11, SC-12] openid-client completes a whole login with every method of authentication", async () => {
  const place = await inProcess();
  await forEachCase(ways, (way) => travel(place, way));
});

test("[SC-01, SC-12, MD-02] openid-client completes it with the metadata of RFC 8414 too", async () => {
  const place = await inProcess();
  await travel(place, ways[0]!, "oauth2");
  await travel(place, ways[1]!, "oauth2");
});

test("[SC-01, SC-02, SC-12] openid-client completes it over a socket", async () => {
  const place = await overSocket();
  await forEachCase(ways.slice(0, 5), (way) => travel(place, way));
});

test("[SC-12, SC-18] openid-client accepts a form_post response", async () => {
  const place = await inProcess();
  const config = await discovered(place, ways[1]!);
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = `"><'&\\ ünï ${openid.randomState()}`;
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: "openid",
    response_mode: "form_post",
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    state: expectedState,
  });
  const { action, body } = getForm(await (await surf(place).send(url)).text());
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const reply = new Request(action, { method: "POST", body, headers });
  const tokens = await openid.authorizationCodeGrant(config, reply, { pkceCodeVerifier, expectedState });
  assertEquals(tokens.claims()!.sub, "alice");
});

test("[SC-05, SC-13, CC-01] openid-client gets client_credentials tokens by every method, and they are strict JWTs for their resource", async () => {
  const place = await inProcess();
  await forEachCase(ways.slice(1), async (way) => {
    const config = await discovered(place, way);
    const tokens = await openid.clientCredentialsGrant(config, { scope: "read", resource: "https://api.example" });
    assertEquals([tokens.token_type, tokens.scope, tokens.claims()], ["bearer", "read", undefined]);
    const request = new Request("https://api.example/x", {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const claims = await oauth.validateJwtAccessToken(
      config.serverMetadata() as oauth.AuthorizationServer,
      request,
      "https://api.example",
      { [oauth.customFetch]: place.fetch },
    );
    assertEquals([claims.sub, claims.client_id], [idOf(way), idOf(way)]);
    await assertRejects(() => openid.fetchUserInfo(config, tokens.access_token, openid.skipSubjectCheck));
  });
});

test("[SC-04, CA-05] openid-client reads why it is rejected", async () => {
  const place = await inProcess();
  const wrong: Way = { ...ways[1]!, openidClient: () => openid.ClientSecretBasic("wrong") };
  const config = await discovered(place, wrong);
  const rejected = await assertRejects(() => openid.clientCredentialsGrant(config, { scope: "read" }));
  assert(rejected instanceof openid.WWWAuthenticateChallengeError || rejected instanceof openid.ResponseBodyError);
  assertEquals(rejected.status, 401);
  const good = await discovered(place, ways[1]!);
  const scope = await assertRejects(() => openid.clientCredentialsGrant(good, { scope: "openid" }));
  assert(scope instanceof openid.ResponseBodyError);
  assertEquals(scope.error, "invalid_scope");
  const target = await assertRejects(() => openid.clientCredentialsGrant(good, { scope: "read", resource: "x" }));
  assert(target instanceof openid.ResponseBodyError);
  assertEquals(target.error, "invalid_target");
});

/** `oauth4webapi` at its strictest: each response goes through its own check. */
async function strictly(place: Place, way: Way, more: Partial<oauth.Client> = {}) {
  const options = { [oauth.customFetch]: place.fetch, [oauth.allowInsecureRequests]: place.insecure };
  const issuer = new URL(place.issuer);
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const client: oauth.Client = { client_id: idOf(way), ...more };
  const auth = way.oauth4webapi();
  const browser = surf(place);
  return {
    as,
    client,
    auth,
    options,
    browser,
    /** An authorization request, and what must come of it. */
    async authorize(fields: Record<string, string> = {}, maxAge?: number) {
      const verifier = oauth.generateRandomCodeVerifier();
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
      const url = new URL(as.authorization_endpoint!);
      const request = {
        client_id: client.client_id,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: "openid profile email read",
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        nonce,
        ...maxAge !== undefined && { max_age: String(maxAge) },
        ...fields,
      };
      for (const [name, value] of Object.entries(request)) url.searchParams.set(name, value);
      const params = oauth.validateAuthResponse(as, client, await browser.visit(url), state);
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        auth,
        params,
        redirectUri,
        verifier,
        options,
      );
      const openIdScope = request.scope.split(" ").includes("openid");
      const result = await oauth.processAuthorizationCodeResponse(as, client, response, {
        requireIdToken: openIdScope,
        ...openIdScope && { expectedNonce: nonce },
        ...maxAge !== undefined && { maxAge },
      });
      if (result.id_token) await oauth.validateApplicationLevelSignature(as, response, options);
      return result;
    },
  };
}

test("[SC-01, SC-04, SC-05, SC-06, SC-07, SC-08, SC-09, SC-10, SC-11, SC-16] oauth4webapi accepts every response", async () => {
  const place = await inProcess();
  await forEachCase(ways, async (way) => {
    const { as, client, auth, options, authorize } = await strictly(place, way);
    const tokens = await authorize();
    assertEquals(tokens.token_type, "bearer");
    const { sub } = oauth.getValidatedIdTokenClaims(tokens)!;
    const info = await oauth.processUserInfoResponse(
      as,
      client,
      sub,
      await oauth.userInfoRequest(as, client, tokens.access_token, options),
    );
    assertEquals(info.email, "alice@example.com");
    const refreshed = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token!, options);
    const next = await oauth.processRefreshTokenResponse(as, client, refreshed);
    assertEquals(oauth.getValidatedIdTokenClaims(next)!.sub, sub);
    await oauth.validateApplicationLevelSignature(as, refreshed, options);
    const request = new Request("https://as.test/x", { headers: { authorization: `Bearer ${next.access_token}` } });
    const claims = await oauth.validateJwtAccessToken(as, request, place.issuer, options);
    assertEquals([claims.sub, claims.scope], ["alice", "openid profile email read"]);
    for (const token of [next.access_token, next.refresh_token!, "unknown"]) {
      if (way.name === "none") continue;
      const reply = await oauth.introspectionRequest(as, client, auth, token, options);
      const { active } = await oauth.processIntrospectionResponse(as, client, reply);
      assertEquals(active, token !== "unknown");
    }
    for (const token of [next.access_token, next.refresh_token!, "unknown"]) {
      await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, auth, token, options));
    }
    if (way.name === "none") return;
    const own = await oauth.clientCredentialsGrantRequest(as, client, auth, { scope: "read" }, options);
    assertEquals((await oauth.processClientCredentialsResponse(as, client, own)).id_token, undefined);
  });
});

test("[SC-09, OI-05] oauth4webapi accepts auth_time with every max_age, and without openid there is no ID token", async () => {
  const { authorize } = await strictly(await inProcess(), ways[0]!);
  for (const maxAge of [0, 1, 3600]) await authorize({}, maxAge);
  for (const prompt of ["login", "consent", "none"]) await authorize({ prompt }, 3600);
  assertEquals((await authorize({ scope: "read" })).id_token, undefined);
});

test("[SC-08, SC-10, US-04] oauth4webapi accepts ID tokens and userinfo in the registered algorithm of the client", async () => {
  await forEachCase(["RS256", "ES256", "EdDSA", "Ed25519"] as const, async (alg) => {
    const client: ClientMetadata = {
      client_id: idOf(ways[0]!),
      redirect_uris: [redirectUri],
      id_token_signed_response_alg: alg,
      userinfo_signed_response_alg: alg,
    };
    const place = await inProcess([]);
    place.as.clients.set(client);
    const registered = { id_token_signed_response_alg: alg, userinfo_signed_response_alg: alg };
    const { as, client: known, options, authorize } = await strictly(place, ways[0]!, registered);
    const tokens = await authorize();
    const response = await oauth.userInfoRequest(as, known, tokens.access_token, options);
    const info = await oauth.processUserInfoResponse(as, known, "alice", response);
    assertEquals(info.name, "Alice Adams");
    await oauth.validateApplicationLevelSignature(as, response, options);
  });
});

test("[SC-03, SC-04] oauth4webapi reads every rejection correctly", async () => {
  const place = await inProcess();
  const { as, client, auth, options, authorize } = await strictly(place, ways[1]!);
  const tokens = await authorize({ scope: "read" });
  const challenged = async (token: string) => {
    const response = await oauth.userInfoRequest(as, client, token, options);
    const error = await assertRejects(() =>
      oauth.processUserInfoResponse(as, client, oauth.skipSubjectCheck, response)
    );
    assert(error instanceof oauth.WWWAuthenticateChallengeError);
    const [{ scheme, parameters }] = error.cause as [oauth.WWWAuthenticateChallenge];
    return [error.status, scheme, parameters.error, parameters.scope];
  };
  assertEquals(await challenged("x"), [401, "bearer", "invalid_token", undefined]);
  assertEquals(await challenged(tokens.access_token), [403, "bearer", "insufficient_scope", "openid"]);

  const body = async (process: Promise<unknown>) => {
    const error = await assertRejects(() => process);
    assert(error instanceof oauth.ResponseBodyError, String(error));
    return [error.status, error.error];
  };
  const refresh = await oauth.refreshTokenGrantRequest(as, client, auth, "unknown", options);
  assertEquals(await body(oauth.processRefreshTokenResponse(as, client, refresh)), [400, "invalid_grant"]);
  const own = await oauth.clientCredentialsGrantRequest(as, client, auth, { scope: "unknown" }, options);
  assertEquals(await body(oauth.processClientCredentialsResponse(as, client, own)), [400, "invalid_scope"]);
  const odd = await oauth.genericTokenEndpointRequest(as, client, auth, "urn:x", {}, options);
  assertEquals(await body(oauth.processGenericTokenEndpointResponse(as, client, odd)), [400, "unsupported_grant_type"]);

  const attacker = oauth.ClientSecretBasic("wrong");
  for (const request of [oauth.introspectionRequest, oauth.revocationRequest]) {
    const response = await request(as, client, attacker, "x", options);
    assertEquals(response.status, 401);
    const process = request === oauth.introspectionRequest
      ? oauth.processIntrospectionResponse(as, client, response)
      : oauth.processRevocationResponse(response);
    const error = await assertRejects(() => process);
    assert(error instanceof oauth.WWWAuthenticateChallengeError);
  }
});

test("[SC-11] oauth4webapi reads every error of the authorization endpoint, with the correct issuer and state", async () => {
  const place = await inProcess();
  const { authorize } = await strictly(place, ways[0]!);
  await forEachCase([
    [{ scope: "unknown" }, "invalid_scope"],
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ prompt: "none" }, "login_required"],
    [{ max_age: "x" }, "invalid_request"],
    [{ claims: "[" }, "invalid_request"],
    [{ id_token_hint: "x" }, "invalid_request"],
    [{ resource: "x" }, "invalid_target"],
    [{ request: "x" }, "request_not_supported"],
    [{ response_mode: "fragment" }, "invalid_request"],
  ] as [Record<string, string>, string][], async ([fields, expected]) => {
    const error = await assertRejects(() => authorize(fields));
    assert(error instanceof oauth.AuthorizationResponseError, String(error));
    assertEquals(error.error, expected);
  });
});

test("[SC-06, JK-04] oauth4webapi, which caches keys for five minutes, verifies through a rotation", async () => {
  const place = await inProcess();
  const { as, options, authorize } = await strictly(place, ways[0]!);
  const check = async (token: string) => {
    const request = new Request("https://as.test/x", { headers: { authorization: `Bearer ${token}` } });
    await oauth.validateJwtAccessToken(as, request, place.issuer, options);
  };
  const first = await authorize();
  await check(first.access_token);
  await place.as.rotateKeys();
  const second = await authorize();
  await check(second.access_token);
  await check(first.access_token);
});

test("[RI-03, SC-13] tokens for a resource pass the strict check of that resource only", async () => {
  const place = await inProcess();
  const { as, options, authorize } = await strictly(place, ways[0]!);
  const { access_token } = await authorize({ resource: "https://API.example/" });
  const request = () => new Request("https://api.example/x", { headers: { authorization: `Bearer ${access_token}` } });
  const { aud } = await oauth.validateJwtAccessToken(as, request(), "https://api.example", options);
  assertMatch(String(aud), /^https:\/\/api\.example$/);
  await assertRejects(() => oauth.validateJwtAccessToken(as, request(), place.issuer, options));
});
