/**
 * The helper for resource servers: tokens verified with keys and with introspection, challenges, and limits (groups PR,
 * MC, BR).
 */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import * as jose from "jose";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import {
  dpopProofs,
  introspectionVerifier,
  jwksVerifier,
  mcpServer,
  metadataUrl,
  requireToken,
  resourceMetadata,
} from "../../src/resource/mod.ts";
import type { AccessTokenClaims, ProtectedResource, RequiredToken } from "../../src/resource/mod.ts";
import type { ResourceRejection } from "../../src/resource/protected_resource.ts";
import { faults, type TestLatchkey } from "../../src/testing/mod.ts";
import { forEachCase } from "../kit.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { clientAuthenticationOf } from "../../src/client/authentication.ts";
import { signingContext } from "../server/client_jwts.ts";

const resource = "https://files.example/api";
const metadata = "https://files.example/.well-known/oauth-protected-resource/api";

/** A resource whose verifier reaches the mock. */
function byKeys(as: TestLatchkey, options: Partial<RequiredToken> = {}): RequiredToken {
  const verifier = jwksVerifier({ issuer: as.issuer, fetch: as.fetch as typeof fetch, now: as.clock.now });
  return { resource, verifier, ...options };
}

function byIntrospection(as: TestLatchkey): RequiredToken {
  const { client_id, client_secret } = as.client({ client_secret: "s/+ %&:", serves: [resource] });
  const options = { issuer: as.issuer, clientId: client_id, clientSecret: client_secret };
  const verifier = introspectionVerifier({ ...options, fetch: as.fetch as typeof fetch, now: as.clock.now });
  return { resource, verifier };
}

function request(token?: string, url = resource, headers: Record<string, string> = {}): Request {
  return new Request(url, { headers: { ...token !== undefined && { authorization: `Bearer ${token}` }, ...headers } });
}

async function outcome(result: Promise<AccessTokenClaims | Response>): Promise<string> {
  const value = await result;
  if (!(value instanceof Response)) return `claims of ${value.sub}`;
  const { error } = await value.json();
  return `${value.status} ${error} ${value.headers.get("www-authenticate")}`;
}

const challenge = (status: number, error: string | undefined, description: string, scope?: string) =>
  `${status} ${error} Bearer ${error === undefined ? "" : `error="${error}", error_description="${description}", `}${
    scope === undefined ? "" : `scope="${scope}", `
  }resource_metadata="${metadata}"`;

async function issue(as: TestLatchkey, scope = "read", target: string = resource): Promise<string> {
  return (await as.logIn(as.client(), { scope, resource: target })).tokens.access_token;
}

test("[PR-08, MC-08] requireToken returns the claims of a valid token, with keys and with introspection", async () => {
  await using as = await testLatchkey();
  const token = await issue(as, "read write");
  for (const api of [byKeys(as), byIntrospection(as)]) {
    const claims = await requireToken(request(token), { ...api, scope: ["read"] });
    assert(!(claims instanceof Response));
    assertEquals([claims.iss, claims.sub, claims.aud, claims.scope], [as.issuer, "alice", resource, "read write"]);
  }
  const server = await oauth.discoveryRequest(new URL(as.issuer), { [oauth.customFetch]: as.fetch })
    .then((response) => oauth.processDiscoveryResponse(new URL(as.issuer), response));
  const accepted = await oauth.validateJwtAccessToken(server, request(token), resource, {
    [oauth.customFetch]: as.fetch,
  });
  assertEquals(accepted.sub, "alice");
});

test("[PR-08] no token, a bad one and too little scope: three statuses, three challenges", async () => {
  await using as = await testLatchkey();
  const api = byKeys(as, { scopes: ["read", "write"], scope: ["read", "write"] });
  const token = await issue(as);
  assertEquals(await outcome(requireToken(request(), api)), challenge(401, undefined, "", "read write"));
  assertEquals(
    await outcome(requireToken(request(undefined, resource, { authorization: "DPoP abc" }), api)),
    challenge(401, undefined, "", "read write"),
  );
  assertEquals(
    await outcome(requireToken(request("abc"), api)),
    challenge(401, "invalid_token", "the access token is not one of the authorization server [PR-08]", "read write"),
  );
  assertEquals(
    await outcome(requireToken(request(token), api)),
    challenge(
      403,
      "insufficient_scope",
      "the access token lacks scope that this operation needs [PR-10]",
      "read write",
    ),
  );
});

test("[BR-01] a token in the query counts as not sent, and is 400 besides one in the header", async () => {
  await using as = await testLatchkey();
  const token = await issue(as);
  const api = byKeys(as);
  const url = `${resource}?access_token=${token}`;
  assertEquals(await outcome(requireToken(request(undefined, url), api)), challenge(401, undefined, ""));
  assertEquals(await outcome(requireToken(request(token, url), api)), "400 invalid_request null");
  assertEquals(await outcome(requireToken(request(token), api)), "claims of alice");
});

test("[PR-08, BR-03, BR-05] tokens of another kind, time, issuer or key are rejected, each with its reason", async () => {
  await using as = await testLatchkey();
  const rejections: ResourceRejection[] = [];
  const api = byKeys(as, { onRejection: (rejection) => rejections.push(rejection) });
  const client = as.client();
  const { tokens } = await as.logIn(client, { scope: "openid read", resource });
  const mint = { client, resource };
  const [header, payload, signature] = tokens.access_token.split(".");
  await forEachCase(
    [
      [tokens.id_token!, 'a JWT of another type: typ "JWT"'],
      [tokens.refresh_token!, "a text that is not a JWT"],
      [`${header}.${payload}.${signature}=`, "a text that is not a JWT"],
      [`${header}.${payload}x.${signature}`, undefined],
      [
        `${header}.${payload}.${signature!.replace(/^./, (c) => c === "A" ? "B" : "A")}`,
        "a JWT with an invalid signature",
      ],
      [await as.mint.accessToken({ ...mint, signedBy: "unknown key" }), "not a key for EdDSA "],
      [await as.mint.accessToken({ ...mint, signedBy: "wrong key" }), "a JWT with an invalid signature"],
      [await as.mint.accessToken({ ...mint, alg: "none" }), undefined],
      [await as.mint.accessToken({ ...mint, typ: "JWT" }), 'a JWT of another type: typ "JWT"'],
      [await as.mint.accessToken({ ...mint, expired: true }), undefined],
      [await as.mint.accessToken({ ...mint, notYetValid: true }), undefined],
      [await as.mint.accessToken({ ...mint, claims: { iss: "https://other.test" } }), "https://other.test"],
      [await as.mint.accessToken({ client }), as.issuer],
      [await as.mint.accessToken({ ...mint, claims: { cnf: { jkt: "x" } } }), "a token with cnf"],
    ] as const,
    async ([token, received]) => {
      assertEquals((await outcome(requireToken(request(token), api))).slice(0, 17), "401 invalid_token");
      const { status, error, rule, fix, ...rejection } = rejections.at(-1)!;
      assertEquals([status, error], [401, "invalid_token"]);
      assert(fix !== undefined && /^(?:PR-08|MC-08|DO-09)$/.test(rule!));
      if (received !== undefined) assertStringIncludes(rejection.received!, received);
      assertEquals(JSON.stringify(rejection).includes(token), false);
    },
  );
});

test("[PR-08] expiry counts with the tolerance for clocks", async () => {
  await using as = await testLatchkey({ startsAt: "2026-01-01", lifetimes: { access_token: 60 } });
  as.clock.freeze();
  const token = await issue(as);
  const statusAfter = async (seconds: number, api: RequiredToken) => {
    as.clock.advance(seconds);
    return (await outcome(requireToken(request(token), api))).slice(0, 6);
  };
  const api = byKeys(as);
  assertEquals(await statusAfter(69, api), "claims");
  assertEquals(await statusAfter(1, api), "401 in");
  assertEquals(await statusAfter(0, { ...api, clockToleranceSeconds: 30 }), "claims");
});

test("[PR-08] introspection notices a revocation, and accepts no refresh token", async () => {
  await using as = await testLatchkey();
  const api = byIntrospection(as);
  const client = as.client();
  const { tokens } = await as.logIn(client, { scope: "read", resource });
  assertEquals(await outcome(requireToken(request(tokens.refresh_token), api)).then((text) => text.slice(0, 3)), "401");
  assertEquals(await outcome(requireToken(request(tokens.access_token), api)), "claims of alice");
  const body = new URLSearchParams({ token: tokens.access_token, client_id: client.client_id });
  assertEquals((await as.fetch("/oauth2/revoke", { method: "POST", body })).status, 200);
  assertEquals(await outcome(requireToken(request(tokens.access_token), api)).then((text) => text.slice(0, 3)), "401");
});

test("[PR-08, JC-02, JC-03] introspection by an assertion of private_key_jwt notices revocations under a FAPI profile", async () => {
  for (const alg of ["ES256", "EdDSA", "PS256"] as const) {
    await using as = await testLatchkey({ profile: "fapi2-security", clients: [] });
    const { publicKey, privateKey: pair } = await jose.generateKeyPair(alg, { extractable: true });
    const jwk = { ...await jose.exportJWK(publicKey), alg };
    const server = as.client({ jwks: { keys: [jwk, { ...jwk, kid: "1" }] }, serves: [resource] });
    const privateKey = { ...await jose.exportJWK(pair), alg, ...alg === "EdDSA" && { kid: "1" } };
    const verifier = introspectionVerifier({
      ...{ issuer: as.issuer, clientId: server.client_id, privateKey },
      ...{ fetch: as.fetch as typeof fetch, now: as.clock.now },
    });
    const api = { resource, verifier, dpop: dpopProofs({ required: true }) };
    const client = as.client();
    const { tokens, dpop } = await as.logIn(client, { scope: "openid read", resource });
    const call = async () =>
      await outcome(
        requireToken(
          new Request(resource, { headers: await dpop!.headers("GET", resource, tokens.access_token) }),
          api,
        ),
      );
    assertEquals(await call(), "claims of alice");
    as.clock.advance(120);
    assertEquals(await call(), "claims of alice");
    as.log.expect("introspect").called(2).by(server).succeeded();
    const { params } = await clientAuthenticationOf(signingContext(as.clock.now() / 1000, as.issuer), client);
    const body = new URLSearchParams({ token: tokens.access_token, ...params });
    assertEquals((await as.fetch("/oauth2/revoke", { method: "POST", body })).status, 200);
    assertMatch(await call(), /^401 invalid_token /);
  }
});

test("[PR-08] introspectionVerifier rejects credentials that it cannot send", () => {
  const options = { issuer: "https://as.example", clientId: "api" };
  const privateKey = { kty: "EC", crv: "P-256", x: "x", y: "y", d: "d", alg: "ES256" };
  const cases: readonly (readonly [object, RegExp])[] = [
    [{}, /^clientSecret: .* received neither/],
    [{ clientSecret: "s", privateKey }, /^clientSecret: .* received both/],
    [{ privateKey: { ...privateKey, d: undefined } }, /^privateKey: expected a private JWK with alg/],
    [{ privateKey: { ...privateKey, alg: undefined } }, /^privateKey: expected a private JWK with alg/],
    [{ privateKey: { kty: "oct", k: "x", d: "d", alg: "HS256" } }, /^privateKey: expected a private JWK with alg/],
  ];
  for (const [credentials, message] of cases) {
    const error = assertThrows(() => introspectionVerifier({ ...options, ...credentials }), TypeError);
    assertMatch(error.message, message);
  }
});

test("[PR-08, MC-08] an introspection response needs no iss and no exp, but an aud", async () => {
  const issuer = "https://auth.example";
  const token = { active: true, sub: "alice", scope: "read" };
  const outcomeOf = async (introspection: object) => {
    const responses = [{ issuer, introspection_endpoint: `${issuer}/introspect` }, introspection];
    const fetch = () => Promise.resolve(Response.json(responses.shift()));
    const verifier = introspectionVerifier({ issuer, clientId: "api", clientSecret: "s", fetch });
    return (await outcome(requireToken(request("opaque"), { resource, verifier, scope: ["read"] }))).slice(0, 15);
  };
  assertEquals(await outcomeOf({ ...token, aud: [resource, "https://x.test"] }), "claims of alice");
  assertEquals(await outcomeOf({ ...token, aud: "HTTPS://files.EXAMPLE/api" }), "claims of alice");
  for (
    const introspection of [
      token,
      { ...token, aud: [] },
      { ...token, aud: [5, null] },
      { ...token, aud: `${resource}/` },
      { ...token, aud: resource, exp: "later" },
      { ...token, aud: resource, exp: 1 },
      { ...token, aud: resource, iss: "https://other.test" },
      { ...token, aud: resource, active: "true" },
      { ...token, aud: resource, token_type: "refresh_token" },
      { active: false },
      {},
    ]
  ) assertEquals(await outcomeOf(introspection), "401 invalid_tok", JSON.stringify(introspection));
  assertEquals(await outcomeOf({ ...token, aud: resource, scope: undefined }), "403 insufficien");
});

test("[PR-15] while the authorization server cannot be reached, the response is 503, and later the token passes", async () => {
  await using as = await testLatchkey();
  const token = await issue(as);
  await forEachCase(
    [
      [byKeys, "discovery", 3],
      [byKeys, "jwks", 1],
      [byIntrospection, "discovery", 3],
      [byIntrospection, "introspect", 1],
    ] as const,
    async ([api, endpoint, requests]) => {
      const rejections: ResourceRejection[] = [];
      const options = { ...api(as), onRejection: (rejection: ResourceRejection) => rejections.push(rejection) };
      as.on(endpoint).times(requests, faults.drop());
      const response = await requireToken(request(token), options);
      assert(response instanceof Response);
      assertEquals([response.status, response.headers.has("www-authenticate")], [503, false]);
      assertEquals(response.headers.get("retry-after"), "5");
      assertEquals(rejections.map(({ rule, error }) => [rule, error]), [["PR-15", "temporarily_unavailable"]]);
      as.clock.advance(30);
      assertEquals(await outcome(requireToken(request(token), options)), "claims of alice");
    },
  );
});

test("[PR-15] responses of the authorization server that are too large, no JSON or of another issuer are 503", async () => {
  await using as = await testLatchkey();
  const token = await issue(as);
  const large = new Uint8Array(300 * 1024).fill(32);
  const bodies = [
    large,
    "<html>",
    "[]",
    "null",
    JSON.stringify({ issuer: "https://other.test", jwks_uri: "https://x.test" }),
  ];
  await forEachCase([...bodies, 302, 404, 500], async (body) => {
    const fetch = () =>
      Promise.resolve(typeof body === "number" ? new Response(null, { status: body }) : new Response(body));
    const verifier = jwksVerifier({ issuer: as.issuer, fetch });
    assertEquals((await outcome(requireToken(request(token), { resource, verifier }))).slice(0, 3), "503");
  });
});

test("[PR-08] a verifier that accepts access tokens without at+jwt accepts no other token of the server", async () => {
  for (const accessTokenTyp of ["JWT", "none"] as const) {
    await using as = await testLatchkey({ accessTokenTyp });
    const verifier = jwksVerifier({
      issuer: as.issuer,
      fetch: as.fetch as typeof fetch,
      now: as.clock.now,
      accessTokenTyp,
    });
    assertEquals((await verifier.verify(await issue(as))).iss, as.issuer);
    const client = as.client();
    for (
      const token of [
        await as.mint.idToken({ client }),
        await as.mint.idToken({ client, claims: { typ: "Refresh", scope: "read" } }),
      ]
    ) {
      await assertRejects(async () => await verifier.verify(token));
    }
  }
});

test("keys are fetched once, and once more for an unknown key", async () => {
  await using as = await testLatchkey({ startsAt: "2026-01-01" });
  as.clock.freeze();
  const api = byKeys(as);
  const client = as.client();
  const first = await issue(as);
  const check = async (token: string) => (await outcome(requireToken(request(token), api))).slice(0, 6);
  const fetched = () => [as.log.filter("discovery").length, as.log.filter("jwks").length];
  assertEquals([await check(first), await check(first), fetched()], ["claims", "claims", [1, 1]]);
  const unknown = await as.mint.accessToken({ client, resource, signedBy: "unknown key" });
  for (let i = 0; i < 5; i++) assertEquals(await check(unknown), "401 in");
  assertEquals(fetched(), [1, 1]);
  await as.rotateKeys("EdDSA", 0);
  const rotated = await issue(as);
  assertEquals(await check(rotated), "401 in");
  as.clock.advance(30);
  assertEquals([await check(rotated), await check(first), fetched()], ["claims", "claims", [1, 2]]);
});

test("[PR-01, PR-02] resourceMetadata serves the document of each resource, and leaves other requests alone", async () => {
  await using as = await testLatchkey();
  const api = byKeys(as, { scopes: ["read"], name: "Files" });
  const get = (url: string, init?: RequestInit, options: ProtectedResource = api) =>
    resourceMetadata(new Request(url, init), options);
  const found = (await get(metadata))!;
  assertEquals(await found.json(), {
    resource,
    authorization_servers: [as.issuer],
    scopes_supported: ["read"],
    bearer_methods_supported: ["header"],
    resource_name: "Files",
  });
  assertEquals((await get(metadata, { method: "HEAD" }))!.status, 200);
  assertEquals((await get(metadata, { method: "OPTIONS" }))!.status, 204);
  const rejected = (await get(metadata, { method: "POST" }))!;
  assertEquals([rejected.status, rejected.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  for (const path of ["/api", "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/api/x"]) {
    assertEquals(await get(`https://files.example${path}`), undefined);
  }
  const tenant = { ...api, resource: "https://files.example/api?tenant=a" };
  assertEquals((await get(`${metadata}?tenant=a`, {}, tenant))!.status, 200);
  assertEquals(await get(`${metadata}?tenant=b`, {}, tenant), undefined);
  const root = { ...api, resource: "https://files.example/" };
  assertEquals((await get("https://files.example/.well-known/oauth-protected-resource", {}, root))!.status, 200);
});

test("[PR-07] mistakes in the options of a resource are TypeErrors that say what to write", async () => {
  await using as = await testLatchkey();
  const api = byKeys(as, { scopes: ["read"] });
  await assertRejects(() => requireToken(request("x"), { ...api, scope: ["write"] }), TypeError, "Add them to scopes");
  await assertRejects(() => requireToken(request(), { ...api, resource: "/api" }), TypeError, "resource: expected");
  await assertRejects(async () => await jwksVerifier({ issuer: "http://real.org" }).verify("x"), TypeError, "issuer:");
  await assertRejects(
    () => resourceMetadata(new Request(metadata), { ...api, scopes: ["offline_access"] }),
    TypeError,
    "offline_access",
  );
});

test("[HT-17, PR-01] a resource and its server may use http on the hosts that issuerHosts can name, and on no other", async () => {
  const names = ["dex.auth", "dex.auth.svc", "idp.corp.internal", "idp.lan", "192.168.0.10", "laptop.local"];
  await forEachCase(names, async (host) => {
    const issuer = `http://${host}:9000`;
    await using as = await testLatchkey({ issuer, issuerHosts: [host], plugins: [mcpServer("/mcp")] });
    const own = `http://${host}:3000/api`;
    as.resource(own);
    const { access_token } = (await as.logIn(as.client(), { scope: "read", resource: own })).tokens;
    const options = { ...byKeys(as), resource: own };
    assertMatch(await outcome(requireToken(request(access_token, own), options)), /^claims of/);
    const challenged = await as.fetch(new Request(`${issuer}/mcp`, { method: "POST" }));
    assertEquals(challenged.status, 401);
  });
  await forEachCase(["login.widgets.com", "dex.dev", "8.8.8.8"], (host) => {
    assertThrows(() => jwksVerifier({ issuer: `http://${host}` }), TypeError, "http URL on a test host");
    assertThrows(() => metadataUrl(`http://${host}/api`), TypeError, "http URL on a test host");
  });
});
