/** The small MCP server of a hosted resource: revisions, methods, errors, and hostile requests. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { Client, InsufficientScopeError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { test } from "node:test";
import { mcpRevisions } from "../../src/server/config/strictness.ts";
import { mcpServer } from "../../src/resource/mod.ts";
import type { TestLatchkey } from "../../src/testing/mod.ts";
import { forEachCase } from "../kit.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { mcpClient } from "../testing/mcp_client.ts";

const url = "https://mcp.example/mcp";

/** A token for the resource, and a POST with it. */
async function server(scope = "read"): Promise<{
  readonly as: TestLatchkey;
  readonly token: string;
  readonly post: (body: unknown, headers?: Record<string, string>) => Promise<Response>;
}> {
  const as = await testLatchkey();
  as.resource(url);
  const { tokens } = await as.logIn(as.client(), { scope, resource: url });
  const token = tokens.access_token;
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    as.fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { as, token, post };
}

const message = (method: string, params: unknown = {}, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params });

test("the client of the MCP SDK negotiates every revision, lists and calls tools", async () => {
  const { as, token } = await server();
  await forEachCase(mcpRevisions, async (revision) => {
    const client = new Client(
      { name: "test", version: "1" },
      revision < "2026"
        ? { supportedProtocolVersions: [revision] }
        : { versionNegotiation: { mode: { pin: revision } } },
    );
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { fetch: as.fetch as typeof fetch, requestInit }),
    );
    assertEquals(client.getNegotiatedProtocolVersion(), revision);
    const { tools } = await client.listTools();
    assertEquals(tools.map(({ name }) => name), ["whoami", "add_note", "read_calendar"]);
    const needsAccount = "The user must first connect an account of Example Calendar in a browser.";
    assertEquals(tools.map(({ description }) => description?.endsWith(` ${needsAccount}`)), [false, false, true]);
    const { structuredContent } = await client.callTool({ name: "whoami", arguments: { a: [1] } });
    assertEquals(structuredContent, {
      tool: "whoami",
      arguments: { a: [1] },
      sub: "alice",
      client_id: "client-1",
      scope: "read",
      aud: url,
    });
    const error = await assertRejects(() => client.callTool({ name: "add_note" }), InsufficientScopeError);
    assertEquals(error.requiredScope, "read write");
    await client.close();
  });
  await as.close();
});

test("over a socket, a resource with a path follows the port of the server", async () => {
  await using as = await testLatchkey();
  const mcp = as.resource("/mcp");
  assertEquals(mcp.url, "https://latchkey.test/mcp");
  const { url: origin } = await as.listen();
  assertEquals([mcp.url, mcp.metadataUrl], [`${origin}/mcp`, `${origin}/.well-known/oauth-protected-resource/mcp`]);
  assertEquals((await (await fetch(mcp.metadataUrl)).json()).resource, mcp.url);
  const { tokens } = await as.logIn(as.client(), { scope: "read", resource: mcp.url });
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${tokens.access_token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp.url), { requestInit }));
  const { structuredContent } = await client.callTool({ name: "whoami" });
  assertEquals((structuredContent as { aud: string }).aud, mcp.url);
  await client.close();
});

test("[PR-10] the MCP SDK registers, logs in and steps up at the plugin mcpServer, over a socket", async () => {
  await using as = await testLatchkey({ profile: "mcp", mcpRevision: "2025-11-25", plugins: [mcpServer("/mcp")] });
  const { url: origin } = await as.listen();
  const mcp = mcpClient(as, `${origin}/mcp`, { fetch });
  const { scope, aud } = await mcp.call("whoami");
  assertEquals([scope, aud], ["read", `${origin}/mcp`]);
  assertEquals((await mcp.call("add_note")).scope, "read write");
  as.log.expect("register").called(1);
  as.log.expect("resource_metadata").succeeded();
});

test("a resource stays after a reset, and is reached by as.fetch, by the global fetch and by a server of its own", async () => {
  await using as = await testLatchkey();
  const mcp = as.resource(url);
  await as.reset();
  const { tokens } = await as.logIn(as.client(), { scope: "read", resource: mcp.url });
  const init = { method: "POST", headers: { authorization: `Bearer ${tokens.access_token}` } };
  const body = JSON.stringify(message("ping"));
  assertEquals((await as.fetch(url, { ...init, body })).status, 200);
  {
    using _ = as.installFetch();
    assertEquals((await fetch(url, { ...init, body })).status, 200);
  }
  assertEquals((await mcp.fetch(new Request("http://localhost:1/mcp", { ...init, body }))).status, 200);
});

test("methods, notifications and batches get the responses of JSON-RPC", async () => {
  const { as, post } = await server();
  const result = async (body: unknown, headers?: Record<string, string>) => {
    const response = await post(body, headers);
    const text = await response.text();
    const { error, result } = text === ""
      ? {} as { error?: { code: number } } & { result?: unknown }
      : JSON.parse(text);
    return [response.status, error?.code ?? result];
  };
  assertEquals(await result(message("ping")), [200, {}]);
  assertEquals(await result({ jsonrpc: "2.0", method: "notifications/initialized" }), [202, undefined]);
  assertEquals(await result(message("prompts/list")), [200, -32601]);
  assertEquals(await result(message("tools/call", { name: "toString" })), [200, -32602]);
  assertEquals(await result(message("tools/call", { name: "__proto__" })), [200, -32602]);
  assertEquals(await result(message("tools/call", { name: 5 })), [200, -32602]);
  const initialized = async (protocolVersion: string) =>
    (await (await post(message("initialize", { protocolVersion }))).json()).result.protocolVersion;
  for (const revision of mcpRevisions.slice(0, 3)) assertEquals(await initialized(revision), revision);
  assertEquals([await initialized("2026-07-28"), await initialized("1999-01-01")], ["2025-11-25", "2025-11-25"]);
  assertEquals(await result(message("ping"), { "mcp-protocol-version": "1999-01-01" }), [400, -32022]);
  const batch = [message("ping", {}, "a"), { jsonrpc: "2.0", method: "notifications/x" }, message("x", {}, 2)];
  const response = await post(batch);
  assertEquals((await response.json()).map(({ id }: { id: unknown }) => id), ["a", 2]);
  assertEquals(await result(batch, { "mcp-protocol-version": "2025-06-18" }), [400, -32600]);
  for (const body of ["", "{"]) assertEquals(await result(body), [400, -32700]);
  for (const body of ["[]", "1", "null", "[1]", '{"jsonrpc":"1.0","method":"ping"}', message("ping", [1])]) {
    assertEquals(await result(body), [400, -32600]);
  }
  for (const id of [{}, [], null, true]) {
    assertEquals(await result({ ...message("ping"), id }), [400, -32600], JSON.stringify(id));
  }
  await as.close();
});

test("[MC-10] since 2026-07-28 Mcp-Method and Mcp-Name mirror the body, and a difference is HeaderMismatch", async () => {
  const { as, post } = await server();
  const revision = "2026-07-28";
  const call = message("tools/call", { name: "whoami" });
  const outcome = async (headers: Record<string, string>, body: unknown = call, version = revision) => {
    const response = await post(body, { "mcp-protocol-version": version, ...headers });
    const { error } = await response.json();
    return [response.status, error?.code, error?.message?.replace("Header mismatch: ", "")];
  };
  const named = (name: string) => ({ "mcp-method": "tools/call", "mcp-name": name });
  assertEquals(await outcome(named("whoami")), [200, undefined, undefined]);
  assertEquals(await outcome(named(`=?base64?${btoa("whoami")}?=`)), [200, undefined, undefined]);
  assertEquals(await outcome({ "mcp-method": "ping" }, message("ping")), [200, undefined, undefined]);
  assertEquals(await outcome({}), [400, -32020, 'Mcp-Method is missing: expected "tools/call", as in the body']);
  assertEquals(await outcome({ "mcp-method": "tools/call" }), [
    400,
    -32020,
    'Mcp-Name is missing: expected "whoami", as in the body',
  ]);
  assertEquals(await outcome({ ...named("whoami"), "mcp-method": "Tools/Call" }), [
    ...[400, -32020, 'Mcp-Method does not match the body: expected "tools/call", received "Tools/Call"'],
  ]);
  assertEquals(await outcome(named("add_note")), [
    400,
    -32020,
    'Mcp-Name does not match the body: expected "whoami", received "add_note"',
  ]);
  assertEquals(await outcome(named("=?base64?%?=")), [400, -32020, "Mcp-Name is not valid Base64"]);
  const _meta = { "io.modelcontextprotocol/protocolVersion": "2025-11-25" };
  assertEquals(await outcome(named("whoami"), message("tools/call", { name: "whoami", _meta })), [
    ...[400, -32020, 'MCP-Protocol-Version does not match the body: expected "2025-11-25", received "2026-07-28"'],
  ]);
  assertEquals(await outcome({}, call, "2025-11-25"), [200, undefined, undefined]);
  await as.close();
});

test("[PR-08] a batch needs the scope of each of its calls", async () => {
  const { as, post } = await server();
  const response = await post([message("ping"), message("tools/call", { name: "add_note" }, 2)]);
  assertEquals(response.status, 403);
  assert(response.headers.get("www-authenticate")!.includes('scope="read write"'));
  await as.close();
});

test("GET and DELETE are 401 or 405: no stream, no session", async () => {
  const { as, token } = await server();
  const request = async (method: string, headers: Record<string, string> = {}) => {
    const response = await as.fetch(url, { method, headers });
    return [response.status, response.headers.get("allow"), response.headers.has("www-authenticate")];
  };
  const headers = { authorization: `Bearer ${token}` };
  assertEquals(await request("GET"), [401, null, true]);
  assertEquals(await request("GET", headers), [405, "POST, OPTIONS", false]);
  assertEquals(await request("HEAD"), [401, null, true]);
  assertEquals((await request("DELETE", headers))[0], 405);
  await as.close();
});

test("hostile requests get a client error, never a failure of the server", async () => {
  const { as, post, token } = await server();
  const deep = "[".repeat(30_000) + "]".repeat(30_000);
  const bodies = [
    deep,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":${deep}}}`,
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${deep}}}`,
    "x".repeat(70_000),
    "\u0000",
    "{}",
  ];
  await forEachCase(bodies, async (body) => {
    const { status } = await post(body);
    assert(status === 400 || status === 413 || status === 200, String(status));
  });
  assertEquals((await post("{}", { "content-encoding": "gzip" })).status, 415);
  await forEachCase(
    [
      `Bearer ${token}, Bearer x`,
      "Bearer",
      "Bearer  ",
      `bearer   ${token}`,
      `Basic ${btoa("a:b")}`,
      `Bearer ${"a".repeat(15_000)}`,
    ],
    async (authorization) => {
      const { status, headers } = await as.fetch(url, { method: "POST", headers: { authorization }, body: "{}" });
      assertEquals(status, authorization === `bearer   ${token}` ? 400 : 401);
      assertEquals(headers.has("www-authenticate"), status === 401);
    },
  );
  await as.close();
});
