/** The TypeScript SDK of the Model Context Protocol with a client ID metadata document, against the mock. */

import { createPrivateKeyJwtAuth } from "@modelcontextprotocol/client";
import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { mcpRevisions } from "../../src/oauth/config/profiles.ts";
import { testLatchkey } from "../secret_leak_check.ts";
import { mcpClient, redirectUri } from "./mcp_client.ts";

test("[MC-01, MC-03] the MCP SDK uses its metadata document instead of a registration, and registers where there is none", async () => {
  for (const issuer of ["https://latchkey.test", "https://latchkey.test/tenant"]) {
    for (const mcpRevision of mcpRevisions.slice(1)) {
      await using as = await testLatchkey({ issuer, profile: "mcp", mcpRevision, registration: { mode: "open" } });
      const resource = as.resource("https://mcp.example/mcp", { scopes: ["notes:read"], tools: { whoami: [] } });
      const { client_id } = as.clientDocument("https://app.example/client.json", {
        client_name: "MCP client",
        redirect_uris: [redirectUri],
      });
      const mcp = mcpClient(as, resource.url, { clientMetadataUrl: client_id });
      const { sub, aud } = await mcp.call("whoami");
      assertEquals([sub, aud], ["alice", resource.url]);
      const usesDocument = mcpRevision >= "2025-11-25";
      assertEquals(mcp.authorizations[0]!.searchParams.get("client_id") === client_id, usesDocument, mcpRevision);
      assertEquals(as.log.documentFetches.length, usesDocument ? 1 : 0);
    }
  }
});

test("[MC-07] the MCP SDK authenticates with the private key of its metadata document", async () => {
  await using as = await testLatchkey({ profile: "mcp" });
  const resource = as.resource("https://mcp.example/mcp", { scopes: ["notes:read"], tools: { whoami: [] } });
  const { client_id, private_jwk } = as.clientDocument("https://app.example/client.json", {
    client_name: "MCP client",
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: "private_key_jwt",
  });
  const addClientAuthentication = createPrivateKeyJwtAuth({
    issuer: client_id,
    subject: client_id,
    privateKey: { ...private_jwk },
    alg: "ES256",
  });
  const mcp = mcpClient(as, resource.url, { clientMetadataUrl: client_id, provider: { addClientAuthentication } });
  assertEquals((await mcp.call("whoami")).sub, "alice");
  as.log.expect("token").called(1).by(client_id).with("private_key_jwt").succeeded();
});
