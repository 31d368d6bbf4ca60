/**
 * The TypeScript SDK of the Model Context Protocol against the mock: login, refresh and step-up of every kind of
 * client.
 */

import { createPrivateKeyJwtAuth, type OAuthClientProvider } from "@modelcontextprotocol/client";
import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { mcpRevisions } from "../../src/server/config/strictness.ts";
import type { TestClient, TestLatchkey } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";
import { mcpClient, type McpClientOptions, redirectUri } from "./mcp_client.ts";

const issuers = ["https://latchkey.test", "https://latchkey.test/tenant"];

/** Each kind of client, and how it authenticates at the token endpoint. */
const kinds: Readonly<Record<string, (as: TestLatchkey) => McpClientOptions>> = {
  "registered, none": (as) => {
    const { client_id } = as.client({ redirect_uri: redirectUri });
    return { client: { client_id, issuer: as.issuer } };
  },
  "registered, client_secret_basic": (as) => registeredWithSecret(as, "client_secret_basic"),
  "registered, client_secret_post": (as) => registeredWithSecret(as, "client_secret_post"),
  "registered, private_key_jwt": (as) => {
    const client = as.client({ redirect_uri: redirectUri, token_endpoint_auth_method: "private_key_jwt" });
    return { client: { client_id: client.client_id, issuer: as.issuer }, provider: signsAssertions(client) };
  },
  "metadata document, none": (as) => ({ clientMetadataUrl: publish(as, "none").client_id }),
  "metadata document, private_key_jwt": (as) => {
    const client = publish(as, "private_key_jwt");
    return { clientMetadataUrl: client.client_id, provider: signsAssertions(client) };
  },
  "registers itself, client_secret_basic": () => ({}),
  "registers itself, client_secret_post": () => ({ metadata: { token_endpoint_auth_method: "client_secret_post" } }),
  "registers itself, none": () => ({ metadata: { token_endpoint_auth_method: "none" } }),
};

function registeredWithSecret(
  as: TestLatchkey,
  token_endpoint_auth_method: "client_secret_basic" | "client_secret_post",
): McpClientOptions {
  const { client_id, client_secret } = as.client({ redirect_uri: redirectUri, token_endpoint_auth_method });
  const client = { client_id, client_secret, token_endpoint_auth_method, redirect_uris: [], issuer: as.issuer };
  return { client };
}

function publish(as: TestLatchkey, token_endpoint_auth_method: "none" | "private_key_jwt"): TestClient {
  const document = { redirect_uris: [redirectUri], token_endpoint_auth_method };
  return as.clientDocument("https://app.example/client.json", document);
}

function signsAssertions({ client_id, private_jwk }: TestClient): Partial<OAuthClientProvider> {
  const options = { issuer: client_id, subject: client_id, privateKey: { ...private_jwk }, alg: "ES256" };
  return { addClientAuthentication: createPrivateKeyJwtAuth(options) };
}

for (const [kind, register] of Object.entries(kinds)) {
  test(`[MC-01, MC-02, PF-09] the MCP SDK logs in, refreshes and steps up (${kind})`, async () => {
    for (const issuer of issuers) {
      // Metadata documents are part of the specification since 2025-11-25.
      for (const mcpRevision of mcpRevisions.slice(kind.startsWith("metadata document") ? 2 : 1)) {
        await using as = await testLatchkey({ profile: "mcp", mcpRevision, issuer });
        const { url } = as.resource("https://mcp.example/mcp", {
          scopes: ["notes:read"],
          tools: { whoami: [], add_note: ["notes:write"] },
        });
        const mcp = mcpClient(as, url, register(as));
        const { sub, aud, scope } = await mcp.call("whoami");
        assertEquals([sub, aud, scope], ["alice", url, "notes:read"]);

        const { refresh_token } = mcp.stored.tokens!;
        // Not by the clock of the mock, because the SDK signs assertions by the clock of the system.
        const access_token = await as.mint.accessToken({ expired: true });
        mcp.stored.tokens = { ...mcp.stored.tokens!, access_token };
        assertEquals((await mcp.call("whoami")).sub, "alice");
        assertEquals(mcp.authorizations.length, 1);
        assert(mcp.stored.tokens!.access_token !== access_token);
        assertEquals(mcp.stored.tokens!.refresh_token !== refresh_token, kind.endsWith(", none"));

        const stepped = await mcp.call("add_note");
        assertEquals(new Set(String(stepped.scope).split(" ")), new Set(["notes:read", "notes:write"]));
        assertEquals(mcp.authorizations.length, 2);
        as.log.expect("token").called(3).succeeded();
        as.log.expect("register").called(kind.startsWith("registers") ? 1 : 0);
        assertEquals(as.log.documentFetches.length, kind.startsWith("metadata document") ? 1 : 0);
      }
    }
  });
}

test("[MC-01, MC-06] the MCP SDK logs in by the login and consent pages, with a metadata document and with a registration", async () => {
  for (const kind of ["metadata document, none", "registers itself, none"]) {
    await using as = await testLatchkey({ profile: "mcp", login: "interactive" });
    const { url } = as.resource("https://mcp.example/mcp");
    const mcp = mcpClient(as, url, kinds[kind]!(as));
    assertEquals((await mcp.call("whoami")).sub, "alice");
    as.log.expect("login").called(2);
    as.log.expect("consent").called(2);
  }
});

test("[MC-01] the MCP SDK logs in over a socket, and the issuer follows the port", async () => {
  await using as = await testLatchkey({ profile: "mcp" });
  await as.listen();
  const { url } = as.resource("/mcp");
  assert(url.startsWith("http://localhost:"));
  const mcp = mcpClient(as, url, { ...kinds["registered, none"]!(as), fetch });
  const { sub, aud } = await mcp.call("whoami");
  assertEquals([sub, aud], ["alice", url]);
});
