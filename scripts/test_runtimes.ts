/** Runs what can differ between runtimes on Node and Bun: `deno task test:runtimes --help`. */

import { globSync } from "node:fs";
import { bundleTests } from "./bundle_tests.ts";
import { exitWithError, readCommand } from "./command.ts";
import { installModules } from "./modules.ts";
import { formatCounts, runTests, sumCounts } from "./test_run.ts";

/**
 * The tests of what depends on a runtime: sockets, processes, certificates, stores and races. `deno task test:core`
 * runs the tests of the core on these runtimes too, `deno task test:packages` each black-box test of the server on one.
 */
const isRun = (path: string) => path.startsWith("tests/platform/") || /race|store/.test(path);

const { flags, words } = readCommand({
  call: "deno task test:runtimes",
  does:
    "Bundles the tests of src/platform, of stores and of races into dist/tests, where `node --test` and `bun test` " +
    "can run them again, and runs them on both.",
  flags: { bundle: { does: "only bundle them" } },
  words: { value: "PART", does: "only files whose path contains this, of all tests" },
});
const all = globSync("tests/**/*_test.{ts,tsx}").map((path) => path.replaceAll("\\", "/")).sort();
const tests = all.filter((path) => words.length === 0 ? isRun(path) : words.some((word) => path.includes(word)));
if (tests.length === 0) exitWithError(`No file tests/**/*_test.ts has ${words.join(" or ")} in its path.`);

await installModules().catch(exitWithError);
const bundles = await bundleTests(tests).catch(exitWithError);
if (flags.bundle) {
  for (const path of bundles) console.log(path);
  Deno.exit();
}
const runs = await Promise.all((["node", "bun"] as const).map(async (runtime) => {
  const { counts, output } = await runTests(runtime, bundles).catch(exitWithError);
  console.log(`${output}\n${runtime}: ${formatCounts(counts)}\n`);
  return counts;
}));
const counts = sumCounts(runs);
console.log(formatCounts(counts));
Deno.exit(counts.failed > 0 ? 1 : 0);
