/** Runs the tests on Deno (from source), Node and Bun (both from a bundle): `deno task test --help`. */

import { globSync } from "node:fs";
import { createAloneFolder, isServerTest } from "./alone_folder.ts";
import { selectChangedTests } from "./changed_tests.ts";
import { exitWithError, readCommand } from "./command.ts";
import { installModules } from "./modules.ts";
import { type FileRun, runTestFiles } from "./test_batches.ts";
import { formatCounts, sumCounts } from "./test_counts.ts";
import { expectSeconds, readDurations, writeDurations } from "./test_durations.ts";
import { runtimesOf } from "./test_places.ts";
import { abridge, showProgress } from "./test_progress.ts";
import { denoTestFlags, type RuntimeName, runtimeNames } from "./test_runtimes.ts";
import { formatSkippedTests } from "./test_servers.ts";

const { flags, words: pathParts } = readCommand({
  call: "deno task test",
  does:
    "Runs the tests on Deno. A run of all files takes a part of the longest tables, another each week; a run of some " +
    "files takes all rows. Shows progress, and each failure immediately. deno task check checks the types of the tests. " +
    "Tests that need more than a runtime have their own tasks: test:browser, test:many, " +
    "test:conformance, test:packages and test:binary.",
  flags: {
    all: {
      does:
        "on Deno, where tests of the server run as in deno task alone; what can differ between runtimes on Node and " +
        "Bun too; in a run of all files, most of them on one of the two, which alternate weekly",
    },
    deno: { does: "on Deno" },
    node: { does: "on Node" },
    bun: { does: "on Bun" },
    changed: { value: "COMMIT", does: "only files that differ from this commit, or import or name what differs" },
    watch: { does: "on Deno, and again whenever a file that they import changes" },
  },
  words: { value: "PART", does: "only files whose path contains this" },
});

const partFiles = globSync("tests/**/*_test.{ts,tsx}").map((path) => path.replaceAll("\\", "/")).sort()
  .filter((path) => pathParts.length === 0 || pathParts.some((name) => path.includes(name)));
if (partFiles.length === 0) exitWithError(`No file tests/**/*_test.ts has ${pathParts.join(" or ")} in its path.`);
const testFiles = flags.changed === undefined
  ? partFiles
  : await selectChangedTests(flags.changed, partFiles).catch(exitWithError);
if (testFiles.length === 0) {
  console.log(`No test depends on what differs from ${flags.changed}.`);
  Deno.exit();
}

await installModules().catch(exitWithError);
if (flags.watch) {
  const args = ["test", "-A", "--watch", "--no-clear-screen", ...denoTestFlags, ...testFiles];
  const { code } = await new Deno.Command(Deno.execPath(), { args }).spawn().status;
  Deno.exit(code);
}

const namedRuntimes = runtimeNames.filter((name) => flags[name]);
const selectedRuntimes = namedRuntimes.length > 0 ? namedRuntimes : flags.all ? runtimeNames : ["deno"] as const;
// Another part each week, so that a test that failed fails again on the same day.
const week = flags.changed === undefined && pathParts.length === 0
  ? Math.floor(Date.now() / (7 * 24 * 3_600_000))
  : undefined;
// tests/sample.ts reads it.
if (week !== undefined) Deno.env.set("LATCHKEY_TEST_SAMPLE", String(week));
const durations = await readDurations();
const alone = flags.all && testFiles.some(isServerTest) ? await createAloneFolder().catch(exitWithError) : undefined;
/** Whether a file of a run with --all is run there. */
const isSelected = (runtime: RuntimeName, file: string) =>
  runtimesOf(file, { isAlone: alone?.extensionsOf.has(file) ?? false, week }).includes(runtime);
const runs = selectedRuntimes.flatMap((runtime) =>
  // Without --all, a runtime that is named runs every file.
  testFiles.filter((file) => !flags.all || isSelected(runtime, file)).map(
    (file): FileRun => ({
      file,
      runtime,
      isAlone: runtime === "deno" && alone?.extensionsOf.has(file),
      expectedSeconds: expectSeconds(durations, runtime, file),
      seconds: 0,
      counts: { passed: 0, failed: 0, skipped: 0 },
      isDone: false,
    }),
  )
);

const started = performance.now();
const getElapsedSeconds = () => (performance.now() - started) / 1000;
const sumUp = (some: readonly FileRun[], get: (run: FileRun) => number) => some.reduce((sum, run) => sum + get(run), 0);
const totalSeconds = sumUp(runs, ({ expectedSeconds }) => expectedSeconds);
const failures: string[] = [];

const display = showProgress(() => {
  const done = runs.filter(({ isDone }) => isDone);
  return {
    files: runs.length,
    filesDone: done.length,
    tests: sumUp(runs, ({ counts: { passed, failed } }) => passed + failed),
    failures: failures.length,
    share: sumUp(done, ({ expectedSeconds }) => expectedSeconds) / totalSeconds,
    elapsedSeconds: getElapsedSeconds(),
  };
});
await runTestFiles(runs, alone, {
  onFailure({ run: { file, runtime, isAlone }, test, details }) {
    const failure = `FAILED on ${runtime}: ${file}: ${test}`;
    failures.push(failure);
    const task = isAlone ? "alone" : `test --${runtime}`;
    const repeat = `Repeat it: npx -y deno task ${task} ${file.replace(/^tests\//, "")}`;
    display.print(`\n${failure}\n${abridge(details).replace(/^(?=.)/gm, "  ")}\n  ${repeat}\n`);
  },
}).catch((error) => failures.push(`FAILED: the tests cannot be started: ${error.message}`));
display.close();
await alone?.[Symbol.asyncDispose]();
await writeDurations(Object.fromEntries(
  runs.filter(({ seconds }) => seconds > 0).map(({ runtime, file, seconds }) => [`${runtime} ${file}`, seconds]),
));

for (const file of testFiles) {
  const ran = runs.filter((run) => run.file === file).map((run) => run.counts);
  const numbers = ran.map(({ passed, failed, skipped }) => passed + failed + skipped);
  if (failures.length > 0 || numbers.every((number) => number > 0 && number === numbers[0])) continue;
  failures.push(`FAILED: ${file}: expected as many tests on each runtime, at least one; found ${numbers.join(", ")}`);
}
for (const failure of failures) console.log(failure);
for (const name of selectedRuntimes) {
  const own = runs.filter(({ runtime }) => runtime === name);
  const counts = formatCounts(sumCounts(own.map(({ counts }) => counts)));
  console.log(`${`${name}:`.padEnd(6)}${counts} in ${own.length} ${own.length === 1 ? "file" : "files"}`);
}
console.log(`${getElapsedSeconds().toFixed(1)} s`);
const { passed, failed, skipped } = sumCounts(runs.map(({ counts }) => counts));
if (skipped > 0) { for (const line of formatSkippedTests()) console.log(line); }
// Any other error counts as a failure too, so that the last line and the exit code agree.
console.log(formatCounts({ passed, skipped, failed: Math.max(failed, failures.length) }));
Deno.exit(failures.length > 0 ? 1 : 0);
