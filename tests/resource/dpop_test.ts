/** DPoP at protected resources: `requireToken` with `dpopProofs`, and hosted resources (RFC 9449 §7; group DO). */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import {
  dpopProofs,
  introspectionVerifier,
  jwksVerifier,
  requireToken,
  resourceMetadata,
  stepUpChallenge,
} from "../../src/resource/mod.ts";
import type { RequiredToken } from "../../src/resource/mod.ts";
import { type DpopProofOptions, usedProofs } from "../../src/resource/dpop_proofs.ts";
import type { ResourceRejection } from "../../src/resource/protected_resource.ts";
import type { TestLatchkey, TestLatchkeyOptions } from "../../src/testing/mod.ts";
import { type ClientKey, clientKey, proof, tokenDigest } from "../server/client_jwts.ts";
import { forEachCase } from "../kit.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";

const key = await clientKey();
const otherKey = await clientKey();
const resource = "https://files.example/api";
const url = "https://files.example/api/notes?page=2";
const metadataUrl = "https://files.example/.well-known/oauth-protected-resource/api";

const options: TestLatchkeyOptions = { startsAt: "2026-01-01" };
const start = Date.UTC(2026, 0, 1) / 1000;

function api(as: TestLatchkey, proofs?: DpopProofOptions, more: Partial<RequiredToken> = {}): RequiredToken {
  const verifier = jwksVerifier({ issuer: as.issuer, fetch: as.fetch as typeof fetch, now: as.clock.now });
  return { resource, verifier, dpop: dpopProofs(proofs), ...more };
}

/** A token of `client`, bound to the key unless `by` is null. */
async function issue(as: TestLatchkey, by: ClientKey | null = key, target = resource): Promise<string> {
  const { client_id, client_secret } = as.client({ client_secret: "secret", grant_types: ["client_credentials"] });
  const endpoint = `${as.issuer}/oauth2/token`;
  const fields = { grant_type: "client_credentials", scope: "read", resource: target, client_id, client_secret };
  const response = await as.fetch(endpoint, {
    method: "POST",
    body: new URLSearchParams(fields as Record<string, string>),
    headers: by === null ? {} : { dpop: await proof(by, "POST", endpoint, Math.floor(as.clock.now() / 1000)) },
  });
  return (await response.json()).access_token;
}

/** A request with a proof for it. */
async function request(
  token: string,
  claims: Readonly<Record<string, unknown>> = {},
  { by = key, method = "GET", at = url, scheme = "DPoP" } = {},
): Promise<Request> {
  const dpop = await proof(by, method, at, start, { claims: { ath: await tokenDigest(token), ...claims } });
  return new Request(at, { method, headers: { authorization: `${scheme} ${token}`, dpop } });
}

/** `200`, or the status and the challenges without texts that differ. */
async function outcome(received: Request, resourceOptions: RequiredToken): Promise<string> {
  const result = await requireToken(received, resourceOptions);
  if (!(result instanceof Response)) return "200";
  await result.body?.cancel();
  const challenges = result.headers.get("www-authenticate")
    ?.replaceAll(/error_description="[^"]*", |"?algs="[^"]*"/g, (text) => text.startsWith("algs") ? "algs" : "")
    .replaceAll(`resource_metadata="${metadataUrl}"`, "metadata");
  return [result.status, ...challenges === undefined ? [] : [challenges]].join(" ");
}

test("[DO-09] a resource accepts a bound token with its proof, by keys and by introspection", async () => {
  await using as = await testLatchkey(options);
  as.clock.freeze();
  const token = await issue(as);
  const { client_id, client_secret } = as.client({ client_secret: "secret", serves: [resource] });
  const introspecting = introspectionVerifier({
    ...{ issuer: as.issuer, clientId: client_id, clientSecret: client_secret, now: as.clock.now },
    fetch: as.fetch as typeof fetch,
  });
  for (const resourceOptions of [api(as), api(as, {}, { verifier: introspecting })]) {
    const claims = await requireToken(await request(token), { ...resourceOptions, scope: ["read"] });
    assert(!(claims instanceof Response), claims instanceof Response ? await claims.text() : "");
    assertEquals(claims.cnf, { jkt: key.thumbprint });
    assertEquals(await outcome(await request(token, {}, { method: "POST", scheme: "dpop" }), resourceOptions), "200");
    // The host of the request does not count: the identifier names the origin.
    const behindProxy = new Request("http://10.0.0.1:8080/api/notes?page=2", {
      headers: (await request(token)).headers,
    });
    assertEquals(await outcome(behindProxy, resourceOptions), "200");
    const plain = new Request(url, { headers: { authorization: `Bearer ${await issue(as, null)}` } });
    assertEquals(await outcome(plain, resourceOptions), "200");
  }
});

test("[DO-09, PR-11] the error stands in the challenge of the scheme that was used, each with resource_metadata", async () => {
  await using as = await testLatchkey(options);
  as.clock.freeze();
  const [bound, plain] = [await issue(as), await issue(as, null)];
  const rejections: ResourceRejection[] = [];
  const resourceOptions = api(as, {}, { scope: ["read"], onRejection: (rejection) => rejections.push(rejection) });
  const scope = 'scope="read", metadata';
  const offer = "DPoP metadata, algs";
  const invalidProof = `401 DPoP error="invalid_dpop_proof", ${scope}, algs`;
  const invalidToken = `401 DPoP error="invalid_token", ${scope}, algs`;
  const bearerError = `401 Bearer error="invalid_token", ${scope}, ${offer}`;
  const used = await request(bound);
  assertEquals(await outcome(used.clone(), resourceOptions), "200");
  const withHeaders = (headers: Record<string, string>) => new Request(url, { headers });
  await forEachCase<readonly [string, Request, string, string?]>([
    ["no credentials", withHeaders({}), `401 Bearer ${scope}, ${offer}`],
    ["another scheme", withHeaders({ authorization: "Basic eDp5" }), `401 Bearer ${scope}, ${offer}`],
    ["bound as bearer", await request(bound, {}, { scheme: "Bearer" }), bearerError],
    ["an unknown bearer token", withHeaders({ authorization: "Bearer x" }), bearerError],
    ["no proof", withHeaders({ authorization: `DPoP ${bound}` }), invalidProof],
    ["a used proof", used, invalidProof],
    ["no ath", await request(bound, { ath: undefined }), invalidProof],
    ["ath of another token", await request(bound, { ath: await tokenDigest(plain) }), invalidProof],
    ["another path", await request(bound, { htu: "https://files.example/api/other" }), invalidProof],
    ["another origin", await request(bound, { htu: "https://other.example/api/notes" }), invalidProof],
    ["another method", await request(bound, { htm: "POST" }), invalidProof],
    ["too old", await request(bound, { iat: start - 61 }), invalidProof],
    ["another key", await request(bound, {}, { by: otherKey }), invalidToken],
    ["a bearer token with a proof", await request(plain), invalidToken],
    ["a malformed token", withHeaders({ authorization: "DPoP %" }), invalidToken],
    ["both schemes", withHeaders({ authorization: `Bearer ${plain}, DPoP ${bound}` }), "400"],
  ], async ([, received, expected]) => {
    assertEquals(await outcome(received, resourceOptions), expected);
    assert(rejections.at(-1)!.fix !== undefined);
  });
  const tooLittle = { ...resourceOptions, scope: ["write"] };
  const rejected = await outcome(await request(bound), tooLittle);
  assertEquals(rejected, '403 DPoP error="insufficient_scope", scope="write", metadata, algs');
});

test("[DO-04] a proof is accepted once, however the path of the request is written", async () => {
  await using as = await testLatchkey(options);
  as.clock.freeze();
  const token = await issue(as);
  const resourceOptions = api(as);
  const { headers } = await request(token);
  const at = (path: string) => outcome(new Request(`https://files.example${path}`, { headers }), resourceOptions);
  assertEquals(await at("/api/notes"), "200");
  for (const path of ["/api/notes?page=3", "/api/%6Eotes", "/%61pi/%6eotes", "/api/x/../notes"]) {
    assertEquals(await at(path), '401 DPoP error="invalid_dpop_proof", metadata, algs', path);
  }
});

test("[ST-02] the step-up challenge of a bound token has the scheme DPoP", async () => {
  await using as = await testLatchkey(options);
  as.clock.freeze();
  const token = await issue(as);
  const stepUp = api(as, {}, { acrValues: ["urn:example:mfa"], maxAgeSeconds: 60 });
  const expected = [
    ...['401 DPoP error="insufficient_user_authentication"', 'acr_values="urn:example:mfa"', 'max_age="60"'],
    ...["metadata", "algs"],
  ].join(", ");
  assertEquals(await outcome(await request(token), stepUp), expected);
  const claims = await requireToken(await request(token), api(as));
  assert(!(claims instanceof Response));
  const challenge = stepUpChallenge(claims, stepUp)!;
  assert(challenge.headers.get("www-authenticate")!.startsWith("DPoP "));
});

test("[DO-09] a resource without dpopProofs rejects bound tokens, offers no DPoP and says how to accept them", async () => {
  await using as = await testLatchkey(options);
  as.clock.freeze();
  const rejections: ResourceRejection[] = [];
  const withoutProofs = api(as, {}, { dpop: undefined, onRejection: (rejection) => rejections.push(rejection) });
  const bound = await issue(as);
  assertEquals(await outcome(await request(bound), withoutProofs), "401 Bearer metadata");
  assertEquals(
    await outcome(await request(bound, {}, { scheme: "Bearer" }), withoutProofs),
    '401 Bearer error="invalid_token", metadata',
  );
  assert(rejections.at(-1)!.fix!.includes("dpopProofs()"));
});

test("[DO-09, PR-05] required rejects unbound tokens, and the metadata document says so", async () => {
  await using as = await testLatchkey(options);
  as.clock.freeze();
  const resourceOptions = api(as, { required: true, algorithms: ["ES256"] });
  const plain = new Request(url, { headers: { authorization: `Bearer ${await issue(as, null)}` } });
  assertEquals(await outcome(plain, resourceOptions), '401 DPoP error="invalid_token", metadata, algs');
  assertEquals(await outcome(new Request(url), resourceOptions), "401 DPoP metadata, algs");
  assertEquals(await outcome(await request(await issue(as)), resourceOptions), "200");
  const document = await (await resourceMetadata(new Request(metadataUrl), resourceOptions))!.json();
  assertEquals(document.dpop_signing_alg_values_supported, ["ES256"]);
  assertEquals(document.dpop_bound_access_tokens_required, true);
  const other = await (await resourceMetadata(new Request(metadataUrl), api(as)))!.json();
  assertEquals("dpop_bound_access_tokens_required" in other, false);
});

test("[DO-04, DO-05] nonces of a resource work with the secret of its instances, and used proofs may be shared", async () => {
  await using as = await testLatchkey(options);
  as.clock.freeze();
  const used = new Set<string>();
  const shared: DpopProofOptions = {
    nonceSecret: "secret of the resource",
    markUsed: (id) => !used.has(id) && Boolean(used.add(id)),
  };
  const [one, two, other] = [api(as, shared), api(as, shared), api(as, { nonceSecret: "another secret" })] as const;
  const token = await issue(as);
  const rejected = await requireToken(await request(token), one);
  assert(rejected instanceof Response);
  assertEquals([rejected.status, (await rejected.json()).error], [401, "use_dpop_nonce"]);
  const nonce = rejected.headers.get("dpop-nonce")!;
  assertEquals(rejected.headers.get("access-control-expose-headers")!.includes("DPoP-Nonce"), true);
  const accepted = await request(token, { nonce, iat: start - 3600 });
  assertEquals(await outcome(accepted.clone(), two), "200");
  assertEquals((await outcome(accepted, one)).includes("invalid_dpop_proof"), true);
  assertEquals((await outcome(await request(token, { nonce }), other)).includes("use_dpop_nonce"), true);
  as.clock.advance(240);
  assertEquals((await outcome(await request(token, { nonce }), two)).includes("use_dpop_nonce"), true);
});

test("[DO-04] a key with many proofs displaces only its own, and of many uses at once one counts", async () => {
  const markUsed = usedProofs();
  assertEquals(await markUsed("mine", 0, "a"), true);
  for (let i = 0; i < 2000; i++) assertEquals(await markUsed(`proof ${i}`, 0, "b"), true);
  assertEquals(await Promise.all(["mine", "proof 1999"].map((id, i) => markUsed(id, 0, "ab"[i]!))), [false, false]);
  assertEquals(await markUsed("proof 0", 0, "b"), true);
  const concurrent = await Promise.all(Array.from({ length: 20 }, () => markUsed("once", 0, "c")));
  assertEquals(concurrent.filter(Boolean).length, 1);
});

test("[DO-04, DO-09] a proof by another key than that of the token is rejected and not remembered", async () => {
  await using as = await testLatchkey(options);
  as.clock.freeze();
  const marked: string[] = [];
  const withMemory = api(as, { markUsed: (_id, _expiresAt, by) => marked.push(by) > 0 });
  const [bound, unbound] = [await issue(as), await issue(as, null)];
  for (
    const received of [
      await request(bound, {}, { by: otherKey }),
      await request(unbound),
      await request(unbound, {}, { by: otherKey }),
    ]
  ) {
    assertMatch(await outcome(received, withMemory), /^401 .*invalid_token/);
  }
  assertEquals(marked, []);
  assertEquals(await outcome(await request(bound), withMemory), "200");
  assertEquals(marked, [key.thumbprint]);
});

test("[DO-04, DO-05, DO-09] a hosted resource follows the settings of its server: nonces, replay and challenges", async () => {
  for (const verifyBy of ["jwks", "introspection"] as const) {
    await using as = await testLatchkey({ ...options, dpop: { nonce: "required" } });
    as.clock.freeze();
    const mcp = as.resource("/mcp", { verifyBy });
    const endpoint = `${as.issuer}/oauth2/token`;
    const { client_id, client_secret } = as.client({ client_secret: "secret", grant_types: ["client_credentials"] });
    const fields = { grant_type: "client_credentials", scope: "read", resource: mcp.url, client_id };
    const tokenRequest = async (nonce?: string) =>
      as.fetch(endpoint, {
        method: "POST",
        body: new URLSearchParams({ ...fields, client_secret: client_secret! }),
        headers: { dpop: await proof(key, "POST", endpoint, start, { claims: { nonce } }) },
      });
    const tokenNonce = (await tokenRequest()).headers.get("dpop-nonce")!;
    const { access_token: token } = await (await tokenRequest(tokenNonce)).json();
    const call = async (nonce?: string, scheme = "DPoP") => {
      const { headers } = await request(token, { nonce }, { method: "POST", at: mcp.url, scheme });
      headers.set("content-type", "application/json");
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      return mcp.fetch(new Request(mcp.url, { method: "POST", headers, body }));
    };
    const rejected = await call(tokenNonce);
    assertEquals([rejected.status, (await rejected.json()).error], [401, "use_dpop_nonce"]);
    const challenge = rejected.headers.get("www-authenticate")!;
    assert(challenge.startsWith("DPoP ") && challenge.includes(mcp.metadataUrl), challenge);
    const accepted = await call(rejected.headers.get("dpop-nonce")!);
    assertEquals(accepted.status, 200, await accepted.clone().text());
    assertEquals(accepted.headers.get("dpop-nonce"), rejected.headers.get("dpop-nonce"));
    const asBearer = await call(undefined, "Bearer");
    assertEquals([asBearer.status, (await asBearer.json()).error], [401, "invalid_token"]);
  }
});

test("[DO-09] a hosted resource offers no Bearer where every token must be bound", async () => {
  await using as = await testLatchkey({ ...options, requireSenderConstrainedTokens: true });
  const mcp = as.resource("/mcp");
  const response = await as.fetch(mcp.url, { method: "POST" });
  assertEquals(response.status, 401);
  assertMatch(response.headers.get("www-authenticate")!, /^DPoP (?!.*Bearer)/);
});
