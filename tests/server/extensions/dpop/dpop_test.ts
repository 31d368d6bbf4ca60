/** DPoP at the token endpoint and at userinfo (RFC 9449, group DO). */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, type LatchkeyOptions, memoryStore } from "../../../../src/mod.ts";
import {
  basicHeader,
  confidentialClient,
  countOutcomes,
  fetchIntrospection,
  findLastRule,
  publicClient,
  testClients,
} from "../../client_endpoints.ts";
import {
  clientKey,
  otherForms,
  proof,
  sharedKey,
  signText,
  startSeconds,
  tokenDigest,
  tokenProof,
  userinfoProof,
} from "../../client_jwts.ts";
import type { JwtChanges } from "../../../../src/client/jwt.ts";
import type { PrivateJwk } from "../../../../src/client/private_jwk.ts";
import { createProofKey, type ProofKey } from "../../../../src/client/proof.ts";
import {
  assertTokenResponse,
  decodeClaims,
  fetchKeySet,
  forEachCase,
  getOutcome,
  getRejections,
  observedStore,
  testServer,
  verifier,
} from "../../../kit.ts";
import type { TestServer } from "../../../kit.ts";

const key = await clientKey();
const otherKey = await clientKey();
const tokenUrl = "https://as.test/oauth2/token";
const userinfoUrl = "https://as.test/oauth2/userinfo";

const options: LatchkeyOptions = {
  clients: [
    ...testClients.clients,
    publicClient("opaque", { access_token_format: "opaque" }),
    publicClient("bound", { dpop_bound_access_tokens: true }),
    confidentialClient("bound-web", { dpop_bound_access_tokens: true }),
  ],
  users: testClients.users,
};

/** POST /oauth2/token for `machine`, which has no code to lose. */
function machineToken(server: TestServer, headers: HeadersInit): Promise<Response> {
  const all = new Headers(headers);
  all.set("authorization", basicHeader("machine").authorization!);
  return server.post("/oauth2/token", { grant_type: "client_credentials", scope: "read" }, all);
}

/** The outcome of a token request with a changed proof. */
async function outcomeWith(server: TestServer, changes: JwtChanges, by: ProofKey = key): Promise<string> {
  return await getOutcome(await machineToken(server, await tokenProof(by, changes)));
}

async function boundTokens(server: TestServer, client_id = "spa") {
  const response = await server.token({ code: await server.code({ client_id }), client_id }, {
    headers: await tokenProof(key),
  });
  return await assertTokenResponse(response);
}

test("[DO-01] proofs of every announced algorithm are accepted, and the token is bound to the key", async () => {
  const server = await testServer(options);
  const metadata = await (await server.get("/.well-known/oauth-authorization-server")).json();
  const algorithms: string[] = metadata.dpop_signing_alg_values_supported;
  assert(algorithms.includes("ES256") && algorithms.includes("EdDSA"));
  assert(!algorithms.some((alg) => /^HS|none/.test(alg)), String(algorithms));
  for (const alg of algorithms) {
    const ofAlgorithm = await sharedKey(alg);
    const { access_token, token_type } = await assertTokenResponse(
      await machineToken(server, await tokenProof(ofAlgorithm)),
    );
    assertEquals([alg, token_type, decodeClaims(access_token).cnf], [alg, "DPoP", { jkt: ofAlgorithm.thumbprint }]);
  }
});

test("[DO-01] a proof with another type, algorithm, key or signature is 400 invalid_dpop_proof", async () => {
  const server = await testServer(options);
  const { d: _, ...withoutPrivate } = key.privateJwk;
  assertEquals(withoutPrivate, key.publicJwk);
  const good = await proof(key, "POST", tokenUrl, startSeconds);
  const [header, payload, signature] = good.split(".") as [string, string, string];
  const changes: JwtChanges[] = [
    ...[undefined, "JWT", "at+jwt", "", 1, null, ["dpop+jwt"]].map((typ) => ({ header: { typ } })),
    ...["none", "HS256", "ES384", "RS256", undefined, "", 1, null].map((alg) => ({ header: { alg } })),
    ...[undefined, null, "x", 1, [], {}, key.privateJwk, { ...key.publicJwk, d: "" }].map((jwk) => ({
      header: { jwk },
    })),
    { header: { jwk: { kty: "oct", k: "AAAA" } } },
    { header: { jwk: { ...key.publicJwk, x: "AAAA" } } },
    { header: { jwk: { ...key.publicJwk, kty: "RSA" } } },
    { header: { jwk: otherKey.publicJwk } },
    { header: { jwk: undefined, jku: "https://as.test/jwks", kid: "x" } },
    { header: { crit: ["b64"], b64: false } },
    { header: { crit: ["x"], x: 1 } },
  ];
  await forEachCase(changes, async (change) => {
    assertEquals(await outcomeWith(server, change), "400 invalid_dpop_proof");
    assertEquals(findLastRule(server), "DO-01");
  });
  const parts = (await proof(key, "POST", tokenUrl, startSeconds)).split(".").slice(0, 2).join(".");
  const texts = [
    ...["", "x", "..", "a.b", "a.b.c", `${good}.${signature}`, `${good}=`, `${good}A`, `"${good}"`, `${good} x`],
    ...[`${header}.${payload}.`, `.${payload}.${signature}`, `${header}..${signature}`],
    ...[`${parts}.`, `${parts}.AAAA`, `${parts}.${signature}`],
    ...[
      `${good}, ${await proof(key, "POST", tokenUrl, startSeconds)}`,
      await proof(key, "POST", tokenUrl, startSeconds, {
        claims: { x: "x".repeat(4000) },
      }),
    ],
    ...await Promise.all(["[]", "null", "1", '"x"', "{", ""].map((body) => signText(key, atob(header), body))),
    ...await Promise.all(["[]", "null", "{", ""].map((head) => signText(key, head, '{"jti":"x"}'))),
  ];
  await forEachCase(texts, async (dpop) => {
    assertEquals(await getOutcome(await machineToken(server, { dpop })), "400 invalid_dpop_proof");
    assertEquals(findLastRule(server), "DO-01");
  });
  const twice = new Headers();
  for (let i = 0; i < 2; i++) twice.append("dpop", await proof(key, "POST", tokenUrl, startSeconds));
  assertEquals(await getOutcome(await machineToken(server, twice)), "400 invalid_dpop_proof");
  assertEquals(getRejections(server.events).at(-1)?.explanation.received, "several values");
  const weak = await import("node:crypto").then(({ generateKeyPairSync }) =>
    generateKeyPairSync("rsa", { modulusLength: 1024 })
  );
  const weakKey = await createProofKey(weak.privateKey.export({ format: "jwk" }) as PrivateJwk, "RS256");
  assertEquals(await outcomeWith(server, {}, weakKey), "400 invalid_dpop_proof");
});

test("[DO-01] a key of any algorithm with another form of a member is rejected: its thumbprint would differ", async () => {
  const server = await testServer(options);
  const metadata = await (await server.get("/.well-known/oauth-authorization-server")).json();
  for (const alg of metadata.dpop_signing_alg_values_supported as readonly string[]) {
    const ofAlgorithm = await sharedKey(alg);
    const { publicJwk } = ofAlgorithm;
    const keys = Object.entries(publicJwk).flatMap(([name, value]) =>
      // A `crv` in a key of a type without curves changes nothing.
      otherForms(String(value)).map((form) => ({ crv: "x", ...publicJwk, [name]: form }))
    );
    const uses = [{ use: "enc" }, { use: { toString: 1 } }];
    const others = [...uses, { alg: "HS256" }, { key_ops: ["sign"] }, { key_ops: "verify" }];
    await forEachCase([...keys, ...others.map((other) => ({ ...publicJwk, ...other }))], async (jwk) => {
      assertEquals(await outcomeWith(server, { header: { jwk } }, ofAlgorithm), "400 invalid_dpop_proof");
      assertEquals(findLastRule(server), "DO-01");
    });
  }
  assertEquals(server.events.filter(({ type }) => type === "internal_error"), []);
});

test("[DO-01] unknown members of a proof are ignored, and its type is a media type", async () => {
  const server = await testServer(options);
  await forEachCase<JwtChanges>([
    { header: { typ: "application/dpop+jwt" } },
    { header: { typ: "DPoP+JWT" } },
    { header: { kid: "x", x5c: ["x"], jku: "https://evil.example", x: {} } },
    { header: { jwk: { ...key.publicJwk, kid: "x", x: key.publicJwk.x, extra: [] } } },
    { header: { jwk: { ...key.publicJwk, alg: "ES256", use: "sig", ext: 1, key_ops: ["sign", "verify", "x"] } } },
    { claims: { iss: "x", aud: 1, sub: null, ath: "x", nonce: "x", constructor: 1 } },
  ], async (change) => {
    assertEquals(await outcomeWith(server, change), "200");
  });
});

test("[DO-01] only the algorithms of the setting are announced and accepted", async () => {
  const server = await testServer({ ...options, dpop: { algorithms: ["EdDSA", "ES256"] } });
  const metadata = await (await server.get("/.well-known/openid-configuration")).json();
  assertEquals(metadata.dpop_signing_alg_values_supported, ["EdDSA", "ES256"]);
  assertEquals(await outcomeWith(server, {}), "200");
  assertEquals(await outcomeWith(server, {}, await sharedKey("RS256")), "400 invalid_dpop_proof");
});

test("[DO-02] a proof for another method or URL, or without an identifier, is rejected", async () => {
  const server = await testServer(options);
  await forEachCase([
    ...[undefined, "GET", "post", "", "POST ", 1, null, ["POST"]].map((htm) => ({ htm })),
    ...[
      ...[undefined, "", 1, null, [tokenUrl], "/oauth2/token", "as.test/oauth2/token", "https://as.test"],
      ...["http://as.test/oauth2/token", "https://evil.example/oauth2/token", "https://as.test:444/oauth2/token"],
      ...["https://as.test/oauth2/par", "https://as.test/oauth2/token/", "https://as.test/OAuth2/token"],
      ...["https://u:p@as.test/oauth2/token", "https://as.test/oauth2%2Ftoken", "https://as.test//oauth2/token"],
    ].map((htu) => ({ htu })),
    ...[undefined, "", 1, null, ["x"], "x".repeat(513)].map((jti) => ({ jti })),
    ...[undefined, "1", null, {}].map((iat) => ({ iat })),
    ...["1", null, {}].flatMap((time) => [{ exp: time }, { nbf: time }]).filter((claims) =>
      Object.values(claims)[0] !== null
    ),
  ], async (claims) => {
    assertEquals(await outcomeWith(server, { claims }), "400 invalid_dpop_proof");
    assertEquals(findLastRule(server), "DO-02");
  });
});

test("[DO-02] htu is compared without query and fragment, after syntax and scheme normalization", async () => {
  const server = await testServer(options);
  await forEachCase([
    ...["?", "#", "?a=b", "#c", "?a=b#c"].map((end) => tokenUrl + end),
    ...["HTTPS://AS.TEST/oauth2/token", "https://as.test:443/oauth2/token", "https://as.test/x/../oauth2/token"],
    ...["https://as.test/oauth2/./token", "https://as.test/%6Fauth2/token", "https://as.test/oauth2/%74oken"],
  ], async (htu) => {
    assertEquals(await outcomeWith(server, { claims: { htu } }), "200");
  });
});

test("[DO-02, HT-16] htu is compared with the configured issuer, never with the Host header", async () => {
  const server = await testServer({ ...options, issuer: "https://as.test/tenant" });
  const send = async (htu: string, host: string) =>
    await getOutcome(
      await machineToken(server, { host, "x-forwarded-host": host, dpop: await proof(key, "POST", htu, startSeconds) }),
    );
  assertEquals(await send("https://as.test/tenant/oauth2/token", "evil.example"), "200");
  assertEquals(await send("https://evil.example/tenant/oauth2/token", "evil.example"), "400 invalid_dpop_proof");
  assertEquals(await send(tokenUrl, "as.test"), "400 invalid_dpop_proof");
});

test("[DO-03] iat may be 60 seconds ahead and maxAge seconds old; exp and nbf are honoured", async () => {
  for (const [dpop, maxAge] of [[undefined, 60], [{ maxAge: 300 }, 300], [{ maxAge: 10 }, 10]] as const) {
    const server = await testServer({ ...options, ...dpop && { dpop } });
    const iat = (offset: number) => ({ iat: startSeconds + offset });
    await forEachCase(
      [-maxAge, -10, 0, 10, 60, 0.5],
      async (offset) => assertEquals(await outcomeWith(server, { claims: iat(offset) }), "200"),
    );
    await forEachCase([-maxAge - 1, 61, 300, 3600, -3600, 1e308, -1e308, -startSeconds], async (offset) => {
      assertEquals(await outcomeWith(server, { claims: iat(offset) }), "400 invalid_dpop_proof");
      assertEquals(findLastRule(server), "DO-03");
    });
  }
  const server = await testServer(options);
  await forEachCase([
    ...[{ exp: startSeconds }, { exp: startSeconds - 1 }, { exp: 0 }, { nbf: startSeconds + 61 }, { nbf: 1e308 }],
  ], async (claims) => {
    assertEquals(await outcomeWith(server, { claims }), "400 invalid_dpop_proof");
    assertEquals(findLastRule(server), "DO-03");
  });
  const valid = { exp: startSeconds + 1, nbf: startSeconds + 10 };
  assertEquals(await outcomeWith(server, { claims: valid }), "200");
});

test("[DO-03] maxAge is at most 300 seconds", async () => {
  const error = await assertRejects(() => testServer({ dpop: { maxAge: 301 } }), ConfigurationError);
  assertMatch(error.message, /dpop\.maxAge/);
});

test("[DO-04] a proof is accepted once: of twenty concurrent uses one succeeds", async () => {
  const server = await testServer(options);
  const dpop = await proof(key, "POST", tokenUrl, startSeconds);
  const responses = await Promise.all(Array.from({ length: 20 }, () => machineToken(server, { dpop })));
  assertEquals(await countOutcomes(responses), { "200": 1, "400 invalid_dpop_proof": 19 });
  assertEquals(findLastRule(server), "DO-04");
  // Another key, and another URL, may use the same jti.
  const claims = { jti: "x" };
  assertEquals(await outcomeWith(server, { claims }), "200");
  assertEquals(await outcomeWith(server, { claims }, otherKey), "200");
  assertEquals(await outcomeWith(server, { claims }), "400 invalid_dpop_proof");
});

test("[DO-04] a used proof is remembered for as long as it is accepted, and no longer", async () => {
  const store = memoryStore();
  const server = await testServer({ ...options, store });
  for (const offset of [-60, -59, 0, 60]) {
    const dpop = await proof(key, "POST", tokenUrl, startSeconds + offset);
    assertEquals(await getOutcome(await machineToken(server, { dpop })), "200");
  }
  const late = await proof(key, "POST", tokenUrl, startSeconds + 60);
  assertEquals(await getOutcome(await machineToken(server, { dpop: late })), "200");
  server.advance(120);
  assertEquals(await store.deleteExpired((startSeconds + 120) * 1000) > 0, true);
  assertEquals(await getOutcome(await machineToken(server, { dpop: late })), "400 invalid_dpop_proof");
  assertEquals(findLastRule(server), "DO-04");
  server.advance(1);
  assertEquals(await getOutcome(await machineToken(server, { dpop: late })), "400 invalid_dpop_proof");
  assertEquals(findLastRule(server), "DO-03");
});

test("[DO-06] a rejected proof leaves the code usable", async () => {
  const server = await testServer(options);
  const code = await server.code();
  const rejected = await server.token({ code }, { headers: await tokenProof(key, { claims: { htm: "GET" } }) });
  assertEquals(await getOutcome(rejected), "400 invalid_dpop_proof");
  const { token_type } = await assertTokenResponse(await server.token({ code }, { headers: await tokenProof(key) }));
  assertEquals(token_type, "DPoP");
});

test("[DO-06, IN-03] JWT and opaque tokens, userinfo and introspection name the key", async () => {
  const server = await testServer(options);
  for (const client_id of ["spa", "opaque"]) {
    const { access_token, token_type } = await boundTokens(server, client_id);
    assertEquals(token_type, "DPoP");
    const response = await fetchIntrospection(server, access_token);
    assertEquals([response.active, response.token_type, response.cnf], [true, "DPoP", { jkt: key.thumbprint }]);
  }
  const plain = await assertTokenResponse(await server.token({ code: await server.code() }));
  assertEquals([plain.token_type, decodeClaims(plain.access_token).cnf], ["Bearer", undefined]);
  assertEquals((await fetchIntrospection(server, plain.access_token)).token_type, "Bearer");
  await fetchKeySet(server);
});

test("[DO-06] a client with dpop_bound_access_tokens gets no token without a proof", async () => {
  const server = await testServer(options);
  const code = await server.code({ client_id: "bound" });
  const missing = await server.token({ code, client_id: "bound" });
  assertEquals(await getOutcome(missing), "400 invalid_dpop_proof");
  assertEquals(findLastRule(server), "DO-06");
  assertEquals(
    (await assertTokenResponse(await server.token({ code, client_id: "bound" }, { headers: await tokenProof(key) })))
      .token_type,
    "DPoP",
  );
});

test("[DO-06] with requireSenderConstrainedTokens no grant type issues a bearer token", async () => {
  const server = await testServer({ ...options, requireSenderConstrainedTokens: true });
  assertEquals(await getOutcome(await server.token({ code: await server.code() })), "400 invalid_dpop_proof");
  assertEquals(await getOutcome(await machineToken(server, {})), "400 invalid_dpop_proof");
  assertEquals((await boundTokens(server)).token_type, "DPoP");
  const { access_token } = await assertTokenResponse(await machineToken(server, await tokenProof(key)));
  assertEquals(decodeClaims(access_token).cnf, { jkt: key.thumbprint });
});

/** The outcome at userinfo: status, and the challenges without realm and descriptions. */
async function atUserinfo(server: TestServer, headers: HeadersInit, init: RequestInit = {}): Promise<string> {
  const response = await server.get("/oauth2/userinfo", { ...init, headers });
  await response.body?.cancel();
  const challenges = response.headers.get("www-authenticate")
    ?.replace(/(?:realm|error_description)="[^"]*"(?:, )?/g, "").replace(/algs="[^"]*"/, "algs").replace(
      /, (?=DPoP)/,
      " ",
    );
  return [response.status, ...challenges === undefined ? [] : [challenges.trim()]].join(" ");
}

test("[DO-09] userinfo accepts a bound token with a proof, by GET and POST", async () => {
  const server = await testServer(options);
  for (const client_id of ["spa", "opaque"]) {
    const { access_token } = await boundTokens(server, client_id);
    assertEquals(await atUserinfo(server, await userinfoProof(key, access_token)), "200");
    const post = await userinfoProof(key, access_token, {}, "POST");
    assertEquals(await atUserinfo(server, post, { method: "POST" }), "200");
    const lower = { ...await userinfoProof(key, access_token), authorization: `dpop ${access_token}` };
    assertEquals(await atUserinfo(server, lower), "200");
  }
});

test("[DO-04, DO-09] userinfo rejects a token if the store cannot report whether its proof was used", async () => {
  let failure: Error | undefined;
  const store = observedStore(memoryStore(), (verb, [kind]) => {
    if (verb === "add" && kind === "used_identifier" && failure !== undefined) throw failure;
  });
  const server = await testServer({ ...options, store });
  const { access_token } = await boundTokens(server);
  const headers = await userinfoProof(key, access_token);
  for (const [name, outcome] of [["Error", "500"], ["StoreError", "503"]] as const) {
    failure = Object.assign(new Error("add fails"), { name });
    assertEquals(await atUserinfo(server, headers), outcome);
  }
  failure = undefined;
  assertEquals(await atUserinfo(server, headers), "200");
});

test("[DO-09] at userinfo the error stands in the challenge of the scheme that was used", async () => {
  const server = await testServer(options);
  const { access_token: bound } = await boundTokens(server);
  const { access_token: plain } = await assertTokenResponse(await server.token({ code: await server.code() }));
  const invalidProof = 'DPoP error="invalid_dpop_proof", algs';
  const invalidToken = 'DPoP error="invalid_token", algs';
  const withClaims = async (claims: Record<string, unknown>) => await userinfoProof(key, bound, { claims });
  const authorization = `DPoP ${bound}`;
  const used = await userinfoProof(key, bound);
  assertEquals(await atUserinfo(server, used), "200");
  const cases: readonly (readonly [string, HeadersInit, string])[] = [
    ["no credentials", {}, "401 Bearer DPoP algs"],
    ["another scheme", basicHeader("web"), "401 Bearer DPoP algs"],
    [
      "a bound token as bearer token",
      { authorization: `Bearer ${bound}` },
      '401 Bearer error="invalid_token" DPoP algs',
    ],
    [
      "a bound token as bearer token with its proof",
      { ...await userinfoProof(key, bound), authorization: `Bearer ${bound}` },
      '401 Bearer error="invalid_token" DPoP algs',
    ],
    ["no proof", { authorization }, `401 ${invalidProof}`],
    ["a used proof", used, `401 ${invalidProof}`],
    ["another method", await withClaims({ htm: "POST" }), `401 ${invalidProof}`],
    ["another URL", await withClaims({ htu: tokenUrl }), `401 ${invalidProof}`],
    ["no ath", await withClaims({ ath: undefined }), `401 ${invalidProof}`],
    ["ath of another token", await withClaims({ ath: await tokenDigest(plain) }), `401 ${invalidProof}`],
    ["ath of another type", await withClaims({ ath: 1 }), `401 ${invalidProof}`],
    ["too old", await withClaims({ iat: startSeconds - 61 }), `401 ${invalidProof}`],
    ["another key", await userinfoProof(otherKey, bound), `401 ${invalidToken}`],
    ["a bearer token with a proof", await userinfoProof(key, plain), `401 ${invalidToken}`],
    ["an unknown token", await userinfoProof(key, "x"), `401 ${invalidToken}`],
    ["a malformed token", { authorization: "DPoP %%", dpop: "x" }, `401 ${invalidToken}`],
    ["no token", { authorization: "DPoP" }, `401 ${invalidToken}`],
    ["both schemes", { authorization: `Bearer ${plain}, DPoP ${bound}` }, "400"],
    ["both schemes", { authorization: `DPoP ${bound}, Bearer ${plain}` }, "400"],
  ];
  await forEachCase(cases, async ([, headers, expected]) => assertEquals(await atUserinfo(server, headers), expected));
  const form = { access_token: bound };
  const inForm = await server.post("/oauth2/userinfo", form);
  assertEquals([inForm.status, findLastRule(server)], [401, "DO-09"]);
  const both = await server.post("/oauth2/userinfo", form, await userinfoProof(key, bound, {}, "POST"));
  assertEquals([both.status, findLastRule(server)], [400, "BR-01"]);
  assertEquals(await atUserinfo(server, await userinfoProof(key, bound)), "200");
  assertEquals(userinfoUrl, (await (await server.get("/.well-known/openid-configuration")).json()).userinfo_endpoint);
});

test("[DO-09] a bound token with too little scope is 403 with the challenge of DPoP only", async () => {
  const server = await testServer(options);
  const code = await server.code({ scope: "read" });
  const { access_token } = await assertTokenResponse(await server.token({ code }, { headers: await tokenProof(key) }));
  assertEquals(
    await atUserinfo(server, await userinfoProof(key, access_token)),
    '403 DPoP error="insufficient_scope", scope="openid", algs',
  );
});

test("[DO-01] no event contains a proof or a bound token", async () => {
  const server = await testServer(options);
  const { access_token } = await boundTokens(server);
  const headers = await userinfoProof(key, access_token);
  await atUserinfo(server, headers);
  await atUserinfo(server, headers);
  const text = JSON.stringify(server.events);
  for (const secret of [access_token, headers.dpop!, verifier]) assert(!text.includes(secret));
});

test("[DO-01, HT-15] a code in a proof is hidden, also where the value is cut", async () => {
  const server = await testServer(options);
  const codes = await Promise.all(Array.from({ length: 5 }, () => server.code()));
  for (let length = 0; length < 60; length++) {
    await outcomeWith(server, { claims: { htu: ["x".repeat(length), ...codes].join(".") } });
  }
  const text = JSON.stringify(server.events.filter(({ type }) => type === "rejected"));
  for (const code of codes) assert(!text.includes(code.slice(0, 20)));
});

test("[DO-09] userinfo accepts and offers no bearer token where every token must be bound", async () => {
  const store = memoryStore();
  const before = await testServer({ ...options, store });
  const { access_token: plain } = await assertTokenResponse(await before.token({ code: await before.code() }));
  assertEquals(await atUserinfo(before, { authorization: `Bearer ${plain}` }), "200");
  const server = await testServer({ ...options, store, requireSenderConstrainedTokens: true });
  await forEachCase<[HeadersInit, string]>([
    [{}, "401 DPoP algs"],
    [basicHeader("web"), "401 DPoP algs"],
    [{ authorization: "Bearer x" }, '401 DPoP error="invalid_token", algs'],
    [{ authorization: `Bearer ${plain}` }, '401 DPoP error="invalid_token", algs'],
  ], async ([headers, expected]) => assertEquals(await atUserinfo(server, headers), expected));
  const { access_token: bound } = await boundTokens(server);
  assertEquals(await atUserinfo(server, await userinfoProof(key, bound)), "200");
});
