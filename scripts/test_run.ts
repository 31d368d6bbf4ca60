/** Runs tests in processes that always end. */

import { stripVTControlCharacters } from "node:util";
import { parseDenoCounts, type TestCounts } from "./test_counts.ts";
import { denoTestFlags } from "./test_runtimes.ts";

/** Options of a command. */
export interface RunOptions {
  /** Seconds without output after which the command counts as hung: a slow machine may take long for all of it. */
  readonly silenceSeconds: number;
  /** Additional environment variables; with `clearEnv` the only ones. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clearEnv?: boolean;
  /** The folder to run in. Default: this one. */
  readonly cwd?: string;
  /** Called for each line of both output streams as soon as it is complete, without colours. */
  readonly onLine?: (line: string) => void;
}

/** Result of a command. */
export interface RunResult {
  /** Both output streams in order, without colours. */
  readonly output: string;
  readonly success: boolean;
  /** Whether it was ended because it printed nothing. */
  readonly timedOut: boolean;
}

const running = new Set<Deno.ChildProcess>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    for (const child of running) killGroup(child);
    Deno.exit(130);
  });
}

/** Runs a command until it ends, times out, or this process ends. Kills its child processes too. */
export async function capture(
  [command, ...args]: readonly string[],
  { silenceSeconds, env, clearEnv, cwd, onLine }: RunOptions,
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
  running.add(child);
  let timedOut = false;
  const end = () => {
    timedOut = true;
    killGroup(child);
  };
  let timer = setTimeout(end, silenceSeconds * 1000);
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    let line = "";
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      clearTimeout(timer);
      timer = setTimeout(end, silenceSeconds * 1000);
      const lines = (line + text).split("\n");
      line = lines.pop()!;
      for (const complete of lines) onLine?.(stripVTControlCharacters(complete));
    }
    if (line !== "") onLine?.(stripVTControlCharacters(line));
  };
  const reading = [read(child.stdout), read(child.stderr)];
  const { success } = await child.status;
  // Child processes of a failed test would keep the streams open.
  killGroup(child);
  running.delete(child);
  await Promise.all(reading);
  clearTimeout(timer);
  return { output: stripVTControlCharacters(output), success, timedOut };
}

/** Runs test files on Deno. An error outside of the tests counts as a failure too. */
export async function testOnDeno(
  files: readonly string[],
  options: RunOptions,
): Promise<{ readonly tally: TestCounts; readonly output: string }> {
  const command = [Deno.execPath(), "test", "-A", ...denoTestFlags, ...files];
  const { output, success, timedOut } = await capture(command, options);
  const parsedCounts = parseDenoCounts(output);
  return {
    tally: success ? parsedCounts : { ...parsedCounts, failed: Math.max(1, parsedCounts.failed) },
    output: timedOut ? `${output}It was ended after ${options.silenceSeconds} s without output.\n` : output,
  };
}

function killGroup(child: Deno.ChildProcess): void {
  try {
    Deno.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group has ended already.
  }
}
