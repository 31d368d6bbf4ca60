/** The mint: valid tokens are accepted, and invalid ones are rejected. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  base64url,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  jwtVerify,
} from "jose";
import { test } from "node:test";
import type { SigningAlgorithm } from "../../src/mod.ts";
import { basic, forEachCase } from "../kit.ts";
import { LoginError } from "../../src/testing/mod.ts";
import type { MintedToken } from "../../src/testing/mint.ts";
import { testLatchkey } from "./test_latchkey.ts";

/** A server with a confidential client, and what those say of a token who are shown it. */
async function withClient() {
  const as = await testLatchkey();
  as.clock.freeze();
  const client = as.client({ confidential: true });
  return {
    ...as,
    client,
    register: as.client,
    /** What the introspection endpoint says. */
    async isActive(token: string): Promise<boolean> {
      const { active } = await as.fetch("/oauth2/introspect", {
        method: "POST",
        body: new URLSearchParams({ token }),
        headers: basic(client.client_id, client.client_secret),
      }).then((response) => response.json());
      return active;
    },
    /** What the userinfo endpoint says: the subject, or the error code. */
    async userinfo(token: string): Promise<string> {
      const response = await as.fetch("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } });
      const { sub, error } = await response.json();
      return sub ?? error;
    },
    /** Verifies a token like a resource server. */
    async verify(token: string, typ: string) {
      const keys = createLocalJWKSet(await (await as.fetch("/oauth2/jwks")).json());
      return (await jwtVerify(token, keys, { issuer: as.issuer, typ, currentDate: new Date(as.clock.now()) })).payload;
    },
  };
}

/** How each bad token is made. */
const bad: readonly MintedToken[] = [
  { expired: true },
  { expired: true, expiresIn: 10 },
  { notYetValid: true },
  { alg: "none" },
  { signedBy: "wrong key" },
  { signedBy: "unknown key" },
  { signedBy: "wrong key", alg: "RS256" },
  { signedBy: "wrong key", alg: "EdDSA" },
  { issuer: "https://other.test" },
  { typ: "JOSE" },
  { claims: { iss: "https://other.test" } },
  { claims: { exp: 0 } },
];

/** The rule that a token request breaks. */
async function rejected(request: Promise<unknown>, rule: string): Promise<void> {
  const { explanation } = await assertRejects(() => request, LoginError) as LoginError;
  assertEquals(explanation?.rule, rule);
}

test("a minted access token is as valid as one from a login", async () => {
  await using as = await withClient();
  const { client } = as;
  const token = await as.mint.accessToken({ client, sub: "bob", scope: "openid email", claims: { role: "admin" } });
  assertEquals([await as.userinfo(token), await as.isActive(token)], ["bob", true]);
  const minted = await as.verify(token, "at+jwt");
  const { tokens } = await as.logIn(client, { as: "bob", scope: "openid email" });
  assertEquals(Object.keys(minted), [...Object.keys(decodeJwt(tokens.access_token)), "role"]);
  assertEquals([minted.role, minted.client_id, minted.scope], ["admin", client.client_id, "openid email"]);
  const api = "https://api.example/";
  assertEquals((await as.verify(await as.mint.accessToken({ resource: api }), "at+jwt")).aud, api);
});

test("a minted ID token is as valid as one from a login", async () => {
  await using as = await withClient();
  const { client } = as;
  const { tokens } = await as.logIn(client, { scope: "openid" });
  const accessToken = tokens.access_token;
  const token = await as.mint.idToken({ client, nonce: "n", accessToken, claims: { acr: "2", sid: undefined } });
  const { acr, nonce, sid, sub, aud, at_hash } = await as.verify(token, "JWT");
  assertEquals([acr, nonce, sid, sub, aud], ["2", "n", undefined, "alice", client.client_id]);
  assertEquals(at_hash, decodeJwt(tokens.id_token!).at_hash);
  assertEquals("at_hash" in decodeJwt(await as.mint.idToken()), false);
  const callback = await as.browser({ as: "alice" }).authorize({
    ...Object.fromEntries((await as.logIn(client)).request.searchParams),
    id_token_hint: token,
  });
  assert(callback.code !== undefined, "the server does not know its own token");
  await assertRejects(
    () => as.mint.idToken({ scope: "read" }),
    TypeError,
    "expected a scope with openid, received read",
  );
});

test("an invalid minted token is rejected by the server and by client libraries", async () => {
  await using as = await withClient();
  await forEachCase(bad, async (how) => {
    const access = await as.mint.accessToken({ client: as.client, ...how });
    assertEquals([await as.userinfo(access), await as.isActive(access)], ["invalid_token", false]);
    await assertRejects(() => as.verify(access, "at+jwt"));
    const id = await as.mint.idToken({ client: as.client, ...how });
    await assertRejects(() => as.verify(id, "JWT"));
  });
});

test("the kid of a minted token names its key", async () => {
  await using as = await withClient();
  const headerOf = async (how: MintedToken) => decodeProtectedHeader(await as.mint.idToken(how));
  const { kid } = await headerOf({});
  assertEquals((await headerOf({ signedBy: "wrong key" })).kid, kid);
  assert(![kid, undefined].includes((await headerOf({ signedBy: "unknown key" })).kid));
  assertEquals(await headerOf({ alg: "none" }), { alg: "none", typ: "JWT" });
  assertEquals((await headerOf({ typ: "x" })).typ, "x");
  const issuer = "https://other.test";
  const foreign = await as.mint.idToken({ issuer });
  assertEquals([decodeJwt(foreign).iss, decodeJwt(foreign).sub], [issuer, "alice"]);
  assertEquals(decodeProtectedHeader(foreign).kid, issuer);
});

test("a token can be signed with each algorithm, and with any key", async () => {
  await using as = await withClient();
  await forEachCase<SigningAlgorithm>(["RS256", "ES256", "EdDSA"], async (alg) => {
    const token = await as.mint.accessToken({ alg });
    assertEquals(decodeProtectedHeader(token).alg, alg);
    assertEquals([(await as.verify(token, "at+jwt")).sub, await as.userinfo(token)], ["alice", "alice"]);
    const pair = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...await exportJWK(pair.privateKey), alg };
    const own = await as.mint.idToken({ signedBy: jwk });
    assertEquals(
      (await jwtVerify(own, pair.publicKey, { currentDate: new Date(as.clock.now()) })).payload.sub,
      "alice",
    );
    assertMatch(decodeProtectedHeader(own).kid!, /^[\w-]{43}$/);
    assertEquals(decodeProtectedHeader(await as.mint.idToken({ signedBy: { ...jwk, kid: "k" } })).kid, "k");
    // The hash of the access token goes by the algorithm too.
    const { at_hash } = decodeJwt(await as.mint.idToken({ alg, accessToken: token }));
    const digest = await crypto.subtle.digest(alg === "EdDSA" ? "SHA-512" : "SHA-256", new TextEncoder().encode(token));
    assertEquals(at_hash, base64url.encode(new Uint8Array(digest, 0, digest.byteLength / 2)));
  });
  const hmac = { kty: "oct", k: "AAAA", alg: "HS256" };
  await assertRejects(() => as.mint.idToken({ signedBy: hmac }), TypeError, "received one for HS256");
  const half = { kty: "EC", crv: "P-256", alg: "ES256" };
  await assertRejects(() => as.mint.idToken({ signedBy: half }), TypeError, "a key with an unsuitable x");
});

test("the wrong key never becomes a key of the server by rotation", async () => {
  await using as = await withClient();
  for (let rotations = 0; rotations < 5; rotations++) {
    await as.rotateKeys("ES256", 0);
    const token = await as.mint.accessToken({ signedBy: "wrong key" });
    assertEquals(await as.userinfo(token), "invalid_token");
    assertEquals(await as.userinfo(await as.mint.accessToken()), "alice");
  }
});

test("minted tokens have the requested lifetime", async () => {
  await using as = await withClient();
  const brief = await as.mint.accessToken({ expiresIn: 10 });
  const usual = await as.mint.accessToken();
  assertEquals([await as.userinfo(brief), await as.userinfo(usual)], ["alice", "alice"]);
  as.clock.advance(10);
  assertEquals([await as.userinfo(brief), await as.userinfo(usual)], ["invalid_token", "alice"]);
  const authTime = new Date(Date.UTC(2020, 0, 1));
  assertEquals(decodeJwt(await as.mint.idToken({ authTime })).auth_time, authTime.getTime() / 1000);
});

test("a minted opaque access token is stored with its changed claims", async () => {
  await using as = await withClient();
  const client = as.client;
  const opaque = as.clients.set({ ...client, access_token_format: "opaque" }).id;
  const token = await as.mint.accessToken({ client: opaque, sub: "bob", claims: { scope: "openid write" } });
  assert(!token.includes("."));
  assertEquals([await as.userinfo(token), await as.isActive(token)], ["bob", true]);
  assertEquals(await as.isActive(await as.mint.accessToken({ client: opaque, expired: true })), false);
  for (const how of bad.filter(({ expired, claims }) => !expired && !claims)) {
    await assertRejects(() => as.mint.accessToken({ client: opaque, ...how }), TypeError, "opaque");
  }
});

test("a minted code is exchanged once", async () => {
  await using as = await withClient();
  const verifier = "a-verifier-of-forty-three-characters-or-more";
  const spa = as.client;
  const code = await as.mint.code({ client: spa, sub: "bob", scope: "openid read", nonce: "n", verifier });
  const exchangeCode = { grant_type: "authorization_code", code, redirect_uri: spa.redirect_uri };
  await rejected(as.token(spa, { ...exchangeCode, code_verifier: `${verifier}x` }), "PK-09");
  const tokens = await as.token(spa, { ...exchangeCode, code_verifier: verifier });
  const { sub, nonce } = decodeJwt(tokens.id_token!);
  assertEquals([tokens.scope, sub, nonce], ["openid read", "bob", "n"]);
  await rejected(as.token(spa, { ...exchangeCode, code_verifier: verifier }), "CI-06");
  assertEquals(await as.userinfo(tokens.access_token), "invalid_token");
});

test("a minted code belongs to a client and a redirect URI, and expires", async () => {
  await using as = await withClient();
  const { client } = as;
  const redirect_uri = client.redirect_uri;
  const token = (code: string) => as.token(client, { grant_type: "authorization_code", code, redirect_uri });
  await rejected(token(await as.mint.code({ client: as.register({ confidential: true }) })), "CI-05");
  await rejected(token(await as.mint.code({ client, redirectUri: "https://client.test/other" })), "TK-15");
  await rejected(token(await as.mint.code({ client, expired: true })), "CI-02");
  const code = await as.mint.code({ client, expiresIn: 5 });
  as.clock.advance(4);
  await token(code);
});

test("a public client's minted code needs a verifier", async () => {
  await using as = await withClient();
  const client = as.register();
  await assertRejects(() => as.mint.code({ client }), TypeError, "verifier: expected a code verifier");
  const verifier = "v".repeat(43);
  const code = await as.mint.code({ client, verifier });
  const { redirect_uri } = client;
  await as.token(client, { grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier });
});

test("a minted refresh token is exchanged, and rotates", async () => {
  await using as = await withClient();
  const client = as.register();
  const first = await as.mint.refreshToken({ client, sub: "bob", scope: "openid read offline_access" });
  const { access_token, refresh_token, scope } = await as.refresh(client, first, { scope: "openid" });
  assertEquals([await as.userinfo(access_token), scope], ["bob", "openid"]);
  assert(refresh_token !== undefined && refresh_token !== first);
  await rejected(as.refresh(client, first), "RT-04");
  await rejected(as.refresh(client, refresh_token), "RT-04");
});

test("a minted refresh token expires, and is rejected for other clients", async () => {
  await using as = await withClient();
  const { client } = as;
  await rejected(as.refresh(client, await as.mint.refreshToken({ client, expired: true })), "RT-07");
  await rejected(as.refresh(client, await as.mint.refreshToken({ client: as.register() })), "RT-02");
  const brief = await as.mint.refreshToken({ client, expiresIn: 60 });
  assertEquals(await as.isActive(brief), true);
  as.clock.advance(60);
  await rejected(as.refresh(client, brief), "RT-07");
  const codeOnly = as.register({ grant_types: ["authorization_code"] });
  await assertRejects(
    () => as.mint.refreshToken({ client: codeOnly }),
    TypeError,
    "expected grant_types with refresh_token",
  );
});

test("minted tokens of one grant are revoked together, and an expired access token can be refreshed", async () => {
  await using as = await withClient();
  const client = as.register();
  const tokens = await as.mint.tokens({ client, sub: "bob", nonce: "n", expired: true });
  assertEquals([await as.userinfo(tokens.access_token), decodeJwt(tokens.id_token!).nonce], ["invalid_token", "n"]);
  const next = await as.refresh(client, tokens.refresh_token!);
  assertEquals(await as.userinfo(next.access_token), "bob");
  await rejected(as.refresh(client, tokens.refresh_token!), "RT-04");
  assertEquals(await as.userinfo(next.access_token), "invalid_token");
});

test("without options the mint uses the first client, the first user and every scope value of the client", async () => {
  await using as = await withClient();
  const { sub, client_id, scope, aud } = decodeJwt(await as.mint.accessToken());
  const [first] = as.clients.list();
  assertEquals([sub, client_id, scope, aud], ["alice", first!.id, first!.scope.join(" "), as.issuer]);
  await assertRejects(
    () => as.mint.accessToken({ client: "unknown" }),
    TypeError,
    "expected one of client-1, received unknown",
  );
  await assertRejects(
    () => as.mint.code({ sub: "unknown" }),
    TypeError,
    "expected one of alice, bob, received unknown",
  );
});

test("the error for a name that none of many users or clients has names a few of them", async () => {
  await using as = await testLatchkey({ users: Array.from({ length: 1000 }, (_, i) => ({ sub: `user-${i}` })) });
  const [client] = Array.from({ length: 1000 }, () => as.client());
  const calls: readonly (() => unknown)[] = [
    () => as.mint.accessToken({ client: "unknown" }),
    () => as.mint.accessToken({ sub: "unknown" }),
    () => as.decisions.loginNext("unknown"),
    () => as.logIn(client!, { as: "unknown" }),
  ];
  for (const call of calls) {
    const error = await Promise.resolve().then(call).then(() => undefined, (error: Error) => error);
    const text = `${error?.message} ${JSON.stringify(error)}`;
    assertMatch(text, /unknown/, String(call));
    assert(text.length < 2000, `${call}: ${text.length}`);
  }
});

test("minted tokens of a pairwise client have the same sub as its logins", async () => {
  await using as = await withClient();
  const client = as.register({ subject_type: "pairwise" });
  const { claims } = await as.logIn(client);
  const minted = await as.mint.accessToken({ client });
  assertEquals(decodeJwt(await as.mint.idToken({ client })).sub, claims!.sub);
  assertEquals(await as.userinfo(minted), claims!.sub);
});

test("[BR-02] an access token whose exp is before every date is 401, and the explanation shows the number", async () => {
  const as = await withClient();
  const token = await as.mint.accessToken({ claims: { exp: -1e20 } });
  assertEquals(await as.userinfo(token), "invalid_token");
});

test("for a client with client_credentials alone, an access token is its own, as the token endpoint issues it", async () => {
  const { register, verify, mint, fetch, issuer } = await withClient();
  const machine = { grant_types: ["client_credentials"], client_secret: "orders-secret" } as const;
  const { client_id } = register({ ...machine, client_id: "orders-cli", scope: "read" });
  const issued = await fetch("/oauth2/token", {
    method: "POST",
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "read" }),
    headers: basic(client_id, "orders-secret"),
  }).then((response) => response.json());
  const { jti: _, ...expected } = await verify(issued.access_token, "at+jwt");
  assertEquals([expected.sub, expected.iss], [client_id, issuer]);
  for (const options of [{}, { sub: client_id }]) {
    const token = await mint.accessToken({ client: client_id, scope: "read", ...options });
    const { jti: _, ...claims } = await verify(token, "at+jwt");
    assertEquals(claims, expected);
    assertEquals((await mint.tokens({ client: client_id, scope: "read", ...options })).refresh_token, undefined);
  }
  const named = await verify(await mint.accessToken({ client: client_id, sub: "bob", scope: "write" }), "at+jwt");
  assertEquals([named.sub, named.scope], ["bob", "write"], "a scope value that the client may not request");
  const both = register({ ...machine, client_id: "both", grant_types: ["authorization_code", "client_credentials"] });
  assertEquals((await verify(await mint.accessToken({ client: both }), "at+jwt")).sub, "alice");
  assertEquals((await verify(await mint.accessToken({ client: both, sub: "both" }), "at+jwt")).sub, "both");
  const idToken = await mint.idToken({ client: client_id });
  assertEquals(decodeJwt(idToken).sub, "alice", "an ID token is about a user");
});
