/** The texts of the program in its terminal. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { checkHelpText, faultsHelpText } from "../../src/cli/check/check_help.ts";
import { execHelpText } from "../../src/cli/exec/exec_help.ts";
import { helpText } from "../../src/cli/help.ts";
import { terminalText } from "../../src/cli/terminal_text.ts";

const installed = { mainModule: "/usr/bin/latchkey", env: {} };
const clone = { mainModule: "/home/alice/latchkey/src/main.ts", env: { PWD: "/home/alice/latchkey" } };
const texts = [helpText, execHelpText, checkHelpText, faultsHelpText];

test("a text names the command that starts the program here", () => {
  const text = "latchkey explain PK lists them; latchkey exec -- npm test; the file latchkey.json of Latchkey";
  // The task may not start programs.
  for (const help of texts) {
    for (const line of terminalText(help, clone).split("\n")) {
      assert(!/deno task start (?:exec|check|COMMAND)/.test(line), line);
    }
  }
  assertEquals(terminalText(text, installed), text);
  assertEquals(
    terminalText(text, clone),
    "deno task start explain PK lists them; deno run -A src/main.ts exec -- npm test; the file latchkey.json of Latchkey",
  );
  assertMatch(terminalText(helpText, { ...clone, env: { ...clone.env, npm_command: "exec" } }), /^Usage: npx -y deno/m);
});

test("in 80 columns no text changes, and in 60 no sentence is broken twice", () => {
  for (const text of texts) {
    assertEquals(terminalText(text, installed, 80), text);
    const lines = terminalText(text, installed, 60).split("\n");
    assertEquals(lines.join(" ").replaceAll(/\s+/g, " "), text.split("\n").join(" ").replaceAll(/\s+/g, " "));
    const prose = lines.filter((line) => /^\S/.test(line));
    for (const line of prose) assert(line.length <= 60, line);
    for (const line of lines) assert(line.length <= 80, line);
  }
});
