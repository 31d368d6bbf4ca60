/**
 * DPoP: codes, refresh tokens and tokens of the other grant types are bound to a key (RFC 9449, group DO).
 *
 * @extensions assertion_grants, client_documents, par, token_exchange
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../../../src/mod.ts";
import { storeKinds } from "../../../platform/store/store_kinds.ts";
import { openBrowser } from "../../browser.ts";
import {
  basicHeader,
  confidentialClient,
  countOutcomes,
  fetchIntrospection,
  findLastRule,
  publicClient,
  publicTokens,
  refresh,
  testClients,
  userinfo,
} from "../../client_endpoints.ts";
import type { Tokens } from "../../client_endpoints.ts";
import { type ClientKey, clientKey, proof, startSeconds, tokenProof } from "../../client_jwts.ts";
import { exchangeAssertion, foreignIssuer, jwtBearer } from "../../foreign_issuer.ts";
import {
  assertAuthorizationResponse,
  assertTokenResponse,
  decodeClaims,
  encode,
  forEachCase,
  getOutcome,
  getRedirectParams,
  goodRequest,
  testServer,
  webRequest,
  webToken,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";
import { getCode, openPage, submit } from "../../page_navigation.ts";

const key = await clientKey();
const otherKey = await clientKey("EdDSA");
const invalidProof = "400 invalid_dpop_proof";
const invalidGrant = "400 invalid_grant";
const parUrl = "https://as.test/oauth2/par";
const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;

/** A token request with a proof, or without. */
async function exchangeCode(server: TestServer, code: string, by?: ClientKey, fields: Fields = {}): Promise<Response> {
  return server.token({ code, ...fields }, { headers: by === undefined ? {} : await tokenProof(by) });
}

/** POST /oauth2/par for `spa`. */
function push(server: TestServer, fields: Fields = {}, headers: HeadersInit = {}): Promise<Response> {
  return server.post("/oauth2/par", { ...goodRequest, ...fields }, headers);
}

const parProof = async (by: ClientKey, changes = {}) => ({
  dpop: await proof(by, "POST", parUrl, startSeconds, changes),
});

/** The code of a pushed request. */
async function pushedCode(server: TestServer, fields: Fields, headers: HeadersInit): Promise<string> {
  const { request_uri } = await (await push(server, fields, headers)).json();
  // Parameters outside of the pushed request have no effect.
  const query = encode({ client_id: "spa", request_uri, dpop_jkt: otherKey.thumbprint });
  return getRedirectParams(await server.get(`/oauth2/authorize?${query}`)).get("code")!;
}

/** A code is exchanged by the key, and by nothing else; failed attempts leave it usable. */
async function assertBoundCode(server: TestServer, code: string): Promise<void> {
  assertEquals(await getOutcome(await exchangeCode(server, code)), invalidProof);
  assertEquals(findLastRule(server), "DO-08");
  assertEquals(await getOutcome(await exchangeCode(server, code, otherKey)), invalidGrant);
  assertEquals(findLastRule(server), "DO-08");
  const { access_token, token_type } = await assertTokenResponse(await exchangeCode(server, code, key));
  assertEquals([token_type, decodeClaims(access_token).cnf], ["DPoP", { jkt: key.thumbprint }]);
}

test("[DO-08, CI-03] dpop_jkt binds the code to the key: another key and no proof are rejected", async () => {
  const server = await testServer();
  await assertBoundCode(server, await server.code({ dpop_jkt: key.thumbprint }));
});

test("[DO-08] the code of a confidential client is bound, too", async () => {
  const server = await testServer();
  const code = await server.code({ ...webRequest, dpop_jkt: key.thumbprint });
  const send = (headers: Record<string, string>) =>
    server.token({ ...webToken, code }, { headers: { ...basicHeader("web"), ...headers } });
  assertEquals(await getOutcome(await send({})), invalidProof);
  assertEquals(await getOutcome(await send(await tokenProof(otherKey))), invalidGrant);
  assertEquals((await assertTokenResponse(await send(await tokenProof(key)))).token_type, "DPoP");
});

test("[DO-08] a dpop_jkt that is no thumbprint is rejected by redirect and at PAR", async () => {
  const server = await testServer();
  await forEachCase(
    ["x", `${key.thumbprint}x`, key.thumbprint.slice(1), `${key.thumbprint.slice(1)}=`],
    async (jkt) => {
      assertEquals(assertAuthorizationResponse(await server.authorize({ dpop_jkt: jkt })).error, "invalid_request");
      assertEquals(findLastRule(server), "DO-08");
      assertEquals(await getOutcome(await push(server, { dpop_jkt: jkt })), "400 invalid_request");
    },
  );
});

test("[DO-08] a binding survives login, consent and a reload of the pages", async () => {
  const server = await testServer({ login: "interactive" });
  const browser = openBrowser(server);
  const response = await browser.authorize({ dpop_jkt: key.thumbprint });
  const path = new URL(response.headers.get("location")!, "https://as.test");
  const login = await openPage(browser, path.pathname + path.search, await browser.get(path.pathname + path.search));
  const consent = await submit(browser, login, "sub", "bob");
  const code = getCode(await submit(browser, consent, "decision", "allow"));
  await assertBoundCode(server, code);
});

test("[DO-08] a DPoP header at PAR binds the code like dpop_jkt; a parameter of the browser does not replace it", async () => {
  const server = await testServer();
  await assertBoundCode(server, await pushedCode(server, {}, await parProof(key)));
  await assertBoundCode(server, await pushedCode(server, { dpop_jkt: key.thumbprint }, {}));
  await assertBoundCode(server, await pushedCode(server, { dpop_jkt: key.thumbprint }, await parProof(key)));
});

test("[DO-08] at PAR an invalid proof, and dpop_jkt of another key, are rejected", async () => {
  const server = await testServer();
  assertEquals(
    await getOutcome(await push(server, { dpop_jkt: otherKey.thumbprint }, await parProof(key))),
    invalidProof,
  );
  assertEquals(findLastRule(server), "DO-08");
  await forEachCase<Record<string, unknown>>([
    { htu: "https://as.test/oauth2/token" },
    { htm: "GET" },
    { iat: startSeconds - 61 },
  ], async (claims) => {
    assertEquals(await getOutcome(await push(server, {}, await parProof(key, { claims }))), invalidProof);
  });
  const used = await parProof(key);
  assertEquals((await push(server, {}, used)).status, 201);
  assertEquals(await getOutcome(await push(server, {}, used)), invalidProof);
  assertEquals(findLastRule(server), "DO-04");
});

test("[DO-08] PAR needs no proof, even of a client that gets no token without one", async () => {
  const server = await testServer({ requireSenderConstrainedTokens: true });
  assertEquals((await push(server)).status, 201);
});

const refreshing: LatchkeyOptions = {
  ...testClients,
  clients: [
    ...testClients.clients,
    confidentialClient("bound-web", { dpop_bound_access_tokens: true }),
    publicClient("bound", { dpop_bound_access_tokens: true }),
  ],
};

test("[DO-07, RT-02] the refresh token of a public client is bound to the key, and failed attempts change nothing", async () => {
  const server = await testServer(refreshing);
  const first = await assertTokenResponse(await exchangeCode(server, await server.code(), key)) as Tokens;
  assertEquals(await getOutcome(await refresh(server, first.refresh_token)), invalidProof);
  assertEquals(findLastRule(server), "DO-07");
  assertEquals(
    await getOutcome(await refresh(server, first.refresh_token, {}, await tokenProof(otherKey))),
    invalidGrant,
  );
  assertEquals(findLastRule(server), "DO-07");
  const second = await assertTokenResponse(
    await refresh(server, first.refresh_token, {}, await tokenProof(key)),
  ) as Tokens;
  assertEquals([second.token_type, decodeClaims(second.access_token).cnf], ["DPoP", { jkt: key.thumbprint }]);
  assertEquals((await fetchIntrospection(server, first.access_token)).active, true);
});

test("[DO-07, RT-03] a bound refresh token does not rotate, unless refresh.rotateBound or the profile mcp demands it", async () => {
  for (
    const [options, rotates] of [[{}, false], [{ refresh: { rotateBound: true } }, true], [
      { profile: "mcp" },
      true,
    ]] as const
  ) {
    const server = await testServer({ ...refreshing, ...options });
    const first = await assertTokenResponse(await exchangeCode(server, await server.code(), key)) as Tokens;
    const send = async (token: string) => refresh(server, token, {}, await tokenProof(key));
    const second = await assertTokenResponse(await send(first.refresh_token)) as Tokens;
    assertEquals(second.refresh_token !== first.refresh_token, rotates);
    assertEquals(
      await getOutcome(await refresh(server, second.refresh_token, {}, await tokenProof(otherKey))),
      invalidGrant,
    );
    assertEquals(await getOutcome(await send(first.refresh_token)), rotates ? invalidGrant : "200");
    const plain = await publicTokens(server);
    const next = await assertTokenResponse(await refresh(server, plain.refresh_token)) as Tokens;
    assertEquals(next.refresh_token === plain.refresh_token, false);
  }
});

test("[DO-07] a confidential client refreshes with a new key, and the new access token is bound to it", async () => {
  const server = await testServer(refreshing);
  for (const client_id of ["web", "bound-web"]) {
    const code = await server.code({ ...webRequest, client_id });
    const headers = basicHeader(client_id);
    const first = await assertTokenResponse(
      await server.token({ ...webToken, code }, { headers: { ...headers, ...await tokenProof(key) } }),
    ) as Tokens;
    const second = await assertTokenResponse(
      await refresh(server, first.refresh_token, {}, { ...headers, ...await tokenProof(otherKey) }),
    );
    assertEquals(decodeClaims(second.access_token).cnf, { jkt: otherKey.thumbprint });
    const withoutProof = await getOutcome(await refresh(server, first.refresh_token, {}, headers));
    assertEquals(withoutProof, client_id === "web" ? "200" : invalidProof);
  }
});

test("[DO-07] a refresh with a proof binds the next refresh token of a public client, too", async () => {
  const server = await testServer(refreshing);
  const first = await publicTokens(server);
  const second = await assertTokenResponse(
    await refresh(server, first.refresh_token, {}, await tokenProof(key)),
  ) as Tokens;
  assertEquals(decodeClaims(second.access_token).cnf, { jkt: key.thumbprint });
  assertEquals(await getOutcome(await refresh(server, second.refresh_token)), invalidProof);
  assertEquals(
    await getOutcome(await refresh(server, second.refresh_token, {}, await tokenProof(otherKey))),
    invalidGrant,
  );
  assertEquals(await getOutcome(await refresh(server, second.refresh_token, {}, await tokenProof(key))), "200");
});

test("[DO-07, RT-05] a repetition within refresh.grace needs the key that the first use has bound the next token to", async () => {
  const server = await testServer({ ...refreshing, refresh: { grace: 10 } });
  const first = await publicTokens(server);
  const send = (headers = {}) => refresh(server, first.refresh_token, {}, headers);
  const second = await assertTokenResponse(await send(await tokenProof(key))) as Tokens;
  assertEquals(await getOutcome(await send()), invalidProof);
  assertEquals(findLastRule(server), "DO-07");
  assertEquals(await getOutcome(await send(await tokenProof(otherKey))), invalidGrant);
  const repeated = await assertTokenResponse(await send(await tokenProof(key))) as Tokens;
  assertEquals(repeated.refresh_token, second.refresh_token);
  assertEquals(await getOutcome(await refresh(server, second.refresh_token)), invalidProof);
  assertEquals(await getOutcome(await refresh(server, second.refresh_token, {}, await tokenProof(key))), "200");
});

test("[DO-06, JB-14, IJ-19] the JWT bearer grant binds its token, and requires the key of a bound assertion", async () => {
  const idp = await foreignIssuer();
  const clients = [...testClients.clients, confidentialClient("gateway", { grant_types: [jwtBearer] })];
  for (const grantProfile of [undefined, "id-jag"] as const) {
    const server = await testServer({ ...testClients, clients, trustedIssuers: [idp.entry({ grantProfile })] });
    const assertion = (claims: Record<string, unknown> = {}) =>
      idp.assertion("alice", {
        claims: { client_id: "gateway", ...claims },
        header: grantProfile && { typ: "oauth-id-jag+jwt" },
      });
    const send = async (text: string, by?: ClientKey) =>
      await server.post("/oauth2/token", { grant_type: jwtBearer, assertion: text }, {
        ...basicHeader("gateway"),
        ...by && await tokenProof(by),
      });
    const { access_token, token_type } = await assertTokenResponse(await send(await assertion(), key));
    assertEquals([token_type, decodeClaims(access_token).cnf], ["DPoP", { jkt: key.thumbprint }]);
    const bound = await assertion({ cnf: { jkt: key.thumbprint } });
    for (const by of [undefined, otherKey]) {
      assertEquals(await getOutcome(await send(bound, by)), invalidGrant);
      assertEquals(findLastRule(server), "IJ-19");
    }
    const fromBound = await assertTokenResponse(await send(bound, key));
    assertEquals(decodeClaims(fromBound.access_token).cnf, { jkt: key.thumbprint });
    await forEachCase([{ "x5t#S256": key.thumbprint }, {}, null, "x", { jkt: 1 }], async (cnf) => {
      assertEquals(await getOutcome(await send(await assertion({ cnf }), key)), invalidGrant);
    });
    assertEquals(await getOutcome(await exchangeAssertion(server, await assertion())), "200");
  }
});

test("[TX-04, DO-06] a bound subject or actor token needs its proof, and the exchanged token is bound", async () => {
  const grant_types = [tokenExchange, "client_credentials"];
  const clients = [...testClients.clients, confidentialClient("gateway", { grant_types })];
  const server = await testServer({ ...testClients, clients, tokenExchange: {} });
  const { access_token: subject } = await assertTokenResponse(await exchangeCode(server, await server.code(), key));
  const { access_token: plain } = await publicTokens(server);
  const actorRequest = { grant_type: "client_credentials" };
  const { access_token: actor } = await assertTokenResponse(
    await server.post("/oauth2/token", actorRequest, { ...basicHeader("gateway"), ...await tokenProof(key) }),
  );
  const exchange = async (fields: Fields, by?: ClientKey) =>
    await server.post("/oauth2/token", {
      grant_type: tokenExchange,
      subject_token_type: type("access_token"),
      ...fields,
    }, { ...basicHeader("gateway"), ...by && await tokenProof(by) });
  const byActor = { subject_token: plain, actor_token: actor, actor_token_type: type("access_token") };
  for (const fields of [{ subject_token: subject }, byActor]) {
    for (const by of [undefined, otherKey]) {
      assertEquals(await getOutcome(await exchange(fields, by)), "400 invalid_request");
      assertEquals(findLastRule(server), "TX-04");
    }
    const { access_token, token_type } = await assertTokenResponse(await exchange(fields, key));
    assertEquals([token_type, decodeClaims(access_token).cnf], ["DPoP", { jkt: key.thumbprint }]);
  }
  const unbound = await assertTokenResponse(await exchange({ subject_token: plain }));
  assertEquals([unbound.token_type, (await userinfo(server, unbound.access_token)).status], ["Bearer", 403]);
});

test("[IJ-11] an ID-JAG that was requested with a proof is bound to the key, and token_type stays N_A", async () => {
  const audience = "https://auth.chat.test";
  const grant_types = ["authorization_code", "refresh_token", tokenExchange];
  const clients = [...testClients.clients, publicClient("cli", { grant_types })];
  const resourceAuthorizationServers = [{ issuer: audience, allowPublicClients: true }];
  const server = await testServer({ ...testClients, clients, resourceAuthorizationServers });
  const login = await exchangeCode(server, await server.code({ client_id: "cli" }), key, { client_id: "cli" });
  const { refresh_token, id_token } = await assertTokenResponse(login) as Tokens;
  const request = async (subject: Fields, by?: ClientKey) =>
    server.post("/oauth2/token", {
      ...{ grant_type: tokenExchange, requested_token_type: type("id-jag"), audience, client_id: "cli" },
      ...subject,
    }, by === undefined ? {} : await tokenProof(by));
  const byIdToken = { subject_token: id_token, subject_token_type: type("id_token") };
  const byRefreshToken = { subject_token: refresh_token, subject_token_type: type("refresh_token") };
  for (const subject of [byIdToken, byRefreshToken]) {
    const response = await request(subject, key);
    const { access_token, token_type } = await response.json();
    assertEquals([token_type, decodeClaims(access_token).cnf], ["N_A", { jkt: key.thumbprint }]);
  }
  assertEquals(decodeClaims((await (await request(byIdToken)).json()).access_token).cnf, undefined);
  for (const by of [undefined, otherKey]) {
    assertEquals(await getOutcome(await request(byRefreshToken, by)), "400 invalid_request");
  }
});

for (const [name, skip, create] of storeKinds) {
  test(`[DO-04] on ${name} one of 20 concurrent uses of a proof succeeds, at two instances`, { skip }, async () => {
    const open = create();
    const servers = [
      await testServer({ ...testClients, store: await open() }),
      await testServer({ ...testClients, store: await open() }),
    ] as const;
    const dpop = await proof(key, "POST", "https://as.test/oauth2/token", startSeconds);
    const responses = await Promise.all(
      Array.from(
        { length: 20 },
        (_, i) =>
          servers[i % 2]!.post("/oauth2/token", { grant_type: "client_credentials", scope: "read" }, {
            ...basicHeader("machine"),
            dpop,
          }),
      ),
    );
    assertEquals(await countOutcomes(responses), { "200": 1, [invalidProof]: 19 });
    for (const { as } of servers) await as.close();
  });
}
