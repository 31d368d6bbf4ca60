/** Runs the tests on Deno (from source), Node and Bun (both from a bundle): `deno task test --help`. */

import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { batchTests } from "./batch_tests.ts";
import { bundleTests } from "./bundle_tests.ts";
import { exitWithError, readCommand } from "./command.ts";
import {
  type CountPatterns,
  denoCountPatterns,
  formatCounts,
  parseCounts,
  sumCounts,
  type TestCounts,
} from "./test_counts.ts";
import { capture } from "./test_run.ts";

/** Node and Bun as npm packages, in fixed versions. */
const node = "node@24.21.0";
const bun = "bun@1.4.4";

/** Minutes after which a run counts as hung. */
const timeoutMinutes = 20;

type RuntimeName = "deno" | "node" | "bun";

/** A way to run the tests, and how to read the counts from its output. */
interface Runtime {
  readonly command: () => Promise<readonly string[]>;
  readonly counts: CountPatterns;
}

const runtimes: Readonly<Record<RuntimeName, Runtime>> = {
  deno: {
    // `deno task check` checks the types.
    command: async () => [
      ...[Deno.execPath(), "test", "-A", "--no-check", "--config=deno.json", "--lock=dev.lock", "--parallel"],
      ...await batchTests(testFiles, { folder: `${batches}/deno`, extension: ".ts" }),
    ],
    counts: denoCountPatterns,
  },
  node: {
    // As many processes as cores; the default is one less.
    command: async () => [
      "npx",
      "-y",
      node,
      "--test",
      `--test-concurrency=${availableParallelism()}`,
      "--import=./scripts/node_without_test_hooks.mjs",
      "--enable-source-maps",
      "--test-reporter=spec",
      ...await bundle(),
    ],
    counts: {
      passed: [/^ℹ pass (\d+)$/gm],
      failed: [/^ℹ fail (\d+)$/gm, /^ℹ cancelled (\d+)$/gm],
      skipped: [/^ℹ skipped (\d+)$/gm, /^ℹ todo (\d+)$/gm],
    },
  },
  bun: {
    // As many processes as cores and no time limit per test, as on the other runtimes.
    command:
      async () => ["npx", "-y", bun, "test", "--parallel", `--timeout=${timeoutMinutes * 60_000}`, ...await bundle()],
    counts: {
      passed: [/^ *(\d+) pass$/gm],
      failed: [/^ *(\d+) fail$/gm],
      skipped: [/^ *(\d+) skip$/gm, /^ *(\d+) todo$/gm],
    },
  },
};

const { flags, words: pathParts } = readCommand({
  call: "deno task test",
  does:
    "Runs the tests on Deno from source, and on Node and Bun from a bundle, and adds up the counts; deno task check " +
    "checks their types. " +
    "Default: all three. Tests that need more than a runtime have their own tasks: test:browser, test:many, " +
    "test:conformance, test:packages and test:binary.",
  flags: { deno: { does: "on Deno" }, node: { does: "on Node" }, bun: { does: "on Bun" } },
  words: { value: "PART", does: "only files whose path contains this" },
});
const runtimeNames = ["deno", "node", "bun"] as const;
const selectedRuntimes = runtimeNames.some((name) => flags[name])
  ? runtimeNames.filter((name) => flags[name])
  : runtimeNames;

const testFiles = globSync("tests/**/*_test.{ts,tsx}").sort()
  .filter((path) => pathParts.length === 0 || pathParts.some((name) => path.includes(name)));
if (testFiles.length === 0) exitWithError(`No file tests/**/*_test.ts has ${pathParts.join(" or ")} in its path.`);

const batches = await Deno.makeTempDir();
globalThis.addEventListener("unload", () => Deno.removeSync(batches, { recursive: true }));

let bundled: Promise<readonly string[]> | undefined;

const allCounts: TestCounts[] = [];
for (const name of selectedRuntimes) {
  const started = performance.now();
  const { tally, problem } = await run(runtimes[name]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const files = `${testFiles.length} ${testFiles.length === 1 ? "file" : "files"}`;
  console.log(`${`${name}:`.padEnd(9)}${formatCounts(tally)} in ${files}, ${seconds} s`);
  // Any other error counts as a failure too, so that the last line and the exit code agree.
  if (problem) console.log(`${" ".repeat(9)}${problem}`);
  allCounts.push(problem ? { ...tally, failed: tally.failed + 1 } : tally);
}
const totalCounts = sumCounts(allCounts);
const ranCounts = allCounts.map(({ passed, failed, skipped }) => passed + failed + skipped);
const isUneven = totalCounts.failed === 0 && ranCounts.some((count) => count !== ranCounts[0]);
if (isUneven) {
  console.log(
    `Every test must run everywhere, but ${selectedRuntimes.join(", ")} ran ${ranCounts.join(", ")} of them.`,
  );
}
const finalCounts = isUneven ? { ...totalCounts, failed: 1 } : totalCounts;
console.log(formatCounts(finalCounts));
Deno.exit(finalCounts.failed ? 1 : 0);

/** Runs the tests once. Prints the output of the runtime if a test failed. */
async function run({ command, counts }: Runtime): Promise<{ tally: TestCounts; problem?: string }> {
  const zeroCounts = { passed: 0, failed: 0, skipped: 0 };
  let words: readonly string[];
  try {
    words = await command();
  } catch (error) {
    return { tally: zeroCounts, problem: `The tests could not be bundled: ${error}` };
  }
  const { output, success, timedOut } = await capture(words, { timeoutSeconds: timeoutMinutes * 60 });
  const testCounts = parseCounts(output, counts);
  if (!success) console.log(output);
  // Print skipped tests even if all others passed.
  for (const line of new Set(output.match(/^.*SKIPPED: .*$/gm))) console.log(line.slice(line.indexOf("SKIPPED")));
  if (timedOut) return { tally: testCounts, problem: `Timed out after ${timeoutMinutes} minutes.` };
  if (!success && !testCounts.failed) {
    return { tally: testCounts, problem: "It ended with an error outside the tests; see above." };
  }
  if (testCounts.passed + testCounts.failed + testCounts.skipped === 0) {
    return { tally: testCounts, problem: "It ran no test." };
  }
  return { tally: testCounts };
}

/** Bundles the tests once for Node and Bun. */
function bundle(): Promise<readonly string[]> {
  return bundled ??= bundleTests(testFiles)
    .then((files) => batchTests(files, { folder: `${batches}/bundled`, extension: ".mjs" }));
}
