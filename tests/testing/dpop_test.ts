/** DPoP in the mock, and the DPoP of client libraries: openid-client, oauth4webapi and the MCP SDK. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { DpopSession } from "@modelcontextprotocol/client";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { LoginError, type TestLatchkey, type TestLatchkeyOptions } from "../../src/testing/mod.ts";
import { decodeClaims } from "../kit.ts";
import { testLatchkey } from "./test_latchkey.ts";
import { mcpClient, redirectUri } from "./mcp_client.ts";

const userinfoUrl = ({ issuer }: TestLatchkey) => `${issuer}/oauth2/userinfo`;

test("[DO-06, DO-07, DO-08] as.logIn binds code and tokens to a key, which signs the proofs of later requests", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const { tokens, dpop, request } = await as.logIn(client, { dpop: true });
  assert(dpop !== undefined);
  assertEquals(request.searchParams.get("dpop_jkt"), dpop.thumbprint);
  assertEquals([tokens.token_type, decodeClaims(tokens.access_token).cnf], ["DPoP", { jkt: dpop.thumbprint }]);
  const headers = await dpop.headers("GET", userinfoUrl(as), tokens.access_token);
  assertEquals((await (await as.fetch(userinfoUrl(as), { headers })).json()).sub, "alice");
  const stolen = { authorization: `Bearer ${tokens.access_token}` };
  assertEquals((await as.fetch(userinfoUrl(as), { headers: stolen })).status, 401);
  const renewed = await as.refresh(client, tokens.refresh_token!, {}, dpop);
  assertEquals(renewed.token_type, "DPoP");
  const otherKey = await as.dpopKey();
  for (const [key, code] of [[undefined, "invalid_dpop_proof"], [otherKey, "invalid_grant"]] as const) {
    const rejection = await assertRejects(() => as.refresh(client, renewed.refresh_token!, {}, key), LoginError);
    assertEquals(rejection.error, code);
  }
  const plain = await as.logIn(client);
  assertEquals([plain.tokens.token_type, plain.dpop], ["Bearer", undefined]);
});

test("[DO-05, DO-08] as.logIn repeats requests with the nonce, uses a given key, and binds pushed requests", async () => {
  await using as = await testLatchkey({ dpop: { nonce: "required" } });
  const key = await as.dpopKey();
  for (const par of [false, true]) {
    const { tokens, dpop } = await as.logIn(as.client({ confidential: par }), { dpop: key, par });
    assertEquals([dpop, decodeClaims(tokens.access_token).cnf], [key, { jkt: key.thumbprint }]);
  }
});

test("[DO-06] as.logIn creates a key where the client or the server demands bound tokens", async () => {
  await using as = await testLatchkey();
  const { tokens } = await as.logIn(as.client({ dpop_bound_access_tokens: true }));
  assertEquals(tokens.token_type, "DPoP");
  await using strict = await testLatchkey({ requireSenderConstrainedTokens: true });
  const client = strict.client();
  assertEquals((await strict.logIn(client)).tokens.token_type, "DPoP");
  const rejection = await assertRejects(() => strict.logIn(client, { dpop: false }), LoginError);
  assertEquals([rejection.error, rejection.explanation?.rule], ["invalid_dpop_proof", "DO-06"]);
});

test("[DO-01, DO-02, DO-03] a key signs proofs with defects, and each is rejected with its rule", async () => {
  await using as = await testLatchkey();
  const { tokens, dpop } = await as.logIn(as.client(), { dpop: true });
  const rules: Record<string, string | undefined> = {};
  for (
    const [name, options] of Object.entries(
      {
        DO01: { signedBy: "wrong key" },
        DO01typ: { header: { typ: "JWT" } },
        DO02: { claims: { htm: "POST" } },
        DO03: { claims: { iat: 0 } },
        DO09: { claims: { ath: undefined } },
      } as const,
    )
  ) {
    const headers = await dpop!.headers("GET", userinfoUrl(as), tokens.access_token, options);
    assertEquals((await as.fetch(userinfoUrl(as), { headers })).status, 401);
    rules[name] = as.log.exchanges.at(-1)?.rejection?.explanation.rule;
  }
  assertEquals(rules, { DO01: "DO-01", DO01typ: "DO-01", DO02: "DO-02", DO03: "DO-03", DO09: "DO-09" });
  await assertRejects(() => dpop!.proof("GET", userinfoUrl(as), { nonse: "x" } as never), TypeError, "nonse");
});

test("[DO-06] minted tokens and codes are bound to a key, and a seed yields the same proofs but for the signature", async () => {
  await using as = await testLatchkey({ seed: 1, startsAt: "2026-01-01" });
  const client = as.client();
  const dpop = await as.dpopKey();
  const minted = await as.mint.tokens({ client, dpop });
  assertEquals([minted.token_type, decodeClaims(minted.access_token).cnf], ["DPoP", { jkt: dpop.thumbprint }]);
  const accessToken = await as.mint.accessToken({ client, dpop });
  const headers = await dpop.headers("GET", userinfoUrl(as), accessToken);
  assertEquals((await as.fetch(userinfoUrl(as), { headers })).status, 200);
  const refreshToken = await as.mint.refreshToken({ client, dpop });
  assertEquals((await as.refresh(client, refreshToken, {}, dpop)).token_type, "DPoP");
  const verifier = "v".repeat(43);
  const code = await as.mint.code({ client, dpop, verifier });
  const fields = { grant_type: "authorization_code", code, redirect_uri: client.redirect_uri, code_verifier: verifier };
  const rejection = await assertRejects(() => as.token(client, fields), LoginError);
  assertEquals(rejection.explanation?.rule, "DO-08");
  assertEquals((await as.token(client, fields, dpop)).token_type, "DPoP");
  const proofOf = async () => {
    await using seeded = await testLatchkey({ seed: 7, startsAt: "2026-01-01" });
    seeded.clock.freeze();
    return await (await seeded.dpopKey()).proof("GET", "https://api.test/?x#y");
  };
  const proof = await proofOf();
  const signed = (jwt: string) => jwt.split(".").slice(0, 2);
  assertEquals(signed(proof), signed(await proofOf()));
  assertEquals(decodeClaims(proof).htu, "https://api.test/");
});

test("[DO-09] the log links requests with a bound token to its flow, and shows neither token nor proof", async () => {
  await using as = await testLatchkey();
  const { tokens, dpop } = await as.logIn(as.client(), { dpop: true });
  const headers = await dpop!.headers("GET", userinfoUrl(as), tokens.access_token);
  await as.fetch(userinfoUrl(as), { headers });
  assertEquals(new Set(as.log.exchanges.map(({ flow }) => flow)).size, 1);
  const text = String(as.log);
  assert(!text.includes(tokens.access_token) && !text.includes(headers.dpop), text);
});

/** Settings of each journey: without and with nonces. */
const journeys: readonly TestLatchkeyOptions[] = [{}, { dpop: { nonce: "required" } }];

test("[DO-05, DO-06, DO-07, DO-09] openid-client logs in with DPoP, refreshes and fetches userinfo, with nonces too", async () => {
  for (const options of journeys) {
    await using as = await testLatchkey({ ...options, requireSenderConstrainedTokens: true });
    const { client_id, redirect_uri } = as.client();
    const config = await openid.discovery(new URL(as.issuer), client_id, undefined, openid.None(), {
      [openid.customFetch]: as.fetch as openid.CustomFetch,
      execute: [openid.enableNonRepudiationChecks],
    });
    const keys = await openid.randomDPoPKeyPair("ES256");
    const DPoP = openid.getDPoPHandle(config, keys);
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const parameters = {
      redirect_uri,
      scope: "openid email",
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    };
    const dpop_jkt = await DPoP.calculateThumbprint();
    for (
      const url of [
        openid.buildAuthorizationUrl(config, { ...parameters, dpop_jkt }),
        await openid.buildAuthorizationUrlWithPAR(config, parameters, { DPoP }),
      ]
    ) {
      const callback = new URL((await as.browser().authorize(url)).url);
      const tokens = await openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier }, undefined, { DPoP });
      assertEquals([tokens.token_type, decodeClaims(tokens.access_token).cnf], ["dpop", { jkt: dpop_jkt }]);
      const { sub } = tokens.claims()!;
      const info = await openid.fetchUserInfo(config, tokens.access_token, sub, { DPoP });
      assertEquals([info.sub, info.email], ["alice", "alice@example.com"]);
      const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP });
      assertEquals((await openid.fetchUserInfo(config, renewed.access_token, sub, { DPoP })).sub, sub);
      const other = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair("Ed25519"));
      const rejection = await assertRejects(
        () => openid.refreshTokenGrant(config, renewed.refresh_token!, undefined, { DPoP: other }),
        openid.ResponseBodyError,
      );
      assertEquals(rejection.error, "invalid_grant");
    }
  }
});

test("[DO-09, SC-13] oauth4webapi validates a bound token as a resource", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const { tokens, dpop } = await as.logIn(client, { dpop: true });
  const options = { [oauth.customFetch]: as.fetch };
  const issuer = new URL(as.issuer);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const url = "https://api.test/notes?x=1";
  const headers = await dpop!.headers("POST", url, tokens.access_token);
  const request = new Request(url, { method: "POST", headers });
  const claims = await oauth.validateJwtAccessToken(server, request, as.issuer, { ...options, requireDPoP: true });
  assertEquals(claims.cnf, { jkt: dpop!.thumbprint });
});

const scenarios = [
  ["auth/dpop: the client of the MCP SDK logs in and calls a tool with bound tokens", journeys[0]!],
  ["auth/dpop-nonce: the client of the MCP SDK does the same with nonces", journeys[1]!],
] as const;

for (const [title, options] of scenarios) {
  test(title, async () => {
    // On the origin of the authorization server the SDK has one place for the nonces of both.
    for (const location of ["https://mcp.example/mcp", "/mcp"]) {
      await using as = await testLatchkey({ ...options, profile: "mcp", requireSenderConstrainedTokens: true });
      const { url } = as.resource(location);
      const { client_id } = as.client({ redirect_uri: redirectUri });
      const session = await DpopSession.create();
      const mcp = mcpClient(as, url, {
        client: { client_id, issuer: as.issuer },
        provider: { dpop: () => session },
      });
      const { sub } = await mcp.call("whoami");
      assertEquals([sub, mcp.stored.tokens?.token_type], ["alice", "DPoP"]);
      assertEquals(decodeClaims(mcp.stored.tokens!.access_token).cnf, { jkt: session.thumbprint });
      assertEquals((await mcp.call("whoami")).sub, "alice");
    }
  });
}
