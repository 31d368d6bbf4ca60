/** Backchannel authentication with the mock (group CB). */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { decodeClaims, getOutcome } from "../kit.ts";
import { basicHeader } from "../server/client_endpoints.ts";
import { cibaType, poll, server, started, users } from "../server/extensions/ciba/bank.ts";
import { testLatchkey } from "./test_latchkey.ts";

const mockClient = { confidential: true, grant_types: ["authorization_code", cibaType, "refresh_token"] } as const;

test("[CB-01, CB-03] the user of the hint decides, and the client gets their tokens once", async () => {
  for (const login of ["auto", "interactive"] as const) {
    await using as = await testLatchkey({ login });
    const client = as.client(mockClient);
    const request = await as.startBackchannel(client, { user: "bob", scope: "openid read", bindingMessage: "№ 42" });
    assertEquals([request.expiresIn, request.interval], [300, 5]);
    const { error } = await assertRejects(() => request.poll()) as { error?: string } & Error;
    assertEquals(error, "authorization_pending");
    await request.approve();
    const { id_token, access_token, scope } = await request.poll();
    assertEquals([decodeClaims(id_token!).sub, typeof access_token, scope], ["bob", "string", "openid read"]);
    const again = await assertRejects(() => request.poll()) as { error?: string } & Error;
    assertEquals(again.error, "invalid_grant");
  }
});

test("[CB-03, CB-06] denied, expired, unknown and malformed", async () => {
  await using as = await testLatchkey();
  const client = as.client(mockClient);
  const denied = await as.startBackchannel(client, { user: "alice" });
  await denied.deny();
  const error = async (polling: () => Promise<unknown>) =>
    (await assertRejects(polling) as { error?: string } & Error).error;
  assertEquals(await error(() => denied.poll()), "access_denied");
  const expired = await as.startBackchannel(client, { user: "alice", params: { requested_expiry: "10" } });
  as.clock.advance(10);
  assertEquals(await error(() => expired.poll()), "expired_token");
  const b = await server();
  for (const auth_req_id of ["x", `${"a".repeat(43)}.${"b".repeat(43)}`, `${await started(b)}x`]) {
    assertEquals(await getOutcome(await poll(b, auth_req_id)), "400 invalid_grant");
  }
  assertEquals(
    await getOutcome(await b.post("/oauth2/token", { grant_type: cibaType }, basicHeader("bank"))),
    "400 invalid_request",
  );
});

test("[CB-02] id_token_hint names the user, also of a pairwise client, and only one of the client itself", async () => {
  for (const subject_type of ["public", "pairwise"] as const) {
    await using as = await testLatchkey({ users });
    const client = as.client({ ...mockClient, subject_type });
    const { tokens } = await as.logIn(client, { as: "bob" });
    const params = { id_token_hint: tokens.id_token!, login_hint: undefined };
    const request = await as.startBackchannel(client, { params });
    await request.approve();
    assertEquals(decodeClaims((await request.poll()).id_token!).sub, decodeClaims(tokens.id_token!).sub);
    await assertRejects(() => as.startBackchannel(as.client(mockClient), { params }), Error, "invalid_request");
  }
});

test("[CB-06, CB-07] the page lists the requests of the user alone, and each is decided on once", async () => {
  await using as = await testLatchkey({ login: "interactive", users });
  const client = as.client({ ...mockClient, client_name: "The bank" });
  const request = await as.startBackchannel(client, { user: "bob", bindingMessage: "<b>Payment 42" });
  const url = `${as.issuer}/backchannel`;
  const pageOf = async (sub: string) => {
    const browser = as.browser({ as: sub });
    await as.logIn(client, { browser, as: sub });
    return await (await browser.open(url)).text();
  };
  assertMatch(await pageOf("bob"), /The bank[^]*&lt;b>Payment 42/);
  assertEquals((await pageOf("alice")).includes("Payment 42"), false);
  assertMatch(await (await as.browser().open(url)).text(), /You are not logged in/);
  await request.approve();
  assertEquals((await pageOf("bob")).includes("Payment 42"), false);
  await assertRejects(() => request.deny(), Error, "already decided");
});

test("[CB-06] the consent page shows the message; another user cannot decide", async () => {
  await using as = await testLatchkey({ login: "interactive", users });
  const request = await as.startBackchannel(as.client(mockClient), { user: "bob", bindingMessage: "Payment 42" });
  await assertRejects(() => request.approve({ as: "alice" }));
  const { error } = await assertRejects(() => request.poll()) as { error?: string } & Error;
  assertEquals(error, "authorization_pending");
  await request.approve({ as: "bob" });
  assert((await request.poll()).access_token);
});
