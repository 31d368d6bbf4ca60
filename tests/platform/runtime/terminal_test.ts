/** The program in a terminal, and its start in the background of one. */

import { assertEquals } from "@std/assert";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { onRunnerEnd } from "../../../src/platform/runtime/runner.ts";
import { binary, type StartOptions, startProgram } from "./run_program.ts";

/** `script` of BSD has other options. */
const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

const skip = !hasScript || binary !== undefined;

const args = ["--port", "0"];

test("the banner has colours in a terminal, and none elsewhere or with NO_COLOR", { skip }, async () => {
  // deno-lint-ignore no-control-regex -- the sequences of colours
  const colors = /\u001b\[1mLatchkey [^]*\u001b\[36mhttp:\/\/localhost:\d+\/start\u001b\[0m/;
  const starts: readonly { readonly start: StartOptions; readonly expected: boolean }[] = [
    { start: { inTerminal: "exec PROGRAM", env: { CI: "1", NO_COLOR: "" } }, expected: true },
    { start: { inTerminal: "exec PROGRAM", env: { CI: "1", NO_COLOR: "1" } }, expected: false },
    { start: { env: { NO_COLOR: "" } }, expected: false },
  ];
  for (const { start, expected } of starts) {
    const program = await startProgram({ args, ...start });
    assertEquals([colors.test(program.banner), program.banner.includes("\u001b")], [expected, expected]);
    if (start.inTerminal !== undefined) program.type("\u0003");
    else program.signal("SIGTERM");
    await program.exited;
  }
});

test("the server stops when the shell that npx waits for has ended", { skip }, async () => {
  const inTerminal = "run() { PROGRAM; true; }; run & shell=$!; read line; kill -9 $shell; read line";
  const program = await startProgram({ args, env: { npm_command: "exec", CI: "1" }, inTerminal });
  program.type("\n");
  await program.waitForOutput(/^Stopping: /m);
  program.type("\n");
  await program.exited;
});

test("a server that npx did not start does not watch its parent, which may end first", () => {
  let reads = 0;
  for (const npmCommand of [undefined, "run-script"]) {
    onRunnerEnd(npmCommand, () => ++reads, () => {});
  }
  assertEquals(reads, 0);
});

for (
  const { where, inTerminal, env, typed } of [
    // The shell reads the line that is typed. A program that read it would be stopped, and its end would never come.
    {
      where: "the background",
      inTerminal: "set -m; PROGRAM & read line; kill $!; wait $!",
      env: { CI: "" },
      typed: "\n",
    },
    { where: "CI", inTerminal: "exec PROGRAM", env: { CI: "true" }, typed: "\u0003" },
  ]
) {
  test(`in ${where} it reads nothing from the terminal`, { skip }, async () => {
    const program = await startProgram({ args, env, inTerminal });
    assertEquals((await fetch(`http://localhost:${program.port}/`)).ok, true);
    program.type(typed);
    assertEquals((await program.exited).code, 0);
  });
}
