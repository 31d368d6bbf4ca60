/** `.ci/run` says at its end what failed, because the end is what is kept. */

import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The output of each runner with failed tests, and the last line of `deno task test`. */
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
deno:    1 passed, 2 failed, 0 skipped in 2 files, 0.1 s
✔ [X-01] fine (41.868219ms)
▶ [X-03] has parts
  ✖ inner (0.294469ms)
✖ [X-03] has parts (0.907824ms)
✖ failing tests:

test at dist/tests/a_test.mjs:4:49
✖ inner (0.294469ms)
node:    1 passed, 2 failed, 0 skipped in 2 files, 0.1 s
(pass) [X-01] fine [27.88ms]
(fail) [X-04] too
bun:     1 passed, 1 failed, 0 skipped in 2 files, 0.1 s
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
    "bun: [X-04] too",
    "deno: ./tests/b_test.ts (uncaught error)",
    "deno: [X-02] | loses (3 ms)",
    "node: [X-03] has parts",
    "node: inner",
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

test("a run without failures ends with the counts alone", () => {
  assertEquals(summarize(`tests "fine" ignored echo "ok | 2 passed | 0 failed"`), ["2 passed, 0 failed, 0 skipped"]);
});
