/** The control of the program as one file. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { callEveryVerb, settingsOfEveryVerb } from "../testing/control/every_verb.ts";
import { startProgram } from "../platform/runtime/run_program.ts";

test("every verb of the control is called, and its result is as described", async () => {
  const { port, signal, exited } = await startProgram({
    args: ["--port", "0", "--control", "on", "--log", "off"],
    env: { LATCHKEY_CONFIG_JSON: JSON.stringify(settingsOfEveryVerb) },
  });
  await callEveryVerb(`http://localhost:${port}`);
  signal("SIGTERM");
  const { code, stderr } = await exited;
  assertEquals(code, 0, stderr);
});
