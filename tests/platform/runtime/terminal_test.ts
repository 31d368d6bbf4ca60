/** The shortcuts of the program in a terminal, and its start in the background of one. */

import { assertEquals } from "@std/assert";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { binary, startProgram } from "./run_program.ts";

const isDeno = "Deno" in globalThis;

/** `script` of BSD has other options. */
const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

const skip = !hasScript || binary !== undefined;

/** The end of the banner where the shortcuts work. */
const hint = /; press h \+ Enter for help$/m;

const args = ["--port", "0"];

test("in a terminal, a letter and Enter acts, and q stops the server; Deno has no shortcuts", { skip }, async () => {
  const program = await startProgram({ args, env: { CI: "" }, inTerminal: "exec PROGRAM" });
  assertEquals(hint.test(program.banner), !isDeno);
  if (isDeno) program.type("\u0003");
  else {
    program.type("h\n");
    await program.waitForOutput(/^u \+ Enter {2}makes the next user the default user$/m);
    program.type("u\n");
    await program.waitForOutput(/^bob is the default user now$/m);
    program.type("q\n");
  }
  assertEquals((await program.exited).code, 0);
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
    assertEquals(hint.test(program.banner), false);
    assertEquals((await fetch(`http://localhost:${program.port}/`)).ok, true);
    program.type(typed);
    assertEquals((await program.exited).code, 0);
  });
}
