/** Practices at several servers: resources, issuers. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { checkPractices } from "../../../src/check/mod.ts";
import type { TestLatchkey } from "../../../src/testing/mod.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { readPractices } from "../../../src/recorder/practices/mod.ts";
import { attempt, type Journey, testPractice } from "./practice_case.ts";

const logIn: Journey = (as) => as.logIn(as.client());

const resource = "https://api.test/";

testPractice("resource-stated", {
  has: (as) => as.logIn(as.client(), { resource, token: { resource } }),
  lacks: [
    [/the token request has no resource/, (as) => attempt(as.logIn(as.client(), { resource }))],
    [
      /the token request https:\/\/other\.test/,
      (as) => attempt(as.logIn(as.client(), { resource, token: { resource: "https://other.test/" } })),
    ],
    [/the request has no resource/, async (as) => {
      await as.fetch(as.resource("/mcp").url, { method: "POST", body: "{}" });
      await logIn(as);
    }],
  ],
  notSeen: logIn,
});

/** The outcome of a practice at two servers. */
async function atTwoServers(
  id: string,
  journey: (first: TestLatchkey, second: TestLatchkey) => Promise<unknown>,
): Promise<string> {
  await using first = await testLatchkey({ issuer: "https://one.test" });
  await using second = await testLatchkey({ issuer: "https://two.test" });
  await journey(first, second);
  return (await checkPractices([first, second])).results.find(({ practice }) => practice.id === id)!.outcome;
}

test("callback-tells-issuers-apart: a redirect URI for each issuer passes, a common one needs the check of iss", async () => {
  const id = "callback-tells-issuers-apart";
  const at = (as: TestLatchkey, path: string) => as.logIn(as.client({ redirect_uri: `https://client.test${path}` }));
  assertEquals(await atTwoServers(id, (one, two) => Promise.all([at(one, "/one"), at(two, "/two")])), "passed");
  assertEquals(await atTwoServers(id, (one, two) => Promise.all([at(one, "/cb"), at(two, "/cb")])), "passed");
  assertEquals(await atTwoServers(id, logIn), "skipped");
  await using one = await testLatchkey({ issuer: "https://one.test" });
  await using two = await testLatchkey({ issuer: "https://two.test" });
  await Promise.all([at(one, "/cb"), at(two, "/cb")]);
  const recordings = [one, two].map(({ issuer, log }) => ({ issuer, exchanges: log.unmasked.exchanges }));
  const outcomeIf = async (rejectsWrongIssuer: boolean) =>
    (await readPractices(recordings, { rejectsWrongIssuer })).find(({ practice }) => practice.id === id)!.outcome;
  assertEquals([await outcomeIf(true), await outcomeIf(false)], ["passed", "failed"]);
});
