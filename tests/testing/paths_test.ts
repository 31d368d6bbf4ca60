/** The setting `paths`: endpoints at other paths. */

import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { ConfigurationError } from "../../src/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { testLatchkey } from "./test_latchkey.ts";
import { forEachCase } from "../kit.ts";

const paths = {
  authorization_endpoint: "/authorize",
  token_endpoint: "/login/token",
  jwks_uri: "/.well-known/jwks.json",
  userinfo_endpoint: "/me",
  registration_endpoint: "/clients/new",
};

for (const issuer of ["https://latchkey.test", "https://latchkey.test/tenant"]) {
  test(`[MD-11] paths: metadata lists them, the server serves them and nothing else, with the issuer ${issuer}`, async () => {
    await using as = await testLatchkey({ issuer, paths });
    const metadata = await (await as.fetch(`${issuer}/.well-known/openid-configuration`)).json();
    for (const [name, path] of Object.entries(paths)) assertEquals(metadata[name], issuer + path);
    assertEquals(metadata.revocation_endpoint, `${issuer}/oauth2/revoke`);
    const client = await as.register();
    const { registration_client_uri, registration_access_token } = client;
    const read = { headers: { authorization: `Bearer ${registration_access_token}` } };
    assertEquals((await as.fetch(registration_client_uri, read)).status, 200);
    const { tokens, request } = await as.logIn(client, { scope: "openid profile" });
    assertEquals(request.pathname, new URL(metadata.authorization_endpoint).pathname);
    const userinfo = await as.fetch(metadata.userinfo_endpoint, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    assertEquals([userinfo.status, (await as.fetch(metadata.jwks_uri)).status], [200, 200]);
    for (const name of ["authorize", "jwks", "userinfo"]) {
      assertEquals((await as.fetch(`${issuer}/oauth2/${name}`)).status, 404);
    }
    as.log.expect("token").called(1).by(client).succeeded();
  });
}

test("[MD-11] a path of another endpoint, or none, is a configuration error", async () => {
  await forEachCase([
    { token_endpoint: "/clients" },
    { token_endpoint: "/start", authorization_endpoint: "/authorize" },
    { token_endpoint: "/x", authorization_endpoint: "/x" },
    { token_endpoint: "/flows" },
    { token_endpoint: "token" },
    { token_endpoint: "/token?a=b" },
    { token_endpoint: "/a/../token" },
    { tokens: "/token" },
  ], async (paths) => {
    await assertRejects(() => latchkey({ paths, plugins: [inspector()] }), ConfigurationError, "paths");
  });
  await using as = await latchkey({ paths: { token_endpoint: "/token" }, profile: "mcp", mcpRevision: "2025-03-26" });
  assertEquals((await as.fetch(new Request(`${as.issuer}/token`, { method: "POST" }))).status, 400);
});
