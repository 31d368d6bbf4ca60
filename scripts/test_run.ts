/** Runs tests with the test command of Deno, Node or Bun, and reads the counts that it prints at its end. */

import { stripVTControlCharacters } from "node:util";
import { npx, run } from "./run.ts";

/** The runtimes that tests run on. */
export const runtimeNames = ["deno", "node", "bun"] as const;

/** Name of a runtime. */
export type RuntimeName = typeof runtimeNames[number];

/** Node and Bun as npm packages, in the versions that tests run on. `.ci/run` installs the same. */
export const runtimePackages = { node: "node@24.21.0", bun: "bun@1.4.4" } as const;

/** Number of tests by result. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Options of a command. */
export interface RunOptions {
  /** Seconds without output after which the command counts as hung: a slow machine may take long for all of it. */
  readonly silenceSeconds?: number;
  /** Additional environment variables; with `clearEnv` the only ones. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clearEnv?: boolean;
  /** The folder to run in. Default: this one. */
  readonly cwd?: string;
}

/** Result of a command. */
export interface RunResult {
  /** Both output streams in order, without colours. */
  readonly output: string;
  readonly success: boolean;
  /** Whether it was ended because it printed nothing. */
  readonly timedOut: boolean;
}

/** Flags of `deno test`. `deno task check` checks the types. */
const denoFlags = ["-A", "--no-check", "--config=deno.json", "--lock=dev.lock"];

/** Signals that end this process, and must end what it started. Windows has only the first. */
const signals = Deno.build.os === "windows" ? ["SIGINT"] as const : ["SIGINT", "SIGTERM"] as const;

/** Minutes that one test may take on Node and Bun. Bun's own limit is five seconds. */
const testMinutes = 10;

/**
 * The program of a runtime: this one, what `LATCHKEY_TEST_NODE` or `LATCHKEY_TEST_BUN` names, or what npm has.
 *
 * @throws {CommandError} When npm cannot install it.
 */
export async function findRuntime(name: RuntimeName): Promise<string> {
  if (name === "deno") return Deno.execPath();
  return Deno.env.get(`LATCHKEY_TEST_${name.toUpperCase()}`) ??
    (await run([npx, "-y", runtimePackages[name], "-p", "process.execPath"])).trim();
}

/** Runs test files by the command that a developer would type. A run that fails counts at least one failure. */
export async function runTests(
  runtime: RuntimeName,
  files: readonly string[],
  options: RunOptions = {},
): Promise<{ readonly counts: TestCounts; readonly output: string }> {
  const flags = {
    deno: ["test", ...denoFlags],
    node: ["--test", "--test-reporter=spec", `--test-timeout=${testMinutes * 60_000}`, "--enable-source-maps"],
    // Each file in a process of its own, as on Node.
    bun: ["test", "--parallel", `--timeout=${testMinutes * 60_000}`],
  };
  const command = [await findRuntime(runtime), ...flags[runtime], ...files];
  const { output, success, timedOut } = await capture(command, options);
  const counts = parseCounts(runtime, output);
  const failed = success ? counts.failed : Math.max(1, counts.failed);
  return {
    counts: { ...counts, failed },
    output: timedOut ? `${output}It was ended after it had printed nothing for minutes.\n` : output,
  };
}

/** Reads the counts that a runtime prints at the end of its output. */
export function parseCounts(runtime: RuntimeName, output: string): TestCounts {
  const last = (pattern: RegExp) => Number([...output.matchAll(pattern)].at(-1)?.[1] ?? 0);
  const patterns = {
    deno: (word: string) => new RegExp(`^(?:ok|FAILED) \\|.*? (\\d+) ${word}`, "gm"),
    node: (word: string) => new RegExp(`^ℹ ${word} (\\d+)$`, "gm"),
    bun: (word: string) => new RegExp(`^ *(\\d+) ${word}$`, "gm"),
  };
  const words = {
    deno: ["passed", "failed", "ignored"],
    node: ["pass", "fail", "skipped"],
    bun: ["pass", "fail", "skip"],
  };
  const [passed, failed, skipped] = words[runtime].map((word) => last(patterns[runtime](word)));
  // Bun does not count a file that cannot be loaded as a failed test.
  const errors = runtime === "bun" ? last(/^ *(\d+) errors?$/gm) : 0;
  return { passed: passed!, failed: failed! + errors, skipped: skipped! };
}

/** Adds counts. */
export function sumCounts(all: readonly TestCounts[]): TestCounts {
  const sum = (what: keyof TestCounts) => all.reduce((sum, counts) => sum + counts[what], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** The line with the counts that every test task prints last. */
export function formatCounts({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** Runs a command until it ends, times out, or this process ends. Kills its child processes too. */
export async function capture(
  [command, ...args]: readonly string[],
  { silenceSeconds = 600, env, clearEnv, cwd }: RunOptions = {},
): Promise<RunResult> {
  const child = new Deno.Command(command!, {
    args,
    env: { ...env, NO_COLOR: "1" },
    clearEnv,
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true, // own process group, so that one signal reaches every child process
  }).spawn();
  const interrupt = () => {
    killGroup(child);
    Deno.exit(130);
  };
  for (const signal of signals) Deno.addSignalListener(signal, interrupt);
  let timedOut = false;
  const end = () => {
    timedOut = true;
    killGroup(child);
  };
  let timer = setTimeout(end, silenceSeconds * 1000);
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      clearTimeout(timer);
      timer = setTimeout(end, silenceSeconds * 1000);
    }
  };
  const reading = [read(child.stdout), read(child.stderr)];
  const { success } = await child.status;
  // Child processes of a failed test would keep the streams open.
  killGroup(child);
  for (const signal of signals) Deno.removeSignalListener(signal, interrupt);
  await Promise.all(reading);
  clearTimeout(timer);
  return { output: stripVTControlCharacters(output), success, timedOut };
}

function killGroup(child: Deno.ChildProcess): void {
  try {
    Deno.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group has ended already.
  }
}
