/**
 * Runs the tests on Deno (from source), Node and Bun (both from a bundle), and adds up what they counted.
 *
 * `deno task test [--deno] [--node] [--bun] [part of a file's name …]`: without flags on all three, without names all
 * files. The tests that drive a browser are apart: `deno task test:browser`.
 */

import { globSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { bundleTests } from "./bundle_tests.ts";

/** The runtimes beside Deno, as npm packages: always these versions, whatever the machine has. */
const node = "node@24.21.0";
const bun = "bun@1.4.4";

/** Minutes after which a run is taken to hang. */
const patience = 8;

/** What was counted. */
interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A way to run the tests, and where its output says how many. */
interface Runtime {
  readonly command: () => Promise<readonly string[]>;
  readonly counts: Readonly<Record<keyof Tally, readonly RegExp[]>>;
}

const runtimes: Readonly<Record<string, Runtime>> = {
  deno: {
    command: () => Promise.resolve([Deno.execPath(), "test", "-A", "--lock=dev.lock", "--parallel", ...sources]),
    counts: {
      passed: [/^(?:ok|FAILED) \| (\d+) passed/gm],
      failed: [/^(?:ok|FAILED) \|.* (\d+) failed/gm],
      skipped: [/^(?:ok|FAILED) \|.* (\d+) ignored/gm],
    },
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

const flags = Deno.args.filter((arg) => arg.startsWith("--")).map((flag) => flag.slice(2));
const names = Deno.args.filter((arg) => !arg.startsWith("--"));
const unknown = flags.find((flag) => !Object.hasOwn(runtimes, flag));
if (unknown) refuse(`--${unknown} is not one of --${Object.keys(runtimes).join(", --")}.`);
const chosen = flags.length > 0 ? flags : ["deno", "node", "bun"];

const sources = globSync("tests/**/*_test.{ts,tsx}").sort()
  .filter((path) => names.length === 0 || names.some((name) => path.includes(name)));
if (sources.length === 0) refuse(`No file tests/**/*_test.ts has ${names.join(" or ")} in its name.`);

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
const total = tallies.reduce(add);
const ran = tallies.map(({ passed, failed, skipped }) => passed + failed + skipped);
const differ = total.failed === 0 && ran.some((count) => count !== ran[0]);
if (differ) console.log(`Every test must run everywhere, but ${chosen.join(", ")} ran ${ran.join(", ")} of them.`);
const verdict = differ ? { ...total, failed: 1 } : total;
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
  const { output, success, late } = await capture(words);
  const tally = {
    passed: count(output, counts.passed),
    failed: count(output, counts.failed),
    skipped: count(output, counts.skipped),
  };
  if (!success) console.log(output);
  // What had to be left out is said even where everything else went well.
  for (const line of new Set(output.match(/^.*SKIPPED: .*$/gm))) console.log(line.slice(line.indexOf("SKIPPED")));
  if (late) return { tally, complaint: `It was ended after ${patience} minutes.` };
  if (!success && !tally.failed) return { tally, complaint: "It ended with an error outside the tests; see above." };
  if (tally.passed + tally.failed + tally.skipped === 0) return { tally, complaint: "It ran no test." };
  return { tally };
}

/** Runs a command to its end, or to the end of our patience: then it and everything it started are killed. */
async function capture(
  [command, ...args]: readonly string[],
): Promise<{ output: string; success: boolean; late: boolean }> {
  const child = new Deno.Command(command, {
    args,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true, // a process group of its own, so that one signal reaches npx and what it runs
  }).spawn();
  const end = (): void => {
    try {
      Deno.kill(-child.pid, "SIGKILL");
    } catch {
      // The whole group has just ended by itself.
    }
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  const interrupted = (): void => {
    end();
    Deno.exit(130);
  };
  for (const signal of signals) Deno.addSignalListener(signal, interrupted);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    end();
  }, patience * 60_000);
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) output += text;
  };
  const [{ success }] = await Promise.all([child.status, read(child.stdout), read(child.stderr)]);
  clearTimeout(timer);
  for (const signal of signals) Deno.removeSignalListener(signal, interrupted);
  return { output: stripVTControlCharacters(output), success, late };
}

/** Bundles the tests once for both runtimes. */
function bundle(): Promise<string[]> {
  return bundled ??= bundleTests(sources);
}

/** Adds up the last number that each pattern finds. */
function count(output: string, patterns: readonly RegExp[]): number {
  const last = patterns.map((pattern) => [...output.matchAll(pattern)].at(-1)?.[1] ?? "0");
  return last.reduce((total, digits) => total + Number(digits), 0);
}

function add(one: Tally, other: Tally): Tally {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  };
}

function say({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

function refuse(why: string): never {
  console.error(why);
  Deno.exit(2);
}
