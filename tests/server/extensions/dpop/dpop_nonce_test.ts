/**
 * DPoP nonces of the authorization server and of userinfo (RFC 9449 §8, §9; group DO).
 *
 * @extensions par
 */

import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { test } from "node:test";
import { type LatchkeyOptions, memoryStore } from "../../../../src/mod.ts";
import { basicHeader, findLastRule, testClients } from "../../client_endpoints.ts";
import { clientKey, proof, startSeconds, tokenDigest } from "../../client_jwts.ts";
import { assertTokenResponse, getOutcome, goodRequest, type TestServer, testServer } from "../../../kit.ts";

const key = await clientKey();
const options: LatchkeyOptions = { ...testClients, dpop: { nonce: "required" } };
const useNonce = "400 use_dpop_nonce";

/** A token request of `machine` with a proof that has this nonce. */
async function machineToken(server: TestServer, nonce: string | undefined, claims: Record<string, unknown> = {}) {
  const dpop = await proof(key, "POST", "https://as.test/oauth2/token", startSeconds, { claims: { nonce, ...claims } });
  return server.post("/oauth2/token", { grant_type: "client_credentials", scope: "read" }, {
    ...basicHeader("machine"),
    dpop,
    origin: "https://spa.example",
  });
}

/** The nonce of a response: one header, which scripts can read, in a response that is not cached. */
function nonceOf({ headers }: Response): string {
  const nonce = headers.get("dpop-nonce") ?? "";
  assertMatch(nonce, /^[\w-]{43}$/);
  assertMatch(headers.get("access-control-expose-headers")!, /\bDPoP-Nonce\b/);
  assertEquals(headers.get("cache-control"), "no-store");
  return nonce;
}

/** GET /oauth2/userinfo with a bound token. */
async function getUserinfo(server: TestServer, token: string, nonce: string | undefined, iat = startSeconds) {
  const claims = { nonce, ath: await tokenDigest(token), iat };
  const dpop = await proof(key, "GET", "https://as.test/oauth2/userinfo", startSeconds, { claims });
  return server.get("/oauth2/userinfo", { headers: { authorization: `DPoP ${token}`, dpop } });
}

async function userinfoOutcome(response: Response): Promise<string> {
  await response.body?.cancel();
  const [, error] = /^DPoP .*?error="(\w+)"/.exec(response.headers.get("www-authenticate") ?? "") ?? [];
  return [response.status, error].join(" ").trim();
}

test("[DO-05, HT-05] without a nonce the request is 400 use_dpop_nonce, and succeeds with the nonce of the response", async () => {
  const server = await testServer(options);
  const first = await machineToken(server, undefined);
  const nonce = nonceOf(first);
  assertEquals(await getOutcome(first), useNonce);
  assertEquals(findLastRule(server), "DO-05");
  const second = await machineToken(server, nonce);
  assertEquals(nonceOf(second), nonce);
  await assertTokenResponse(second);
  for (const wrong of ["", "x", nonce.slice(1), `${nonce}x`, nonce.toLowerCase()]) {
    const response = await machineToken(server, wrong);
    assertEquals(nonceOf(response), nonce);
    assertEquals(await getOutcome(response), useNonce);
  }
  assertEquals(await getOutcome(await machineToken(server, undefined, { nonce: 1 })), useNonce);
});

test("[DO-05] a nonce is rejected after minutes, and the response of its successor has the newer one", async () => {
  const server = await testServer(options);
  const nonce = nonceOf(await machineToken(server, undefined));
  server.advance(120);
  const response = await machineToken(server, nonce);
  const newer = nonceOf(response);
  assertNotEquals(newer, nonce);
  assertEquals(await getOutcome(response), "200");
  server.advance(120);
  assertEquals(await getOutcome(await machineToken(server, nonce)), useNonce);
  assertEquals(await getOutcome(await machineToken(server, newer)), "200");
});

test("[DO-03, DO-05] the nonce replaces the limit of the past, never that of the future", async () => {
  const server = await testServer(options);
  const nonce = nonceOf(await machineToken(server, undefined));
  for (const offset of [-3600, -86_400, 60]) {
    assertEquals(await getOutcome(await machineToken(server, nonce, { iat: startSeconds + offset })), "200");
  }
  for (const claims of [{ iat: startSeconds + 61 }, { exp: startSeconds }]) {
    assertEquals(await getOutcome(await machineToken(server, nonce, claims)), "400 invalid_dpop_proof");
  }
});

test("[DO-04, DO-05] a proof with a nonce is accepted once, for as long as its nonce is", async () => {
  const store = memoryStore();
  const server = await testServer({ ...options, store });
  const nonce = nonceOf(await machineToken(server, undefined));
  const send = () => machineToken(server, nonce, { jti: "once" });
  assertEquals(await getOutcome(await send()), "200");
  assertEquals(await getOutcome(await send()), "400 invalid_dpop_proof");
  server.advance(239);
  await store.deleteExpired((startSeconds + 239) * 1000);
  assertEquals(await getOutcome(await send()), "400 invalid_dpop_proof");
  server.advance(1);
  assertEquals(await getOutcome(await send()), useNonce);
});

test("[DO-05] instances with one store accept each other's nonces, other issuers do not", async () => {
  const store = { ...memoryStore(), persistent: true };
  const [one, two] = [await testServer({ ...options, store }), await testServer({ ...options, store })];
  const nonce = nonceOf(await machineToken(one, undefined));
  assertEquals(await getOutcome(await machineToken(two, nonce)), "200");
  const other = await testServer({ ...options, store, issuer: "https://other.test" });
  assertNotEquals(
    nonceOf(
      await other.post("/oauth2/token", { grant_type: "client_credentials" }, {
        ...basicHeader("machine"),
        dpop: await proof(key, "POST", "https://other.test/oauth2/token", startSeconds),
      }),
    ),
    nonce,
  );
});

test("[DO-05] a missing nonce uses no code up, and PAR demands one for a proof", async () => {
  const server = await testServer(options);
  const code = await server.code();
  const exchangeCode = async (nonce?: string) =>
    server.token({ code }, {
      headers: { dpop: await proof(key, "POST", "https://as.test/oauth2/token", startSeconds, { claims: { nonce } }) },
    });
  const rejected = await exchangeCode();
  assertEquals(await getOutcome(rejected), useNonce);
  assertEquals((await assertTokenResponse(await exchangeCode(nonceOf(rejected)))).token_type, "DPoP");
  const push = async (nonce?: string) =>
    server.post("/oauth2/par", goodRequest, {
      dpop: await proof(key, "POST", "https://as.test/oauth2/par", startSeconds, { claims: { nonce } }),
    });
  const pushed = await push();
  assertEquals(await getOutcome(pushed), useNonce);
  const accepted = await push(nonceOf(pushed));
  assertEquals([accepted.status, nonceOf(accepted)], [201, nonceOf(pushed)]);
  assertEquals((await server.post("/oauth2/par", goodRequest)).status, 201);
});

test("[DO-05, DO-09] userinfo has nonces of its own: 401 use_dpop_nonce with the challenge of DPoP", async () => {
  const server = await testServer(options);
  const ofToken = nonceOf(await machineToken(server, undefined));
  const code = await server.code();
  const { access_token } = await assertTokenResponse(
    await server.token({ code }, {
      headers: {
        dpop: await proof(key, "POST", "https://as.test/oauth2/token", startSeconds, { claims: { nonce: ofToken } }),
      },
    }),
  );
  for (const nonce of [undefined, ofToken]) {
    const response = await getUserinfo(server, access_token, nonce);
    nonceOf(response);
    assertEquals(await userinfoOutcome(response), "401 use_dpop_nonce");
  }
  const nonce = nonceOf(await getUserinfo(server, access_token, undefined));
  const accepted = await getUserinfo(server, access_token, nonce, startSeconds - 3600);
  assertEquals(nonceOf(accepted), nonce);
  assertEquals(await userinfoOutcome(accepted), "200");
  assertEquals(await getOutcome(await machineToken(server, nonce)), useNonce);
});

test("[DO-05] without the setting no response has a nonce, and a nonce in a proof is ignored", async () => {
  const server = await testServer(testClients);
  const response = await machineToken(server, "x");
  assertEquals([await getOutcome(response), response.headers.get("dpop-nonce")], ["200", null]);
});
