/**
 * Proves a habit: a client that has it passes, one that lacks it fails, and traffic without an occasion shows neither.
 */

import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { checkHabits } from "../../../src/check/mod.ts";
import type { HabitOutcome } from "../../../src/recorder/habits/outcome.ts";
import type { TestLatchkey, TestLatchkeyOptions } from "../../../src/testing/mod.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { habits } from "../../../src/recorder/habits/mod.ts";

/** What a client does at a server; rejections do not matter. */
export type Journey = (as: TestLatchkey) => Promise<unknown>;

/** The journeys that prove one habit. */
export interface HabitCase {
  readonly has: Journey;
  /** What the finding says, and a journey with it. */
  readonly lacks: readonly (readonly [because: RegExp, journey: Journey])[];
  /** What a specification allows, and what the note says. */
  readonly notes?: readonly (readonly [because: RegExp, journey: Journey])[];
  /** Default: a login without a redirect back, which is no occasion for most habits. */
  readonly notSeen?: Journey;
  readonly server?: TestLatchkeyOptions;
}

/** A journey without any request. */
export const doNothing: Journey = () => Promise.resolve();

/** Ignores a rejection by the server: the habits read what the client sends. */
export async function attempt<Result>(promise: Promise<Result>): Promise<Result | undefined> {
  return await promise.catch((error) => {
    if (error?.name === "LoginError") return undefined;
    throw error;
  });
}

async function run(id: string, journey: Journey, server?: TestLatchkeyOptions) {
  await using as = await testLatchkey(server);
  await journey(as);
  const { results } = await checkHabits(as);
  return results.find(({ habit }) => habit.id === id)!;
}

/** Adds the tests of a habit. */
export function testHabit(id: string, { has, lacks, notes = [], notSeen = doNothing, server }: HabitCase): void {
  const { level } = habits.find((habit) => habit.id === id)!;
  const expectOutcome = async (journey: Journey, expected: HabitOutcome, because?: RegExp) => {
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
    test(`${id}: what a specification allows is noted: ${because.source}`, async () => {
      await expectOutcome(journey, "noted", because);
    });
  }
  test(`${id}: without an occasion it is not seen`, async () => {
    await expectOutcome(notSeen, "not seen");
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
