/** `latchkey exec --profile vary:1..5`: a script on the runtime of the tests, beside servers that vary (group VA). */

import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { execute } from "../../src/cli/exec/execute.ts";
import { CommandLineError } from "../../src/cli/command_line_error.ts";
import { explain } from "../../src/cli/explain.ts";
import { readRules, runCommandHere } from "./command_runs.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-vary-"));
after(() => rmSync(folder, { recursive: true }));

/** A suite whose client compares `token_type` character by character, if its argument is `strict`. */
const script = `
  const { LATCHKEY_ISSUER: issuer, LATCHKEY_CLIENT_ID: client_id, LATCHKEY_CLIENT_SECRET: client_secret } = process.env;
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
  const { token_type } = await (await fetch(issuer + "/oauth2/token", { method: "POST", body })).json();
  console.log("ran with " + token_type);
  process.exit(process.argv[2] === "strict" && token_type !== "Bearer" ? 3 : 0);
`;
const scriptFile = join(folder, "suite.mjs");
writeFileSync(scriptFile, script);
const suite = [process.execPath, ..."Deno" in globalThis ? ["run", "-A", "--no-lock"] : [], scriptFile];

async function run(...args: readonly string[]) {
  const { code, stdout, stderr } = await runCommandHere(execute, args);
  return { code, output: stdout + stderr };
}

test("[VA-04] exec with a range of seeds finds the variation with which a command fails, and keeps the other profiles", async () => {
  const { code, output } = await run(
    "--profile",
    "oidc,vary:1..3",
    "--redirect-uri",
    "http://localhost:3000/cb",
    "--",
    ...suite,
    "strict",
  );
  assertEquals(code, 1);
  for (
    const part of [
      "needs token_type in one letter case",
      "RFC 6749 §5.1",
      "exit code 3",
      "exec --profile oidc,vary:1:token-type-case",
    ]
  ) {
    assertStringIncludes(output, part);
  }
  assertMatch(output, /^vary:1, \d+ variations: failed with exit code 3\.\nvary:1, 0 variations: passed\.\n/);
  assertEquals(output.match(/^ran with /gm)?.length, 1, output);
});

test("[VA-07] exec with a seed names it and the variations of the responses if the command fails, and a range does so once", async () => {
  const cases = [["vary:1", true], ["vary:1:token-type-case", false]] as const;
  for (const [profile, advisesSearch] of cases) {
    for (const flags of [[], ["--control", "off"]]) {
      const { code, stderr } = await runCommandHere(execute, [
        ...flags,
        "--profile",
        profile,
        "--",
        ...suite,
        "strict",
      ]);
      assertEquals(code, 3);
      assertMatch(stderr, /profile vary:1, with .*token-type-case/);
      assertEquals(stderr.includes("exec --profile vary:1..1 -- COMMAND"), advisesSearch, stderr);
    }
  }
  const passed = await runCommandHere(execute, ["--profile", "vary:1", "--", ...suite]);
  assertEquals([passed.code, passed.stderr.includes("vary:1")], [0, false], passed.stderr);
  const { output } = await run("--profile", "vary:1..1", "--", ...suite, "strict");
  assertEquals(output.includes("profile vary:1, with"), false);
});

test("[VA-04] a range ends with 0 if each seed passes, and with 127 if there is no such command", async () => {
  const { code, output } = await run("--profile", "vary:1..2", "--", ...suite);
  assertEquals([code, output.match(/: passed\./g)?.length], [0, 2], output);
  assertEquals((await run("--profile=vary:night..night", "--", join(folder, "none"))).code, 127);
});

test("a range runs nothing more after SIGINT or SIGTERM", async () => {
  const { code, stderr } = await runCommandHere(
    execute,
    ["--profile", "vary:1..5", "--", ...suite],
    {},
    (callback) => callback(),
  );
  assertEquals([code, stderr], [130, ""]);
});

test("explain lists each variation with its sentence; exec rejects a range that is none", async () => {
  assertStringIncludes(
    await explain(["vary"], { terminalWidth: () => 80 }, readRules),
    "expires-in-absent\n  expires_in is recommended",
  );
  for (const range of ["5..1", "1..", "..5", "a..b", "1..5:charset", "1..100000", "1...5"]) {
    await assertRejects(() => run("--profile", `vary:${range}`, "--", "true"), CommandLineError, "vary:1..5");
  }
  await assertRejects(() => run("--profile", "vary:1..5", "npm", "test"), CommandLineError, "exec -- npm test");
});
