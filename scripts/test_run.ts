/** Runs tests in processes that come to an end whatever happens. */

import { stripVTControlCharacters } from "node:util";
import { count, denoCounts, type Tally } from "./test_counts.ts";

/** How a command is run. */
export interface Surroundings {
  /** Seconds after which it is taken to hang. */
  readonly patience: number;
  /** Variables beside those that it inherits, or with `clearEnv` all that it has. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clearEnv?: boolean;
}

/** What came of a command. */
export interface Ended {
  /** Both its streams, as they came, without colours. */
  readonly output: string;
  readonly success: boolean;
  /** Whether our patience was at an end. */
  readonly late: boolean;
}

const running = new Set<Deno.ChildProcess>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    for (const child of running) end(child);
    Deno.exit(130);
  });
}

/** Runs a command to its end, or to that of our patience or of this process; what it has started is killed with it. */
export async function capture(
  [command, ...args]: readonly string[],
  { patience, env, clearEnv }: Surroundings,
): Promise<Ended> {
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
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    end(child);
  }, patience * 1000);
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) output += text;
  };
  const reading = [read(child.stdout), read(child.stderr)];
  const { success } = await child.status;
  clearTimeout(timer);
  // What a test that failed has left running would hold the streams open.
  end(child);
  running.delete(child);
  await Promise.all(reading);
  return { output: stripVTControlCharacters(output), success, late };
}

/** Runs tests on Deno: `args` are flags for it, and files. Whatever else is wrong counts as a failure too. */
export async function testOnDeno(
  args: readonly string[],
  surroundings: Surroundings,
): Promise<{ readonly tally: Tally; readonly output: string }> {
  const { output, success, late } = await capture([Deno.execPath(), "test", "-A", ...args], surroundings);
  const counted = count(output, denoCounts);
  return {
    tally: success ? counted : { ...counted, failed: Math.max(1, counted.failed) },
    output: late ? `${output}It was ended after ${surroundings.patience} s.\n` : output,
  };
}

function end(child: Deno.ChildProcess): void {
  try {
    Deno.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group has ended by itself.
  }
}
