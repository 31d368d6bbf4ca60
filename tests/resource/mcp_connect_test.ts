/** Accounts that the hosted MCP server asks its user to connect: URL mode elicitation, and who may open the URL. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { test } from "node:test";
import { mcpServer } from "../../src/resource/mod.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { connectionList } from "../../src/resource/connections.ts";
import { LoginError, type TestBrowser, type TestLatchkey } from "../../src/testing/mod.ts";
import { encode, forEachCase } from "../kit.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";

const url = "https://mcp.example/mcp";
const revision = "2026-07-28";
const capable = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { url: {} } } };

/** The members of a response that the tests read. */
interface CallResponse {
  readonly result?: {
    readonly resultType?: string;
    readonly requestState?: string;
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
    readonly inputRequests?: { readonly connect: { readonly params: { readonly url: string } } };
  };
  readonly error?: { readonly code: number; readonly data?: unknown };
}

/** A server, the browser in which a user logged in, and calls of the tool with the access token. */
async function start(): Promise<{
  readonly as: TestLatchkey;
  readonly browser: TestBrowser;
  readonly call: Call;
  readonly callAs: (user: string) => Promise<Call>;
}> {
  const as = await testLatchkey({ users: [{ sub: "alice" }, { sub: "bob" }] });
  as.resource(url);
  const client = as.client();
  const browser = as.browser({ as: "alice" });
  const callAs = async (user: string, agent: TestBrowser = as.browser({ as: user })) => {
    const { tokens } = await as.logIn(client, { as: user, scope: "openid read", resource: url, browser: agent });
    return createCall(as, tokens.access_token);
  };
  return { as, browser, call: await callAs("alice", browser), callAs: (user) => callAs(user) };
}

type Call = (params?: object, version?: string | null) => Promise<readonly [status: number, response: CallResponse]>;

function createCall(as: TestLatchkey, token: string, resource = url): Call {
  return async (params = { _meta: capable }, version = revision) => {
    const response = await as.fetch(resource, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        ...version !== null && { "mcp-protocol-version": version },
        ...{ "mcp-method": "tools/call", "mcp-name": "read_calendar" },
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "read_calendar", ...params },
      }),
    });
    return [response.status, await response.json()];
  };
}

/** The URL and the state of a response that asks for a connection. */
function readElicitation(
  [status, { result }]: readonly [number, CallResponse],
): { readonly page: string; readonly state: string } {
  assertEquals([status, result?.resultType], [200, "input_required"]);
  return { page: result!.inputRequests!.connect.params.url, state: result!.requestState! };
}

/** The form of the page with a decision, as a body. */
async function formOf(response: Response, decision: string): Promise<string> {
  const [, form_token] = /name="form_token" value="([^"]+)"/.exec(await response.text()) ?? [];
  assert(form_token !== undefined, `the page has no form, status ${response.status}`);
  return encode({ form_token, decision });
}

/** Sends the form of the page; returns the page after it. */
async function decide(browser: TestBrowser, page: string, decision: string): Promise<string> {
  const body = await formOf(await browser.open(page), decision);
  const response = await browser.open(page, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: new URL(page).origin },
    body,
  });
  assertEquals(response.status, 200);
  return await response.text();
}

test("[MC-11] the client of the MCP SDK opens the URL and calls the tool again", async () => {
  const { as, browser } = await start();
  const { tokens } = await as.logIn(as.client(), { scope: "openid read", resource: url, browser });
  const client = new Client({ name: "test", version: "1" }, {
    capabilities: { elicitation: { url: {} } },
    versionNegotiation: { mode: { pin: revision } },
  });
  const opened: string[] = [];
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const { url: page } = params as { readonly url: string };
    opened.push(page);
    assertStringIncludes(await decide(browser, page, "allow"), "Example Calendar is connected");
    return { action: "accept" };
  });
  const requestInit = { headers: { authorization: `Bearer ${tokens.access_token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { fetch: as.fetch as typeof fetch, requestInit }),
  );
  for (const _ of ["first", "again"]) {
    const { structuredContent } = await client.callTool({ name: "read_calendar", arguments: {} });
    assertEquals((structuredContent as { sub: string }).sub, "alice");
  }
  assertEquals(opened.length, 1);
  assert(!opened[0]!.includes("alice") && opened[0]!.startsWith(as.issuer), opened[0]);
  await client.close();
  await as.close();
});

test("[MC-11] each revision gets its form of the elicitation, and the tool does not run before the decision", async () => {
  const { as, call } = await start();
  const { page, state } = readElicitation(await call());
  assertEquals(readElicitation(await call({ _meta: capable, requestState: state })), { page, state });
  await forEachCase(
    [{}, { _meta: {} }, { _meta: { [Object.keys(capable)[0]!]: { elicitation: { form: {} } } } }],
    async (params) => {
      const [status, { error }] = await call(params);
      assertEquals([status, error], [
        400,
        {
          code: -32021,
          message: "The tool needs the client capability elicitation.url",
          data: { requiredCapabilities: { elicitation: { url: {} } } },
        } as CallResponse["error"],
      ]);
    },
  );
  const [status, { error }] = await call({}, "2025-11-25");
  assertEquals([status, error?.code, (error?.data as { elicitations: { url: string }[] }).elicitations[0]!.url], [
    ...[200, -32042, page],
  ]);
  for (const version of ["2025-06-18", "2025-03-26", null]) {
    const [, { result }] = await call({}, version);
    assertEquals(result?.isError, true);
    assertMatch(result!.content![0]!.text, /2025-11-25 or newer/);
  }
  await as.close();
});

test("[MC-11] requestState is for one user, client and tool, and for ten minutes; after a decline the call fails", async () => {
  const { as, browser, call, callAs } = await start();
  const bob = await callAs("bob");
  const { page, state } = readElicitation(await call());
  for (const requestState of ["", "x", `${state}x`, 1, { state }]) {
    assertEquals((await call({ _meta: capable, requestState }))[1].error?.code, -32602);
  }
  assertEquals((await bob({ _meta: capable, requestState: state }))[1].error?.code, -32602);
  const declined = { connect: { action: "decline" } };
  const [, { result }] = await call({ _meta: capable, requestState: state, inputResponses: declined });
  assertEquals([result?.isError, result?.content?.[0]?.text], [true, "The user did not connect Example Calendar."]);
  assertStringIncludes(await decide(browser, page, "deny"), "You declined");
  const accepted = { connect: { action: "accept" } };
  const [, after] = await call({ _meta: capable, requestState: state, inputResponses: accepted });
  assertEquals(after.result?.isError, true);
  const next = readElicitation(await call());
  as.clock.advance(600);
  assertEquals((await call({ _meta: capable, requestState: next.state }))[1].error?.code, -32602);
  assertEquals((await browser.open(next.page)).status, 400);
  const last = readElicitation(await call());
  await decide(browser, last.page, "allow");
  as.clock.advance(1200);
  assertEquals((await call())[1].result?.resultType, "complete");
  readElicitation(await bob());
  await as.close();
});

test("[MC-12] only the browser of the user who called the tool can connect, by a form of the page", async () => {
  const { as, browser, call, callAs } = await start();
  const other = as.browser({ as: "bob" });
  await as.logIn(as.client(), { as: "bob", browser: other });
  const { page } = readElicitation(await call());
  const send = (agent: TestBrowser, body: string, headers: Record<string, string> = {}) =>
    agent.open(page, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", origin: new URL(page).origin, ...headers },
      body,
    });
  for (const agent of [other, as.browser()]) {
    const shown = await agent.open(page);
    assertEquals(shown.status, 403);
    assert(!(await shown.text()).includes("alice"));
    assertEquals((await send(agent, "decision=allow")).status, 403);
  }
  assertEquals((await send(browser, "decision=allow")).status, 403);
  const form = await formOf(await browser.open(page), "allow");
  assertEquals((await send(other, form)).status, 403);
  assertEquals((await send(browser, form, { origin: "https://evil.example" })).status, 403);
  assertEquals((await browser.open(page.replace(/elicitation_id=.*/, "elicitation_id=x"))).status, 400);
  readElicitation(await call());
  // The form of one elicitation is not valid for another one.
  const bob = readElicitation(await (await callAs("bob"))());
  const response = await other.open(bob.page, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: new URL(page).origin },
    body: form,
  });
  assertEquals(response.status, 403);
  await as.close();
});

test("[MC-11] a reset of the mock forgets connected accounts, also those of a plugin", async () => {
  for (const plugins of [[], [mcpServer("/mcp")]]) {
    await using as = await testLatchkey({ plugins });
    const resource = plugins.length > 0 ? `${as.issuer}/mcp` : as.resource("/mcp").url;
    const client = as.client();
    const browser = as.browser();
    const call = async () => {
      const { tokens } = await as.logIn(client, { scope: "read", resource, browser });
      return await createCall(as, tokens.access_token, resource)();
    };
    const { page } = readElicitation(await call());
    await decide(browser, page, "allow");
    assertEquals((await call())[1].result?.resultType, "complete");
    await as.reset({ keep: ["clients", "users"] });
    assertNotEquals(readElicitation(await call()).page, page);
    assertEquals((await browser.open(page)).status, 400);
  }
});

test("[MC-11] many requests remove requests without a decision first, and no connected account of another user", () => {
  const connections = connectionList();
  const bob = { tool: "read_calendar", clientId: "app", sub: "bob" };
  connections.decide(connections.request(bob, "bob's", 0).id, "connected", 0);
  for (let i = 0; i < 1000; i++) connections.request({ ...bob, clientId: `client ${i}`, sub: "alice" }, `id ${i}`, 0);
  assertEquals(connections.find(bob, 0)?.state, "connected");
  assertEquals([connections.findById("id 0", 0), connections.findById("id 1", 0)?.sub], [undefined, "alice"]);
});

test("[MC-11] a decision on a request that is no longer current changes nothing", () => {
  const connections = connectionList();
  const call = { tool: "read_calendar", clientId: "app", sub: "alice" };
  const { id } = connections.request(call, "first", 0);
  const next = connections.request(call, "second", 1);
  assertEquals(connections.decide(id, "connected", 1), undefined);
  assertEquals(connections.find(call, 1), next);
  assertEquals(connections.decide(next.id, "connected", next.expiresAt), undefined);
  assertEquals(connections.decide(next.id, "connected", next.expiresAt - 1)?.state, "connected");
  connections.clear();
  assertEquals(connections.decide(next.id, "declined", 1), undefined);
  assertEquals(connections.find(call, 1), undefined);
});

test("[MC-11] flows and their exports hide the elicitation in URLs, request states and errors", async () => {
  await using as = await testLatchkey({ plugins: [inspector()] });
  const resource = as.resource("/mcp").url;
  const browser = as.browser();
  const { tokens } = await as.logIn(as.client(), { scope: "read", resource, browser });
  const call = createCall(as, tokens.access_token, resource);
  const { page, state } = readElicitation(await call());
  await call({}, "2025-11-25");
  await call({ _meta: capable, requestState: state });
  await decide(browser, page, "allow");
  const shown = [
    JSON.stringify(as.log.exchanges.map(({ request: { path, query } }) => [path, query])),
    ...await Promise.all(
      [1, 2, 3, 4, 5, 6].flatMap((flow) =>
        ["", ".md"].map(async (end) => await (await as.fetch(`/flows/${flow}${end}`)).text())
      ),
    ),
  ];
  assert(shown.some((text) => text.includes("/connect-account/mcp?elicitation_id=")));
  assert(shown.some((text) => text.includes("requestState")) && shown.some((text) => text.includes("elicitationId")));
  assertEquals(shown.filter((text) => text.includes(state)), []);
});

test("[MC-11] browser.decide() connects the account or declines, and no reload repeats the form", async () => {
  for (const login of ["auto", "interactive"] as const) {
    await using as = await testLatchkey({ login });
    const resource = as.resource("/mcp").url;
    const browser = as.browser({ as: "bob" });
    const { tokens } = await as.logIn(as.client(), { scope: "read", resource, browser });
    const call = createCall(as, tokens.access_token, resource);
    const { page, state } = readElicitation(await call());
    assertEquals(await browser.decide(page, { deny: true }), "denied");
    assertEquals((await call({ _meta: capable, requestState: state }))[1].result?.isError, true);
    const next = readElicitation(await call());
    const body = await formOf(await browser.open(next.page), "allow");
    const response = await as.fetch(next.page, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...{ origin: as.issuer, cookie: browser.cookies.headerFor(next.page)! },
      },
      ...{ body, redirect: "manual" },
    });
    assertEquals([response.status, response.headers.get("location")], [
      303,
      `${next.page.replace(as.issuer, "")}&result=connected`,
    ]);
    assertEquals((await call())[1].result?.resultType, "complete");
    const other = as.resource("/mcp2").url;
    const again = await as.logIn(as.client(), { scope: "read", resource: other, browser });
    const callOther = createCall(as, again.tokens.access_token, other);
    assertEquals(await browser.decide(readElicitation(await callOther()).page), "approved");
    assertEquals((await callOther())[1].result?.resultType, "complete");
    await assertRejects(() => as.browser().decide(next.page), LoginError, "status 403");
  }
});

test("[MC-11] toolConnections accepts only names of tools", async () => {
  await using as = await testLatchkey();
  const { message } = assertThrows(
    () => as.resource(url, { tools: { read_mail: [] }, toolConnections: { readMail: "Example Mail" } }),
    TypeError,
  );
  assertMatch(message, /expected a name of its tools: read_mail; received "readMail"/);
});

test("[MC-11] a browser opens the page of a resource whose path it writes in another way", async () => {
  await using as = await testLatchkey({ users: [{ sub: "alice" }] });
  const resource = as.resource("/ä/../ö");
  const browser = as.browser({ as: "alice" });
  const { tokens } = await as.logIn(as.client(), { scope: "read", resource: resource.url, browser });
  const response = await as.fetch(resource.url, {
    method: "POST",
    headers: { "authorization": `Bearer ${tokens.access_token}`, "mcp-protocol-version": "2025-11-25" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "read_calendar" } }),
  });
  const { error: { data } } = await response.json();
  assertEquals((await browser.open(data.elicitations[0].url)).status, 200);
});
