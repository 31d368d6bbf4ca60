/** Crashes of a client under test: errors that no code catches. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { startChild } from "../platform/store/run_child.ts";
import type { Command, Result } from "./crashing_client_child.ts";

async function checkCrashingClient(command: Command): Promise<Result> {
  const child = startChild("tests/check/crashing_client_child");
  try {
    return await child.ask<Result>(command);
  } finally {
    await child.kill();
  }
}

for (const command of ["at a wrong nonce, rejected", "at a wrong nonce, thrown"] as const) {
  test(`a crash is found in its journey and in no other: ${command}`, async () => {
    const { text, failures } = await checkCrashingClient(command);
    assertEquals([...new Set(failures)], ["id-token/nonce-wrong crashed"], text);
    assertMatch(text, /received: +the client crashed with an error that no code caught: wrong nonce\./);
  });
}

test("a crash that comes in a later journey is neither a failure of it, nor of the login after all attacks", async () => {
  const { text, control, failures } = await checkCrashingClient("at the login after a wrong nonce");
  assertEquals(
    [control, failures.filter((failure) => failure !== "id-token/nonce-wrong crashed")],
    ["accepted", []],
    text,
  );
});

test("a crash after the end of the client belongs to the journey that sent the request", async () => {
  const { text, failures } = await checkCrashingClient("at a response for which it does not wait");
  assertEquals([...new Set(failures)], ["clock/small crashed"], text);
});

test("a client that crashes at the start fails without an attack, and is accused of nothing", async () => {
  const { control, failures } = await checkCrashingClient("at the start");
  assertEquals([control, failures], ["crashed", []]);
});

test("[CO-07] an error of the program that checks a client in another process is no crash, and the program receives it", async () => {
  const { text, control, failures, received } = await checkCrashingClient("in another process");
  assertEquals([control, failures], ["accepted", []], text);
  assertEquals([...new Set(received)], ["Error: of the program"]);
});

test("after a check that cannot start, an error of the program ends the process again", async () => {
  const ended = await assertRejects(() => checkCrashingClient("after a check that cannot start"), Error);
  assertMatch(ended.message, /ended before it responded/);
});
