/**
 * The authorization scenarios of the MCP conformance package, with this server instead of the package's own. The
 * client is the TypeScript SDK, unchanged. A title begins with the name of the scenario; `deno task test:conformance`
 * compares them.
 */

import { IssuerMismatchError } from "@modelcontextprotocol/client";
import { ClientCredentialsProvider, PrivateKeyJwtProvider } from "@modelcontextprotocol/client";
import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { faults, foreignJwks, type TestLatchkey, type TestLatchkeyOptions } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";
import { type Fetch, mcpClient, mcpConnection, redirectUri } from "./mcp_client.ts";
import type { McpClient, McpClientOptions } from "./mcp_client.ts";

const url = "https://mcp.example/mcp";
const atRoot = "https://mcp.example/.well-known/oauth-protected-resource";
const atPath = `${atRoot}/mcp`;

/** A server of the profile. */
function mcpServer(options: TestLatchkeyOptions = {}): Promise<TestLatchkey> {
  return testLatchkey({ profile: "mcp", ...options });
}

/** A client that is registered already. */
function known(as: TestLatchkey, options: McpClientOptions = {}): McpClient {
  const { client_id } = as.client({ redirect_uri: redirectUri });
  return mcpClient(as, url, { client: { client_id, issuer: as.issuer }, ...options });
}

/** The fetch of the mock, with other challenges, or another document of the resource at another place. */
function withResource(
  as: TestLatchkey,
  { challenge = (value) => value, at = atPath, edit = (document) => document }: {
    readonly challenge?: (value: string) => string;
    readonly at?: string;
    readonly edit?: (document: Record<string, unknown>) => Record<string, unknown>;
  },
): Fetch {
  return async (input, init) => {
    const target = String(input);
    if (target === at) return Response.json(edit(await (await as.fetch(atPath)).json()));
    if (target === atPath) return new Response(null, { status: 404 });
    if (target === atRoot) return new Response(null, { status: 404 });
    const response = await as.fetch(input, init);
    const value = response.headers.get("www-authenticate");
    if (!target.startsWith(url) || value === null) return response;
    const headers = new Headers(response.headers);
    headers.set("www-authenticate", challenge(value));
    return new Response(response.body, { status: response.status, headers });
  };
}

const withoutMetadata = (challenge: string) => challenge.replaceAll(/,? ?resource_metadata="[^"]*"/g, "");
const withoutScope = (challenge: string) => challenge.replace(/,? ?scope="[^"]*"/, "");

test("auth/metadata-default: the challenge names the resource metadata, and RFC 8414 has the server's", async () => {
  await using as = await mcpServer({ metadataForms: ["oauth-inserted"] });
  as.resource(url);
  assertEquals((await known(as).call("whoami")).sub, "alice");
});

test("auth/metadata-var1: without a name in the challenge, and with the metadata of OpenID Connect only", async () => {
  await using as = await mcpServer({ metadataForms: ["openid-appended"] });
  as.resource(url);
  assertEquals(
    (await known(as, { fetch: withResource(as, { challenge: withoutMetadata }) }).call("whoami")).sub,
    "alice",
  );
});

test("auth/metadata-var2: resource metadata at the root, and a path issuer with the inserted form", async () => {
  await using as = await mcpServer({ issuer: "https://latchkey.test/tenant1", metadataForms: ["oauth-inserted"] });
  as.resource(url);
  const fetch = withResource(as, { challenge: withoutMetadata, at: atRoot });
  assertEquals((await known(as, { fetch }).call("whoami")).sub, "alice");
});

test("auth/metadata-var3: resource metadata at any URL, and a path issuer with the appended form of OpenID Connect", async () => {
  await using as = await mcpServer({
    issuer: "https://latchkey.test/tenant1",
    metadataForms: ["openid-appended"],
  });
  as.resource(url);
  const at = "https://mcp.example/custom/metadata/location.json";
  const fetch = withResource(as, { challenge: (value) => value.replace(atPath, at), at });
  assertEquals((await known(as, { fetch }).call("whoami")).sub, "alice");
});

test("auth/scope-from-www-authenticate: the client requests the scope of the challenge", async () => {
  await using as = await mcpServer();
  as.resource(url, { scopes: ["files:read"], tools: { whoami: [], write: ["files:write"] } });
  const mcp = known(as);
  assertEquals((await mcp.call("whoami")).scope, "files:read");
  assertEquals(mcp.authorizations.map(({ searchParams }) => searchParams.get("scope")), ["files:read"]);
});

test("auth/scope-from-scopes-supported: without a scope in the challenge it requests all of the resource's", async () => {
  await using as = await mcpServer();
  as.resource(url, { scopes: ["files:read"], tools: { whoami: [], write: ["files:write"] } });
  const mcp = known(as, { fetch: withResource(as, { challenge: withoutScope }) });
  assertEquals((await mcp.call("whoami")).scope, "files:read files:write");
});

test("auth/scope-omitted-when-undefined: without any, it requests none and gets the default scope", async () => {
  await using as = await mcpServer();
  as.resource(url);
  const edit = ({ scopes_supported: _, ...document }: Record<string, unknown>) => document;
  const mcp = known(as, { fetch: withResource(as, { challenge: withoutScope, edit }) });
  assertEquals((await mcp.call("whoami")).scope, "read");
  assertEquals(mcp.authorizations[0]!.searchParams.has("scope"), false);
});

test("auth/scope-step-up: a 403 leads to a login with the union of the scope", async () => {
  await using as = await mcpServer();
  as.resource(url, { scopes: ["files:read"], tools: { whoami: [], write: ["files:write"] } });
  const mcp = known(as);
  assertEquals((await mcp.call("whoami")).scope, "files:read");
  assertEquals(new Set(String((await mcp.call("write")).scope).split(" ")), new Set(["files:read", "files:write"]));
  assertEquals(mcp.authorizations.length, 2);
});

test("auth/scope-retry-limit: a resource that is never satisfied ends after a few logins", async () => {
  await using as = await mcpServer();
  as.resource(url, { scopes: ["files:read"] });
  const challenge = `Bearer error="insufficient_scope", scope="files:read write", resource_metadata="${atPath}"`;
  const never: Fetch = async (input, init) => {
    const isCall = String(input) === url && new Headers(init?.headers).has("authorization");
    return isCall
      ? new Response(null, { status: 403, headers: { "www-authenticate": challenge } })
      : await as.fetch(input, init);
  };
  const mcp = known(as, { fetch: never });
  await assertRejects(() => mcp.call("whoami"));
  assert(mcp.authorizations.length <= 3);
});

test("auth/pre-registration: the credentials of a registered client are used, and nothing is registered", async () => {
  await using as = await mcpServer();
  as.resource(url);
  const { client_id, client_secret } = as.client({ confidential: true, redirect_uri: redirectUri });
  const mcp = mcpClient(as, url, { client: { client_id, client_secret, issuer: as.issuer } });
  assertEquals((await mcp.call("whoami")).client_id, client_id);
});

test("auth/basic-cimd: the client uses the URL of its metadata document as client_id, and does not register", async () => {
  await using as = await mcpServer({ registration: { mode: "open" } });
  as.resource(url);
  const { client_id } = as.clientDocument("https://app.example/client.json", { redirect_uris: [redirectUri] });
  const mcp = mcpClient(as, url, { clientMetadataUrl: client_id });
  assertEquals((await mcp.call("whoami")).client_id, client_id);
  as.log.expect("register").called(0);
});

test("a client with a metadata document registers where the revision has no documents", async () => {
  await using as = await mcpServer({ mcpRevision: "2025-06-18" });
  as.resource(url);
  const { client_id } = as.clientDocument("https://app.example/client.json", { redirect_uris: [redirectUri] });
  const mcp = mcpClient(as, url, { clientMetadataUrl: client_id });
  assert((await mcp.call("whoami")).client_id !== client_id);
  as.log.expect("register").called(1).succeeded();
});

/** The methods, and what the client sends with the code. */
const methods = {
  "auth/token-endpoint-auth-basic": "client_secret_basic",
  "auth/token-endpoint-auth-post": "client_secret_post",
  "auth/token-endpoint-auth-none": "none",
} as const;

test("auth/token-endpoint-auth-basic: auth/token-endpoint-auth-post: auth/token-endpoint-auth-none: the only method", async () => {
  for (const method of Object.values(methods)) {
    await using as = await mcpServer({ clientAuthMethods: [method], registration: { mode: "open" } });
    as.resource(url);
    const mcp = mcpClient(as, url);
    assertEquals((await mcp.call("whoami")).sub, "alice");
    as.log.expect("register").called(1).succeeded();
    const [{ request }] = as.log.exchanges.filter(({ endpoint }) => endpoint === "token");
    assertEquals(request.headers.authorization !== undefined, method === "client_secret_basic");
  }
});

/** The fetch of a server of 2025-03-26, which has no metadata of the resource, and no challenge that names it. */
function withoutResourceMetadata(as: TestLatchkey, requested: string[] = []): Fetch {
  return (input, init) => {
    const { pathname } = new URL(input);
    requested.push(pathname);
    if (pathname.includes("/oauth-protected-resource")) return Promise.resolve(new Response(null, { status: 404 }));
    return as.fetch(input, init);
  };
}

/** A server of 2025-03-26, whose clients send no `resource`. */
const march: TestLatchkeyOptions = { mcpRevision: "2025-03-26", audience: "https://latchkey.test/mcp" };

test("auth/2025-03-26-oauth-metadata-backcompat: without metadata of the resource, that of its origin is used", async () => {
  await using as = await mcpServer(march);
  const { url } = as.resource("/mcp");
  const mcp = mcpClient(as, url, { fetch: withoutResourceMetadata(as) });
  assertEquals((await mcp.call("whoami")).sub, "alice");
  assertEquals(mcp.authorizations[0]!.pathname, "/oauth2/authorize");
  as.log.expect("register").called(1).succeeded();
});

test("auth/authorization-server-migration: a client registers again where the resource names another server", async () => {
  const registration = { mode: "open" } as const;
  await using old = await mcpServer({ issuer: "https://old.test", registration });
  await using as = await mcpServer({ issuer: "https://new.test", registration });
  for (const server of [old, as]) server.resource(url);
  let current = old;
  const fetch: Fetch = async (input, init) => {
    const { origin } = new URL(input);
    const server = [old, as].find(({ issuer }) => issuer === origin) ?? current;
    return await server.fetch(input, init);
  };
  const forget: { discovered?: OAuthDiscoveryState } = {};
  const provider: Partial<OAuthClientProvider> = {
    saveDiscoveryState: (saved) => void (forget.discovered = saved),
    discoveryState: () => forget.discovered,
  };
  const before = mcpClient(old, url, { fetch, provider });
  const first = (await before.call("whoami")).client_id;
  current = as;
  delete forget.discovered;
  const after = mcpClient(as, url, { client: before.stored.client, fetch, provider });
  assertEquals((await after.call("whoami")).sub, "alice");
  assert(after.stored.client!.client_id !== first);
  as.log.expect("register").called(1).succeeded();
});

test("auth/2025-03-26-oauth-endpoint-fallback: without any metadata the default endpoints at the root are used", async () => {
  await using as = await mcpServer({ ...march, metadataForms: [] });
  const { url } = as.resource("/mcp");
  const requested: string[] = [];
  const mcp = mcpClient(as, url, { fetch: withoutResourceMetadata(as, requested) });
  assertEquals((await mcp.call("whoami")).sub, "alice");
  assertEquals(mcp.authorizations[0]!.pathname, "/authorize");
  assert(requested.includes("/register") && requested.includes("/token"));
});

test("auth/resource-mismatch: metadata of another resource stops the client", async () => {
  await using as = await mcpServer();
  as.resource(url);
  const edit = (document: Record<string, unknown>) => ({ ...document, resource: "https://other.example/mcp" });
  const mcp = known(as, { fetch: withResource(as, { edit }) });
  await assertRejects(() => mcp.call("whoami"), Error, "does not match expected");
  assertEquals(mcp.authorizations.length, 0);
});

test("auth/offline-access-scope: the client requests offline_access, which metadata lists, and gets a refresh token", async () => {
  await using as = await mcpServer({ refresh: { onlyOffline: true } });
  as.resource(url);
  const mcp = known(as, { metadata: { grant_types: ["authorization_code", "refresh_token"] } });
  assertEquals((await mcp.call("whoami")).sub, "alice");
  assertEquals(mcp.authorizations[0]!.searchParams.get("scope"), "read offline_access");
  assert(mcp.stored.tokens!.refresh_token !== undefined);
});

test("auth/offline-access-not-supported: the client does not request what metadata does not list", async () => {
  await using as = await mcpServer({ scopes: ["read", "write"] });
  as.resource(url);
  const mcp = known(as, { metadata: { grant_types: ["authorization_code", "refresh_token"] } });
  assertEquals((await mcp.call("whoami")).scope, "read");
  assertEquals(mcp.authorizations[0]!.searchParams.get("scope"), "read");
});

test("auth/iss-supported: iss is announced and correct, so the client exchanges the code", async () => {
  await using as = await mcpServer();
  as.resource(url);
  assertEquals((await known(as).call("whoami")).sub, "alice");
  as.log.expect("token").called(1).succeeded();
});

test("auth/iss-not-advertised: iss is neither announced nor sent, and the client exchanges the code", async () => {
  await using as = await mcpServer();
  as.resource(url);
  as.on("discovery").always(faults.body.edited({ authorization_response_iss_parameter_supported: null }));
  as.on("authorize").always(faults.authorizationResponse.edited({ iss: null }));
  assertEquals((await known(as).call("whoami")).sub, "alice");
});

/** What the client must reject before it exchanges the code. */
const wrongIss: Readonly<Record<string, { readonly advertised?: boolean; readonly iss?: string }>> = {
  "auth/iss-supported-missing": {},
  "auth/iss-wrong-issuer": { iss: "https://attacker.example" },
  "auth/iss-unexpected": { advertised: false, iss: "https://attacker.example" },
  "auth/iss-normalized": { iss: "https://latchkey.test/" },
};

test("auth/iss-supported-missing: auth/iss-wrong-issuer: auth/iss-unexpected: auth/iss-normalized: the client stops", async () => {
  for (const { advertised = true, iss } of Object.values(wrongIss)) {
    await using as = await mcpServer();
    as.resource(url);
    if (!advertised) {
      as.on("discovery").always(faults.body.edited({ authorization_response_iss_parameter_supported: null }));
    }
    as.on("authorize").always(
      iss === undefined
        ? faults.authorizationResponse.edited({ iss: null })
        : faults.authorizationResponse.edited({ iss }),
    );
    await assertRejects(() => known(as).call("whoami"), IssuerMismatchError);
    as.log.expect("token").called(0);
  }
});

test("auth/metadata-issuer-mismatch: metadata with another issuer stops the client", async () => {
  await using as = await mcpServer();
  as.resource(url);
  as.on("discovery").always(faults.body.edited({ issuer: "https://another.example" }));
  const mcp = known(as);
  await assertRejects(() => mcp.call("whoami"), IssuerMismatchError);
  assertEquals(mcp.authorizations.length, 0);
});

test("auth/client-credentials-basic: auth/client-credentials-jwt: a client without a user, with a secret or a key", async () => {
  await using as = await mcpServer();
  as.resource(url);
  const secret = as.client({ confidential: true });
  const key = as.client({ token_endpoint_auth_method: "private_key_jwt" });
  const expectedIssuer = as.issuer;
  const providers = [
    new ClientCredentialsProvider({ clientId: secret.client_id, clientSecret: secret.client_secret, expectedIssuer }),
    new PrivateKeyJwtProvider({
      clientId: key.client_id,
      privateKey: { ...key.private_jwk },
      algorithm: "ES256",
      expectedIssuer,
    }),
  ];
  for (const [i, { client_id }] of [secret, key].entries()) {
    const { client, transport } = mcpConnection(url, providers[i]!, as.fetch as Fetch)();
    await client.connect(transport);
    const { structuredContent } = await client.callTool({ name: "whoami", arguments: {} });
    assertEquals((structuredContent as Record<string, unknown>).client_id, client_id);
    assertEquals((structuredContent as Record<string, unknown>).aud, url);
    await client.close();
  }
});

test("auth/wif-jwt-bearer: a workload exchanges its assertion, and an expired one is rejected", async () => {
  const grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  const issuer = "https://idp.test";
  await using as = await mcpServer({ trustedIssuers: [{ issuer, jwks: foreignJwks(), users: "sub" }] });
  as.resource(url);
  const client = as.client({ confidential: true, grant_types: [grant_type], redirect_uris: [] });
  const workload = async (assertion: string) => {
    const known = { client_id: client.client_id, client_secret: client.client_secret, issuer: as.issuer };
    const mcp = mcpClient(as, url, {
      client: known,
      provider: { redirectUrl: undefined, prepareTokenRequest: () => new URLSearchParams({ grant_type, assertion }) },
    });
    return await mcp.call("whoami");
  };
  const { sub, aud } = await workload(await as.mint.assertion());
  assertEquals([sub, aud], ["alice", url]);
  as.log.clear();
  await assertRejects(async () => await workload(await as.mint.assertion({ expired: true })), Error, "assertion");
  as.log.expect("token").rejected("invalid_grant");
});
