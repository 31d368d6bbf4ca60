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
export interface Running extends AsyncDisposable {
  readonly pid: number;
  /** Writes a line to its input. */
  say(line: string): Promise<void>;
  /** Its next line; rejects with its error output when it ends instead, or when none comes within `patience` ms. */
  hear(patience: number): Promise<string>;
}

const canPin = Deno.build.os === "linux" && cpus().length > 1 && await isThere("taskset");

/** What was said about cores, for the heading. */
export const pinning: string = canPin ? "servers on core 0, load on core 1" : "not pinned to cores";

function isThere(command: string): Promise<boolean> {
  return new Deno.Command(command, { args: ["--version"], stdout: "null", stderr: "null" }).output()
    .then(({ success }) => success, () => false);
}

const running = new Set<Deno.ChildProcess>();

/**
 * Starts a program. It is killed when it is disposed of, or with us.
 *
 * @param core Where it stays, if the system can do that. Default: wherever the system puts it.
 */
export function start(words: readonly string[], core?: 0 | 1): Running {
  const [command, ...args] = canPin && core !== undefined ? ["taskset", "-c", String(core), ...words] : words;
  const child = new Deno.Command(command!, { args, stdin: "piped", stdout: "piped", stderr: "piped" }).spawn();
  running.add(child);
  const complaints = text(child.stderr);
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const input = child.stdin.getWriter();
  let heard = "";

  async function line(): Promise<string> {
    for (let end = heard.indexOf("\n");; end = heard.indexOf("\n")) {
      if (end >= 0) {
        const first = heard.slice(0, end);
        heard = heard.slice(end + 1);
        return first;
      }
      const { done, value } = await lines.read();
      if (done) throw new Error(`${words.join(" ")} ended:\n${await complaints}`);
      heard += value;
    }
  }

  return {
    pid: child.pid,
    say: (line) => input.write(new TextEncoder().encode(`${line}\n`)),
    async hear(patience) {
      const { promise: late, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => reject(new Error(`${words.join(" ")} said nothing for ${patience / 1000} s`)),
        patience,
      );
      try {
        return await Promise.race([line(), late]);
      } finally {
        clearTimeout(timer);
      }
    },
    async [Symbol.asyncDispose]() {
      end(child);
      await Promise.allSettled([child.status, input.close(), lines.cancel(), complaints]);
      running.delete(child);
    },
  };
}

/** Ends every program that is still running, at once. */
export function endAll(): void {
  for (const child of running) end(child);
}

function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
