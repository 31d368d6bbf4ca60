/** `latchkey completion`: what a shell that loads the script completes. */

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { commandNames } from "../../src/cli/commands.ts";
import { completionScript } from "../../src/cli/completion.ts";
import { helpText } from "../../src/cli/help.ts";
import { ConfigurationError } from "../../src/oauth/config/config_issue.ts";

const run = promisify(execFile);

/** Whether a program is installed. */
const has = (program: string) => run(program, ["--version"]).then(() => true, () => false);

/** What bash completes for the last of these words. */
async function complete(...words: string[]): Promise<string[]> {
  const line = ["latchkey", ...words].map((word) => `'${word}'`).join(" ");
  const call = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _latchkey; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run("bash", ["--norc", "-c", `set -eu\n${completionScript(["bash"])}\n${call}`]);
  return stdout.trim().split("\n").filter((word) => word !== "");
}

test("bash completes commands, flags, and the values of a flag", { skip: !await has("bash") }, async () => {
  const first = await complete("");
  for (const name of commandNames) assertEquals(first.includes(name), true, name);
  const flags = [...new Set([...helpText.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag!))];
  assertEquals(first.filter((word) => word.startsWith("--")).sort(), flags.sort());
  assertEquals(await complete("he"), ["health"]);
  assertEquals(await complete("--log", ""), ["text", "json", "off"]);
  assertEquals(await complete("--insp"), ["--inspector"]);
  assertEquals(await complete("--inspector", "o"), ["on", "off"]);
  assertEquals(await complete("--port", ""), []);
  assertEquals(await complete("--config", "deno.j"), ["deno.json"]);
  assertEquals(await complete("check", "http://localhost:3000/login", "--report", "j"), ["json", "junit"]);
  assertEquals(await complete("check", "--iss"), ["--issuer", "--issuer-hosts"]);
  assertEquals(await complete("init", "--p"), ["--public"]);
  assertEquals(await complete("init", "--library", "sp"), ["spring"]);
  assertEquals(await complete("completion", ""), ["bash", "zsh", "fish"]);
  const { stdout } = await run("bash", ["--norc", "-c", `${completionScript(["bash"])}\ncomplete -p latchkey`]);
  assertEquals(stdout, "complete -F _latchkey latchkey\n");
});

for (const shell of ["zsh", "fish"]) {
  test(`${shell} accepts its script`, { skip: !await has(shell) }, async () => {
    await run(shell, ["-n", "-c", completionScript([shell])]);
  });
}

test("fish has the values of a flag, and no flag of another command", () => {
  const lines = completionScript(["fish"]).split("\n");
  assertStringIncludes(lines.find((line) => line.includes("-l report "))!, "'__fish_seen_subcommand_from check'");
  assertStringIncludes(lines.find((line) => line.includes("-l report "))!, "-x -a 'text json junit html'");
  assertEquals(lines.some((line) => /from health.*-l report/.test(line)), false);
});

test("another shell is rejected with the fix", () => {
  const reject = (...args: string[]) => assertThrows(() => completionScript(args), ConfigurationError).message;
  assertStringIncludes(reject("bsh"), "Did you mean bash?");
  assertStringIncludes(reject(), "latchkey completion bash");
});
