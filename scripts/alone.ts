/** Proves that the server needs none of the other products: `deno task alone --help`. */

import { createAloneFolder } from "./alone_folder.ts";
import { CommandError, exitWithError, readCommand } from "./command.ts";
import { run } from "./run.ts";
import { type FileRun, runTestFiles } from "./test_batches.ts";
import { formatCounts, sumCounts } from "./test_counts.ts";

const { words: pathParts } = readCommand({
  call: "deno task alone",
  does:
    "Copies src/core, src/server, src/platform and their entries into an empty folder, type-checks them there, and runs the tests " +
    "of the server that import nothing else. Servers there have the extension in whose folder the test is, those that " +
    "the comment at the top of the test names after @extensions, and no others.",
  words: { value: "PART", does: "only test files whose path contains this" },
});

const began = performance.now();
const problems: string[] = [];
let summary = "";
try {
  await using folder = await createAloneFolder();
  const files = [...folder.extensionsOf.keys()]
    .filter((path) => pathParts.length === 0 || pathParts.some((part) => path.includes(part)));
  if (files.length === 0) {
    throw new CommandError(`No test file of the server alone has ${pathParts.join(" or ")} in its path.`);
  }
  await run([
    Deno.execPath(),
    "check",
    "--quiet",
    `--config=${folder.path}/deno.json`,
    `--lock=${folder.path}/dev.lock`,
    `${folder.path}/src`,
  ]);
  const runs = files.map((file): FileRun => ({
    ...{ file, runtime: "deno", isAlone: true, expectedSeconds: 1, seconds: 0, isDone: false },
    counts: { passed: 0, failed: 0, skipped: 0 },
  }));
  await runTestFiles(runs, folder, {
    onFailure({ run: { file }, test, details }) {
      problems.push(`FAILED: ${file}: ${test}`);
      console.log(`\n${file}: ${test}\n${details}\n`);
    },
  });
  const tested = `${files.length} of its ${folder.testCount} test files import nothing else`;
  const counts = formatCounts(sumCounts(runs.map(({ counts }) => counts)));
  summary = `${folder.sourceCount} files of the server are complete alone; ${tested}: ${counts}`;
} catch (error) {
  exitWithError(error);
}
for (const problem of problems) console.log(problem);
console.log(`${summary} (${((performance.now() - began) / 1000).toFixed(1)} s).`);
Deno.exit(problems.length > 0 ? 1 : 0);
