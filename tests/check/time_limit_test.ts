/** The time limit of a check: how long it waits for a client that never responds. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { attacks } from "../../src/check/attacks/mod.ts";
import { timeLimit } from "../../src/check/attempt.ts";
import { replaceTimers } from "../until.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { smallClient } from "./small_client.ts";
import { smallResourceServer } from "./small_resource_server.ts";

const rejected = attacks.find(({ id }) => id === "id-token/nonce-wrong")!;
const slowServer = attacks.find(({ id }) => id === "transport/hang")!;
const tolerated = attacks.find(({ id }) => id === "keys/rotated")!;
const watch = {
  crashed: new Promise<never>(() => {}),
  addUnfinished: () => {},
  unfinishedEnd: () => Promise.resolve(),
  nextTask: () => Promise.resolve(),
  end: () => {},
};
const never = () => new Promise<never>(() => {});

/**
 * Performs an action in which timers end immediately and the clock follows them. @returns The times that were waited
 * for.
 */
async function timesOf(act: (pass: (milliseconds: number) => void) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  let passed = 0;
  const startTimer = (callback: () => void, milliseconds: number) => {
    times.push(milliseconds);
    return setTimeout(() => {
      passed += milliseconds;
      callback();
    });
  };
  const restore = replaceTimers({ setTimeout: startTimer, elapsed: () => passed });
  try {
    await act((milliseconds) => void (passed += milliseconds));
    return times;
  } finally {
    restore();
  }
}

test("after an action that never ends, an attack waits less; others and the slow server have the whole time", async () => {
  const limit = timeLimit({ timeoutMs: 10_000, as: {} });
  const times = await timesOf(async () => {
    for (const attack of [rejected, rejected, slowServer, tolerated, undefined, rejected]) {
      assertEquals(await limit.attempt(never, watch, attack), { outcome: "hung" });
    }
  });
  assertEquals(times, [10_000, 2000, 10_000, 10_000, 10_000, 2000]);
});

test("a client that needs long for an error has four times as long, and never more than the limit", async () => {
  for (const [needed, waited] of [[900, 3600], [9000, 10_000]] as const) {
    const limit = timeLimit({ timeoutMs: 10_000, as: {} });
    const times = await timesOf(async (pass) => {
      await limit.attempt(() => Promise.resolve(pass(needed)), watch, rejected);
      for (let hangs = 0; hangs < 2; hangs++) await limit.attempt(never, watch, rejected);
    });
    assertEquals(times.at(-1), waited);
  }
});

test("a check with a server for each journey waits the whole time", async () => {
  const limit = timeLimit({ timeoutMs: 5000 });
  const times = await timesOf(async () => {
    for (let hangs = 0; hangs < 2; hangs++) await limit.attempt(never, watch, rejected);
  });
  assertEquals(times, [5000, 5000]);
});

test("an application that is slow without an attack has four times as long under an attack", async () => {
  const limit = timeLimit({ timeoutMs: 10_000, as: {} });
  const times = await timesOf(async (pass) => {
    await limit.attempt(() => Promise.resolve(pass(8000)), watch);
    for (const attack of [tolerated, rejected, rejected]) await limit.attempt(never, watch, attack);
  });
  assertEquals(times.slice(1), [32_000, 32_000, 32_000]);
});

/** Clients, correct and not, and the attack of many logins or requests. */
const repeated = [
  ["keys/unknown-often", smallClient(), "passed"],
  ["keys/unknown-often", smallClient("fetches the JWKS for each unknown key"), "warning"],
  ["resource/keys-unknown-often", smallResourceServer({}), "passed"],
] as const;

for (const [id, client, verdict] of repeated) {
  test(`${id}: ${verdict} for a client that needs half of the time limit for each login`, async () => {
    const timeoutMs = 54_321;
    let passed = 0;
    const limits = new Map<unknown, { readonly endsAt: number; readonly end: () => void }>();
    const restore = replaceTimers({
      setTimeout(end: () => void, milliseconds: number) {
        if (milliseconds !== timeoutMs) return setTimeout(end, milliseconds);
        limits.set(end, { endsAt: passed + milliseconds, end });
        return end;
      },
      clearTimeout: (timer: unknown) => limits.delete(timer) || clearTimeout(timer as number),
    });
    const slowly = <Journey, Session>(act: ((journey: Journey) => Promise<Session>) | undefined) =>
      act && (async (journey: Journey) => {
        passed += timeoutMs / 2;
        for (const { endsAt, end } of limits.values()) if (endsAt <= passed) end();
        return await act(journey);
      });
    try {
      const slow = { ...client, logIn: slowly(client.logIn), acceptToken: slowly(client.acceptToken) };
      const report = await checkClientWithEdDsa(slow, { only: [id], timeoutMs });
      assertEquals(report.results.map((result) => result.verdict), [verdict], String(report));
    } finally {
      restore();
    }
  });
}
