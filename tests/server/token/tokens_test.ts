/**
 * Id tokens and access tokens: what they say, who may believe them, and for how long (groups ID and JA).
 *
 * @extensions requested_claims
 */

import {
  assert,
  assertEquals,
  assertGreater,
  assertLessOrEqual,
  assertMatch,
  assertNotEquals,
  assertRejects,
} from "@std/assert";
import { decodeProtectedHeader, type JWK, jwtVerify } from "jose";
import { Buffer } from "node:buffer";
import { createHash, createPublicKey, verify } from "node:crypto";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions, memoryStore } from "../../../src/mod.ts";
import {
  assertTokenResponse,
  clients,
  decodeClaims,
  encode,
  fetchKeySet,
  forEachCase,
  goodRequest,
  testServer,
  verifier,
} from "../../kit.ts";
import type { Fields, TestServer, TokenResponseBody } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";

const start = Date.UTC(2026, 0, 1) / 1000;
const algorithms = ["RS256", "ES256", "EdDSA", "Ed25519"] as const;

/** A client for each algorithm of id tokens, named after it; `spa` has the server's. */
const signedClients: ClientMetadata[] = [
  ...clients,
  ...algorithms.map((alg) => ({
    client_id: alg,
    redirect_uris: ["https://spa.example/cb"],
    id_token_signed_response_alg: alg,
  })),
];

/** Tokens of a client at the server's present time. */
async function issue(b: TestServer, fields: Fields = {}): Promise<TokenResponseBody> {
  return await assertTokenResponse(await b.token({ code: await b.code(fields), client_id: fields.client_id ?? "spa" }));
}

async function publishedJwks({ get }: TestServer): Promise<JWK[]> {
  return (await (await get("/oauth2/jwks")).json()).keys;
}

/** Verifies a signature with OpenSSL and nothing of what made it: RS256, ES256 as r and s in a row, or Ed25519. */
function isSignedBy(jwt: string, jwk: JWK): boolean {
  const [header, payload, signature] = jwt.split(".") as [string, string, string];
  const key = createPublicKey({ key: { ...jwk }, format: "jwk" });
  const signed = Buffer.from(`${header}.${payload}`);
  const bytes = Buffer.from(signature, "base64url");
  const { alg } = decodeProtectedHeader(jwt);
  if (alg === "EdDSA" || alg === "Ed25519") return verify(null, signed, key, bytes);
  return verify("sha256", signed, alg === "ES256" ? { key, dsaEncoding: "ieee-p1363" } : key, bytes);
}

/** The same token with one claim changed and the old signature. */
function forged(jwt: string, claims: Record<string, unknown>): string {
  const [header, , signature] = jwt.split(".");
  const payload = Buffer.from(JSON.stringify({ ...decodeClaims(jwt), ...claims })).toString("base64url");
  return `${header}.${payload}.${signature}`;
}

test("[ID-01] the ID token is a JWS with the client's algorithm and a published key, accepted by node:crypto and jose", async () => {
  await forEachCase(algorithms, async (alg) => {
    const b = await testServer({ alg, clients: signedClients });
    const keys = await publishedJwks(b);
    for (const client_id of ["spa", ...algorithms]) {
      const { id_token } = await issue(b, { client_id });
      assertMatch(id_token, /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
      const header = decodeProtectedHeader(id_token);
      assertEquals(header.alg, client_id === "spa" ? alg : client_id);
      assertEquals(["crit" in header, "jwk" in header, "jku" in header, "x5u" in header], [false, false, false, false]);
      const fitting = keys.filter(({ kid }) => kid === header.kid);
      assertEquals(fitting.length, 1);
      assert(isSignedBy(id_token, fitting[0]!));
      assert(!isSignedBy(forged(id_token, { sub: "bob" }), fitting[0]!));
      await jwtVerify(id_token, await fetchKeySet(b), {
        currentDate: new Date(start * 1000),
        issuer: "https://as.test",
        audience: client_id,
      });
    }
  });
});

test("[ID-01] the default algorithm is RS256", async () => {
  const b = await testServer({ alg: undefined });
  const { id_token, access_token } = await issue(b);
  assertEquals([decodeProtectedHeader(id_token).alg, decodeProtectedHeader(access_token).alg], ["RS256", "RS256"]);
});

test("[ID-01] without a granted openid there is no ID token", async () => {
  const approver: LatchkeyOptions["approver"] = ({ scope }, { users, now }) => ({
    user: [...users.known().values()][0]!,
    scope: scope.filter((value) => value !== "openid"),
    authTime: now(),
  });
  for (const b of [await testServer(), await testServer({ approver })]) {
    assertEquals("id_token" in await issue(b, { scope: "read profile", nonce: "n" }), false);
  }
  assertEquals("id_token" in await issue(await testServer({ approver }), { scope: "openid read" }), false);
});

test("[JK-05] an ES256 signature is always 64 bytes, r followed by s", async () => {
  const b = await testServer();
  for (let i = 0; i < 100; i++) {
    const { access_token } = await issue(b);
    assertEquals(Buffer.from(access_token.split(".")[2]!, "base64url").length, 64);
  }
});

test("[ID-02] iss, sub, aud, exp and iat are present, with times in whole seconds of the server's clock", async () => {
  await forEachCase([0, 0.001, 0.999, 1, 86_400.5, -3600], async (seconds) => {
    const b = await testServer({ lifetimes: { id_token: 600 } });
    b.advance(seconds);
    const claims = decodeClaims((await issue(b)).id_token);
    assertEquals([claims.iss, claims.sub, claims.aud], ["https://as.test", "alice", "spa"]);
    assertEquals([claims.iat, claims.exp], [Math.floor(start + seconds), Math.floor(start + seconds) + 600]);
  });
});

test("[ID-03] aud is only the client, and azp equals it if present", async () => {
  const b = await testServer({ clients: signedClients });
  for (const client_id of ["spa", "ES256"]) {
    const { aud, azp } = decodeClaims((await issue(b, { client_id })).id_token);
    assertEquals(Array.isArray(aud) ? aud : [aud], [client_id]);
    if (azp !== undefined) assertEquals(azp, client_id);
  }
});

test("[ID-04] sub is the same for a user at every login, client and restart, and differs between users", async () => {
  const store = memoryStore();
  const options: LatchkeyOptions = {
    clients: signedClients,
    store,
    users: [{ sub: "alice" }, { sub: "ALICE" }, { sub: "bob" }],
  };
  const subs: unknown[] = [];
  for (let server = 0; server < 2; server++) {
    const b = await testServer(options);
    for (const client_id of ["spa", "ES256", "spa"]) {
      for (const login_hint of ["alice", "ALICE", "bob"]) {
        const { id_token, access_token } = await issue(b, { client_id, login_hint });
        assertEquals(decodeClaims(access_token).sub, decodeClaims(id_token).sub);
        subs.push(decodeClaims(id_token).sub);
      }
      b.advance(100);
    }
  }
  for (const i of subs.keys()) assertEquals(subs[i], subs[i % 3]);
  assertEquals(new Set(subs).size, 3);
});

test("[ID-04] a sub must be 1 to 255 ASCII characters and unique", async () => {
  const longest = "s".repeat(255);
  assertEquals(decodeClaims((await issue(await testServer({ users: [{ sub: longest }] }))).id_token).sub, longest);
  await forEachCase(["", "s".repeat(256), "älice", "a\0", "a\n", "日本"], async (sub) => {
    const error = await assertRejects(() => latchkey({ users: [{ sub: "bob" }, { sub }] }), ConfigurationError);
    assertEquals(error.issues.map(({ path }) => path), ["users[1].sub"]);
  });
  await assertRejects(() => latchkey({ users: [{ sub: "alice" }, { sub: "alice" }] }), ConfigurationError);
});

test("[ID-05] auth_time is the time of the authorization request, whenever the code is exchanged", async () => {
  const b = await testServer();
  await forEachCase<Fields>([{}, { max_age: "0" }, { max_age: "3600" }, { prompt: "login" }], async (fields) => {
    b.advance(0.7);
    const code = await b.code(fields);
    const asked = b.events.findLast(({ type }) => type === "code_issued")!.at;
    b.advance(200.6);
    const claims = decodeClaims((await assertTokenResponse(await b.token({ code }))).id_token);
    assertEquals(claims.auth_time, Math.floor(asked / 1000));
    assertGreater(Number(claims.iat), Number(claims.auth_time));
  });
});

test("[ID-05] auth_time is the time that the approver reports for an earlier login", async () => {
  const b = await testServer({
    approver: ({ scope }, { users, now }) => ({
      user: [...users.known().values()][0]!,
      scope,
      authTime: now() - 1_800_500,
    }),
  });
  assertEquals(decodeClaims((await issue(b)).id_token).auth_time, start - 1801);
});

test("[ID-06] at_hash is the left half of the access token's digest, with the hash of the ID token's algorithm", async () => {
  const hashes = {
    RS256: ["sha256", 16],
    ES256: ["sha256", 16],
    EdDSA: ["sha512", 32],
    Ed25519: ["sha512", 32],
  } as const;
  await forEachCase(algorithms, async (alg) => {
    const b = await testServer({ alg, clients: signedClients });
    for (const client_id of algorithms) {
      const { access_token, id_token } = await issue(b, { client_id });
      const [hash, half] = hashes[client_id];
      const digest = createHash(hash).update(access_token, "ascii").digest();
      assertEquals(digest.length, half * 2);
      assertEquals(decodeClaims(id_token).at_hash, digest.subarray(0, half).toString("base64url"), client_id);
    }
  });
});

test("[ID-07] no scope adds user claims to a token, and automatic login adds neither acr nor amr", async () => {
  const visitor = {
    ...{ name: "Alice", given_name: "A", email: "alice@example.com", email_verified: true, phone_number: "+49 1" },
    ...{ address: { country: "DE" }, birthdate: "2000-01-01", acr: "gold", amr: ["pwd"], sid: "s", groups: ["admin"] },
    ...{ iss: "https://evil.example", aud: "evil", exp: 9e9, nonce: "evil", scope: "admin", client_id: "evil" },
  };
  const scopes = ["openid", "profile", "email", "address", "phone", "read"];
  const b = await testServer({ users: [{ sub: "alice", ...visitor }], scopes });
  const response = await issue(b, {
    scope: scopes.join(" "),
    nonce: "n",
    acr_values: "gold",
    claims: '{"id_token":{"email":null}}',
  });
  // The e-mail address was asked for by name, the session is the server's own.
  const expected = ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "sid", "email"];
  const claims = decodeClaims(response.id_token);
  assertEquals(Object.keys(claims).filter((name) => name !== "azp").sort(), expected.sort());
  assertEquals([claims.iss, claims.aud, claims.nonce], ["https://as.test", "spa", "n"]);
  assertEquals(
    Object.keys(decodeClaims(response.access_token)).filter((name) => Object.hasOwn(visitor, name)).sort(),
    ["aud", "client_id", "exp", "iss", "scope", "sid"],
  );
});

test("[CI-03, ID-02] a nonce is returned unchanged, with any content", async () => {
  const b = await testServer();
  await forEachCase(
    ["n", "0", " ", "a b+c&d=%", '"\\', "é 日本 🗝", "</script>", "x".repeat(1000), "null"],
    async (nonce) => {
      assertEquals(decodeClaims((await issue(b, { nonce })).id_token).nonce, nonce);
    },
  );
});

test("[JA-01] the header of an access token has typ at+jwt, an asymmetric algorithm and the kid of a published key", async () => {
  await forEachCase(algorithms, async (alg) => {
    const b = await testServer({ alg });
    const { access_token } = await issue(b);
    const header = decodeProtectedHeader(access_token);
    assertEquals(Object.keys(header).sort(), ["alg", "kid", "typ"]);
    assertEquals([header.typ, header.alg], ["at+jwt", alg]);
    const key = (await publishedJwks(b)).find(({ kid }) => kid === header.kid);
    assert(key && isSignedBy(access_token, key));
    assert(!isSignedBy(forged(access_token, { scope: "admin" }), key));
  });
});

test("[JA-02] an access token has the claims of RFC 9068, and a unique jti", async () => {
  const b = await testServer({ clients: signedClients, lifetimes: { access_token: 900 } });
  const jtis = new Set<unknown>();
  for (const client_id of ["spa", "ES256", "spa"]) {
    const claims = decodeClaims((await issue(b, { client_id, scope: "openid read", login_hint: "bob" })).access_token);
    const { jti, sid, ...rest } = claims;
    assertMatch(String(sid), /^[\w-]{22}$/);
    assertEquals(rest, {
      iss: "https://as.test",
      sub: "bob",
      aud: "https://as.test",
      client_id,
      scope: "openid read",
      iat: start,
      exp: start + 900,
      auth_time: start,
    });
    assertMatch(String(jti), /^[\x21-\x7E]{22,}$/);
    jtis.add(jti);
  }
  assertEquals(jtis.size, 3);
});

test("[JA-03] aud is the configured audience, and the issuer by default", async () => {
  await forEachCase<[LatchkeyOptions, string]>([
    [{}, "https://as.test"],
    [{ audience: "https://api.example/v1/" }, "https://api.example/v1/"],
    [{ audience: "urn:example:api" }, "urn:example:api"],
  ], async ([options, expected]) => {
    const { access_token, id_token } = await issue(await testServer(options));
    assertEquals(decodeClaims(access_token).aud, expected);
    assertNotEquals(decodeClaims(id_token).aud, expected);
  });
});

test("[JA-03] an empty audience is rejected at startup", async () => {
  const error = await assertRejects(
    () => latchkey({ issuer: "https://as.test", clients, audience: "" }),
    ConfigurationError,
  );
  assertEquals(error.issues.map(({ path }) => path), ["audience"]);
});

test("[JA-03] the audience is any text; the id of a client is one with a warning, unless a profile names it", async () => {
  await forEachCase(["my-api", "urn:example:api", "api://orders", "spa", "web", "my api"], async (audience) => {
    const b = await testServer({ audience });
    assertEquals(decodeClaims((await issue(b)).access_token).aud, audience);
    const isClient = ["spa", "web"].includes(audience);
    const warned = b.events.some((event) => event.type === "configuration_warning" && event.path === "audience");
    assertEquals(warned, isClient);
    // The kinds stay apart where the audiences do not.
    const { id_token } = await issue(b);
    const userinfo = await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${id_token}` } });
    assertEquals(userinfo.status, 401);
  });
  const account = [{ client_id: "account", redirect_uris: ["https://a.example/cb"] }];
  const { events } = await testServer({ clients: account, profile: "keycloak" });
  assertEquals(events.filter((event) => event.type === "configuration_warning" && event.path === "audience"), []);
});

/** A resource server that implements RFC 9068 §4 with node:crypto; throws if it rejects a token. */
function resource(keys: readonly JWK[], issuer: string, audience: string): (token: string, seconds: number) => unknown {
  return (token, seconds) => {
    const header = decodeProtectedHeader(token);
    assertMatch(header.typ ?? "", /^(?:application\/)?at\+jwt$/i);
    assertNotEquals(header.alg, "none");
    const key = keys.find(({ kid, alg }) => kid === header.kid && alg === header.alg);
    assert(key && isSignedBy(token, key), "the signature");
    const { iss, aud, exp, scope } = decodeClaims(token);
    assertEquals(iss, issuer);
    assert([aud].flat().includes(audience), "the audience");
    assert(typeof exp === "number" && seconds < exp, "the time");
    return scope;
  };
}

test("[JA-04] a resource server with all checks accepts the access token until exp, and never an ID token", async () => {
  await forEachCase(algorithms, async (alg) => {
    const b = await testServer({ alg, audience: "https://api.example" });
    const { access_token, id_token, expires_in } = await issue(b);
    const keys = await publishedJwks(b);
    const check = resource(keys, "https://as.test", "https://api.example");
    const rejects = (token: string, seconds: number) => assertRejects(async () => await check(token, seconds));
    for (const seconds of [0, 1, expires_in - 1]) assertEquals(check(access_token, start + seconds), "openid read");
    for (const seconds of [expires_in, expires_in + 1]) await rejects(access_token, start + seconds);
    await rejects(id_token, start);
    await assertRejects(async () => await resource(keys, "https://as.test", "spa")(id_token, start));
    await rejects(forged(access_token, { exp: start + 1e6 }), start);
    for (
      const [iss, aud] of [["https://as.test/", "https://api.example"], ["https://as.test", "https://other.example"]]
    ) {
      await assertRejects(async () => await resource(keys, iss!, aud!)(access_token, start));
    }
    await assertRejects(async () => await resource([], "https://as.test", "https://api.example")(access_token, start));
  });
});

test("[JA-04] jose, given type, issuer and audience, decides the same", async () => {
  const b = await testServer({ alg: "ES256" });
  const { access_token, id_token } = await issue(b);
  const keys = await fetchKeySet(b);
  const check = (token: string, seconds: number) =>
    jwtVerify(token, keys, {
      typ: "at+jwt",
      issuer: "https://as.test",
      audience: "https://as.test",
      algorithms: ["ES256"],
      requiredClaims: ["exp", "iat", "sub", "client_id", "jti"],
      currentDate: new Date(seconds * 1000),
    });
  await check(access_token, start + 3599);
  await assertRejects(() => check(access_token, start + 3600));
  await assertRejects(() => check(id_token, start));
});

/** oauth4webapi against a server, with the virtual clock and no network. */
async function strictClient(b: TestServer) {
  const skew = { [oauth.clockSkew]: Math.round(start - Date.now() / 1000) };
  const over = { [oauth.customFetch]: (url: string, init: object) => b.as.fetch(new Request(url, init)) };
  const issuer = new URL("https://as.test/t1");
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, over));
  return { as, skew, over };
}

test("[ID-01, ID-02, ID-05, JA-02, TK-09] oauth4webapi accepts every response of the flow, signatures included", async () => {
  await forEachCase(["spa", "web", "poster", ...algorithms], async (client_id) => {
    const b = await testServer({
      issuer: "https://as.test/t1",
      clients: signedClients,
      audience: "https://api.example",
    });
    const { as, skew, over } = await strictClient(b);
    const { redirectUris: [redirect_uri = ""], idTokenAlg } = b.as.clients.find(client_id)!;
    const client = { client_id, id_token_signed_response_alg: idTokenAlg, ...skew };
    const url = `${as.authorization_endpoint}?${encode({ ...goodRequest, client_id, redirect_uri, nonce: "n" })}`;
    const sent = await b.as.fetch(new Request(url, { redirect: "manual" }));
    const params = oauth.validateAuthResponse(as, client, new URL(sent.headers.get("location")!), "st4te");
    const auth = client_id === "web"
      ? oauth.ClientSecretBasic("web-secret")
      : client_id === "poster"
      ? oauth.ClientSecretPost("poster-secret")
      : oauth.None();
    const response = await oauth.authorizationCodeGrantRequest(as, client, auth, params, redirect_uri, verifier, over);
    const { access_token, id_token } = await response.clone().json();
    const expected = { expectedNonce: "n", maxAge: 60, requireIdToken: true };
    const result = await oauth.processAuthorizationCodeResponse(as, client, response, expected);
    await oauth.validateApplicationLevelSignature(as, response, over);
    assertEquals([oauth.getValidatedIdTokenClaims(result)?.sub, result.scope], ["alice", "openid read"]);

    const call = (token: string, audience: string) => {
      const request = new Request(audience, { headers: { authorization: `Bearer ${token}` } });
      return oauth.validateJwtAccessToken(as, request, audience, { ...over, ...skew });
    };
    assertEquals((await call(access_token, "https://api.example")).client_id, client_id);
    await assertRejects(() => call(access_token, "https://other.example"));
    await assertRejects(() => call(id_token, "https://api.example"));
    await assertRejects(() => call(forged(access_token, { scope: "admin" }), "https://api.example"));
  });
});

test("[ID-02] times in tokens depend only on the clock", async () => {
  const b = await testServer();
  const code = await b.code();
  const real = Date.now;
  Date.now = () => 0;
  try {
    const { access_token, id_token } = await assertTokenResponse(await b.token({ code }));
    for (const token of [access_token, id_token]) assertEquals(decodeClaims(token).iat, start);
  } finally {
    Date.now = real;
  }
});

test("[ID-02, TK-20] token lifetimes must be whole seconds above 0", async () => {
  await forEachCase([0, -1, 0.5, NaN, Infinity, "3600" as never], async (seconds) => {
    for (const name of ["access_token", "id_token"]) {
      const error = await assertRejects(() => latchkey({ lifetimes: { [name]: seconds } }), ConfigurationError);
      assertEquals(error.issues.map(({ path }) => path), [`lifetimes.${name}`]);
    }
  });
  assertLessOrEqual((await issue(await testServer())).expires_in, 3600);
});
