/** The control that makes a mock of any server. */

import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { logging } from "../../src/cli/operating/mod.ts";
import * as faults from "../../src/testing/faults/mod.ts";
import type { Approver } from "../../src/mod.ts";
import type { LatchkeyOptions } from "../../src/server/hosting/options.ts";
import { LoginError, testControl } from "../../src/testing/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { testLatchkey } from "./test_latchkey.ts";

test("any server with the plugin of a control can be controlled", async () => {
  const control = testControl({ startsAt: "2027-01-01" });
  await using as = await latchkey({ lifetimes: { access_token: 60 }, plugins: [control.plugin] });
  const client = control.client();
  control.decisions.loginNext("bob");
  control.issue.nextIdToken({ acr: "silver" });
  control.on("userinfo").once(faults.status(503));
  const { tokens, claims } = await control.logIn(client);
  assertEquals([claims?.sub, claims?.acr, tokens.expires_in], ["bob", "silver", 60]);
  assertEquals(new Date(Number(claims?.iat) * 1000).getUTCFullYear(), 2027);
  const userinfo = async (token: string) =>
    (await control.fetch("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } })).status;
  assertEquals(await userinfo(tokens.access_token!), 503);
  assertEquals(await userinfo(await control.mint.accessToken({ client, scope: "openid" })), 200);
  control.clock.advance(61);
  assertEquals(await userinfo(tokens.access_token!), 401);
  control.log.expect("token").called(1).by(client).succeeded();
  assertEquals(control.clearFaults(), []);
  const before = as.clients.list().map(({ id }) => id);
  await control.reset();
  assertEquals(before.filter((id) => !as.clients.list().some((client) => client.id === id)), [client.client_id]);
  assertEquals([control.log.exchanges.length, new Date(control.clock.now()).getUTCFullYear()], [0, 2027]);
});

test("a mock with an inspector has its own log and faults, and a log around an inspector links its flows", async () => {
  const lines: string[] = [];
  const log = logging({ write: (line) => lines.push(line), format: "text" });
  await using as = await testLatchkey({ plugins: [log, inspector()] });
  const client = as.client();
  as.on("token", { client }).once(faults.idToken.edited({ nonce: "wrong" }));
  const { claims } = await as.logIn(client);
  assertEquals(claims?.nonce, "wrong");
  const { explanation } = await assertRejects(() => as.refresh(client, "unknown"), LoginError);
  assertEquals(explanation?.rule, "RT-07");
  as.log.expect("token", { params: { grant_type: "refresh_token" } }).rejected("invalid_grant");
  assertMatch(lines.at(-1)!, / ✗ POST [^]*→ https:\/\/latchkey.test\/flows\/of\/3$/);
  // The fault injector has read the form of the first token request before the inspector.
  const login = await (await as.fetch("/flows/1")).text();
  assertMatch(login, /<dt>code_verifier<\/dt>/);
  const page = await (await as.fetch("/flows/2")).text();
  assertMatch(page, /refresh token is unknown/);
});

test("a fetch that a control installed is removed when the server closes", async () => {
  const { fetch } = globalThis;
  const control = testControl();
  const as = await latchkey({ plugins: [control.plugin] });
  control.installFetch();
  assertEquals((await globalThis.fetch(`${as.issuer}/oauth2/jwks`)).status, 200);
  await as.close();
  assertEquals(globalThis.fetch, fetch);
});

test("the handles of a control without a server say how to create it", () => {
  const { message } = assertThrows(() => testControl().client(), TypeError);
  assertEquals(message, "testControl: expected a server, received none. Pass control.plugin to latchkey().");
});

test("a control controls one server, with the clock, the approver and the random source of its options", async () => {
  const control = testControl({ startsAt: 5_000_000 });
  let time = 1000;
  const approver: Approver = async ({ scope }, { users, now }) => ({
    user: (await users.find("bob"))!,
    scope,
    authTime: now(),
  });
  await using as = await latchkey({ now: () => time, approver, plugins: [control.plugin] });
  const { claims } = await control.logIn(control.client());
  assertEquals([claims?.sub, claims?.auth_time], ["bob", 5000]);
  time += 60_000;
  assertEquals(control.clock.now(), 5_060_000);
  control.decisions.loginNext("alice");
  assertEquals((await control.logIn(control.client())).claims?.sub, "alice");
  const { message } = await assertRejects(() => latchkey({ plugins: [control.plugin] }), TypeError);
  assertEquals(message, "testControl: expected one server, received another. Create one control for each.");
  assertEquals((await as.fetch(new Request(`${as.issuer}/oauth2/jwks`))).status, 200);
});

test("plugins replace options from the last to the first", async () => {
  const seen: (string | undefined)[] = [];
  const naming = (audience: string) => ({
    configure(options: LatchkeyOptions) {
      seen.push(options.audience);
      return { audience };
    },
  });
  await using as = await testLatchkey({
    audience: "https://a.test",
    plugins: [naming("https://c.test"), naming("https://b.test")],
  });
  assertEquals(seen, ["https://a.test", "https://b.test"]);
  const { tokens } = await as.logIn(as.client());
  assertEquals(JSON.parse(atob(tokens.access_token!.split(".")[1]!)).aud, "https://c.test");
});
