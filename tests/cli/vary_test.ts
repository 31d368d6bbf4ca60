/** `latchkey vary`: a command, here a script on the runtime of the tests, beside servers that vary (group VA). */

import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { execute } from "../../src/cli/exec/execute.ts";
import { vary } from "../../src/cli/exec/vary.ts";
import { CommandLineError } from "../../src/cli/command_line_error.ts";
import { ConfigurationError } from "../../src/mod.ts";
import { runCommandHere } from "./command_runs.ts";

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
  const { code, stdout, stderr } = await runCommandHere(vary, args);
  return { code, output: stdout + stderr };
}

test("[VA-04] latchkey vary finds the variation with which a command fails, and keeps the other profiles", async () => {
  const { code, output } = await run(
    "--seed",
    "1",
    "--profile",
    "oidc",
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

test("[VA-04] latchkey vary --verbose prints the output of every run", async () => {
  const { code, stderr } = await runCommandHere(vary, ["--verbose", "--seed", "1", "--", ...suite]);
  assertEquals(code, 0);
  assertMatch(stderr, /^vary:1, \d+ variations:\nvary:1: passed\.\n$/);
});

test("[VA-07] exec with a seed names it and the variations of the responses if the command fails, and vary does so once", async () => {
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
      assertEquals(stderr.includes("vary --seed 1 -- COMMAND"), advisesSearch, stderr);
    }
  }
  const passed = await runCommandHere(execute, ["--profile", "vary:1", "--", ...suite]);
  assertEquals([passed.code, passed.stderr.includes("vary:1")], [0, false], passed.stderr);
  const { output } = await run("--seed", "1", "--", ...suite, "strict");
  assertEquals(output.includes("profile vary:1, with"), false);
});

test("[VA-04] latchkey vary ends with 0 if each seed passes, and with 127 if there is no such command", async () => {
  const { code, output } = await run("--seeds", "2", "--", ...suite);
  assertEquals([code, output.match(/: passed\./g)?.length], [0, 2], output);
  assertEquals((await run("--seed", "1", "--", join(folder, "none"))).code, 127);
});

test("latchkey vary runs nothing more after SIGINT or SIGTERM", async () => {
  const { code, stderr } = await runCommandHere(vary, ["--", ...suite], {}, (callback) => callback());
  assertEquals([code, stderr], [130, ""]);
});

test("latchkey vary explains itself, lists each variation with its sentence, and rejects a wrong number", async () => {
  assertStringIncludes((await run("--help")).output, "--seeds NUMBER");
  assertStringIncludes((await run("--list")).output, "expires-in-absent\n  expires_in is recommended");
  await assertRejects(() => run("--seeds", "0", "--", "true"), CommandLineError, "--seeds");
  await assertRejects(() => run("--seed", "a b", "--", "true"), ConfigurationError, "vary:SEED");
  const once = "exec --profile vary:7:charset -- COMMAND";
  await assertRejects(() => run("--seed", "7:charset", "--", "true"), CommandLineError, once);
  await assertRejects(() => run("--profile", "vary:7:charset", "--", "true"), CommandLineError, once);
  await assertRejects(() => run("npm", "test"), CommandLineError, "vary -- npm test");
});
