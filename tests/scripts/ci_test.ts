/** `.ci/run` says at its end what failed, because the end is what is kept. */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** The outputs of Deno, Node and Bun with failed tests, and of a script. */
const printed = `
./tests/a_test.ts => [X-01] fine ... ok (11ms)
./tests/a_test.ts => [X-02] | loses (3 ms) ... FAILED (9ms)

 ERRORS 

[X-02] | loses (3 ms) => ./tests/a_test.ts:3:1
error: Error: expected => ./found

 FAILURES 

[X-02] | loses (3 ms) => ./tests/a_test.ts:3:1
./tests/b_test.ts (uncaught error)

FAILED | 1 passed | 2 failed (130ms)
error: Test failed

✔ [X-01] fine (0.4ms)
✖ [X-03] has parts (1.25ms)
ℹ fail 1

✖ failing tests:

test at tests/a_test.ts:1:1
✖ [X-03] has parts (1.25ms)
  Error: FAILED on purpose

(pass) [X-01] fine [0.10ms]
(fail) [X-04] loses
FAILED: the tests cannot be started: no network
3 passed, 5 failed, 0 skipped
`;

/** Runs lines of a script that has the functions of `.ci/run`, and returns the end of its output after the parts. */
function summarize(lines: string): string[] {
  const reports = mkdtempSync(join(tmpdir(), "latchkey-ci-"));
  try {
    writeFileSync(join(reports, "sample"), printed);
    const script =
      `reports=${reports}; source .ci/parts.sh; printed=$reports/first\n${lines}\nprintf '=====\\n'; summary`;
    const output = execFileSync("bash", ["-c", `${script} || echo "exit code $?"`], { encoding: "utf8" });
    return output.split("=====\n")[1]!.split("\n").filter((line) => line !== "" && !/^\d+ s$/.test(line));
  } finally {
    rmSync(reports, { recursive: true });
  }
}

test("the end of a run names each part that failed, and its failed tests with their runtime", () => {
  const expected = [
    "the command failed",
    "deno: ./tests/b_test.ts (uncaught error)",
    "deno: [X-02] | loses (3 ms)",
    "bun: [X-04] loses",
    "node: [X-03] has parts",
    "the tests cannot be started: no network",
  ];
  assertEquals(
    summarize(`
      one() { tests "tests" skipped bash -c 'cat "$0"; exit 1' "$reports/sample"; }
      two() { tests "fine" ignored echo "ok | 2 passed | 0 failed"; part "checks" bash -c 'echo words: FAILED; exit 3' || failed=$((failed + 1)); }
      lane one & lane two & wait
      add_lane one; add_lane two`).toSorted(),
    [
      ...expected.map((line) => `== FAILED: tests: ${line}`),
      "== FAILED: checks: the command failed",
      "== FAILED: checks: words: FAILED",
      "5 passed, 6 failed, 0 skipped",
      "exit code 1",
    ].toSorted(),
  );
});

test("a run fails, and says why, if a part counts no test, leaves tests out or does not end", () => {
  assertEquals(
    summarize(`
      tests "silent" skipped true
      tests "incomplete" ignored echo "ok | 7 passed | 0 failed | 2 ignored"
      add_lane absent 2>/dev/null`),
    [
      "== FAILED: silent: no test passed",
      "== FAILED: incomplete: 2 skipped",
      "== FAILED: absent: it did not end",
      "7 passed, 2 failed, 2 skipped",
      "exit code 1",
    ],
  );
});

test("a run fails, and names what its tests left in the temporary folder", () => {
  const after = (command: string) =>
    summarize(`
      temp=$reports/temp; mkdir $temp
      tests "tests" ignored bash -c "${command}; echo 2 passed, 0 failed"
      empty "tests" $temp`);
  assertEquals(after("mkdir $temp/a; rmdir $temp/a"), ["2 passed, 0 failed, 0 skipped"]);
  assertEquals(after("mkdir $temp/latchkey-a $temp/.b"), [
    "== FAILED: tests: left in the temporary folder: .b",
    "== FAILED: tests: left in the temporary folder: latchkey-a",
    "2 passed, 1 failed, 0 skipped",
    "exit code 1",
  ]);
});

test("a run without failures ends with the counts alone", () => {
  assertEquals(summarize(`tests "fine" ignored echo "ok | 2 passed | 0 failed"`), ["2 passed, 0 failed, 0 skipped"]);
});

/** Runs `.ci/run` with programs that only say what was called; a call that contains `failing` fails. */
function runEverything(failing: string): { readonly calls: readonly string[]; readonly output: string } {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-ci-"));
  try {
    const calls = join(folder, "calls");
    const script = `#!/bin/bash
echo "$*" >>${calls}
[[ "$*" != *execPath* ]] || { echo "$0"; exit; }
[[ "$*" != *"${failing}"* ]] || { echo "words: FAILED"; exit 1; }
echo "ok | 2 passed | 0 failed"; echo "2 passed, 0 failed, 0 skipped"\n`;
    for (const name of ["npx", "psql", "redis-cli", "redis-server", "pg_ctlcluster", "apt-get", "sudo"]) {
      writeFileSync(join(folder, name), script, { mode: 0o755 });
    }
    const env = { ...process.env, PATH: `${folder}:/usr/bin:/bin` };
    const { stdout } = spawnSync("bash", [".ci/run"], { encoding: "utf8", env });
    return { calls: readFileSync(calls, "utf8").split("\n"), output: stdout };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const linux = { skip: process.platform !== "linux" };

test("everything runs the command of the README and each task with tests, and adds up the tests", linux, () => {
  const { calls, output } = runEverything("no such call");
  const { tasks } = JSON.parse(readFileSync("deno.json", "utf8"));
  const withTests = Object.keys(tasks).filter((name) => name.startsWith("test:"));
  for (const task of ["ok --but-tests", "build", "image --try", ...withTests]) {
    assert(calls.some((call) => new RegExp(`\\btask ${task}\\b`).test(call)), task);
  }
  assert(calls.includes("-y deno task test"));
  assert(readFileSync("README.md", "utf8").includes("`deno task test`"));
  assert(output.endsWith(`\n${2 * (withTests.length + 1)} passed, 0 failed, 0 skipped\n`), output);
  for (
    const part of ["checks", "tests", "npm package", "image", "packages", "binary", "browser tests", "many instances"]
  ) {
    assert(new RegExp(`^== ${part}: ok, \\d+ s, \\d+ s of CPU$`, "m").test(output), part);
  }
});

test("everything ends before the tests if a cheap check fails", linux, () => {
  const { calls, output } = runEverything("task ok --but-tests");
  assertEquals(calls.filter((call) => /task (?:test|build|image)/.test(call)), []);
  assert(output.includes("== FAILED: checks: words: FAILED\n"), output);
  assert(output.endsWith("\n0 passed, 1 failed, 0 skipped\n"), output);
});
