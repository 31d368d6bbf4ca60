/**
 * ML-DSA (RFC 9964) for tokens and for JWTs of clients, on runtimes that have it; on others, the server rejects it.
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, errors, jwtVerify } from "jose";
import type { JSONWebKeySet, JWK } from "jose";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { importSigningKey, signClientJwt } from "../../src/client/jwt.ts";
import { createProofKey } from "../../src/client/proof.ts";
import { generateKey } from "../../src/core/keys/web_keys.ts";
import { hasAlgorithm, type MlDsaAlgorithm } from "../../src/core/keys/signing_algorithm.ts";
import { jwksVerifier, requireToken } from "../../src/resource/mod.ts";
import type { TestLatchkey } from "../../src/testing/mod.ts";
import { ConfigurationError, memoryStore } from "../../src/mod.ts";
import { assertionOf, proof, signingContext } from "../server/client_jwts.ts";
import { testLatchkey } from "./test_latchkey.ts";

/** The lengths of public keys and signatures in bytes (FIPS 204 §4). */
const lengths = {
  "ML-DSA-44": { publicKey: 1312, signature: 2420 },
  "ML-DSA-65": { publicKey: 1952, signature: 3309 },
  "ML-DSA-87": { publicKey: 2592, signature: 4627 },
} as const;
const algorithms = Object.keys(lengths) as MlDsaAlgorithm[];
const isAvailable = hasAlgorithm("ML-DSA-65");

const bytesOf = (base64url: string) => Buffer.from(base64url, "base64url");

async function keysOf(as: TestLatchkey): Promise<JSONWebKeySet> {
  return await (await as.fetch(`${as.issuer}/oauth2/jwks`)).json();
}

async function metadataOf(as: TestLatchkey): Promise<Record<string, string[]>> {
  return await (await as.fetch(`${as.issuer}/.well-known/openid-configuration`)).json();
}

/** Expects that settings stop the start with one issue, on a runtime without ML-DSA. */
async function assertUnavailable(start: () => Promise<unknown>, path: string): Promise<void> {
  const error = await assertRejects(start, ConfigurationError);
  assertEquals(error.issues, [{
    path,
    expected: "an algorithm that this runtime has",
    received: '"ML-DSA-65"',
    hint: "Run the server on Node 24.7 or newer, Deno or Bun, which have ML-DSA-65, or choose another algorithm.",
  }]);
}

test("[JK-07] by default no list in metadata has ML-DSA", async () => {
  await using as = await testLatchkey();
  for (const [name, values] of Object.entries(await metadataOf(as))) {
    if (/_alg_values_supported$/.test(name)) assert(values.every((alg) => !alg.startsWith("ML-")), name);
  }
});

test("[JK-07] a login with ML-DSA: jose verifies tokens of several kilobytes, or the start says which runtimes have it", async () => {
  if (!isAvailable) return await assertUnavailable(() => testLatchkey({ alg: "ML-DSA-65" }), "alg");
  for (const alg of algorithms) {
    await using as = await testLatchkey({ alg });
    const { tokens } = await as.logIn(as.client());
    const jwks = await keysOf(as);
    const [key] = jwks.keys;
    assertEquals(
      [key?.kty, key?.alg, bytesOf(String(key?.pub)).length, Object.keys(key!).includes("priv")],
      ["AKP", alg, lengths[alg].publicKey, false],
    );
    for (const token of [tokens.access_token, tokens.id_token!]) {
      const { protectedHeader } = await jwtVerify(token, createLocalJWKSet(jwks), {
        issuer: as.issuer,
        currentDate: new Date(as.clock.now()),
      });
      assertEquals([protectedHeader.alg, protectedHeader.kid], [alg, key?.kid]);
      assertEquals(bytesOf(token.split(".")[2]!).length, lengths[alg].signature);
      assert(token.length > lengths[alg].signature * 4 / 3);
    }
    // Neither standard names the digest: SHAKE256 with 64 bytes.
    const digest = createHash("shake256", { outputLength: 64 }).update(tokens.access_token).digest();
    const claims = JSON.parse(bytesOf(tokens.id_token!.split(".")[1]!).toString());
    assertEquals(claims.at_hash, digest.subarray(0, 32).toString("base64url"));
    const { id_token_signing_alg_values_supported: listed } = await metadataOf(as);
    assertEquals([listed?.at(-1), listed?.filter((name) => name.startsWith("ML-")).length], [alg, 1]);
  }
});

test("[JK-07] DPoP proofs alone may use ML-DSA, where the runtime has it", async () => {
  const settings = { dpop: { algorithms: ["ES256", "ML-DSA-65"] } };
  if (!isAvailable) return await assertUnavailable(() => testLatchkey(settings), "dpop.algorithms[1]");
  await using as = await testLatchkey(settings);
  assertEquals((await metadataOf(as)).dpop_signing_alg_values_supported, settings.dpop.algorithms);
});

test("[JK-07] a client chooses ML-DSA for its ID tokens if signatureAlgorithms lists it", async () => {
  const settings = { signatureAlgorithms: ["RS256", "ML-DSA-65"] };
  const metadata = { id_token_signed_response_alg: "ML-DSA-65" } as const;
  if (!isAvailable) return await assertUnavailable(() => testLatchkey(settings), "signatureAlgorithms[1]");
  await using as = await testLatchkey(settings);
  const { tokens } = await as.logIn(as.client(metadata));
  assertEquals(
    [tokens.access_token, tokens.id_token!].map((token) => decodeProtectedHeader(token).alg),
    ["RS256", "ML-DSA-65"],
  );
  await using withoutIt = await testLatchkey();
  const error = await assertRejects(() => Promise.resolve().then(() => withoutIt.client(metadata)), ConfigurationError);
  assertMatch(error.message, /add it to signatureAlgorithms/);
});

test("[JK-07] keys of ML-DSA rotate: generated keys have their thumbprint as kid, and earlier tokens verify", async () => {
  if (!isAvailable) {
    return await assertUnavailable(() => testLatchkey({ alg: "ML-DSA-65", testKeys: false }), "alg");
  }
  await using as = await testLatchkey({ alg: "ML-DSA-65", testKeys: false });
  const first = await as.mint.idToken();
  await as.rotateKeys("ML-DSA-65", 0);
  const second = await as.mint.idToken();
  const jwks = await keysOf(as);
  assertEquals([first, second].map((token) => decodeProtectedHeader(token).kid), jwks.keys.map(({ kid }) => kid));
  for (const key of jwks.keys) assertEquals(key.kid, await calculateJwkThumbprint(key));
  for (const token of [first, second]) {
    await jwtVerify(token, createLocalJWKSet(jwks), { currentDate: new Date(as.clock.now()) });
  }
});

test("[JK-07] a stored key of ML-DSA is published where the runtime can use it, and breaks no other server", async () => {
  const store = memoryStore();
  const jwk = isAvailable
    ? { ...await generateKey("ML-DSA-65") }
    : { kty: "AKP", alg: "ML-DSA-65", pub: "A", priv: "A" };
  await store.add("key", "ML-DSA-65 0", { kid: "earlier", jwk, signsFrom: 0, longest: 1e9 }, { expiresAt: Infinity });
  await using as = await testLatchkey({ alg: "RS256", store });
  assertEquals((await keysOf(as)).keys.map(({ alg }) => alg), isAvailable ? ["RS256", "ML-DSA-65"] : ["RS256"]);
  const header = Buffer.from(JSON.stringify({ alg: "ML-DSA-65", typ: "at+jwt", kid: "earlier" })).toString("base64url");
  const headers = { authorization: `Bearer ${header}.e30.AAAA` };
  assertEquals((await as.fetch(`${as.issuer}/oauth2/userinfo`, { headers })).status, 401);
});

test("[JK-07] a resource accepts a token of ML-DSA, and rejects a forged one", async () => {
  if (!isAvailable) return await assertUnavailable(() => testLatchkey({ alg: "ML-DSA-65" }), "alg");
  await using as = await testLatchkey({ alg: "ML-DSA-65", seed: 1 });
  const resource = "https://files.example";
  const verifier = jwksVerifier({ issuer: as.issuer, fetch: as.fetch as typeof fetch, now: as.clock.now });
  const outcome = async (token: string) => {
    const request = new Request(resource, { headers: { authorization: `Bearer ${token}` } });
    const result = await requireToken(request, { resource, verifier });
    return result instanceof Response ? result.status : result.sub;
  };
  assertEquals(await outcome(await as.mint.accessToken({ resource })), "alice");
  const forged = await as.mint.accessToken({ resource, signedBy: "wrong key" });
  assertEquals(await outcome(forged), 401);
  await assertRejects(
    async () => await jwtVerify(forged, createLocalJWKSet(await keysOf(as))),
    errors.JWSSignatureVerificationFailed,
  );
  // The signature of another algorithm, with its name in the header.
  const [, claims, signature] = (await as.mint.accessToken({ resource })).split(".");
  const { kid } = decodeProtectedHeader(forged);
  for (const alg of ["ML-DSA-44", "ML-DSA-87", "ES256"]) {
    const header = Buffer.from(JSON.stringify({ alg, typ: "at+jwt", kid })).toString("base64url");
    assertEquals(await outcome(`${header}.${claims}.${signature}`), 401);
  }
});

test("[JK-07] clients authenticate, sign requests and prove possession with ML-DSA", async () => {
  const settings = { signatureAlgorithms: ["RS256", "ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] };
  if (!isAvailable) {
    return await assertUnavailable(() => testLatchkey({ signatureAlgorithms: ["ML-DSA-65"], alg: "ML-DSA-65" }), "alg");
  }
  await using as = await testLatchkey(settings);
  const seconds = Math.floor(as.clock.now() / 1000);
  const context = signingContext(seconds, as.issuer);
  const endpoint = `${as.issuer}/oauth2/token`;
  assertEquals(
    (await metadataOf(as)).dpop_signing_alg_values_supported,
    settings.signatureAlgorithms,
  );
  for (const alg of algorithms) {
    const jwk = { ...await generateKey(alg), kid: "1" } as JWK & { kid: string };
    const { kty, pub } = jwk;
    const publicKey = { kty, alg, pub: pub as string, kid: "1" };
    const { client_id, redirect_uri } = as.client({
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: alg,
      request_object_signing_alg: alg,
      grant_types: ["client_credentials", "authorization_code"],
      jwks: { keys: [publicKey] },
    });
    const key = await importSigningKey(jwk, alg);
    const dpopKey = await createProofKey(jwk, alg);
    assertEquals(dpopKey.thumbprint, await calculateJwkThumbprint(publicKey));
    const body = { grant_type: "client_credentials", scope: "read" };
    const send = async (signer: typeof key, headers: Record<string, string>) =>
      await as.fetch(endpoint, {
        method: "POST",
        headers,
        body: new URLSearchParams({ ...body, ...await assertionOf(client_id, signer, {}, context) }),
      });
    const response = await send(key, { dpop: await proof(dpopKey, "POST", endpoint, seconds) });
    assertEquals([response.status, (await response.json()).token_type], [200, "DPoP"]);
    const attacker = await importSigningKey({ ...await generateKey(alg), kid: "1" } as JWK, alg);
    assertEquals((await (await send(attacker, {})).json()).error, "invalid_client");
    const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    const claims = { client_id, response_type: "code", redirect_uri, scope: "read", code_challenge: challenge };
    const object = await signClientJwt(context, client_id, key, "oauth-authz-req+jwt", {
      claims: { ...claims, code_challenge_method: "S256" },
    });
    const pushed = await as.fetch(`${as.issuer}/oauth2/par`, {
      method: "POST",
      body: new URLSearchParams({ client_id, request: object, ...await assertionOf(client_id, key, {}, context) }),
    });
    assertEquals(pushed.status, 201, await pushed.text());
  }
});

test("[JK-07] a key whose kty, alg and pub do not fit together is rejected", async () => {
  await using as = await testLatchkey();
  const pub = "A".repeat(2603);
  const cases: [key: Record<string, string>, path: string][] = [
    [{ kty: "OKP", alg: "ML-DSA-65", pub }, "jwks.keys[0].crv"],
    [{ kty: "OKP", crv: "Ed25519", x: "A".repeat(42) + "I", alg: "ML-DSA-65" }, "jwks.keys[0].alg"],
    [{ kty: "AKP", pub }, "jwks.keys[0].alg"],
    [{ kty: "AKP", alg: "ES256", pub }, "jwks.keys[0].alg"],
    [{ kty: "AKP", alg: "ML-DSA-44", pub }, "jwks.keys[0].pub"],
    [{ kty: "AKP", alg: "ML-DSA-65", pub, priv: "A".repeat(43) }, "jwks.keys[0]"],
  ];
  for (const [key, path] of cases) {
    const error = await assertRejects(
      // deno-lint-ignore require-await
      async () => as.client({ token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [key] } }),
      ConfigurationError,
    );
    assertEquals(error.issues.map((issue) => issue.path), [path]);
  }
});
