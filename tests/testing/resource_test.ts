/**
 * Protected resources of the mock: metadata, challenges, step-up, and the MCP server behind them (groups PR and MC).
 */

import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { discoverOAuthProtectedResourceMetadata } from "@modelcontextprotocol/client";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import { inspector } from "../../src/devtools/mod.ts";
import { ConfigurationError } from "../../src/mod.ts";
import type { TraceEvent } from "../../src/server/trace.ts";
import { formatEvent } from "../../src/cli/operating/format_event.ts";
import { exchangeUrl } from "../../src/recorder/exchange.ts";
import type { HostedResourceOptions, TestLatchkey, TestResource } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";

const identifier = "https://mcp.example/tenant/mcp";
const notes: HostedResourceOptions = { scopes: ["notes:read"], tools: { list_notes: [], add_note: ["notes:write"] } };

/** Calls a method of the MCP server. */
function call(
  as: TestLatchkey,
  url: string,
  token?: string,
  method = "tools/list",
  params: object = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  return as.fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...token !== undefined && { authorization: `Bearer ${token}` },
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

const callTool = (as: TestLatchkey, url: string, token: string | undefined, name: string) =>
  call(as, url, token, "tools/call", { name, arguments: { text: "x" } });

/** The scheme and the parameters of the Bearer challenge, each once. A 401 offers DPoP after it (PR-11). */
function parseChallenge(response: Response): Readonly<Record<string, string>> {
  const [bearer, dpop] = (response.headers.get("www-authenticate") ?? "").split(/, (?=DPoP )/) as [string, string?];
  const [, scheme, list = ""] = /^(\w+)(?: (.*))?$/.exec(bearer) ?? [];
  const pairs = [...list.matchAll(/(\w+)="([^"\\]*)"(?:, |$)/g)].map(([, name, value]) => [name!, value!] as const);
  assertEquals(pairs.map(([name, value]) => `${name}="${value}"`).join(", "), list);
  assertEquals(new Set(pairs.map(([name]) => name)).size, pairs.length);
  const parameters: Readonly<Record<string, string>> = { scheme: scheme!, ...Object.fromEntries(pairs) };
  const offer = `DPoP resource_metadata="${parameters.resource_metadata}", algs="`;
  assertEquals(dpop?.startsWith(offer) === true && !dpop.includes("error"), response.status === 401);
  return parameters;
}

async function login(as: TestLatchkey, { url }: TestResource, scope: string): Promise<string> {
  const { tokens } = await as.logIn(as.client(), { scope, resource: url });
  return tokens.access_token;
}

test("[PR-01, PR-03, PR-04] oauth4webapi and the MCP SDK accept the metadata document of a resource", async () => {
  await using as = await testLatchkey();
  for (const url of [identifier, "https://root.example", `${as.issuer}/mcp`, "http://localhost:8080/a", "/by/path"]) {
    const resource = as.resource(url);
    const expected = new URL(url, as.issuer);
    const response = await oauth.resourceDiscoveryRequest(expected, {
      [oauth.customFetch]: as.fetch,
      [oauth.allowInsecureRequests]: true,
    });
    assertEquals(response.url, resource.metadataUrl);
    const document = await oauth.processResourceDiscoveryResponse(expected, response);
    assertEquals(document.resource, resource.url);
    assertEquals(document.authorization_servers, [as.issuer]);
    assertEquals(
      (await discoverOAuthProtectedResourceMetadata(expected, {}, as.fetch as typeof fetch)).resource,
      resource.url,
    );
  }
  assertEquals(
    as.resource(identifier).metadataUrl,
    "https://mcp.example/.well-known/oauth-protected-resource/tenant/mcp",
  );
  assertEquals(
    as.resource("https://root.example/").metadataUrl,
    "https://root.example/.well-known/oauth-protected-resource",
  );
});

test("[HT-01] a wrong path suggests no resource at another origin", async () => {
  await using as = await testLatchkey();
  as.resource("https://api.example/mcp");
  const response = await as.fetch(
    new Request(`${as.issuer}/oauth-protected-resource/mcp`, { headers: { accept: "application/json" } }),
  );
  assertEquals((await response.json()).error_description, "This address does not exist [HT-01]");
});

test("[PR-08, PR-10, PR-07] a client steps up: 401, login, 403 with all scope of the operation, login, 200", async () => {
  await using as = await testLatchkey();
  const mcp = as.resource(identifier, notes);
  const first = await callTool(as, mcp.url, undefined, "add_note");
  assertEquals(first.status, 401);
  assertEquals(parseChallenge(first), {
    scheme: "Bearer",
    scope: "notes:read notes:write",
    resource_metadata: mcp.metadataUrl,
  });
  const initial = await call(as, mcp.url, undefined, "initialize");
  assertEquals([initial.status, parseChallenge(initial).scope], [401, "notes:read"]);
  assertEquals([await first.text(), as.log.last("resource").outcome], ["{}", "challenged"]);
  const token = await login(as, mcp, "openid notes:read");
  as.log.expectNoRejections();
  assertEquals((await callTool(as, mcp.url, token, "list_notes")).status, 200);
  const lacking = await callTool(as, mcp.url, token, "add_note");
  assertEquals(lacking.status, 403);
  const { scope, error, resource_metadata } = parseChallenge(lacking);
  assertEquals([scope, error, resource_metadata], [
    "notes:read notes:write",
    "insufficient_scope",
    mcp.metadataUrl,
  ]);
  assertThrows(() => as.log.expectNoRejections(), Error, "PR-10");
  const broader = await login(as, mcp, `openid ${scope}`);
  const done = await callTool(as, mcp.url, broader, "add_note");
  assertEquals(done.status, 200);
  const { result } = await done.json();
  assertEquals(result.structuredContent, {
    tool: "add_note",
    arguments: { text: "x" },
    sub: "alice",
    client_id: "client-2",
    scope: "openid notes:read notes:write",
    aud: identifier,
  });
  assertEquals((await callTool(as, mcp.url, token, "add_note")).status, 403);
  assertEquals(done.headers.has("www-authenticate"), false);
});

test("[MC-08] a token for another resource or for the authorization server is 401 invalid_token, and the log says why", async () => {
  await using as = await testLatchkey();
  const mcp = as.resource(identifier);
  const other = as.resource("https://mcp.example/other");
  for (
    const token of [
      await login(as, other, "read"),
      (await as.logIn(as.client(), { scope: "read" })).tokens.access_token,
    ]
  ) {
    const response = await call(as, mcp.url, token);
    assertEquals([response.status, parseChallenge(response).error], [401, "invalid_token"]);
  }
  const { rule, reason, expected, received, fix } = as.log.last("resource").rejection!.explanation;
  assertStringIncludes(fix!, `resource=${identifier}`);
  assertEquals([rule, reason, expected, received], [
    "MC-08",
    "the access token is for another resource",
    identifier,
    as.issuer,
  ]);
  as.log.expect("resource").rejected("invalid_token", "MC-08");
});

test("[PR-08] introspection accepts only access tokens: no refresh token, no ID token, no other text", async () => {
  await using as = await testLatchkey();
  const mcp = as.resource(identifier, { verifyBy: "introspection" });
  const { tokens } = await as.logIn(as.client(), { scope: "openid read", resource: mcp.url });
  assertEquals((await call(as, mcp.url, tokens.access_token)).status, 200);
  for (const token of [tokens.refresh_token!, tokens.id_token!, "x", "a.b.c", "%"]) {
    const response = await call(as, mcp.url, token);
    assertEquals([response.status, parseChallenge(response).error], [401, "invalid_token"], token);
  }
});

test("[PR-08] a token is accepted until it expires by the clock of the mock, and no second longer", async () => {
  await using as = await testLatchkey({ startsAt: "2026-01-01" });
  as.clock.freeze();
  const mcp = as.resource(identifier);
  const { tokens } = await as.logIn(as.client(), { scope: "read", resource: mcp.url });
  as.clock.advance(tokens.expires_in - 1);
  assertEquals((await call(as, mcp.url, tokens.access_token)).status, 200);
  as.clock.advance(1);
  assertEquals((await call(as, mcp.url, tokens.access_token)).status, 401);
  assertEquals(as.log.last("resource").rejection!.explanation.reason, "the access token has expired");
});

test("[PR-08] a revoked token is rejected by introspection, and an opaque one accepted", async () => {
  await using as = await testLatchkey();
  const mcp = as.resource(identifier, { verifyBy: "introspection" });
  const client = as.client({ access_token_format: "opaque" });
  const { tokens } = await as.logIn(client, { scope: "read", resource: mcp.url });
  assertEquals(tokens.access_token.includes("."), false);
  assertEquals((await call(as, mcp.url, tokens.access_token)).status, 200);
  const byKeys = await call(as, as.resource("/by/keys").url, tokens.access_token);
  assertEquals([byKeys.status, parseChallenge(byKeys).error], [401, "invalid_token"]);
  const body = new URLSearchParams({ token: tokens.access_token, client_id: client.client_id });
  assertEquals((await as.fetch("/oauth2/revoke", { method: "POST", body })).status, 200);
  assertEquals((await call(as, mcp.url, tokens.access_token)).status, 401);
});

test("[PR-04] a path issuer is named with its path, and its metadata lists the resource", async () => {
  await using as = await testLatchkey({ issuer: "https://latchkey.test/tenant" });
  const mcp = as.resource("/mcp");
  assertEquals(mcp.url, "https://latchkey.test/mcp");
  const { authorization_servers } = await (await as.fetch(mcp.metadataUrl)).json();
  assertEquals(authorization_servers, ["https://latchkey.test/tenant"]);
  const metadata = await (await as.fetch("/.well-known/oauth-authorization-server/tenant")).json();
  assertEquals([metadata.issuer, metadata.protected_resources], [as.issuer, [mcp.url]]);
  assertEquals((await call(as, mcp.url, await login(as, mcp, "read"))).status, 200);
});

test("with a list of resources, tokens can be issued for a hosted one too, and scope values that clients lack are added", async () => {
  await using as = await testLatchkey({ resources: [{ uri: "https://api.example" }] });
  const client = as.client();
  const mcp = as.resource(identifier, { scopes: ["mcp:use"], tools: {} });
  const { tokens } = await as.logIn(client, { scope: "mcp:use", resource: mcp.url });
  assertEquals((await call(as, mcp.url, tokens.access_token)).status, 200);
  const { scopes_supported } = await (await as.fetch("/.well-known/oauth-authorization-server")).json();
  assertEquals(scopes_supported.filter((value: string) => value === "mcp:use"), ["mcp:use"]);
});

test("[PR-02] the metadata document: GET and HEAD from any origin, 405, and 404 where no resource is", async () => {
  await using as = await testLatchkey();
  const { metadataUrl } = as.resource(identifier);
  const found = await as.fetch(metadataUrl);
  assertEquals([found.status, found.redirected], [200, false]);
  assertEquals(found.headers.get("content-type"), "application/json");
  assertEquals(found.headers.get("cache-control"), "public, max-age=60");
  assertEquals(found.headers.get("access-control-allow-origin"), "*");
  const head = await as.fetch(metadataUrl, { method: "HEAD" });
  assertEquals([head.status, await head.text()], [200, ""]);
  assertEquals(head.headers.get("content-length"), String((await found.text()).length));
  for (const method of ["POST", "PUT", "DELETE"]) {
    const response = await as.fetch(metadataUrl, { method });
    assertEquals([response.status, response.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  }
  const wellKnown = "/.well-known/oauth-protected-resource";
  for (const path of [wellKnown, `${wellKnown}/`, `${wellKnown}/tenant`, `${wellKnown}/tenant/mcp/`, "/tenant", "/"]) {
    assertEquals((await as.fetch(`https://mcp.example${path}`)).status, 404, path);
    assertEquals((await as.fetch(`${as.issuer}${wellKnown}`)).status, 404);
  }
});

test("[PR-05, PR-14] the metadata document has true members only, and follows a change at the same URL", async () => {
  await using as = await testLatchkey();
  const { metadataUrl } = as.resource(identifier, notes);
  const server = await as.fetch("/.well-known/oauth-authorization-server");
  const { dpop_signing_alg_values_supported } = await server.json();
  const document = {
    resource: identifier,
    authorization_servers: [as.issuer],
    scopes_supported: ["notes:read", "notes:write"],
    bearer_methods_supported: ["header"],
    dpop_signing_alg_values_supported,
  };
  assertEquals(await (await as.fetch(metadataUrl)).json(), document);
  assertEquals(as.resource(identifier, { scopes: [], tools: {} }).metadataUrl, metadataUrl);
  const { scopes_supported: _, ...without } = document;
  assertEquals(await (await as.fetch(metadataUrl)).json(), without);
  as.resource(identifier, { scopes: [], tools: {}, authorizationDetailsTypes: ["payment"] });
  const withTypes = { ...without, authorization_details_types_supported: ["payment"] };
  assertEquals(await (await as.fetch(metadataUrl)).json(), withTypes);
  assertThrows(() => as.resource(identifier, { scopes: ["offline_access"] }), TypeError, "offline_access");
});

test("[PR-06] the challenge names the configured URL, with any host", async () => {
  await using as = await testLatchkey();
  const mcp = as.resource(identifier);
  for (const host of ["https://mcp.example", "https://evil.example", "http://localhost:1"]) {
    const request = new Request(`${host}/tenant/mcp`, {
      method: "POST",
      headers: { host: "evil.example" },
      body: "{}",
    });
    const response = await mcp.fetch(request);
    assertEquals([response.status, parseChallenge(response).resource_metadata], [401, mcp.metadataUrl]);
  }
});

test("[PR-09] a scope value includes the values that it implies, also indirectly", async () => {
  await using as = await testLatchkey();
  const mcp = as.resource(identifier, {
    scopes: ["notes:read"],
    tools: { add_note: ["notes:write"], purge: ["notes:admin"] },
    impliedScopes: { "notes:admin": ["notes:write"], "notes:write": ["notes:read"] },
  });
  const write = await login(as, mcp, "notes:write");
  const statuses = async (token: string) => [
    (await call(as, mcp.url, token)).status,
    (await callTool(as, mcp.url, token, "add_note")).status,
    (await callTool(as, mcp.url, token, "purge")).status,
  ];
  assertEquals(await statuses(write), [200, 200, 403]);
  assertEquals(await statuses(await login(as, mcp, "notes:admin")), [200, 200, 200]);
  assertEquals(await statuses(await login(as, mcp, "notes:read")), [200, 403, 403]);
});

test("[PR-12] scripts of other origins can read challenges and send what MCP needs", async () => {
  await using as = await testLatchkey();
  const mcp = as.resource(identifier, notes);
  for (const token of [undefined, await login(as, mcp, "read")]) {
    const { status, headers } = await call(as, mcp.url, token);
    assertEquals(status, token === undefined ? 401 : 403);
    assertMatch(headers.get("access-control-expose-headers")!, /WWW-Authenticate/);
    assertEquals(headers.get("access-control-allow-origin"), "*");
  }
  const preflight = await as.fetch(mcp.url, {
    method: "OPTIONS",
    headers: { origin: "https://app.example", "access-control-request-method": "POST" },
  });
  assertEquals(preflight.status, 204);
  const allowed = preflight.headers.get("access-control-allow-headers")!.split(", ");
  for (const name of ["authorization", "content-type", "dpop", "mcp-method", "mcp-name", "mcp-protocol-version"]) {
    assert(allowed.includes(name));
  }
});

test("[PR-13] metadata lists the hosted resources, each of which names the issuer", async () => {
  await using as = await testLatchkey();
  const metadata = async () =>
    await (await as.fetch("/.well-known/oauth-authorization-server")).json() as { protected_resources?: string[] };
  assertEquals((await metadata()).protected_resources, undefined);
  const urls = [identifier, "/mcp"].map((url) => as.resource(url));
  assertEquals((await metadata()).protected_resources, [identifier, `${as.issuer}/mcp`]);
  for (const { metadataUrl } of urls) {
    assertEquals((await (await as.fetch(metadataUrl)).json()).authorization_servers, [as.issuer]);
  }
});

test("the log shows the requests of a resource on another origin, with their flow", async () => {
  await using as = await testLatchkey();
  const mcp = as.resource(identifier);
  assertEquals((await call(as, mcp.url, await login(as, mcp, "read"), "ping")).status, 200);
  const { endpoint, request: { path }, client, flow, passed } = as.log.last("resource");
  assertEquals([endpoint, path, client, flow], ["resource", "//mcp.example/tenant/mcp", "client-1", "1"]);
  assertEquals(passed.map(({ rule }) => rule), ["PR-08", "MC-08", "PR-10"]);
  assertEquals(exchangeUrl(as.log.exchanges.at(-1)!, new URL(as.issuer).origin), mcp.url);
  as.log.expect("resource", { client: "client-1" }).called(1).passed("MC-08").succeeded();
});

test("as.resource rejects locations that cannot be a resource, and options that it does not have", async () => {
  await using as = await testLatchkey();
  for (
    const url of ["mcp", "https://mcp.example/#x", "http://mcp.real.org/", "https://mcp.example/?a=b", "/*", "ftp://x/"]
  ) {
    assertThrows(() => as.resource(url), TypeError, "resource: expected");
  }
  for (const path of ["/start", "/oauth2/token", "/static/x", "/", `${as.issuer}/oauth2/token`]) {
    assertThrows(() => as.resource(path), ConfigurationError, "Expected a path without an endpoint");
  }
  assertThrows(() => as.resource("/x", { scopes: ["a b"] }), TypeError, "Write one value for each string");
  assertThrows(() => as.resource("/x", { scope: [] } as HostedResourceOptions), TypeError, "Did you mean scopes?");
});

test("[PR-08] a first request, a GET for a stream and a step-up are no failures: terminal, flows, log", async () => {
  const events: TraceEvent[] = [];
  await using as = await testLatchkey({ trace: (event) => void events.push(event), plugins: [inspector()] });
  const mcp = as.resource(identifier, notes);
  const statuses = async () => {
    const html = await (await as.fetch("/flows")).text();
    const rows = /<li id="flow-\d+">.*?class="outcome (\w+)".*?class="aside">, ([^<]+)</gs;
    return [...html.matchAll(rows)].map(([, tone, label]) => `${tone} ${label}`);
  };
  await call(as, mcp.url, undefined, "initialize");
  assertEquals(await statuses(), ["open challenged"]);
  const challenged = events.find(({ type }) => type === "challenged");
  assertMatch(formatEvent(challenged!)!, /challenged at .*; the challenge names scope notes:read$/);
  const token = await login(as, mcp, "openid notes:read");
  const headers = { authorization: `Bearer ${token}` };
  assertEquals((await as.fetch(mcp.url, { headers })).status, 405);
  as.log.expectNoRejections();
  assert((await (await as.fetch("/flows/2")).text()).includes("no stream"));
  assertEquals((await statuses())[0], "good tokens issued");
  assertEquals((await callTool(as, mcp.url, token, "add_note")).status, 403);
  as.log.expect("resource", ({ response }) => response?.status === 403).rejected("insufficient_scope", "PR-10");
  const broader = await login(as, mcp, "openid notes:read notes:write");
  assertEquals((await callTool(as, mcp.url, broader, "add_note")).status, 200);
  assertEquals((await statuses()).filter((status) => !status.startsWith("good")).sort(), [
    "open challenged",
    "open step-up required",
  ]);
  await call(as, mcp.url, "wrong", "initialize");
  await as.fetch(mcp.url, { method: "POST", headers: { authorization: "Basic eDp5" } });
  as.log.expect("resource", ({ number }) => number > as.log.exchanges.length - 2).rejected("invalid_token", "PR-08");
});
