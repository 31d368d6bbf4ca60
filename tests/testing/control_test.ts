/** The control that makes a mock of any server. */

import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/inspector/mod.ts";
import { logging } from "../../src/operating/mod.ts";
import * as faults from "../../src/testing/faults/mod.ts";
import { LoginError, testControl } from "../../src/testing/mod.ts";
import { latchkey, testLatchkey } from "../secret_leak_check.ts";

test("any server that is made from the options of a control can be controlled", async () => {
  const control = testControl({ startsAt: "2027-01-01", lifetimes: { access_token: 60 } });
  await using as = await latchkey(control.options);
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
  const before = as.clients.all().map(({ id }) => id);
  await control.reset();
  assertEquals(before.filter((id) => !as.clients.all().some((client) => client.id === id)), [client.client_id]);
  assertEquals([control.log.exchanges.length, new Date(control.clock.now()).getUTCFullYear()], [0, 2027]);
});

test("a mock with an inspector has its own log and faults, and a log around an inspector has request ids", async () => {
  const lines: string[] = [];
  const log = logging({ write: (line) => lines.push(line), format: "text" });
  await using as = await testLatchkey({ plugins: [log, inspector()] });
  const client = as.client();
  as.on("token", { client }).once(faults.idToken.wrongNonce("wrong"));
  const { claims } = await as.logIn(client);
  assertEquals(claims?.nonce, "wrong");
  const { explanation } = await assertRejects(() => as.refresh(client, "unknown"), LoginError);
  assertEquals(explanation?.rule, "RT-07");
  as.log.expect("token", { params: { grant_type: "refresh_token" } }).rejected("invalid_grant");
  assertMatch(lines.at(-1)!, / rejected .* \(request [0-9a-f]{16}\)$/);
  const page = await (await as.fetch("/flows/3")).text();
  assertMatch(page, /refresh token is unknown/);
});

test("a fetch that a control installed is removed when the server closes", async () => {
  const { fetch } = globalThis;
  const control = testControl();
  const as = await latchkey(control.options);
  control.installFetch();
  assertEquals((await globalThis.fetch(`${as.issuer}/oauth2/jwks`)).status, 200);
  await as.close();
  assertEquals(globalThis.fetch, fetch);
});

test("the handles of a control without a server say how to create it", () => {
  const { message } = assertThrows(() => testControl().client(), TypeError);
  assertEquals(message, "testControl: expected a server, received none. Pass control.options to latchkey().");
});
