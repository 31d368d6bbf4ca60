/** Runs the tests on Deno (from source), Node and Bun (both from a bundle): `deno task test --help`. */

import { globSync } from "node:fs";
import { bundleTests } from "./bundle_tests.ts";
import { readCommand, refuse } from "./command.ts";
import { count, type Counts, denoCounts, say, type Tally, total } from "./test_counts.ts";
import { capture } from "./test_run.ts";

/** The runtimes beside Deno, as npm packages: always these versions, whatever the machine has. */
const node = "node@24.21.0";
const bun = "bun@1.4.4";

/** Minutes after which a run is taken to hang. */
const patience = 8;

type RuntimeName = "deno" | "node" | "bun";

/** A way to run the tests, and where its output says how many. */
interface Runtime {
  readonly command: () => Promise<readonly string[]>;
  readonly counts: Counts;
}

const runtimes: Readonly<Record<RuntimeName, Runtime>> = {
  deno: {
    command: () => Promise.resolve([Deno.execPath(), "test", "-A", "--lock=dev.lock", "--parallel", ...sources]),
    counts: denoCounts,
  },
  node: {
    command:
      async () => ["npx", "-y", node, "--test", "--enable-source-maps", "--test-reporter=spec", ...await bundle()],
    counts: {
      passed: [/^ℹ pass (\d+)$/gm],
      failed: [/^ℹ fail (\d+)$/gm, /^ℹ cancelled (\d+)$/gm],
      skipped: [/^ℹ skipped (\d+)$/gm, /^ℹ todo (\d+)$/gm],
    },
  },
  bun: {
    // Files in processes of their own and without a time limit for each test, as on the other two.
    command: async () => ["npx", "-y", bun, "test", "--parallel", `--timeout=${patience * 60_000}`, ...await bundle()],
    counts: {
      passed: [/^ *(\d+) pass$/gm],
      failed: [/^ *(\d+) fail$/gm],
      skipped: [/^ *(\d+) skip$/gm, /^ *(\d+) todo$/gm],
    },
  },
};

const { flags, words: names } = readCommand({
  call: "deno task test",
  does: "Runs the tests on Deno from source, and on Node and Bun from a bundle, and adds up what they counted. " +
    "Without flags on all three. Tests that need more than a runtime are apart: test:browser, test:many, " +
    "test:packages and test:binary.",
  flags: { deno: { does: "on Deno" }, node: { does: "on Node" }, bun: { does: "on Bun" } },
  words: { value: "PART", does: "only files that have this in their path" },
});
const known = ["deno", "node", "bun"] as const;
const chosen = known.some((name) => flags[name]) ? known.filter((name) => flags[name]) : known;

const sources = globSync("tests/**/*_test.{ts,tsx}").sort()
  .filter((path) => names.length === 0 || names.some((name) => path.includes(name)));
if (sources.length === 0) refuse(`No file tests/**/*_test.ts has ${names.join(" or ")} in its path.`);

let bundled: Promise<string[]> | undefined;

const tallies: Tally[] = [];
for (const name of chosen) {
  const started = performance.now();
  const { tally, complaint } = await run(runtimes[name]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const files = `${sources.length} ${sources.length === 1 ? "file" : "files"}`;
  console.log(`${`${name}:`.padEnd(9)}${say(tally)} in ${files}, ${seconds} s`);
  // Whatever else is wrong counts as a failure too, so that the last line and the exit code agree.
  if (complaint) console.log(`${" ".repeat(9)}${complaint}`);
  tallies.push(complaint ? { ...tally, failed: tally.failed + 1 } : tally);
}
const sum = total(tallies);
const ran = tallies.map(({ passed, failed, skipped }) => passed + failed + skipped);
const differ = sum.failed === 0 && ran.some((count) => count !== ran[0]);
if (differ) console.log(`Every test must run everywhere, but ${chosen.join(", ")} ran ${ran.join(", ")} of them.`);
const verdict = differ ? { ...sum, failed: 1 } : sum;
console.log(say(verdict));
Deno.exit(verdict.failed ? 1 : 0);

/** Runs the tests once; shows what the runtime printed when something failed. */
async function run({ command, counts }: Runtime): Promise<{ tally: Tally; complaint?: string }> {
  const nothing = { passed: 0, failed: 0, skipped: 0 };
  let words: readonly string[];
  try {
    words = await command();
  } catch (error) {
    return { tally: nothing, complaint: `The tests could not be bundled: ${error}` };
  }
  const { output, success, late } = await capture(words, { patience: patience * 60 });
  const tally = count(output, counts);
  if (!success) console.log(output);
  // What had to be left out is said even where everything else went well.
  for (const line of new Set(output.match(/^.*SKIPPED: .*$/gm))) console.log(line.slice(line.indexOf("SKIPPED")));
  if (late) return { tally, complaint: `It was ended after ${patience} minutes.` };
  if (!success && !tally.failed) return { tally, complaint: "It ended with an error outside the tests; see above." };
  if (tally.passed + tally.failed + tally.skipped === 0) return { tally, complaint: "It ran no test." };
  return { tally };
}

/** Bundles the tests once for both runtimes. */
function bundle(): Promise<string[]> {
  return bundled ??= bundleTests(sources);
}
