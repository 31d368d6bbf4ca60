/** What leaves the recorder: an HTTP Archive, exchanges and as plain text. */

import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { toHar } from "../../src/recorder/export/har.ts";
import type { Har } from "../../src/recorder/export/har.ts";
import type { Flow } from "../../src/recorder/exchange.ts";
import { formatExchange } from "../../src/recorder/export/text.ts";
import { redactFlow } from "../../src/recorder/redact.ts";
import { userinfo, webTokens } from "../server/client_endpoints.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { mcpServer } from "../../src/resource/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { completeLogin, interactiveServer, recordedServer, recordFault } from "./recorded_server.ts";
import type { RecordedServer } from "./recorded_server.ts";

/** The redacted exchanges of a flow as text. */
const formatFlow = (flow: Flow) =>
  redactFlow(flow).exchanges.flatMap((exchange, index) => ["", ...formatExchange(exchange, `${index + 1}  `)]).join(
    "\n",
  );

/** A login that fails at first, three seconds apart. */
async function troubledLogin(
  { server, recorder }: RecordedServer,
): Promise<{ readonly code: string; readonly id: string }> {
  const code = await server.code({ nonce: "n-1" });
  server.advance(3);
  await server.token({ code, code_verifier: "w".repeat(43) });
  const response = await server.token({ code });
  await userinfo(server, (await response.json()).access_token);
  return { code, id: recorder.flows().at(-1)!.id };
}

test("exchanges as text have parameters, checks and responses", async () => {
  const here = await recordedServer();
  const { code } = await troubledLogin(here);
  const text = formatFlow(here.recorder.flow("1")!);
  const [report] = text.split("\n3  ");
  const cut = (value: string) => `${value.slice(0, 4)}…`;
  const cookie = /__Host-latchkey_session=(.{5})/.exec(text)![1]!;
  const [expected, received] = [...text.matchAll(/ {2}code_challenge ([\w-]{43})/g)].map(([, value]) => value);
  assertEquals(
    report,
    `
1  GET /oauth2/authorize
   response_type          code
   client_id              spa
   redirect_uri           https://spa.example/cb
   scope                  openid read
   state                  st4te
   code_challenge         E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
   code_challenge_method  S256
   nonce                  n-1
   passed  AZ-02  client_id names a registered client: spa
   passed  RU-01  redirect_uri is registered for the client: https://spa.example/cb
   passed  AZ-07  no parameter is repeated
   passed  AZ-09  response_type is code, and the client is registered for it: code
   passed  AZ-17  the server knows every scope value, and the client may request it: openid read
   passed  PK-07  code_challenge is an S256 challenge: E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
   ← 302 to https://spa.example/cb, done
   set-cookie: __Host-latchkey_session=${cookie}(112); Path=/; HttpOnly; SameSite=Lax; Secure
   code   ${cut(code)}(43)
   state  st4te
   iss    https://as.test

2  POST /oauth2/token
   grant_type     authorization_code
   client_id      spa
   redirect_uri   https://spa.example/cb
   code_verifier  wwww…(43)
   code           ${cut(code)}(43)
   passed  CA-07  the client is identified by a method that it is registered for: spa
   passed  TK-06  the client is registered for this grant_type: authorization_code
   passed  TK-16  this server issued the code
   passed  CI-05  the code was issued to this client: spa
   passed  TK-15  redirect_uri equals that of the authorization request: https://spa.example/cb
   failed  PK-09  code_verifier does not match the code_challenge of the authorization request
           expected  code_challenge ${expected}
           received  code_challenge ${received}, computed from code_verifier
           fix       Store the code_verifier of each login with its state: a second tab, a reload or a second call may have replaced it.
   ← 400, rejected
   {"error":"invalid_grant","error_description":"code_verifier does not match the code_challenge of the authorization request [PK-09]"}
`,
  );
});

test("exchanges as text show warnings, injected faults, pages, other bodies and missing responses", async () => {
  const asking = await interactiveServer();
  await completeLogin(asking);
  const flow = asking.recorder.flow("1")!;
  assertStringIncludes(formatFlow(flow), "← 200, interaction\n   (a page)");
  const { server, recorder } = await recordedServer({}, {
    handle: (next) => async (request, peer) => {
      if (!request.url.endsWith("/token")) return await next(request, peer);
      recordFault(recorder, request, "drop");
      throw new Error("dropped");
    },
  });
  const code = await server.code();
  await server.code();
  await server.token({ code }).catch(() => {});
  assertMatch(formatFlow(recorder.flow("3")!), /\n1 {2}POST[^]*\n {3}fault {2}drop\n {3}← no response, dropped$/);
  assertMatch(
    formatFlow(recorder.flow("2")!),
    /warning {2}PK-14 {2}code_challenge repeats[^\n]*\n {12}expected {2}a new/,
  );
});

test("no sent value can imitate a line of that text", async () => {
  const { server, recorder } = await recordedServer();
  await server.authorize({ state: "a\n   ← 200, done\u2028\u202Eb", [`x\r\ny`]: "1" });
  const text = formatFlow(recorder.flow("1")!);
  assertStringIncludes(text, "state                  a\\n   ← 200, done\\u2028\\u202eb\n");
  assertNotMatch(text, /\n\s+← 200, done/);
  assertNotMatch(text, /[\r\u2028\u202E]/);
});

/** What HAR 1.2 demands of an entry, name by name. */
function assertHar({ log }: Har): void {
  assertEquals([log.version, typeof log.creator.name, typeof log.creator.version], ["1.2", "string", "string"]);
  const isTime = (text: string) => assertMatch(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  for (const { startedDateTime, id, title, pageTimings } of log.pages) {
    isTime(startedDateTime);
    assertEquals([typeof id, typeof title, typeof pageTimings], ["string", "string", "object"]);
  }
  for (const { pageref, startedDateTime, time, request, response, cache, timings } of log.entries) {
    assert(pageref === undefined || log.pages.some(({ id }) => id === pageref));
    isTime(startedDateTime);
    assertEquals(time, timings.send + timings.wait + timings.receive);
    assertEquals(cache, {});
    new URL(request.url);
    assert(!request.url.includes("#"));
    const { postData } = request;
    assert(postData === undefined || (postData.params === undefined) !== (postData.text === undefined));
    assertEquals([typeof response.content.size, typeof response.content.mimeType], ["number", "string"]);
    for (const message of [request, response]) {
      assertEquals([typeof message.httpVersion, typeof message.headersSize, typeof message.bodySize], [
        "string",
        "number",
        "number",
      ]);
      for (const pair of [...message.headers, ...message.cookies]) {
        assertEquals([typeof pair.name, typeof pair.value], ["string", "string"]);
      }
    }
    assertEquals([
      typeof request.method,
      typeof response.status,
      typeof response.redirectURL,
      typeof response.statusText,
    ], [
      "string",
      "number",
      "string",
      "string",
    ]);
  }
}

test("the size of a body that was not recorded is -1, and a hosted resource elsewhere has its own scheme", async () => {
  const inspected = inspector();
  const plugins = [inspected, mcpServer("https://api.example/mcp")];
  await using as = await latchkey({ issuer: "http://localhost:9000", plugins });
  const post = async (path: string, headers: Record<string, string>, body?: string) =>
    await (await as.fetch(new Request(as.issuer + path, { method: "POST", headers, body }))).text();
  await post("//api.example/mcp", { authorization: "Bearer unknown" });
  await post("/oauth2/token", { "content-type": "text/plain", "content-length": "3" }, "abc");
  await (await as.fetch(new Request(`${as.issuer}/oauth2/userinfo`))).text();
  const { entries } = toHar(inspected.recorder.exchanges(), { issuer: as.issuer }).log;
  assertEquals(entries.map(({ request }) => [request.url, request.bodySize]), [
    ["https://api.example/mcp", 0],
    ["http://localhost:9000/oauth2/token", -1],
    ["http://localhost:9000/oauth2/userinfo", 0],
  ]);
});

test("the archive is HAR 1.2 with flows as pages and exchanges as entries", async () => {
  const here = await recordedServer();
  const { server, recorder } = here;
  await troubledLogin(here);
  await webTokens(server);
  await server.get("/oauth2/jwks");
  await server.get("/oauth2/userinfo", { headers: { cookie: "a=b; c=d" } });
  const har = toHar(recorder.exchanges(), { issuer: "https://as.test/" });
  assertHar(har);
  const { pages, entries } = JSON.parse(JSON.stringify(har)).log as Har["log"];
  assertEquals(pages.map(({ id, title }) => [id, title]), [
    ["flow_1", "Flow 1 of spa"],
    ["flow_2", "Flow 2 of web"],
    ["flow_3", "Flow 3"],
  ]);
  assertEquals(entries.map(({ pageref }) => pageref), [
    ...Array(4).fill("flow_1"),
    "flow_2",
    "flow_2",
    undefined,
    "flow_3",
  ]);
  const [asked, rejected, , , , exchanged, , info] = entries;
  assertMatch(asked!.request.url, /^https:\/\/as\.test\/oauth2\/authorize\?response_type=code&client_id=spa&/);
  assertEquals(asked!.request.queryString[1], { name: "client_id", value: "spa" });
  assertMatch(asked!.response.redirectURL, /^https:\/\/spa\.example\/cb\?code=/);
  assertEquals(asked!.response.cookies.map(({ name, path, httpOnly, secure }) => [name, path, httpOnly, secure]), [
    ["__Host-latchkey_session", "/", true, true],
  ]);
  assertEquals(rejected!.startedDateTime, "2026-01-01T00:00:03.000Z");
  assertEquals(rejected!.request.postData!.params![0], { name: "grant_type", value: "authorization_code" });
  assertEquals(rejected!._latchkey.rejection!.explanation.rule, "PK-09");
  assertEquals(exchanged!.request.headers[0]!.name, "authorization");
  assertEquals(info!.request.cookies.map(({ name }) => name), ["a", "c"]);
});

test("the archive has an entry for a request without a response, and no negative time", async () => {
  const { server, recorder } = await recordedServer({}, {
    handle: () => () => {
      server.advance(-60);
      return Promise.reject(new Error("dropped"));
    },
  });
  await server.get("/oauth2/jwks").catch(() => {});
  const har = toHar(recorder.exchanges(), { issuer: server.as.issuer });
  assertHar(har);
  assertEquals([har.log.entries[0]!.response.status, har.log.entries[0]!.time], [0, 0]);
});

test("a path that begins with two slashes does not change the host in the archive", async () => {
  const { server, recorder } = await recordedServer();
  await server.get("//evil.example/oauth2/userinfo");
  const { log } = toHar(recorder.exchanges(), { issuer: server.as.issuer });
  assertEquals(log.entries.map(({ request }) => request.url), ["https://as.test//evil.example/oauth2/userinfo"]);
});
