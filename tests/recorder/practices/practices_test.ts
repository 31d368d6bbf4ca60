/** The list of practices, and the report of `checkPractices`. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { practices } from "../../../src/recorder/practices/mod.ts";
import { separateJourneys } from "../../../src/check/journeys.ts";
import { checkPractices } from "../../../src/check/mod.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { oauth4webapiDriver } from "../../check/drivers/libraries/oauth4webapi.ts";
import { smallClient } from "../../check/small_client.ts";
import { attempt } from "./practice_case.ts";

test("every practice has an id of its own, a whole sentence and a source", () => {
  assertEquals(new Set(practices.map(({ id }) => id)).size, practices.length);
  for (const { id, title, sources, occasion } of practices) {
    assert(/^[a-z\d]+(?:-[a-z\d]+)*$/.test(id), id);
    assert(title.endsWith("."), id);
    assert(sources.length > 0 && occasion !== "", id);
  }
});

for (const driver of [smallClient(), oauth4webapiDriver({ verifySignature: true })]) {
  test(`${driver.name} lacks no practice in three logins with refreshes`, async () => {
    const { as, journey, close } = await separateJourneys({ lifetimes: { access_token: 60 } }).open(driver);
    for (let logins = 0; logins < 3; logins++) {
      const session = await driver.logIn!(journey);
      as.clock.advance(50);
      await session.refresh!();
    }
    const report = await checkPractices(as);
    assert(report.passed, String(report));
    assertEquals(report.results.filter(({ outcome }) => outcome === "warning"), [], String(report));
    assert(report.results.filter(({ outcome }) => outcome === "passed").length >= 7, String(report));
    await close();
  });
}

test("the report says what the client lacks and where, without secrets", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const { tokens, verifier } = await as.logIn(client, { authorization: { state: "xyz" } });
  await as.logIn(client, { authorization: { state: "xyz" } });
  await as.fetch(`/oauth2/userinfo?access_token=${tokens.access_token}`);
  const report = await checkPractices(as);
  assert(!report.passed);
  assertEquals(report.failures.map(({ practice: { id } }) => id), ["secrets-not-in-urls"]);
  const text = String(report);
  assertMatch(text, /WARNING practice state-random \(recommended\)/);
  assertMatch(text, /received: requests 3 \(authorize\), 1 \(authorize\): state: two requests have the same state\./);
  const data = JSON.stringify(report);
  for (const secret of [tokens.access_token, verifier]) assert(!text.includes(secret) && !data.includes(secret));
});

test("one flow is compared with the others, and only its own requests count", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  // The random state begins like the short one by chance.
  for (const state of ["xyz", "xyz", "xPzG0mYl3kq9Jv7RtWc2Dg"]) {
    await attempt(as.logIn(client, { authorization: { state } }));
  }
  const outcomeIn = async (flow: string) =>
    (await checkPractices(as, { flow })).results.find(({ practice: { id } }) => id === "state-random")!.outcome;
  assertEquals([await outcomeIn("1"), await outcomeIn("2"), await outcomeIn("3")], ["warning", "warning", "passed"]);
});

test("only the requests of the named client count", async () => {
  await using as = await testLatchkey();
  const [good, bad] = [as.client(), as.client()];
  await as.logIn(good);
  await attempt(as.logIn(bad, { authorization: { code_challenge: undefined, code_challenge_method: undefined } }));
  const outcomeOf = async (client: string) =>
    (await checkPractices(as, { client })).results.find(({ practice: { id } }) => id === "pkce-used")!.outcome;
  assertEquals([await outcomeOf(good.client_id), await outcomeOf(bad.client_id)], ["passed", "failed"]);
});

test("a reload of the page is one request, unless the client exchanges both codes", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  const { request } = await as.logIn(client);
  await as.browser().authorize(request);
  const outcome = async () =>
    (await checkPractices(as)).results.find(({ practice: { id } }) => id === "pkce-random")!.outcome;
  assertEquals(await outcome(), "skipped");
});

test("an unknown option is rejected", async () => {
  await using as = await testLatchkey();
  await assertRejects(() => checkPractices(as, { klient: "a" } as never), TypeError, "klient");
});
