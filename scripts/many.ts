/** Runs the tests with several instances and their own databases: `deno task test:many --help`. */

import { globSync } from "node:fs";
import { bundleTests } from "./bundle_tests.ts";
import { exitWithError, readCommand } from "./command.ts";
import { installModules } from "./modules.ts";
import { getCleanEnvironment } from "./run.ts";
import { findRuntime, formatCounts, runTests, sumCounts, type TestCounts } from "./test_run.ts";

/** Seconds without output after which the tests count as hung. */
const silenceSeconds = 300;

const { words: pathParts } = readCommand({
  call: "deno task test:many",
  does: "Runs the tests with several instances and their own databases, and prints the audit of every failure. " +
    "They start PostgreSQL and Redis from Debian's packages, on ports below 20000.",
  words: { value: "PART", does: "only files whose path contains this" },
});
const files = globSync("tests/many/*_many.ts").sort().filter((path) =>
  pathParts.length === 0 || pathParts.some((name) => path.includes(name))
);
if (files.length === 0) exitWithError(`No file tests/many/*_many.ts has ${pathParts.join(" or ")} in its path.`);

// Instances also run on Node and Bun, from a bundle.
const [node, bun] = await Promise.all([
  findRuntime("node"),
  findRuntime("bun"),
  installModules().then(() => bundleTests([])),
]).catch(exitWithError);
const env = { ...getCleanEnvironment(), MANY_NODE: node, MANY_BUN: bun };

// Two at a time: they mostly wait. Each has its own ports.
const remainingFiles = files.map((file, i) => ({ file, ports: 15_001 + 600 * i }));
const allCounts: TestCounts[] = [];
await Promise.all([1, 2].map(async () => {
  for (let next = remainingFiles.shift(); next !== undefined; next = remainingFiles.shift()) {
    await runFile(next.file, next.ports);
  }
}));
const totalCounts = sumCounts(allCounts);
console.log(formatCounts(totalCounts));
Deno.exit(totalCounts.failed > 0 ? 1 : 0);

/** Runs one file, prints its output at the end, and counts. */
async function runFile(file: string, ports: number): Promise<void> {
  const own = { ...env, MANY_PORTS: String(ports) };
  const { counts, output } = await runTests("deno", [file], { silenceSeconds, env: own, clearEnv: true });
  // Print the audits and all errors; omit the names of passed tests.
  console.log(`${file}\n${counts.failed > 0 ? output : findReportLines(output)}`);
  allCounts.push(counts);
}

/** Output of the tests, and its last line. */
function findReportLines(text: string): string {
  return text.split("\n").filter((line) => /: .*(lost \d|swept in \d)|^ok \|/.test(line)).map((line) => `  ${line}\n`)
    .join("");
}
