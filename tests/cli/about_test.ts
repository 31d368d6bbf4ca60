/** The version and the licences of the single executable file. */

import { assertEquals, assertMatch } from "@std/assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formatLicences, formatVersion } from "../../src/cli/about.ts";
import { runProgram } from "../platform/runtime/run_program.ts";

const { version } = JSON.parse(readFileSync("deno.json", "utf8"));

test("a single-file program shows its commit and the bundled licences; otherwise it says where they are", async () => {
  Object.assign(globalThis, { LATCHKEY_ABOUT: { commit: "abc1234", licences: "jose 6\n\nMIT\n" } });
  assertEquals([formatVersion(), formatLicences()], [`latchkey ${version} (abc1234)`, "jose 6\n\nMIT"]);
  Reflect.deleteProperty(globalThis, "LATCHKEY_ABOUT");
  const { code, stdout, stderr } = await runProgram({ args: ["--licenses"] });
  assertEquals([code, stderr], [0, ""]);
  assertMatch(stdout, /^The licence of Latchkey is MIT, in the file LICENSE\. .*\.\n$/);
});
