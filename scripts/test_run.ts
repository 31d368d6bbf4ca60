/** Runs tests in processes that come to an end whatever happens. */

import { stripVTControlCharacters } from "node:util";
import { denoCountPatterns, parseCounts, type TestCounts } from "./test_counts.ts";

/** How a command is run. */
export interface RunOptions {
  /** Seconds after which it is taken to hang. */
  readonly timeoutSeconds: number;
  /** Variables beside those that it inherits, or with `clearEnv` all that it has. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clearEnv?: boolean;
}

/** What came of a command. */
export interface RunResult {
  /** Both its streams, as they came, without colours. */
  readonly output: string;
  readonly success: boolean;
  /** Whether our patience was at an end. */
  readonly timedOut: boolean;
}

const running = new Set<Deno.ChildProcess>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    for (const child of running) killGroup(child);
    Deno.exit(130);
  });
}

/** Runs a command to its end, or to that of our patience or of this process; what it has started is killed with it. */
export async function capture(
  [command, ...args]: readonly string[],
  { timeoutSeconds, env, clearEnv }: RunOptions,
): Promise<RunResult> {
  const child = new Deno.Command(command!, {
    args,
    env: { ...env, NO_COLOR: "1" },
    clearEnv,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true, // a process group of its own, so that one signal reaches everything that it has started
  }).spawn();
  running.add(child);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child);
  }, timeoutSeconds * 1000);
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) output += text;
  };
  const reading = [read(child.stdout), read(child.stderr)];
  const { success } = await child.status;
  clearTimeout(timer);
  // What a test that failed has left running would hold the streams open.
  killGroup(child);
  running.delete(child);
  await Promise.all(reading);
  return { output: stripVTControlCharacters(output), success, timedOut };
}

/** Runs tests on Deno: `args` are flags for it, and files. Whatever else is wrong counts as a failure too. */
export async function testOnDeno(
  args: readonly string[],
  options: RunOptions,
): Promise<{ readonly tally: TestCounts; readonly output: string }> {
  const { output, success, timedOut } = await capture([Deno.execPath(), "test", "-A", ...args], options);
  const parsedCounts = parseCounts(output, denoCountPatterns);
  return {
    tally: success ? parsedCounts : { ...parsedCounts, failed: Math.max(1, parsedCounts.failed) },
    output: timedOut ? `${output}It was ended after ${options.timeoutSeconds} s.\n` : output,
  };
}

function killGroup(child: Deno.ChildProcess): void {
  try {
    Deno.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group has ended by itself.
  }
}
