/** What leaves the recorder: exchanges as plain text. */

import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { exchangeUrl, type Flow } from "../../src/recorder/exchange.ts";
import { formatExchange } from "../../src/recorder/export/text.ts";
import { redactFlow } from "../../src/recorder/redact.ts";
import { userinfo } from "../server/client_endpoints.ts";
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

test("a path that begins with two slashes does not change the host of its URL", async () => {
  const { server, recorder } = await recordedServer();
  await server.get("//evil.example/oauth2/userinfo");
  const urls = recorder.exchanges().map((exchange) => exchangeUrl(exchange, "https://as.test"));
  assertEquals(urls, ["https://as.test//evil.example/oauth2/userinfo"]);
});
