/**
 * The limit of open files on Deno: its report, and the recovery of listeners. Node and Bun raise the limit themselves,
 * and continue when connections close.
 */

import type { Server } from "node:http";
import type nodeProcess from "node:process";
import { type Timer, timers } from "../../core/http/timers.ts";

const { process } = globalThis as unknown as { readonly process: typeof nodeProcess };

/** Interval of the attempts to accept connections again, in milliseconds. */
export const recoveryIntervalMs = 500;

const reportIntervalMs = 60_000;

let reportedAt = -reportIntervalMs;

/** Reports, at most once a minute, that no connections are accepted. */
export function reportUsedUp(): void {
  if (timers.elapsed() - reportedAt < reportIntervalMs) return;
  reportedAt = timers.elapsed();
  console.error(
    "The limit of open files is used up: new connections fail or wait until others close. Raise it with ulimit -n.",
  );
}

/** Whether the process has reached the limit; false if it may not open the file of this test. */
function isUsedUp(): boolean {
  // Without this permission, Deno would ask the user.
  if (Deno.permissions.querySync({ name: "read", path: "/dev/null" }).state !== "granted") return false;
  try {
    const { closeSync, openSync } = process.getBuiltinModule("node:fs");
    closeSync(openSync("/dev/null", "r"));
    return false;
  } catch (error) {
    return /^E[MN]FILE$/.test((error as { code?: string }).code ?? "");
  }
}

/**
 * Listens again after the limit was reached: a listener of Deno's `node:http` then accepts no connection any more, and
 * says nothing. The returned function ends this.
 */
export function listenAgain(server: Server, address: { readonly host: string; readonly port: number }): () => void {
  let timer: Timer | undefined;
  const waitForFiles = () => {
    timer = timers.setTimeout(() => {
      if (isUsedUp()) return waitForFiles();
      timer = undefined;
      server.close();
      server.listen({ ...address, exclusive: true });
    }, recoveryIntervalMs);
  };
  const recover = () => {
    if (timer !== undefined) return;
    reportUsedUp();
    waitForFiles();
  };
  // The connection that takes the last file is the last one that arrives.
  server.on("connection", () => timer === undefined && isUsedUp() && recover());
  server.on("error", recover);
  return () => timers.clearTimeout(timer);
}
