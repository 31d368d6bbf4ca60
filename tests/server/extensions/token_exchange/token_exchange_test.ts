/**
 * Token exchange: an access token for one with less access (group TX).
 *
 * @extensions pairwise
 */

import { assert, assertArrayIncludes, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import { ConfigurationError, memoryStore } from "../../../../src/mod.ts";
import type { TokenExchangeSettings } from "../../../../src/server/extensions/token_exchange/settings.ts";
import {
  basicHeader,
  confidentialClient,
  fetchIntrospection,
  findLastRule,
  isActive,
  publicClient,
  publicTokens,
  refreshTokens,
  testClients,
} from "../../client_endpoints.ts";
import {
  assertTokenResponse,
  decodeClaims,
  forEachCase,
  getOutcome,
  getRejections,
  type ListedOptions,
  testServer,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";
const api = "https://api.test";

const exchangeOptions: ListedOptions = {
  ...testClients,
  tokenExchange: {},
  clients: [
    ...testClients.clients,
    confidentialClient("gateway", { grant_types: [tokenExchange, "refresh_token", "client_credentials"] }),
    confidentialClient("reader", { grant_types: [tokenExchange], redirect_uris: undefined, scope: "read" }),
    confidentialClient("served", { grant_types: [tokenExchange], redirect_uris: undefined, serves: [api] }),
    publicClient("cli", { grant_types: [tokenExchange], redirect_uris: undefined }),
  ],
};

function exchange(server: TestServer, fields: Fields, client = "gateway"): Promise<Response> {
  const request = { grant_type: tokenExchange, subject_token_type: accessTokenType, ...fields };
  return server.post("/oauth2/token", request, basicHeader(client));
}

/** The access token of `gateway` itself. */
async function actorToken(server: TestServer, client = "gateway"): Promise<string> {
  const response = await server.post("/oauth2/token", { grant_type: "client_credentials" }, basicHeader(client));
  return (await assertTokenResponse(response)).access_token;
}

test("[TX-01] only an authenticated client that is registered for the grant exchanges tokens, while the setting is on", async () => {
  const server = await testServer(exchangeOptions);
  const { access_token: subject_token } = await publicTokens(server);
  const metadata = await (await server.get("/.well-known/oauth-authorization-server")).json();
  assertArrayIncludes(metadata.grant_types_supported, [tokenExchange]);
  assertEquals("identity_chaining_requested_token_types_supported" in metadata, false);
  assertEquals(await getOutcome(await exchange(server, { subject_token })), "200");
  assertEquals(await getOutcome(await exchange(server, { subject_token }, "web")), "400 unauthorized_client");
  const asPublic = { grant_type: tokenExchange, subject_token_type: accessTokenType, subject_token, client_id: "cli" };
  assertEquals(await getOutcome(await server.post("/oauth2/token", asPublic)), "400 unauthorized_client");
  assertEquals(
    await getOutcome(await server.post("/oauth2/token", { ...asPublic, client_id: undefined })),
    "401 invalid_client",
  );
  const open = await testServer({ ...exchangeOptions, tokenExchange: { allowPublicClients: true } });
  const fields = { ...asPublic, subject_token: (await publicTokens(open)).access_token };
  assertEquals(await getOutcome(await open.post("/oauth2/token", fields)), "200");

  const off = await testServer(testClients);
  assertEquals(await getOutcome(await exchange(off, { subject_token }, "web")), "400 unsupported_grant_type");
  await assertRejects(
    () => testServer({ ...exchangeOptions, tokenExchange: undefined }),
    ConfigurationError,
    "Add the setting tokenExchange",
  );
});

test("[TX-01, TX-02] subject_token and types are required and supported, and the token must be acceptable", async () => {
  const server = await testServer(exchangeOptions);
  const { access_token: subject_token, refresh_token, id_token } = await publicTokens(server);
  const forApi = await publicTokens(server, { resource: api });
  const actor = await actorToken(server);
  const foreignActor = await actorToken(server, "machine");
  const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
  await forEachCase<[Fields, string]>([
    [{}, "TX-01"],
    [{ subject_token, subject_token_type: undefined }, "TX-01"],
    [{ subject_token, subject_token_type: type("saml2") }, "TX-01"],
    [{ subject_token: id_token, subject_token_type: type("id_token") }, "TX-01"],
    [{ subject_token: refresh_token, subject_token_type: type("refresh_token") }, "TX-01"],
    [{ subject_token: `${subject_token}x` }, "TX-01"],
    [{ subject_token: refresh_token }, "TX-01"],
    [{ subject_token: id_token }, "TX-01"],
    // Of another client: machines exchange their own tokens only.
    [{ subject_token: foreignActor }, "TX-01"],
    [{ subject_token, actor_token: actor }, "TX-01"],
    [{ subject_token, actor_token_type: accessTokenType }, "TX-01"],
    [{ subject_token, actor_token: actor, actor_token_type: type("id_token") }, "TX-01"],
    [{ subject_token, actor_token: foreignActor, actor_token_type: accessTokenType }, "TX-01"],
    [{ subject_token, actor_token: "unknown", actor_token_type: accessTokenType }, "TX-01"],
    [{ subject_token, requested_token_type: type("jwt") }, "TX-02"],
    [{ subject_token, requested_token_type: type("refresh_token") }, "TX-02"],
    [{ subject_token, requested_token_type: type("id-jag"), audience: "https://rs.test" }, "TX-02"],
    [{ subject_token: [subject_token, subject_token] }, "TK-04"],
    [{ subject_token, requested_token_type: [accessTokenType, accessTokenType] }, "TK-04"],
    // A token for a resource that the client does not serve was not sent to it.
    [{ subject_token: forApi.access_token }, "TX-01"],
  ], async ([fields, rule]) => {
    assertEquals(await getOutcome(await exchange(server, fields)), "400 invalid_request");
    assertEquals(findLastRule(server), rule);
  });
  assertEquals(await getOutcome(await exchange(server, { subject_token: forApi.access_token }, "served")), "200");
  server.advance(3600);
  assertEquals(await getOutcome(await exchange(server, { subject_token })), "400 invalid_request");
});

test("[TX-01, TX-03] a client exchanges its own token, without a user, for the same scope or less", async () => {
  const server = await testServer(exchangeOptions);
  const response = await server.post(
    "/oauth2/token",
    { grant_type: "client_credentials", scope: "read write" },
    basicHeader("gateway"),
  );
  const subject_token = (await assertTokenResponse(response)).access_token;
  const original = decodeClaims(subject_token);
  server.advance(600);
  await forEachCase<[Fields, string]>([
    [{}, "read write"],
    [{ scope: "read" }, "read"],
  ], async ([fields, scope]) => {
    const exchanged = await assertTokenResponse(await exchange(server, { subject_token, ...fields }));
    const { jti: _, iat: __, ...claims } = decodeClaims(exchanged.access_token);
    const { jti: ___, iat: ____, ...expected } = original;
    assertEquals(claims, { ...expected, scope });
    assertEquals("refresh_token" in exchanged, false);
  });
  assertEquals(await getOutcome(await exchange(server, { subject_token, scope: "read openid" })), "400 invalid_scope");
});

test("[TX-02, TX-03] an exchanged token has the user, and no more than the scope and lifetime of subject_token", async () => {
  const server = await testServer(exchangeOptions);
  const { access_token: subject_token } = await publicTokens(server, { scope: "openid read write offline_access" });
  server.advance(600);
  const { access_token, ...members } = await assertTokenResponse(
    await exchange(server, { subject_token, scope: "read" }),
  );
  assertEquals<unknown>(members, {
    issued_token_type: accessTokenType,
    token_type: "Bearer",
    expires_in: 3000,
    scope: "read",
  });
  const { sub, client_id, scope, aud, exp, auth_time, act } = decodeClaims(access_token);
  const original = decodeClaims(subject_token);
  assertEquals([sub, client_id, scope, aud], ["alice", "gateway", "read", "https://as.test"]);
  assertEquals([exp, auth_time, act], [original.exp, original.auth_time, undefined]);
  assertEquals((await fetchIntrospection(server, access_token)).sub, "alice");
  const scopeOf = async (fields: Fields, client?: string) => {
    const response = await exchange(server, { subject_token, ...fields }, client);
    return response.status === 200 ? (await response.json()).scope : await getOutcome(response);
  };
  await forEachCase<[Fields, string | undefined, string]>([
    [{}, "gateway", "read write"],
    [{}, "reader", "read"],
    [{ scope: "write" }, "gateway", "write"],
    [{ scope: "write" }, "reader", "400 invalid_scope"],
    [{ scope: "profile" }, "gateway", "400 invalid_scope"],
    [{ scope: "openid" }, "gateway", "400 invalid_scope"],
    [{ scope: "read unknown" }, "gateway", "400 invalid_scope"],
    // Scope that an exchange dropped cannot be requested again.
    [{ subject_token: access_token, scope: "write" }, "gateway", "400 invalid_scope"],
  ], async ([fields, client, expected]) => assertEquals(await scopeOf(fields, client), expected));
  assertEquals(getRejections(server.events).slice(-2).map(({ explanation }) => explanation.expected), [
    "some of: read write",
    "some of: read",
  ]);
  const plain = await publicTokens(server, { scope: "openid" });
  assertEquals(await scopeOf({ subject_token: plain.access_token }), "400 invalid_scope");
  assertEquals(
    getRejections(server.events).at(-1)!.explanation.expected,
    "a token with some of: profile email read write",
  );
});

test("[TX-02, SC-05] oauth4webapi exchanges a token and accepts the response", async () => {
  const server = await testServer(exchangeOptions);
  const as = { issuer: server.as.issuer, token_endpoint: `${server.as.issuer}/oauth2/token` };
  const client = { client_id: "gateway" };
  const { access_token: subject_token } = await publicTokens(server);
  const response = await oauth.genericTokenEndpointRequest(
    as,
    client,
    oauth.ClientSecretBasic("gateway-secret"),
    tokenExchange,
    { subject_token, subject_token_type: accessTokenType, audience: "https://as.test" },
    { [oauth.customFetch]: (url, init) => server.as.fetch(new Request(url, init as RequestInit)) },
  );
  const { issued_token_type, scope } = await oauth.processGenericTokenEndpointResponse(as, client, response);
  assertEquals([issued_token_type, scope], [accessTokenType, "read"]);
});

test("[TX-03] resource and audience stay within the subject token, but for the targets of the client", async () => {
  const targets = { gateway: ["https://orders.test", "https://unlisted.test"] };
  const resources = [api, "https://b.test", "https://orders.test"].map((uri) => ({ uri }));
  const server = await testServer({ ...exchangeOptions, resources, tokenExchange: { targets } });
  const audienceOf = async (subject_token: string, fields: Fields, client = "served") => {
    const response = await exchange(server, { subject_token, ...fields }, client);
    if (response.status !== 200) return await getOutcome(response);
    return decodeClaims((await response.json()).access_token).aud;
  };
  const { access_token: both } = await publicTokens(server, { resource: [api, "https://b.test"] });
  const { access_token: own } = await publicTokens(server);
  await forEachCase<[string, Fields, string, unknown]>([
    [both, {}, "served", [api, "https://b.test"]],
    [both, { resource: api }, "served", api],
    [both, { audience: api }, "served", api],
    [both, { audience: `${api}/` }, "served", api],
    [both, { audience: [api, "https://b.test"] }, "served", [api, "https://b.test"]],
    [both, { audience: api, resource: "https://b.test" }, "served", ["https://b.test", api]],
    [both, { resource: "https://orders.test" }, "served", "400 invalid_target"],
    [both, { audience: "orders" }, "served", "400 invalid_target"],
    [both, { audience: "https://as.test" }, "served", "400 invalid_target"],
    [own, {}, "gateway", "https://as.test"],
    [own, { audience: "https://as.test" }, "gateway", "https://as.test"],
    [own, { resource: "https://orders.test" }, "gateway", "https://orders.test"],
    [own, { resource: "https://unlisted.test" }, "gateway", "400 invalid_target"],
    [own, { resource: api }, "gateway", "400 invalid_target"],
    [own, { resource: "https://orders.test" }, "reader", "400 invalid_target"],
  ], async ([token, fields, client, expected]) => assertEquals(await audienceOf(token, fields, client), expected));
});

test("[TX-03, RI-05] an exchange leaves out a resource that is no longer registered; a name of a service stays", async () => {
  const store = memoryStore();
  const tokenExchange = { targets: { gateway: ["orders"] } };
  const having = (...uris: string[]) =>
    testServer({ ...exchangeOptions, resources: uris.map((uri) => ({ uri })), tokenExchange, store });
  const before = await having(api, "https://b.test");
  const { access_token: both } = await publicTokens(before, { resource: [api, "https://b.test"] });
  const { access_token: own } = await publicTokens(before);
  const after = await having("https://b.test/");
  const without = await having("https://c.test");
  const audienceOf = async (server: TestServer, subject_token: string, fields: Fields, client?: string) => {
    const response = await exchange(server, { subject_token, ...fields }, client);
    return response.status === 200 ? decodeClaims((await response.json()).access_token).aud : findLastRule(server);
  };
  const exchanged = await assertTokenResponse(await exchange(before, { subject_token: own, audience: "orders" }));
  await forEachCase<[TestServer, string, Fields, string, unknown]>([
    [before, both, {}, "served", [api, "https://b.test"]],
    // In the spelling of now (RI-04).
    [after, both, {}, "served", "https://b.test/"],
    [after, both, { resource: "https://b.test" }, "served", "https://b.test/"],
    [after, both, { resource: api }, "served", "TX-03"],
    [without, both, {}, "served", "RI-05"],
    [without, own, {}, "gateway", "https://as.test"],
    [without, exchanged.access_token, {}, "gateway", "orders"],
  ], async ([server, token, fields, client, expected]) => {
    assertEquals(await audienceOf(server, token, fields, client), expected);
  });
});

test("[TX-04] the actor of actor_token is recorded in act, above the earlier ones; without it act does not change", async () => {
  const server = await testServer({
    ...exchangeOptions,
    clients: [
      ...exchangeOptions.clients!,
      confidentialClient("second", { grant_types: [tokenExchange, "client_credentials"], redirect_uris: undefined }),
    ],
  });
  const { access_token: subject_token } = await publicTokens(server);
  const delegated = async (token: string, client: string) => {
    const actor = { actor_token: await actorToken(server, client), actor_token_type: accessTokenType };
    return (await assertTokenResponse(await exchange(server, { subject_token: token, ...actor }, client))).access_token;
  };
  const first = await delegated(subject_token, "gateway");
  assertEquals(decodeClaims(first).act, { sub: "gateway" });
  assertEquals((await fetchIntrospection(server, first)).act, { sub: "gateway" });
  const chained = await delegated(first, "second");
  assertEquals(decodeClaims(chained).act, { sub: "second", act: { sub: "gateway" } });
  const impersonated = await assertTokenResponse(await exchange(server, { subject_token: chained }, "reader"));
  assertEquals(decodeClaims(impersonated.access_token).act, { sub: "second", act: { sub: "gateway" } });
});

test("[TX-04] may_act names the only actor, and a token that is bound to a key is rejected without proof", async () => {
  const outcomes: Record<string, string> = {};
  const claims: Record<string, unknown>[] = [
    { may_act: { sub: "gateway" } },
    { may_act: { sub: "gateway", iss: "https://as.test" } },
    { may_act: { client_id: "gateway" } },
    { may_act: { sub: "reader" } },
    { may_act: { sub: "gateway", iss: "https://other.test" } },
    { may_act: { sub: "gateway", department: "sales" } },
    { may_act: {} },
    { may_act: "gateway" },
    { may_act: null },
    { cnf: { jkt: "x" } },
  ];
  for (const extra of claims) {
    const server = await testServer({
      ...exchangeOptions,
      plugins: [{
        extend: (inner) => ({
          ...inner,
          claimChange: { change: (_, kind, own) => kind === "access_token" ? { ...own, ...extra } : own },
        }),
      }],
    });
    const { access_token: subject_token } = await publicTokens(server);
    outcomes[JSON.stringify(extra)] = await getOutcome(await exchange(server, { subject_token }));
    if (outcomes[JSON.stringify(extra)] !== "200") assertEquals(findLastRule(server), "TX-04");
  }
  assertEquals(Object.values(outcomes), [...Array(3).fill("200"), ...Array(7).fill("400 invalid_request")]);
});

test("[TX-03, TX-01] an exchanged token is revoked with the grant of subject_token, and a revoked one is not exchanged", async () => {
  const server = await testServer(exchangeOptions);
  const { access_token: subject_token, refresh_token: token } = await publicTokens(server, { scope: "read" });
  const { access_token } = await assertTokenResponse(await exchange(server, { subject_token }));
  assertEquals(await isActive(server, access_token), true);
  await server.post("/oauth2/revoke", { token, client_id: "spa" });
  assertEquals(await isActive(server, access_token), false);
  assertEquals(await getOutcome(await exchange(server, { subject_token })), "400 invalid_request");
});

test("[TX-05] an exchanged token ends with the token that it was exchanged for, and each further one too", async () => {
  const server = await testServer({
    ...exchangeOptions,
    clients: [...exchangeOptions.clients!, publicClient("opaque", { access_token_format: "opaque" })],
  });
  for (const client_id of ["spa", "opaque"]) {
    const subject = await publicTokens(server, { client_id, scope: "read offline_access" });
    const exchanged = async (subject_token: string, client?: string) =>
      (await assertTokenResponse(await exchange(server, { subject_token, scope: "read" }, client))).access_token;
    const first = await exchanged(subject.access_token);
    const second = await exchanged(first, "reader");
    const other = await exchanged(subject.access_token, "reader");
    const third = await exchanged(second);
    const states = (...tokens: string[]) => Promise.all(tokens.map((token) => isActive(server, token)));

    // Revoking an exchanged token ends what it was exchanged for, and nothing else.
    await server.post("/oauth2/revoke", { token: second }, basicHeader("reader"));
    assertEquals(await states(subject.access_token, first, second, third, other), [true, true, false, false, true]);
    assertEquals(await getOutcome(await exchange(server, { subject_token: third })), "400 invalid_request");
    await server.post("/oauth2/revoke", { token: subject.access_token, client_id });
    assertEquals(await states(subject.access_token, first, second, third, other), Array(5).fill(false));
    const next = await refreshTokens(server, subject.refresh_token, { client_id });
    assertEquals(await states(next.access_token), [true]);
  }
});

test("[TX-05] a token is the result of at most eight exchanges", async () => {
  const server = await testServer(exchangeOptions);
  let { access_token: subject_token } = await publicTokens(server, { scope: "read" });
  for (let i = 0; i < 8; i++) {
    subject_token = (await assertTokenResponse(await exchange(server, { subject_token }))).access_token;
  }
  assertEquals(
    [await getOutcome(await exchange(server, { subject_token })), findLastRule(server)],
    ["400 invalid_request", "TX-05"],
  );
  assertEquals(await isActive(server, subject_token), true);
});

test("[TX-01] opaque tokens and tokens of pairwise clients are exchanged for the same user, without their session id", async () => {
  const server = await testServer({
    ...exchangeOptions,
    clients: [
      ...exchangeOptions.clients!,
      publicClient("opaque", { access_token_format: "opaque" }),
      publicClient("pairwise", { subject_type: "pairwise" }),
    ],
  });
  for (const client_id of ["opaque", "pairwise"]) {
    const { access_token: subject_token } = await publicTokens(server, { client_id });
    const { access_token } = await assertTokenResponse(await exchange(server, { subject_token }));
    const { sub, sid } = decodeClaims(access_token);
    assertEquals([sub, sid === undefined], ["alice", client_id === "pairwise"]);
  }
});

test("[TX-03] settings that cannot work are rejected at the start", async () => {
  await forEachCase<[unknown, string]>([
    [{ targets: { gateway: "https://orders.test" } }, "tokenExchange.targets.gateway"],
    [{ target: {} }, "tokenExchange.target"],
    [true, "tokenExchange"],
  ], async ([setting, path]) => {
    const options = { ...exchangeOptions, tokenExchange: setting as TokenExchangeSettings };
    const { issues } = await assertRejects(() => testServer(options), ConfigurationError);
    assert(issues.some((issue) => issue.path === path), JSON.stringify(issues));
  });
});
