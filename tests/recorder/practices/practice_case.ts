/** Proves a practice: a client that has it passes, one that lacks it fails, and other traffic shows neither. */

import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { checkPractices } from "../../../src/check/mod.ts";
import type { PracticeOutcome } from "../../../src/recorder/practices/practice.ts";
import type { TestLatchkey, TestLatchkeyOptions } from "../../../src/testing/mod.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { practices } from "../../../src/recorder/practices/mod.ts";

/** What a client does at a server; rejections do not matter. */
export type Journey = (as: TestLatchkey) => Promise<unknown>;

/** The journeys that prove one practice. */
export interface PracticeCase {
  readonly has: Journey;
  /** What the finding says, and a journey with it. */
  readonly lacks: readonly (readonly [because: RegExp, journey: Journey])[];
  /** What a specification allows, and what the note says. */
  readonly notes?: readonly (readonly [because: RegExp, journey: Journey])[];
  /** Default: a login without a redirect back, which is no occasion for most practices. */
  readonly notSeen?: Journey;
  readonly server?: TestLatchkeyOptions;
}

/** A journey without any request. */
export const doNothing: Journey = () => Promise.resolve();

/** Ignores a rejection by the server: the practices read what the client sends. */
export async function attempt<Result>(promise: Promise<Result>): Promise<Result | undefined> {
  return await promise.catch((error) => {
    if (error?.name === "LoginError") return undefined;
    throw error;
  });
}

async function run(id: string, journey: Journey, server?: TestLatchkeyOptions) {
  await using as = await testLatchkey(server);
  await journey(as);
  const { results } = await checkPractices(as);
  return results.find(({ practice }) => practice.id === id)!;
}

/** Adds the tests of a practice. */
export function testPractice(id: string, { has, lacks, notes = [], notSeen = doNothing, server }: PracticeCase): void {
  const { level } = practices.find((practice) => practice.id === id)!;
  const expectOutcome = async (journey: Journey, expected: PracticeOutcome, because?: RegExp) => {
    const { outcome, because: received, evidence } = await run(id, journey, server);
    assertEquals(outcome, expected, received);
    if (because !== undefined) assertMatch(received, because);
    return evidence;
  };
  test(`${id}: a client that has it passes`, async () => {
    const evidence = await expectOutcome(has, "passed");
    assertEquals(evidence.flatMap(({ exchanges }) => exchanges).length > 0, true);
  });
  for (const [because, journey] of lacks) {
    test(`${id}: a client that lacks it is found: ${because.source}`, async () => {
      await expectOutcome(journey, level === "required" ? "failed" : "warning", because);
    });
  }
  for (const [because, journey] of notes) {
    test(`${id}: what a specification allows passes: ${because.source}`, async () => {
      await expectOutcome(journey, "passed", because);
    });
  }
  test(`${id}: without an occasion it is skipped`, async () => {
    await expectOutcome(notSeen, "skipped");
  });
}

/** Two logins of one client with the same overrides. */
export async function logInTwice(
  as: TestLatchkey,
  options?: Parameters<TestLatchkey["logIn"]>[1],
): Promise<void> {
  const client = as.client();
  await attempt(as.logIn(client, options));
  await attempt(as.logIn(client, options));
}

/** A login with a refresh token. */
export const withRefresh = { scope: "openid offline_access" };

/** Posts a form to the token endpoint as it is. */
export async function postToken(
  as: TestLatchkey,
  params: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return await as.fetch("/oauth2/token", { method: "POST", body: new URLSearchParams(params), headers });
}

/** Fetches the metadata. */
export async function discover(as: TestLatchkey): Promise<Readonly<Record<string, unknown>>> {
  return await (await as.fetch("/.well-known/openid-configuration")).json();
}
