/** Flows of extensions: which exchanges belong to one, and what is redacted. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { assertAuthorizationResponse, testServer } from "../kit.ts";
import { redactFlow } from "../../src/recorder/redact.ts";
import { recorder } from "../../src/recorder/recorder.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { decodeToken } from "../../src/devtools/requests/tokens/decode.ts";
import { openBrowser } from "../server/browser.ts";
import { openPage, submit } from "../server/page_navigation.ts";
import { assertInvalidRequestUri, prefix, pushed, refer } from "../server/extensions/par/pushed_requests.ts";
import { encryptedFor, exchange, server } from "../server/extensions/encrypted_responses/encrypted_clients.ts";
import { deviceServer, pollOutcome, started } from "../server/extensions/device/device_server.ts";

test("push, login and tokens are one flow, without the request_uri in clear text", async () => {
  const record = recorder();
  const server = await testServer({ plugins: [record, inspector()] });
  const request_uri = await pushed(server);
  const { code } = assertAuthorizationResponse(await refer(server, request_uri));
  assertEquals((await server.token({ code })).status, 200);
  await assertInvalidRequestUri(server, await refer(server, request_uri));
  const [flow, ...others] = record.flows();
  assertEquals(others, []);
  const summary = flow!.exchanges.map(({ endpoint, outcome }) => `${endpoint} ${outcome}`);
  assertEquals(summary, ["par done", "authorize done", "token done", "authorize rejected"]);
  assertEquals(flow!.client, "spa");
  const secret = request_uri.slice(prefix.length);
  for (const path of ["/flows", "/flows/1", "/flows/1.md"]) {
    const response = await server.get(path);
    const text = await response.text();
    assertEquals(response.status, 200, path);
    assert(!text.includes(secret), `${path} contains the request_uri`);
    if (path === "/flows/1") assert(text.includes("Pushed authorization request"), text);
  }
  assert(!JSON.stringify([redactFlow(flow!), server.events]).includes(secret));
});

test("[EN-01] flows and the page for tokens know an encrypted ID token, and flows redact it", async () => {
  const record = recorder();
  const b = await server(encryptedFor("ECDH-ES"), { plugins: [record, inspector()] });
  const { id_token } = await exchange(b);
  for (const path of ["", ".md"]) {
    const response = await b.get(`/flows/${record.flows().at(-1)!.id}${path}`);
    assertEquals([response.status, (await response.text()).includes(id_token!)], [200, false], path);
  }
  const { form, header, claims } = decodeToken(id_token!);
  assertEquals([form, header?.alg, claims], ["encrypted", "ECDH-ES", undefined]);
});

test("start, page, login, consent and polls are one flow, without the device code in clear text", async () => {
  const record = recorder();
  const server = await deviceServer({ plugins: [record, inspector()] });
  const { device_code, verification_uri_complete } = await started(server);
  const browser = openBrowser(server);
  assertEquals(await pollOutcome(server, device_code), "400 authorization_pending");
  const path = verification_uri_complete.replace("https://as.test", "");
  const login = await submit(browser, await openPage(browser, path, await browser.get(path)), "");
  await submit(browser, await submit(browser, login, "sub", "alice"), "decision", "allow");
  assertEquals(await pollOutcome(server, device_code), "200");
  assertEquals(await pollOutcome(server, device_code), "400 invalid_grant");
  const [flow, ...others] = record.flows();
  assertEquals(others, []);
  assertEquals(flow!.exchanges.map(({ endpoint, outcome }) => `${endpoint} ${outcome}`), [
    ...["device_authorization done", "token interaction", "device done", "device done"],
    ...["login interaction", "login done", "consent interaction", "consent done", "device done"],
    ...["token done", "token rejected"],
  ]);
  assertEquals([flow!.client, flow!.sub], ["tv", "alice"]);
  for (const path of ["/flows", "/flows/1", "/flows/1.md"]) {
    const text = await (await server.get(path)).text();
    assert(!text.includes(device_code.split(".")[1]!), `${path} contains the device code`);
    if (path === "/flows/1") {
      for (const title of ["Device authorization", "Device poll", "waiting for the user"]) assert(text.includes(title));
    }
  }
});
