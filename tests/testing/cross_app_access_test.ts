/**
 * Assertions of the mock: a test is the identity provider, or two mocks are identity provider and authorization server.
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  auth,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  exchangeJwtAuthGrant,
} from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import { test } from "node:test";
import type { ResourceAuthorizationServer } from "../../src/server/extensions/token_exchange/settings.ts";
import { foreignJwks, type TestLatchkey } from "../../src/testing/mod.ts";
import type { FetchInit } from "../../src/testing/fetch.ts";
import type { MintedAssertion, MintedIdJag } from "../../src/testing/mint_assertion.ts";
import { forEachCase } from "../kit.ts";
import { testLatchkey } from "./test_latchkey.ts";
import { type Fetch, mcpConnection } from "./mcp_client.ts";

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const idpIssuer = "https://idp.test";

/** Exchanges an assertion as a confidential client: the claims of the access token, or error and rule. */
async function exchange(
  as: TestLatchkey,
  client: { readonly client_id: string; readonly client_secret: string },
  assertion: string,
): Promise<Record<string, unknown>> {
  const { client_id, client_secret } = client;
  const body = new URLSearchParams({ grant_type: jwtBearer, assertion, client_id, client_secret });
  const response = await as.fetch("/oauth2/token", { method: "POST", body });
  const { access_token, error } = await response.json();
  return error === undefined
    ? decodeJwt(access_token)
    : { error, rule: as.log.last("token")?.rejection?.explanation.rule };
}

test("[JB-02, JB-06, IJ-14] a minted assertion and a minted ID-JAG are accepted, and invalid ones are rejected", async () => {
  for (const kind of ["assertion", "idJag"] as const) {
    await using as = await testLatchkey({
      trustedIssuers: [{
        issuer: idpIssuer,
        jwks: foreignJwks(),
        users: "sub",
        grantProfile: kind === "idJag" ? "id-jag" : undefined,
      }],
    });
    const client = as.client({ confidential: true, grant_types: [jwtBearer], redirect_uris: [] });
    const send = async (options: MintedAssertion = {}) => await exchange(as, client, await as.mint[kind](options));
    assertEquals((await send()).sub, "alice");
    const { sub, client_id } = await send({ sub: "bob", expiresIn: 60 });
    assertEquals([sub, client_id], ["bob", client.client_id]);
    for (const alg of ["RS256", "ES256", "EdDSA"] as const) assertEquals((await send({ alg })).sub, "alice");
    await forEachCase<[MintedAssertion, string]>([
      [{ expired: true }, "JB-04"],
      [{ notYetValid: true }, "JB-04"],
      [{ alg: "none" }, "JB-01"],
      [{ signedBy: "wrong key" }, "JB-06"],
      [{ signedBy: "unknown key" }, "JB-06"],
      [{ issuer: "https://other.test" }, "JB-03"],
      [{ issuer: as.issuer }, "JB-07"],
      [{ audience: "https://other.test" }, kind === "idJag" ? "IJ-13" : "JB-05"],
      [{ typ: "at+jwt" }, kind === "idJag" ? "IJ-14" : "JB-07"],
      [{ sub: "unknown" }, "JB-09"],
      [{ claims: { sub: undefined } }, "JB-04"],
    ], async ([options, rule]) => assertEquals(await send(options), { error: "invalid_grant", rule }));
    const other = kind === "assertion" ? "idJag" : "assertion";
    const rule = kind === "idJag" ? "IJ-14" : "JB-07";
    assertEquals(await exchange(as, client, await as.mint[other]()), { error: "invalid_grant", rule });
    await assertRejects(() => as.mint[kind]({ subject: "bob" } as MintedAssertion), TypeError, "subject");
  }
});

test("[IJ-07, IJ-17] a minted ID-JAG has the claims of its options, and foreignJwks verifies it", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const options: MintedIdJag = {
    client,
    scope: "read",
    resource: ["https://a.test", "https://b.test"],
    issuer: "https://corp.test",
  };
  const idJag = await as.mint.idJag(options);
  const keys = createLocalJWKSet(foreignJwks("https://corp.test") as JSONWebKeySet);
  const { payload } = await jwtVerify(idJag, keys, { issuer: "https://corp.test", audience: as.issuer });
  assertEquals([payload.client_id, payload.scope, payload.resource], [client.client_id, "read", options.resource]);
  assertEquals(decodeProtectedHeader(idJag).typ, "oauth-id-jag+jwt");
  const published = JSON.stringify(foreignJwks());
  for (const member of ['"d"', '"p"', '"q"', '"dp"', '"qi"']) assert(!published.includes(member), member);
});

/**
 * An identity provider, and an authorization server that accepts its ID-JAGs; one fetch reaches both and the resource.
 */
async function twoServers(entry: Partial<ResourceAuthorizationServer> = {}) {
  const idp = await testLatchkey({
    issuer: idpIssuer,
    users: [{ sub: "dora", name: "Dora", email: "dora@idp.test" }],
    resourceAuthorizationServers: [{ issuer: "https://as.test", ...entry }],
  });
  const as = await testLatchkey({
    issuer: "https://as.test",
    profile: "mcp",
    users: [{ sub: "dora" }],
    trustedIssuers: [{ issuer: idpIssuer, jwks_uri: `${idpIssuer}/oauth2/jwks`, grantProfile: "id-jag", users: "sub" }],
    outbound: (url, init) => idp.fetch(url, init as FetchInit),
  });
  const agentAtIdp = idp.client({
    confidential: true,
    client_id: "agent",
    grant_types: ["authorization_code", "refresh_token", tokenExchange],
  });
  const agentAtAs = as.client({ confidential: true, client_id: "agent", grant_types: [jwtBearer], redirect_uris: [] });
  const mcp = as.resource("https://mcp.test/mcp", { scopes: ["notes:read"], tools: { list_notes: [] } });
  const fetch = (url: string | URL | Request, init?: FetchInit) =>
    new URL(url instanceof Request ? url.url : url).origin === idpIssuer ? idp.fetch(url, init) : as.fetch(url, init);
  return {
    ...{ idp, as, agentAtIdp, agentAtAs, mcp, fetch: fetch as typeof globalThis.fetch },
    async [Symbol.asyncDispose]() {
      await idp.close();
      await as.close();
    },
  };
}

test("[IJ-06, IJ-17, IJ-21] auth/enterprise-managed-authorization: the MCP SDK goes from a login at one mock to the resource of another, by discovery alone", async () => {
  await using servers = await twoServers({ scopes: ["notes:read"] });
  const { idp, as, agentAtIdp, agentAtAs, mcp, fetch } = servers;
  const { tokens } = await idp.logIn(agentAtIdp, { scope: "openid" });
  const provider = new CrossAppAccessProvider({
    clientId: agentAtAs.client_id,
    clientSecret: agentAtAs.client_secret,
    expectedIssuer: as.issuer,
    fetchFn: fetch,
    assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
      const { jwtAuthGrant, expiresIn } = await discoverAndRequestJwtAuthGrant({
        idpUrl: idp.issuer,
        audience: authorizationServerUrl,
        resource: resourceUrl,
        idToken: tokens.id_token!,
        clientId: agentAtIdp.client_id,
        clientSecret: agentAtIdp.client_secret,
        scope,
        fetchFn,
      });
      assertEquals(expiresIn, 300);
      return jwtAuthGrant;
    },
  });
  assertEquals(await auth(provider, { serverUrl: mcp.url, scope: "notes:read", fetchFn: fetch }), "AUTHORIZED");
  const { access_token } = provider.tokens()!;
  const { iss, sub, aud, client_id, scope } = decodeJwt(access_token);
  assertEquals([iss, sub, aud, client_id, scope], [as.issuer, "dora", mcp.url, "agent", "notes:read"]);
  const response = await as.fetch(mcp.url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${access_token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  assertEquals(response.status, 200);
  // No refresh token: the SDK requests another ID-JAG.
  assertEquals(provider.tokens()!.refresh_token, undefined);
  assertEquals(await auth(provider, { serverUrl: mcp.url, scope: "notes:read", fetchFn: fetch }), "AUTHORIZED");
  assert(provider.tokens()!.access_token !== access_token);
  as.log.expect("token").by(agentAtAs).called(2);
  idp.log.expect("token", { params: { grant_type: tokenExchange } }).by(agentAtIdp).called(2);
});

test("[IJ-01, IJ-08, JB-06] the MCP SDK reports what identity provider and authorization server reject", async () => {
  await using servers = await twoServers({ clients: { other: "other" } });
  const { idp, as, agentAtIdp, agentAtAs, mcp, fetch } = servers;
  const { tokens } = await idp.logIn(agentAtIdp, { scope: "openid" });
  const request = {
    idpUrl: idp.issuer,
    audience: as.issuer,
    resource: mcp.url,
    idToken: tokens.id_token!,
    clientId: agentAtIdp.client_id,
    clientSecret: agentAtIdp.client_secret,
    fetchFn: fetch,
  };
  await assertRejects(() => discoverAndRequestJwtAuthGrant(request), Error, "invalid_target");
  await assertRejects(
    () => discoverAndRequestJwtAuthGrant({ ...request, audience: "https://x.test" }),
    Error,
    "invalid_target",
  );
  const jwtAuthGrant = await as.mint.idJag({ client: agentAtAs, resource: mcp.url, signedBy: "wrong key" });
  const { client_id: clientId, client_secret: clientSecret } = agentAtAs;
  const tokenEndpoint = `${as.issuer}/oauth2/token`;
  await assertRejects(
    () => exchangeJwtAuthGrant({ tokenEndpoint, jwtAuthGrant, clientId, clientSecret, fetchFn: fetch }),
    Error,
    "invalid_grant",
  );
  as.log.expect("token").rejected("invalid_grant", "JB-06");
});

test("[JB-11] an ID-JAG without a scope value of the client is rejected, and the log names its scope", async () => {
  await using as = await testLatchkey({
    trustedIssuers: [{ issuer: idpIssuer, jwks: foreignJwks(), users: "sub", grantProfile: "id-jag" }],
  });
  const client = as.client({ confidential: true, grant_types: [jwtBearer], redirect_uris: [] });
  const assertion = await as.mint.idJag({ client, scope: "files" });
  assertEquals(await exchange(as, client, assertion), { error: "invalid_scope", rule: "JB-11" });
  const { received } = as.log.last("token").rejection!.explanation;
  assertEquals(received, 'no scope in the request, scope "files" in the ID-JAG');
});

test("[IJ-13, IJ-15, IJ-17] an ID-JAG with changed claims tests the authorization server that gets it", async () => {
  await using servers = await twoServers();
  const { idp, as, agentAtIdp, agentAtAs, mcp, fetch } = servers;
  const { tokens } = await idp.logIn(agentAtIdp, { scope: "openid" });
  const requestIdJag = async () =>
    (await discoverAndRequestJwtAuthGrant({
      idpUrl: idp.issuer,
      audience: as.issuer,
      resource: mcp.url,
      idToken: tokens.id_token!,
      clientId: agentAtIdp.client_id,
      clientSecret: agentAtIdp.client_secret,
      fetchFn: fetch,
    })).jwtAuthGrant;
  idp.issue.everyIdJag({ aud: "https://other.test" });
  assertEquals(await exchange(as, agentAtAs, await requestIdJag()), { error: "invalid_grant", rule: "IJ-13" });
  idp.issue.nextIdJag((claims) => ({ ...claims, aud: as.issuer, client_id: "other" }));
  assertEquals(await exchange(as, agentAtAs, await requestIdJag()), { error: "invalid_grant", rule: "IJ-15" });
  idp.issue.nextIdJag({ aud: as.issuer, resource: undefined });
  assertEquals(await exchange(as, agentAtAs, await requestIdJag()), { error: "invalid_grant", rule: "IJ-17" });
  idp.issue.nextIdJag({ aud: as.issuer });
  assertEquals((await exchange(as, agentAtAs, await requestIdJag())).sub, "dora");
});

test("[IJ-09, JB-08] the MCP SDK gets an ID-JAG and a token for a public client, where both servers allow it", async () => {
  await using idp = await testLatchkey({
    issuer: idpIssuer,
    resourceAuthorizationServers: [{ issuer: "https://as.test", allowPublicClients: true }],
  });
  await using as = await testLatchkey({
    issuer: "https://as.test",
    trustedIssuers: [{
      ...{ issuer: idpIssuer, jwks_uri: `${idpIssuer}/oauth2/jwks`, grantProfile: "id-jag", users: "sub" } as const,
      allowPublicClients: true,
    }],
    outbound: (url, init) => idp.fetch(url, init as FetchInit),
  });
  const client_id = "cli";
  const cli = idp.client({ client_id, grant_types: ["authorization_code", tokenExchange] });
  as.client({ client_id, grant_types: [jwtBearer], redirect_uris: [] });
  const { tokens } = await idp.logIn(cli, { as: "bob", scope: "openid" });
  const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
    idpUrl: idp.issuer,
    audience: new URL(as.issuer), // a URL object has a slash
    resource: "https://mcp.test/mcp",
    idToken: tokens.id_token!,
    clientId: client_id,
    fetchFn: idp.fetch as typeof globalThis.fetch,
  });
  const exchanged = await exchangeJwtAuthGrant({
    tokenEndpoint: `${as.issuer}/oauth2/token`,
    jwtAuthGrant,
    clientId: client_id,
    authMethod: "none",
    fetchFn: as.fetch as typeof globalThis.fetch,
  });
  const { sub, aud } = decodeJwt(exchanged.access_token);
  assertEquals([sub, aud], ["bob", "https://mcp.test/mcp"]);
});

test("[JB-02, JB-08] auth/wif-jwt-bearer: the MCP SDK sends the assertion of its workload, without a secret or without a client", async () => {
  const workload = "spiffe://shop.test/worker";
  await using as = await testLatchkey({
    profile: "mcp",
    trustedIssuers: [{
      issuer: idpIssuer,
      jwks: foreignJwks(),
      subjects: { [workload]: { client: "worker" } },
      allowPublicClients: true,
    }],
  });
  const { client_id } = as.client({ client_id: "worker", grant_types: [jwtBearer], redirect_uris: [] });
  const { url } = as.resource("https://mcp.test/mcp");
  let options: MintedAssertion = { sub: workload };
  const provider: OAuthClientProvider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], grant_types: [jwtBearer], token_endpoint_auth_method: "none" },
    clientInformation: () => ({ client_id, issuer: as.issuer }),
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => "",
    prepareTokenRequest: async (scope) =>
      new URLSearchParams({
        grant_type: jwtBearer,
        assertion: await as.mint.assertion(options),
        ...scope && { scope },
      }),
  };
  const saved: string[] = [];
  const connect = mcpConnection(url, {
    ...provider,
    tokens: () => saved.length === 0 ? undefined : { access_token: saved.at(-1)!, token_type: "Bearer" },
    saveTokens: ({ access_token }) => void saved.push(access_token),
  }, as.fetch as Fetch);
  const { client, transport } = connect();
  await client.connect(transport);
  const { structuredContent } = await client.callTool({ name: "whoami", arguments: {} });
  const { client_id: caller, aud, sub } = structuredContent as Record<string, unknown>;
  assertEquals([caller, aud, sub], ["worker", url, "worker"]);
  await client.close();
  as.log.expect("token").by(client_id).with("none").succeeded();

  options = { sub: workload, audience: "https://other.test" };
  await assertRejects(() => auth(provider, { serverUrl: url, fetchFn: as.fetch as Fetch }), Error, "JB-05");
  // Without a client, the subject of the assertion names it.
  const body = new URLSearchParams({ grant_type: jwtBearer, assertion: await as.mint.assertion({ sub: workload }) });
  const { access_token } = await (await as.fetch("/oauth2/token", { method: "POST", body })).json();
  assertEquals(decodeJwt(access_token).client_id, "worker");
});
