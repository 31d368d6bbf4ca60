/** Programs as processes: CPU cores, output, and termination with this process. */

import { cpus } from "node:os";
import { text } from "node:stream/consumers";
import { succeeds } from "../run.ts";

/** A running program, read line by line. */
export interface RunningProcess extends AsyncDisposable {
  readonly pid: number;
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>;
  /** Writes a line to its input. */
  writeLine(line: string): Promise<void>;
  /** Its next line. Rejects with its error output if it ends first, or after `timeoutMs`. */
  readLine(timeoutMs: number): Promise<string>;
}

const canPin = Deno.build.os === "linux" && cpus().length > 1 && await succeeds(["taskset", "--version"]);

/** Description of the cores, for the heading. */
export const pinning: string = canPin ? "servers on core 0, load on core 1" : "not pinned to cores";

const running = new Set<Deno.ChildProcess>();

/**
 * Starts a program. Disposal, or the end of this process, kills it.
 *
 * @param core CPU core, if the system supports it.
 * @param options `discardErrors` sends its error output to the null device. Default: kept for messages.
 */
export function startProcess(
  words: readonly string[],
  core: 0 | 1,
  { discardErrors = false }: { readonly discardErrors?: boolean } = {},
): RunningProcess {
  const [command, ...args] = canPin ? ["taskset", "-c", String(core), ...words] : words;
  const stderr = discardErrors ? "null" : "piped";
  const child = new Deno.Command(command!, { args, stdin: "piped", stdout: "piped", stderr }).spawn();
  running.add(child);
  const errorOutput = discardErrors ? Promise.resolve("(its errors were discarded)") : text(child.stderr);
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const input = child.stdin.getWriter();
  let buffered = "";

  async function nextLine(): Promise<string> {
    for (let end = buffered.indexOf("\n");; end = buffered.indexOf("\n")) {
      if (end >= 0) {
        const first = buffered.slice(0, end);
        buffered = buffered.slice(end + 1);
        return first;
      }
      const { done, value } = await lines.read();
      if (done) throw new Error(`${words.join(" ")} ended:\n${await errorOutput}`);
      buffered += value;
    }
  }

  return {
    pid: child.pid,
    ended: child.status,
    writeLine: (nextLine) => input.write(new TextEncoder().encode(`${nextLine}\n`)),
    async readLine(timeoutMs) {
      const { promise: timeout, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => reject(new Error(`${words.join(" ")} printed nothing for ${timeoutMs / 1000} s`)),
        timeoutMs,
      );
      try {
        return await Promise.race([nextLine(), timeout]);
      } finally {
        clearTimeout(timer);
      }
    },
    async [Symbol.asyncDispose]() {
      kill(child);
      await Promise.allSettled([child.status, input.close(), lines.cancel(), errorOutput]);
      running.delete(child);
    },
  };
}

/** Ends every running program immediately. */
export function killAll(): void {
  for (const child of running) kill(child);
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended already.
  }
}
