/**
 * Userinfo, the server's own resource: accepted tokens and returned claims (groups BR and US).
 *
 * @extensions dpop, pairwise, requested_claims
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { jwtVerify, SignJWT } from "jose";
import { Buffer } from "node:buffer";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import { type LatchkeyOptions, memoryStore, type SigningAlgorithm, type Store, type User } from "../../../src/mod.ts";
import {
  basicHeader,
  publicClient,
  publicTokens,
  refreshTokens,
  testClients,
  userinfo,
  webTokens,
} from "../client_endpoints.ts";
import {
  assertTokenResponse,
  basic,
  decodeClaims,
  encode,
  fetchKeySet,
  forEachCase,
  getRejections,
  observedStore,
  testServer,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";

const start = Date.UTC(2026, 0, 1);
const form = "application/x-www-form-urlencoded";
const algorithms: readonly SigningAlgorithm[] = ["RS256", "ES256", "EdDSA"];

const address = { formatted: "1 Main Street\nAnytown", country: "US" };

/** All claims of OpenID Connect Core §5.1, by the scope that releases them. */
const user = {
  profile: {
    ...{ name: "Alice Adams", family_name: "Adams", given_name: "Alice", middle_name: "M", nickname: "Al" },
    ...{ preferred_username: "alice", profile: "https://a.example", picture: "https://a.example/p", gender: "female" },
    ...{ website: "https://w.example", birthdate: "1990-01-31", zoneinfo: "Europe/Berlin", locale: "de" },
    updated_at: 1767225600,
  },
  email: { email: "alice@a.example", email_verified: false },
  address: { address },
  phone: { phone_number: "+49 30 1", phone_number_verified: true },
};

const alice: User = {
  sub: "alice",
  ...{ ...user.profile, ...user.email, ...user.address, ...user.phone },
  internal_secret: "attic",
};

/** Every scope value and both forms of tokens; `signed-X` has responses signed with X. */
const everyScope: LatchkeyOptions = {
  scopes: ["openid", "profile", "email", "address", "phone", "read", "write", "offline_access"],
  unmappedClaims: "none",
  clients: [
    ...testClients.clients,
    publicClient("opaque", { access_token_format: "opaque" }),
    publicClient("pair", { subject_type: "pairwise" }),
    ...algorithms.map((alg) => publicClient(`signed-${alg}`, { userinfo_signed_response_alg: alg })),
  ],
  users: [alice, { sub: "bob", name: "Bob Brown", email: "bob@b.example", email_verified: true }],
};

/** The ways to bring a token. */
const ways: Readonly<Record<string, (b: TestServer, token: string) => Promise<Response>>> = {
  "GET": userinfo,
  "POST with the header": (b, token) =>
    b.get("/oauth2/userinfo", { method: "POST", headers: { authorization: `Bearer ${token}` } }),
  "POST with the header and an empty form": (b, token) =>
    b.post("/oauth2/userinfo", {}, { authorization: `Bearer ${token}` }),
  "POST with a form": (b, access_token) => b.post("/oauth2/userinfo", { access_token }),
};

/** The Bearer challenge, parsed by RFC 9110 §11.6.1; throws unless a 401 offers DPoP after it. */
function challengeOf(response: Response): Record<string, string> | undefined {
  const all = response.headers.get("www-authenticate");
  if (all === null) return undefined;
  const [header, dpop] = all.split(/, (?=DPoP )/) as [string, string?];
  assertEquals(/^DPoP algs="[\w ]+"$/.test(dpop ?? ""), response.status === 401, all);
  const parameter = /([A-Za-z_]+)="([\x20\x21\x23-\x5B\x5D-\x7E]*)"/g;
  assertMatch(header, new RegExp(`^Bearer ${parameter.source}(, ${parameter.source})*$`));
  const pairs = [...header.matchAll(parameter)].map(([, name, value]) => [name!, value!]);
  assertEquals(new Set(pairs.map(([name]) => name)).size, pairs.length, "an attribute stands there twice");
  return Object.fromEntries(pairs);
}

/**
 * The outcome: `200`, `401` without a token, or status and error code. Asserts that every rejection is uncached JSON
 * with that code, with a challenge if and only if it is 401 or 403.
 */
async function outcome(response: Response): Promise<string> {
  assertEquals(response.headers.get("cache-control"), "no-store");
  assertEquals(response.headers.get("x-content-type-options"), "nosniff");
  assertEquals(response.headers.get("access-control-allow-origin"), "*");
  const challenge = challengeOf(response);
  if (response.status === 200) {
    assertEquals(challenge, undefined);
    return "200";
  }
  assertEquals(challenge !== undefined, response.status === 401 || response.status === 403);
  assertMatch(response.headers.get("content-type")!, /^application\/json\b/);
  const { error, error_description } = await response.json();
  if (challenge === undefined) return `${response.status} ${error}`;
  assertEquals(challenge.realm, "https://as.test");
  assertEquals("scope" in challenge, response.status === 403);
  if (challenge.error === undefined) {
    assertEquals(Object.keys(challenge), ["realm"]);
    return `${response.status}`;
  }
  assertEquals([challenge.error, challenge.error_description], [error, error_description]);
  return `${response.status} ${error}`;
}

/** Userinfo claims for a valid token. */
async function logged(b: TestServer, token: string): Promise<Record<string, unknown>> {
  const response = await userinfo(b, token);
  assertEquals(await outcome(response.clone()), "200");
  assertEquals(response.headers.get("content-type"), "application/json");
  return await response.json();
}

async function tokenFor(b: TestServer, fields: Fields = {}): Promise<string> {
  return (await publicTokens(b, fields)).access_token;
}

test("[US-01, BR-01] GET, POST with the header and POST with a form return the same 200, for every form of token", async () => {
  const b = await testServer(everyScope);
  for (const client_id of ["spa", "opaque"]) {
    const token = await tokenFor(b, { client_id, scope: "openid email" });
    await forEachCase(Object.keys(ways), async (way) => {
      const response = await ways[way]!(b, token);
      assertEquals(await outcome(response.clone()), "200");
      assertEquals(response.headers.get("content-type"), "application/json");
      assertEquals(await response.json(), { sub: "alice", ...user.email });
    });
  }
});

test("[BR-01] the scheme is case-insensitive, with spaces after it; Content-Type is case-insensitive", async () => {
  const b = await testServer(everyScope);
  const token = await tokenFor(b);
  await forEachCase(["bearer", "BEARER", "bEaReR", "Bearer  ", "Bearer    "], async (scheme) => {
    assertEquals(
      await outcome(await b.get("/oauth2/userinfo", { headers: { authorization: `${scheme} ${token}` } })),
      "200",
    );
  });
  await forEachCase([`${form};charset=UTF-8`, form.toUpperCase(), `${form} ; charset=utf-8`], async (type) => {
    assertEquals(
      await outcome(await b.post("/oauth2/userinfo", { access_token: token }, { "content-type": type })),
      "200",
    );
  });
});

test("[BR-01] a token in the query is ignored, alone and with another one", async () => {
  const b = await testServer(everyScope);
  const token = await tokenFor(b);
  const query = `?access_token=${token}`;
  for (const init of [{}, { method: "POST" }, { method: "POST", body: "", headers: { "content-type": form } }]) {
    assertEquals(await outcome(await b.get(`/oauth2/userinfo${query}`, init)), "401");
  }
  assertEquals(
    await outcome(await b.get(`/oauth2/userinfo${query}`, { headers: { authorization: "Bearer x" } })),
    "401 invalid_token",
  );
  await b.get("/oauth2/userinfo");
  assertEquals(getRejections(b.events).map(({ explanation: { received } }) => received), [
    ...Array(3).fill("a token in the query, where it is not accepted"),
    "a token that is not a JWT",
    "no token",
  ]);
  // The fix of a token in the query is not that of a request without a token, which may need another token.
  const fixes = getRejections(b.events).map(({ explanation: { fix } }) => fix);
  assertMatch(fixes[0]!, /in the header Authorization, not in the query/);
  assertEquals(fixes.at(-1), "Send a complete, unexpired access token of this server with the required scope.");
  const bob = await tokenFor(b, { login_hint: "bob" });
  const response = await b.get(`/oauth2/userinfo${query}`, { headers: { authorization: `Bearer ${bob}` } });
  assertEquals((await response.json()).sub, "bob");
});

test("[BR-01] a token in both header and form is 400 invalid_request, even if both are valid", async () => {
  const b = await testServer(everyScope);
  const token = await tokenFor(b);
  await forEachCase([[token, token], [token, "x"], ["x", token], ["x", "x"]], async ([inHeader, access_token]) => {
    const response = await b.post("/oauth2/userinfo", { access_token }, { authorization: `Bearer ${inHeader}` });
    assertEquals(await outcome(response), "400 invalid_request");
  });
  assertMatch(
    await outcome(await b.post("/oauth2/userinfo", { access_token: token }, basic("web", "web-secret"))),
    /^40[01] /,
  );
});

test("[BR-01] a repeated token in the form is 400 invalid_request", async () => {
  const b = await testServer(everyScope);
  const token = await tokenFor(b);
  await forEachCase([[token, token], [token, "x"], ["x", token], [token, ""], ["", token]], async (access_token) => {
    assertEquals(await outcome(await b.post("/oauth2/userinfo", { access_token })), "400 invalid_request");
  });
});

test("[BR-01, HT-19] other fields, other types of body and unusual names have no effect", async () => {
  const b = await testServer(everyScope);
  const token = await tokenFor(b);
  const header = { authorization: `Bearer ${token}` };
  await forEachCase<Fields>([
    { foo: ["1", "2"], access_tokens: "x", "access_token ": "x", "access_token[]": "x" },
    Object.fromEntries([["__proto__", "x"], ["constructor", "x"], ["__proto__[access_token]", "x"]]),
    { schema: "openid", sub: "bob", scope: "openid profile", client_id: "web" },
  ], async (fields) => {
    const inForm = await b.post("/oauth2/userinfo", { ...fields, access_token: token });
    assertEquals(await inForm.json(), { sub: "alice" });
    assertEquals(await (await b.post("/oauth2/userinfo", fields, header)).json(), { sub: "alice" });
    assertEquals(await (await b.get(`/oauth2/userinfo?${encode(fields)}`, { headers: header })).json(), {
      sub: "alice",
    });
    assertEquals(await outcome(await b.post("/oauth2/userinfo", fields)), "401");
  });
  for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x"]) {
    const sent = { method: "POST", body: encode({ access_token: token }) };
    assertEquals(await outcome(await b.get("/oauth2/userinfo", { ...sent, headers: { "content-type": type } })), "401");
    assertEquals(
      await outcome(await b.get("/oauth2/userinfo", { ...sent, headers: { ...header, "content-type": type } })),
      "200",
    );
  }
});

test("[BR-01, HT-07, HT-10] a form that is too large or malformed is rejected, whatever the header", async () => {
  const b = await testServer(everyScope);
  const token = await tokenFor(b);
  const headers = { "content-type": form };
  await forEachCase<[string, string]>([
    [`access_token=${token}&x=${"a".repeat(70_000)}`, "413 invalid_request"],
    [`access_token=${token}&x=%zz`, "400 invalid_request"],
    [`access_token=${token}%ff`, "400 invalid_request"],
    [`access_token=${"a".repeat(60_000)}`, "401 invalid_token"],
  ], async ([body, expected]) => {
    assertEquals(await outcome(await b.get("/oauth2/userinfo", { method: "POST", body, headers })), expected);
  });
});

test("[HT-01, US-01] userinfo accepts GET, HEAD, POST and OPTIONS, and rejects other methods with 405", async () => {
  const b = await testServer(everyScope);
  const headers = { authorization: `Bearer ${await tokenFor(b)}` };
  for (const method of ["PUT", "PATCH", "DELETE", "PROPFIND"]) {
    const response = await b.get("/oauth2/userinfo", { method, headers });
    assertEquals(response.headers.get("allow"), "GET, HEAD, POST, OPTIONS");
    assertEquals(await outcome(response), "405 invalid_request");
  }
  const head = await b.get("/oauth2/userinfo", { method: "HEAD", headers });
  assertEquals([head.status, head.body, head.headers.get("content-type")], [200, null, "application/json"]);
  assertEquals((await b.get("/oauth2/userinfo", { method: "HEAD" })).status, 401);
});

test("[HT-04, HT-05] scripts of other origins may call it and read its rejections and challenges", async () => {
  const b = await testServer(everyScope);
  const origin = { origin: "https://elsewhere.test" };
  const preflight = await b.get("/oauth2/userinfo", {
    method: "OPTIONS",
    headers: { ...origin, "access-control-request-method": "GET", "access-control-request-headers": "authorization" },
  });
  assertEquals(preflight.status, 204);
  assertMatch(preflight.headers.get("access-control-allow-methods")!, /^GET, HEAD, POST\b/);
  assertMatch(preflight.headers.get("access-control-allow-headers")!, /\bauthorization\b/);
  const narrow = await tokenFor(b, { scope: "read" });
  const responses = [
    await b.get("/oauth2/userinfo", { headers: { ...origin, authorization: `Bearer ${await tokenFor(b)}` } }),
    await b.get("/oauth2/userinfo", { headers: origin }),
    await b.get("/oauth2/userinfo", { headers: { ...origin, authorization: `Bearer ${narrow}` } }),
    await b.post("/oauth2/userinfo", { access_token: narrow }, { ...origin, authorization: `Bearer ${narrow}` }),
    preflight,
  ];
  assertEquals(responses.map(({ status }) => status), [200, 401, 403, 400, 204]);
  for (const { headers } of responses) {
    assertEquals(headers.get("access-control-allow-origin"), "*");
    assertEquals(headers.get("access-control-allow-credentials"), null);
    assertMatch(headers.get("access-control-expose-headers")!, /\bWWW-Authenticate\b/);
  }
});

test("[BR-02] a missing token is 401, and the challenge names no error", async () => {
  const b = await testServer(everyScope);
  assertEquals(await outcome(await b.get("/oauth2/userinfo")), "401");
  assertEquals(await outcome(await b.get("/oauth2/userinfo", { method: "POST" })), "401");
  assertEquals(await outcome(await b.post("/oauth2/userinfo", {})), "401");
  assertEquals(await outcome(await b.post("/oauth2/userinfo", { access_token: "" })), "401");
});

test("[BR-02] a request with another authentication scheme sends no token, so the challenge names no error", async () => {
  const b = await testServer(everyScope);
  await forEachCase(
    [basicHeader("web").authorization, "Digest username=x", "Negotiate YII", "DPoPx x"],
    async (authorization) => {
      assertEquals(
        await outcome(await b.get("/oauth2/userinfo", { headers: { authorization: authorization! } })),
        "401",
      );
    },
  );
});

test("[BR-02] a malformed or unknown token is 401 invalid_token, in header and form", async () => {
  const b = await testServer(everyScope);
  const good = await tokenFor(b);
  const [header, payload, signature] = good.split(".") as [string, string, string];
  const malformed = [
    ...["x", ".", "..", "...", "a.b.c", "null", "undefined", "__proto__", "constructor", "=", "a=b", "*", "%00", "a b"],
    ...[`${header}.${payload}.`, `${header}.${payload}`, `${good}.`, `${good}A`, `.${good}`, good.toLowerCase()],
    ...[`${payload}.${header}.${signature}`, `"${good}"`, `${good} ${good}`, `${good}, ${good}`, `token="${good}"`],
    "a".repeat(10_000),
  ];
  await forEachCase(malformed, async (token) => {
    assertEquals(await outcome(await userinfo(b, token)), "401 invalid_token");
    assertEquals(await outcome(await b.post("/oauth2/userinfo", { access_token: token })), "401 invalid_token");
  });
  await forEachCase([`Bearer${good}`, "Bearer", `Bearer:${good}`, `Bearer ${good}, Basic x`], async (authorization) => {
    assertMatch(await outcome(await b.get("/oauth2/userinfo", { headers: { authorization } })), /^401/);
  });
  assertEquals(await outcome(await userinfo(b, good)), "200");
});

test("[BR-02] the explanation says why the token was rejected, although the store has deleted the revocation since", async () => {
  const memory = memoryStore();
  let reads = 0;
  const store: Store = {
    ...memory,
    get: async (kind, id) => kind === "revocation" && ++reads > 2 ? undefined : await memory.get(kind, id),
  };
  const server = await testServer({ ...testClients, store });
  const { access_token } = await publicTokens(server, { client_id: "spa" });
  await server.post("/oauth2/revoke", { client_id: "spa", token: access_token });
  reads = 0;
  assertEquals((await userinfo(server, access_token)).status, 401);
  const [rejection] = getRejections(server.events);
  assertEquals(rejection!.explanation.received, "a token, but the token was revoked");
});

test("[BR-02, US-03] an expired, revoked or foreign token is 401 invalid_token", async () => {
  for (const client_id of ["spa", "opaque"]) {
    const b = await testServer(everyScope);
    const kept = await publicTokens(b, { client_id });
    const revoked = await publicTokens(b, { client_id });
    await b.post("/oauth2/revoke", { client_id, token: revoked.access_token });
    assertEquals(await outcome(await userinfo(b, revoked.access_token)), "401 invalid_token");
    const ended = await publicTokens(b, { client_id });
    await b.post("/oauth2/revoke", { client_id, token: ended.refresh_token });
    assertEquals(await outcome(await userinfo(b, ended.access_token)), "401 invalid_token");
    const code = await b.code({ client_id });
    const replayed = await assertTokenResponse(await b.token({ code, client_id }));
    await b.token({ code, client_id });
    assertEquals(await outcome(await userinfo(b, replayed.access_token)), "401 invalid_token");
    for (
      const resource of ["https://api.example", ["https://api.example", "https://other.example"], "https://as.test/x"]
    ) {
      const { access_token } = await publicTokens(b, { client_id, resource });
      assertEquals(await outcome(await userinfo(b, access_token)), "401 invalid_token");
    }
    b.advance(3599.999);
    assertEquals(await outcome(await userinfo(b, kept.access_token)), "200");
    b.advance(0.001);
    assertEquals(await outcome(await userinfo(b, kept.access_token)), "401 invalid_token");
  }
});

test("[US-03] a token for userinfo's own resource and another one is accepted", async () => {
  const b = await testServer(everyScope);
  const token = await tokenFor(b, { resource: ["https://as.test", "https://api.example"] });
  assertEquals(await outcome(await userinfo(b, token)), "200");
});

test("[US-03] a token with a configured audience is accepted", async () => {
  const b = await testServer({ ...everyScope, audience: "https://api.example" });
  assertEquals(await outcome(await userinfo(b, await tokenFor(b))), "200");
  assertEquals(
    await outcome(await userinfo(b, await tokenFor(b, { resource: "https://as.test" }))),
    "401 invalid_token",
  );
});

test("[US-03] a token of a removed user or client is 401 invalid_token, and stays it if a user with the sub is added", async () => {
  for (const client_id of ["spa", "opaque", "pair"]) {
    const b = await testServer(everyScope);
    const token = await tokenFor(b, { client_id, login_hint: "bob" });
    b.as.users.delete("bob");
    assertEquals(await outcome(await userinfo(b, token)), "401 invalid_token");
    b.as.users.set({ sub: "bob", name: "Bob" });
    assertEquals(await outcome(await userinfo(b, token)), "401 invalid_token");
    const other = await tokenFor(b, { client_id, login_hint: "bob" });
    assertEquals(await outcome(await userinfo(b, other)), "200");
    b.as.clients.delete(client_id);
    assertEquals(await outcome(await userinfo(b, other)), "401 invalid_token");
  }
});

test("[US-03, BR-02] a token without openid is 403 insufficient_scope, and the challenge names the required scope", async () => {
  const b = await testServer(everyScope);
  const { access_token, refresh_token } = await publicTokens(b, { scope: "openid profile read" });
  const { access_token: narrowed } = await refreshTokens(b, refresh_token, { scope: "profile read" });
  const tokens = [
    narrowed,
    await tokenFor(b, { scope: "read" }),
    await tokenFor(b, { scope: "profile email", client_id: "opaque" }),
  ];
  for (const token of tokens) {
    for (const way of Object.values(ways)) {
      const response = await way(b, token);
      assertEquals(challengeOf(response)!.scope, "openid");
      assertEquals(await outcome(response), "403 insufficient_scope");
    }
  }
  assertEquals(await outcome(await userinfo(b, access_token)), "200");
});

test("[BR-03] a refresh token, a code, an ID token and a signed response are no access tokens", async () => {
  const b = await testServer(everyScope);
  const { refresh_token, id_token } = await publicTokens(b, { client_id: "signed-ES256" });
  const web = await webTokens(b);
  const signed = await (await userinfo(b, await tokenFor(b, { client_id: "signed-ES256" }))).text();
  assertMatch(signed, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  await forEachCase(
    [refresh_token, web.refresh_token, web.id_token, id_token, signed, await b.code()],
    async (token) => {
      for (const way of Object.values(ways)) assertEquals(await outcome(await way(b, token)), "401 invalid_token");
    },
  );
  await refreshTokens(b, web.refresh_token, {}, basicHeader("web"));
});

test("[BR-03, JA-04] a JWT with a foreign signature, none, or a published key as secret is no access token", async () => {
  const b = await testServer(everyScope);
  const claims = decodeClaims(await tokenFor(b));
  const [published] = (await (await b.get("/oauth2/jwks")).json()).keys;
  const { kid } = published;
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const sign = (header: Record<string, unknown>, key: Parameters<SignJWT["sign"]>[0]) =>
    new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid, ...header }).sign(key);
  const jwk = ec.publicKey.export({ format: "jwk" });
  const secrets = [published, { keys: [published] }, published.x, published.x + published.y].map((one) =>
    typeof one === "string" ? one : JSON.stringify(one)
  );
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  await forEachCase([
    await sign({}, ec.privateKey),
    await sign({ jwk }, ec.privateKey),
    await sign({ jku: "https://evil.example/jwks" }, ec.privateKey),
    await sign({ kid: undefined }, ec.privateKey),
    await sign({ kid: "../../dev/null" }, ec.privateKey),
    await sign({ kid: "__proto__" }, ec.privateKey),
    await sign({ alg: "RS256" }, rsa.privateKey),
    ...await Promise.all(secrets.map((secret) => sign({ alg: "HS256" }, new TextEncoder().encode(secret)))),
    `${encoded({ alg: "none", typ: "at+jwt" })}.${encoded(claims)}.`,
    `${encoded({ alg: "none", typ: "at+jwt", kid })}.${encoded(claims)}.`,
    `${encoded({ alg: "ES256", typ: "at+jwt", kid })}.${encoded(claims)}.${Buffer.alloc(64).toString("base64url")}`,
  ], async (token) => assertEquals(await outcome(await userinfo(b, token)), "401 invalid_token"));
});

test("[BR-03, JA-04] a token of another issuer with the same keys is 401 invalid_token", async () => {
  const store = memoryStore();
  const one = await testServer({ ...everyScope, store });
  const two = await testServer({ ...everyScope, store, issuer: "https://two.test", audience: "https://as.test" });
  assertEquals(await outcome(await userinfo(one, await tokenFor(two))), "401 invalid_token");
});

test("[BR-02] a token whose iss is no text is 401 invalid_token", async () => {
  const b = await testServer(everyScope);
  const part = (json: string) => Buffer.from(json).toString("base64url");
  await forEachCase(
    ['{"toString":1}', '[{"toString":1}]', "[".repeat(9000) + "]".repeat(9000), "1", "null"],
    async (iss) => {
      const token = `${part('{"alg":"ES256","typ":"at+jwt"}')}.${part(`{"iss":${iss}}`)}.AAAA`;
      assertEquals(await outcome(await userinfo(b, token)), "401 invalid_token");
    },
  );
  assertEquals(b.events.filter(({ type }) => type === "internal_error"), []);
});

test("[BR-04] every challenge is parsable, for every issuer and request", async () => {
  const b = await testServer({ ...everyScope, issuer: "https://as.test/t-1/a_b~c" });
  for (const authorization of ["Bearer x", `Bearer "`, 'Bearer realm="x"', "Bearer \\", "Basic x", undefined]) {
    const init = authorization === undefined ? {} : { headers: { authorization } };
    const response = await b.as.fetch(new Request(`${b.as.issuer}/oauth2/userinfo`, init));
    assertEquals([response.status, challengeOf(response)!.realm], [401, b.as.issuer]);
  }
});

test("[US-02] each scope value releases exactly its claims, and read releases none", async () => {
  const b = await testServer(everyScope);
  await forEachCase([
    ...[[], ["profile"], ["email"], ["address"], ["phone"], ["read"], ["offline_access"], ["email", "phone"]],
    ...[["profile", "email", "address", "phone", "read", "write", "offline_access"]],
  ], async (values) => {
    const expected = Object.assign(
      { sub: "alice" },
      ...values.map((value) => user[value as keyof typeof user] ?? {}),
    );
    for (const client_id of ["spa", "opaque"]) {
      const tokens = await publicTokens(b, { client_id, scope: ["openid", ...values].join(" ") });
      assertEquals(await logged(b, tokens.access_token), expected);
      assertEquals(decodeClaims(tokens.id_token).sub, "alice");
    }
  });
});

test("[US-02] sub equals that of the ID token, for every user and kind of client", async () => {
  const b = await testServer(everyScope);
  for (const client_id of ["spa", "opaque", "pair", "other"]) {
    for (const login_hint of ["alice", "bob"]) {
      const { access_token, id_token, refresh_token } = await publicTokens(b, { client_id, login_hint });
      const { sub } = decodeClaims(id_token);
      assertEquals(await logged(b, access_token), { sub });
      assertEquals(sub === login_hint, client_id !== "pair");
      const again = await refreshTokens(b, refresh_token, { client_id });
      assertEquals(await logged(b, again.access_token), { sub });
    }
  }
});

test("[US-02] claims requested by name are returned with any scope, and absent ones are left out", async () => {
  const b = await testServer(everyScope);
  await forEachCase<[unknown, Record<string, unknown>]>([
    [{ userinfo: { name: null } }, { name: "Alice Adams" }],
    [{ userinfo: { name: { essential: true }, email: null } }, { name: "Alice Adams", email: "alice@a.example" }],
    [{ userinfo: { name: { value: "Another Name" } } }, {}],
    [{ userinfo: { address: null, updated_at: null } }, { address, updated_at: 1767225600 }],
    [{ userinfo: { nothing: { essential: true }, "name#de": null } }, {}],
    [{ id_token: { name: null } }, {}],
    [{ userinfo: null, id_token: { email: null } }, {}],
    [{ userinfo: { sub: null, iss: null, aud: null, exp: null } }, {}],
    [{ other: { name: null } }, {}],
  ], async ([claims, expected]) => {
    for (const client_id of ["spa", "opaque", "pair"]) {
      const { access_token, id_token } = await publicTokens(b, {
        client_id,
        scope: "openid",
        claims: JSON.stringify(claims),
      });
      assertEquals(await logged(b, access_token), { ...expected, sub: decodeClaims(id_token).sub });
    }
  });
});

test("[US-02, HT-19] names of Object.prototype are no claims", async () => {
  const b = await testServer(everyScope);
  const claims =
    '{"userinfo":{"__proto__":null,"constructor":null,"toString":null,"hasOwnProperty":{"essential":true}}}';
  for (const client_id of ["spa", "opaque"]) {
    assertEquals(
      await (await userinfo(b, await tokenFor(b, { client_id, scope: "openid", claims }))).text(),
      '{"sub":"alice"}',
    );
  }
});

test("[US-02] an unknown value is left out, never null and never empty", async () => {
  const empty = { name: "", given_name: null, family_name: undefined, nickname: "Al", email: null, address: null };
  const b = await testServer({ ...everyScope, users: [{ sub: "alice", ...empty as object }] });
  assertEquals(await logged(b, await tokenFor(b, { scope: "openid profile email address phone" })), {
    sub: "alice",
    nickname: "Al",
  });
});

test("[US-02] email_verified and phone_number_verified are booleans, updated_at is a number, address an object", async () => {
  const wrong: Record<string, readonly unknown[]> = {
    email_verified: ["true", 1, 0, "", {}, [true]],
    phone_number_verified: ["false", 1, "yes", []],
    updated_at: ["1767225600", "2026-01-01", true, {}, [], new Date(start)],
    address: ["1 Main Street", 1, true],
  };
  await forEachCase(Object.entries(wrong), async ([name, values]) => {
    for (const value of values) {
      const b = await testServer({ ...everyScope, users: [{ sub: "alice", nickname: "Al", [name]: value }] });
      const info = await logged(b, await tokenFor(b, { scope: "openid profile email address phone" }));
      assertEquals(info, { sub: "alice", nickname: "Al" }, `${name} of ${JSON.stringify(value)}`);
    }
  });
});

test("[US-02] a number that JSON cannot represent, and an address that is a list, are left out as a wrong type", async () => {
  await forEachCase<[string, unknown]>([
    ["updated_at", NaN],
    ["updated_at", Infinity],
    ["address", []],
    ["address", ["1 Main Street"]],
  ], async ([name, value]) => {
    const b = await testServer({ ...everyScope, users: [{ sub: "alice", nickname: "Al", [name]: value }] });
    const info = await logged(b, await tokenFor(b, { scope: "openid profile address" }));
    assertEquals(info, { sub: "alice", nickname: "Al" });
  });
});

test("[US-02] claims that are strings by definition are returned as strings or not at all", async () => {
  await forEachCase([42, true, {}, ["Alice"]], async (value) => {
    const b = await testServer({
      ...everyScope,
      users: [{ sub: "alice", nickname: "Al", given_name: value, phone_number: value }],
    });
    assertEquals(await logged(b, await tokenFor(b, { scope: "openid profile phone" })), {
      sub: "alice",
      nickname: "Al",
    });
  });
});

test("[US-02] userinfo returns current values, not those at issue", async () => {
  const b = await testServer(everyScope);
  const token = await tokenFor(b, { scope: "openid email" });
  b.as.users.set({ sub: "alice", email: "new@a.example", email_verified: true });
  assertEquals(await logged(b, token), { sub: "alice", email: "new@a.example", email_verified: true });
});

test("[US-04] a client registered for it gets a JWT with iss, aud and the claims, signed by a published key", async () => {
  const b = await testServer(everyScope);
  for (const alg of algorithms) {
    const client_id = `signed-${alg}`;
    const { access_token, id_token } = await publicTokens(b, { client_id, scope: "openid email" });
    for (const way of Object.values(ways)) {
      const response = await way(b, access_token);
      assertEquals([response.status, response.headers.get("content-type")], [200, "application/jwt"]);
      assertEquals(response.headers.get("cache-control"), "no-store");
      const { payload, protectedHeader } = await jwtVerify(await response.text(), await fetchKeySet(b), {
        currentDate: new Date(start),
      });
      assertEquals(protectedHeader.alg, alg);
      const { iss, aud, sub, email, email_verified } = payload;
      assertEquals([iss, aud, sub], ["https://as.test", client_id, decodeClaims(id_token).sub]);
      assertEquals({ email, email_verified }, user.email);
    }
    assertEquals(
      await outcome(await userinfo(b, await tokenFor(b, { client_id, scope: "read" }))),
      "403 insufficient_scope",
    );
    assertEquals(await outcome(await userinfo(b, `${access_token}A`)), "401 invalid_token");
  }
});

test("[US-04] user claims neither replace nor add protocol claims of the JWT", async () => {
  const users = [{ sub: "alice", iss: "https://evil.example", aud: "evil", exp: 1, nonce: "n", name: "Alice" }];
  const b = await testServer({ ...everyScope, users });
  const claims = '{"userinfo":{"iss":null,"aud":null,"sub":null,"name":null}}';
  const jwt = await (await userinfo(b, await tokenFor(b, { client_id: "signed-ES256", scope: "openid", claims })))
    .text();
  const { iss, aud, sub, name } = decodeClaims(jwt);
  assertEquals([iss, aud, sub, name], ["https://as.test", "signed-ES256", "alice", "Alice"]);
});

test("[US-04, US-01, SC-10] oauth4webapi accepts the responses, plain and signed, and rejects those of another user", async () => {
  const b = await testServer(everyScope);
  const issuer = new URL("https://as.test");
  const over = { [oauth.customFetch]: (url: string, init: object) => b.as.fetch(new Request(url, init)) };
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, over));
  for (const client_id of ["spa", "opaque", ...algorithms.map((alg) => `signed-${alg}`)]) {
    const alg = client_id.split("-")[1];
    const client = {
      client_id,
      [oauth.clockSkew]: Math.round(start / 1000 - Date.now() / 1000),
      ...alg !== undefined && { userinfo_signed_response_alg: alg },
    };
    const ask = async () =>
      await oauth.userInfoRequest(server, client, await tokenFor(b, { client_id, scope: "openid email" }), over);
    const response = await ask();
    assertEquals((await oauth.processUserInfoResponse(server, client, "alice", response)).email, "alice@a.example");
    if (alg !== undefined) await oauth.validateApplicationLevelSignature(server, response, over);
    const other = await ask();
    await assertRejects(() => oauth.processUserInfoResponse(server, client, "bob", other));
  }
});

test("[BR-02, HT-18] a store failure is a JSON error without a challenge and without details", async () => {
  let broken = false;
  const store = observedStore(memoryStore(), () => {
    if (broken) throw new Error("the store fails");
  });
  const b = await testServer({ ...everyScope, store });
  const tokens = [await tokenFor(b), await tokenFor(b, { client_id: "opaque" })];
  broken = true;
  for (const token of tokens) assertEquals(await outcome(await userinfo(b, token)), "500 server_error");
});

test("[HT-15] the trace has the reason and never the token", async () => {
  const b = await testServer(everyScope);
  const token = await tokenFor(b, { scope: "read" });
  const opaque = await tokenFor(b, { scope: "read", client_id: "opaque" });
  for (const one of [token, opaque, `${opaque}A`]) {
    for (const way of Object.values(ways)) await way(b, one);
    await b.get(`/oauth2/userinfo?access_token=${one}`);
    await b.get("/oauth2/userinfo", { headers: { authorization: `Basic ${one}` } });
    await b.post("/oauth2/userinfo", { access_token: one }, { authorization: `Bearer ${one}` });
  }
  assertEquals(
    new Set(getRejections(b.events).map(({ explanation }) => explanation.rule)),
    new Set<string | undefined>(["BR-01", "BR-02"]),
  );
  const stated = JSON.stringify(b.events);
  for (const secret of [token.split(".")[2]!, opaque]) assert(!stated.includes(secret));
});
