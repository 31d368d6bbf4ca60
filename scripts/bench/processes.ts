/** Programs in processes of their own: on which core they stay, what they say, and that they end with us. */

import { cpus } from "node:os";
import { text } from "node:stream/consumers";

/** What a command prints; throws what it complains of when it fails. */
export async function capture(command: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args }).output();
  if (success) return new TextDecoder().decode(stdout);
  throw new Error(`${command} ${args.join(" ")} failed:\n${new TextDecoder().decode(stderr)}`);
}

/** A running program whose lines are read one by one. */
export interface RunningProcess extends AsyncDisposable {
  readonly pid: number;
  /** Writes a line to its input. */
  writeLine(line: string): Promise<void>;
  /** Its next line; rejects with its error output when it ends instead, or when none comes within `patience` ms. */
  readLine(patience: number): Promise<string>;
}

const canPin = Deno.build.os === "linux" && cpus().length > 1 && await isInstalled("taskset");

/** What was said about cores, for the heading. */
export const pinning: string = canPin ? "servers on core 0, load on core 1" : "not pinned to cores";

function isInstalled(command: string): Promise<boolean> {
  return new Deno.Command(command, { args: ["--version"], stdout: "null", stderr: "null" }).output()
    .then(({ success }) => success, () => false);
}

const running = new Set<Deno.ChildProcess>();

/**
 * Starts a program. It is killed when it is disposed of, or with us.
 *
 * @param core Where it stays, if the system can do that. Default: wherever the system puts it.
 */
export function startProcess(words: readonly string[], core?: 0 | 1): RunningProcess {
  const [command, ...args] = canPin && core !== undefined ? ["taskset", "-c", String(core), ...words] : words;
  const child = new Deno.Command(command!, { args, stdin: "piped", stdout: "piped", stderr: "piped" }).spawn();
  running.add(child);
  const errorOutput = text(child.stderr);
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
    writeLine: (nextLine) => input.write(new TextEncoder().encode(`${nextLine}\n`)),
    async readLine(timeoutMs) {
      const { promise: timeout, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => reject(new Error(`${words.join(" ")} said nothing for ${timeoutMs / 1000} s`)),
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

/** Ends every program that is still running, at once. */
export function killAll(): void {
  for (const child of running) kill(child);
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
