/** The runtimes that tests run on, and the output of each as a sequence of results. */

import { fileURLToPath } from "node:url";
import { npx, run } from "./run.ts";
import { runtimePackages } from "./runtime_versions.ts";

/** Names of the runtimes, in the order in which results are printed. */
export const runtimeNames = ["deno", "node", "bun"] as const;

/** Name of a runtime. */
export type RuntimeName = typeof runtimeNames[number];

/** What a line of the output says about one test. */
export interface TestResult {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** The error of a failed test, and what the test printed. */
  readonly details: string;
}

/** Reads the output of one process line by line; returns the results that the line completes. */
export type ResultReader = (line: string) => readonly TestResult[];

/** A way to run one module that registers tests, in a process of its own. */
export interface Runtime {
  /** The command, without the path of the module. */
  readonly command: readonly string[];
  readonly createReader: () => ResultReader;
}

/** Milliseconds: no limit for a single test on Bun, as on the other runtimes. */
const bunTestTimeoutMs = 60 * 60_000;

/** Flags of `deno test`. `deno task check` checks the types. */
export const denoTestFlags = ["--no-check", "--config=deno.json", "--lock=dev.lock"] as const;

/**
 * Finds a runtime: the program that `LATCHKEY_TEST_NODE` or `LATCHKEY_TEST_BUN` names, or else what npm has or
 * downloads.
 *
 * @throws {CommandError} When npm cannot install it.
 */
export async function findRuntime(name: RuntimeName): Promise<Runtime> {
  if (name === "deno") {
    return {
      command: [Deno.execPath(), "test", "-A", ...denoTestFlags, "--reporter=tap"],
      createReader: createTapReader,
    };
  }
  const path = Deno.env.get(`LATCHKEY_TEST_${name.toUpperCase()}`) ??
    (await run([npx, "-y", runtimePackages[name], "-p", "process.execPath"])).trim();
  if (name === "bun") {
    return { command: [path, "test", `--timeout=${bunTestTimeoutMs}`], createReader: createBunReader };
  }
  const besideThis = (file: string) => fileURLToPath(new URL(file, import.meta.url));
  const preloaded = ["node_without_test_hooks.mjs", "node_open_resources.mjs"];
  const flags = [...preloaded.map((file) => `--import=${besideThis(file)}`), "--enable-source-maps"];
  const reporter = `--test-reporter=${besideThis("node_tap_reporter.mjs")}`;
  return { command: [path, ...flags, reporter, "--test-reporter-destination=stdout"], createReader: createTapReader };
}

/** Reads TAP: Deno's, and that of `node_tap_reporter.mjs`. Parts of a test count with the test. */
function createTapReader(): ResultReader {
  let printed: string[] = [];
  let failedName: string | undefined;
  const endFailure = (): TestResult[] => {
    if (failedName === undefined) return [];
    const result = { name: failedName, outcome: "failed", details: printed.join("\n") } as const;
    [failedName, printed] = [undefined, []];
    return [result];
  };
  return (line) => {
    // A block with the error follows a failure; the blocks of its parts came before.
    if (failedName !== undefined && line === "  ...") return endFailure();
    const [, not, text] = /^(not )?ok \d+ - (.*)$/.exec(line) ?? [];
    if (text === undefined) {
      const message = /^ *\{"message":/.test(line) ? String(JSON.parse(line).message) : line;
      if (!/^ *(?:---|\.\.\.|TAP version 14|\d+\.\.\d+|# .*)$/.test(line)) printed.push(message);
      return [];
    }
    const ended = endFailure();
    const name = text.replace(/ # SKIP$/, "").replace(/\\([#\\])/g, "$1");
    if (not) {
      failedName = name;
      return ended;
    }
    printed = [];
    return [...ended, { name, outcome: text.endsWith(" # SKIP") ? "skipped" : "passed", details: "" }];
  };
}

/** Reads what Bun prints: the result of a test after its error. */
function createBunReader(): ResultReader {
  const outcomes = { pass: "passed", fail: "failed", skip: "skipped", todo: "skipped" } as const;
  let printed: string[] = [];
  return (line) => {
    const [, word, name] = /^\((pass|fail|skip|todo)\) (.*?)(?: \[[\d.]+m?s\])?$/.exec(line) ?? [];
    if (name === undefined) {
      printed.push(line);
      return [];
    }
    const outcome = outcomes[word as keyof typeof outcomes];
    const details = outcome === "failed" ? printed.join("\n") : "";
    printed = [];
    return [{ name, outcome, details }];
  };
}
