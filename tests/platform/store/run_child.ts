/** A second process for tests, on the same runtime: reads one command per line and responds to each. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";

/** A running child. */
export interface ChildProcessHandle {
  /** Sends a command, any JSON value, and waits for the response; rejects if the child ends first. */
  ask<T>(command: unknown): Promise<T>;
  /** Ends it as `kill -9` does, and waits until it is gone. */
  kill(): Promise<void>;
}

/**
 * The arguments that run a module, such as `tests/platform/store/sqlite_child`: the source on Deno, the bundle on Node
 * and Bun. With deno.lock, which lacks the packages of stores, Deno would ask the registry for them.
 */
export function childArguments(name: string): string[] {
  return "Deno" in globalThis ? ["run", "-A", "--lock=dev.lock", "--cached-only", `${name}.ts`] : [`dist/${name}.mjs`];
}

/** Starts a module as a child process. */
export function startChild(name: string): ChildProcessHandle {
  const child: ChildProcess = spawn(process.execPath, childArguments(name), { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    async ask<T>(command: unknown): Promise<T> {
      child.stdin!.write(JSON.stringify(command) + "\n");
      const { value, done } = await lines.next();
      if (done) throw new Error(`${name} ended before it responded to ${JSON.stringify(command)}`);
      return JSON.parse(value) as T;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** The child's side: responds to each command with the result of `act`. */
export async function handleCommands<T>(handle: (command: T) => Promise<unknown>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(JSON.stringify(await handle(JSON.parse(line)) ?? null) + "\n");
  }
}
