/** The package beside fake timers that a test switched on after the imports, before the first use. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { startChild } from "../platform/store/run_child.ts";
import { endsWithin } from "../until.ts";
import type { Command } from "./fake_timers_child.ts";

const commands: readonly Command[] = [
  "a login over the network",
  "an embedded server",
  "an API",
  "a connection that drops midway",
  "a certificate",
  "a wait for a request",
  "a check",
  "a check of a client that hangs",
];

test("with every timer and clock a fake that stands still, all ends, and the clock of the server is the fake", async () => {
  // One process for each, because modules are loaded at the first use.
  await Promise.all(commands.map(async (command) => {
    const child = startChild("tests/testing/fake_timers_child");
    try {
      assertEquals([command, await endsWithin(180_000, () => child.ask(command))], [command, true]);
    } finally {
      await child.kill();
    }
  }));
});
