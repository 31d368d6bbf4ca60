/** `connectLatchkey`: the same calls on a mock in process and on a handle for it, over HTTP. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { type ConnectedLatchkey, connectLatchkey, ControlRequestError } from "../../../src/testing/control/connect.ts";
import { verbs } from "../../../src/testing/control/verbs/mod.ts";
import { faults, type TestLatchkey } from "../../../src/testing/mod.ts";
import { testLatchkey } from "../test_latchkey.ts";
import { decodeClaims } from "../../kit.ts";

const secret = "a-secret-for-the-control";

/** A mock and a handle for it. */
async function start() {
  const as = await testLatchkey({ control: { secret }, seed: 1 });
  const remote = await connectLatchkey(as.issuer, { secret, fetch: (request) => as.fetch(request) });
  return { as, remote };
}

/** What a test does, with a mock in process or with a handle. */
type Handle = Pick<TestLatchkey, "client" | "clock" | "decisions" | "issue" | "mint" | "reset"> | ConnectedLatchkey;

test("the same calls have the same effect in process and over HTTP", async () => {
  const outcomes = await Promise.all([true, false].map(async (isRemote) => {
    const { as, remote } = await start();
    const handle: Handle = isRemote ? remote : as;
    const client = await handle.client({ client_id: "web", confidential: true });
    await handle.clock.set("2027-01-01");
    await handle.clock.advance(60);
    await handle.decisions.loginNext("bob");
    await handle.decisions.limitScope("bob", "openid read");
    await handle.issue.nextIdToken({ acr: "urn:example:silver", auth_time: undefined });
    await handle.issue.everyTokenResponse({ tenant: "blue" });
    const { tokens, claims } = await as.logIn(client, { scope: "openid read write" });
    await handle.decisions.deny("alice");
    const denied = await as.logIn(client).catch(({ error }) => error);
    await handle.decisions.allowAll();
    const minted = await handle.mint.accessToken({ client, sub: "bob", expired: true, claims: { role: "admin" } });
    const { iat: _, jti: __, ...mintedClaims } = decodeClaims(minted);
    const now = await handle.clock.now();
    await handle.reset();
    return { now, tenant: tokens["tenant" as never], scope: tokens.scope, claims, denied, mintedClaims };
  }));
  assertEquals(outcomes[0], outcomes[1]);
  const { claims, denied, scope, mintedClaims } = outcomes[0]!;
  assertEquals([claims?.sub, claims?.acr, claims?.auth_time, denied, scope, mintedClaims.role], [
    ...["bob", "urn:example:silver", undefined, "access_denied", "openid read", "admin"],
  ]);
});

test("rules with faults of definitions, patterns and counts over HTTP", async () => {
  const { as, remote } = await start();
  const client = await remote.client();
  const rule = await remote.on("token", { client, params: { code: /./, resource: undefined } })
    .times(2, faults.error("invalid_grant", { description: "no" }));
  assertEquals((await as.logIn(client).catch((error) => error)).error, "invalid_grant");
  assertEquals(await rule.fired(), 1);
  await rule.remove();
  assertEquals((await as.logIn(client)).tokens.token_type, "Bearer");
  const hold = await remote.on("jwks").always(faults.hold());
  const waiting = as.fetch("/oauth2/jwks");
  await hold.release();
  assertEquals((await waiting).status, 200);
  await remote.on("jwks").once(faults.status(200, { body: "x" }));
  assertEquals(await (await as.fetch("/oauth2/jwks")).text(), "x");
  const own = { name: "mine", handle: (next: unknown) => next } as never;
  await assertRejects(() => remote.on("token").once(own), TypeError, "a custom fault");
  const misspelt = await assertRejects(() => remote.on("tokn").once(faults.drop()), ControlRequestError);
  assertStringIncludes(misspelt.message, "Did you mean token?");
  const down = await remote.on("jwks").for(30).always(faults.status(503));
  assertEquals((await as.fetch("/oauth2/jwks")).status, 503);
  as.clock.advance(30);
  assertEquals((await as.fetch("/oauth2/jwks")).status, 200);
  assertEquals((await remote.faults.all()).find((listed) => listed.id === down.id)?.finished, true);
  const { id, description } = await remote.faults.add({ fault: "drop", endpoint: "jwks", for: 5 });
  assertEquals(description, "drop at jwks, for every request of any client, for 5 s");
  await remote.faults.remove(id);
  await remote.on("token").once(faults.drop());
  await assertRejects(() => remote.reset(), ControlRequestError, "409 1 fault fired less often than expected");
});

test("the log and expectations over HTTP", async () => {
  const { as, remote } = await start();
  const client = await remote.client();
  const { tokens } = await as.logIn(client);
  await remote.log.expect("token").called(1).by(client).with("none").withParams({ code: /./, scope: undefined })
    .passed("PK-09").succeeded();
  await remote.log.expectNoRejections();
  await remote.log.expectNoWarnings();
  const { exchanges: [exchange], next } = await remote.log.exchanges({ endpoint: "token" });
  assertStringIncludes(exchange!.response!.body!, tokens.access_token);
  await as.refresh(client, "no-token").catch(() => {});
  await remote.log.expect("token", { grant_type: "refresh_token" }).called(1).rejected("invalid_grant", "RT-07");
  const failure = await assertRejects(async () => await remote.log.expect("token").succeeded(), ControlRequestError);
  assertEquals([failure.name, failure.status], ["AssertionError", 422]);
  assertMatch(failure.message, /expected token.*/);
  await assertRejects(() => remote.log.expectNoRejections(), ControlRequestError, "expected no rejections, received 1");
  assertEquals((await remote.log.exchanges({ since: next })).count, 1);
  assertEquals((await remote.log.next("token")).number, exchange!.number);
  await remote.log.clear();
  await remote.log.expect("token").called(0);
});

test("wrong input is explained, and a server without control or with another secret too", async () => {
  const { as, remote } = await start();
  const { message, errors } = await assertRejects(
    () => remote.clients.set({ client_id: "web", redirect_uri: "https://x.test" } as never),
    ControlRequestError,
  );
  assertEquals(
    message,
    "400 The input has 1 error.\n" +
      '  redirect_uri: expected a known key, received "redirect_uri". Did you mean redirect_uris?',
  );
  assertEquals(errors[0]!.place, "redirect_uri");
  await assertRejects(() => remote.issue.nextIdToken((() => ({})) as never), TypeError, "received a function");
  await assertRejects(() => remote.decisions.loginNext("mallory"), ControlRequestError, 'no user "mallory"');
  const fetch = (request: Request) => as.fetch(request);
  await assertRejects(() => connectLatchkey(as.issuer, { fetch }), ControlRequestError, "401");
  await using other = await testLatchkey();
  const off = connectLatchkey(other.issuer, { fetch: (request) => other.fetch(request) });
  await assertRejects(() => off, ControlRequestError, "--control on");
  const cause = new TypeError("fetch failed");
  const none = connectLatchkey("http://localhost:9000/", { fetch: () => Promise.reject(cause) });
  const fix = "http://localhost:9000 does not respond. Start the server with --control on";
  assertEquals((await assertRejects(() => none, TypeError, fix)).cause, cause);
});

test("the handle has a function for every verb", async () => {
  const { remote } = await start();
  const missing = verbs.map(({ name }) => name).filter((name) => {
    const found = name.split(".").reduce<unknown>((inner, step) => (inner as Record<string, unknown>)?.[step], remote);
    return typeof found !== "function";
  });
  assertEquals(missing, []);
});

test("a handle over a socket", async () => {
  await using as = await testLatchkey({ control: true });
  const { url } = await as.listen();
  const remote = await connectLatchkey(`${url}/`);
  assertEquals(remote.issuer, as.issuer);
  const before = await remote.clock.now();
  await remote.clock.advance(3600);
  assert(await remote.clock.now() - before >= 3_600_000);
});
