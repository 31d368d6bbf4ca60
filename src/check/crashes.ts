/**
 * Crashes: errors of the client that no code catches, on Deno, Node and Bun. While a journey is watched, they do not
 * reach the test runner, except for two that report them first: `bun test`, and `node:test` on Deno.
 */

import { onUncaughtError, uncaughtErrorsReported } from "../platform/runtime/uncaught_error.ts";
import { timers } from "../core/http/timers.ts";

export interface CrashWatch {
  /** The first error that the client did not catch; absent without one. It may belong to another journey. */
  readonly crash?: Crash;
  /** Resolves when the first error was not caught. */
  readonly crashed: Promise<Crash>;
  /** Adds an action of the client that continues after a crash. */
  addUnfinished(action: Promise<unknown>): void;
  /** Waits for the actions that continue after a crash. */
  unfinishedEnd(): Promise<void>;
  /**
   * Resolves when the errors of the current task have been reported. The first call, and the first after
   * {@link addUnfinished}, also waits for timers that are due.
   */
  nextTask(): Promise<void>;
  end(): void;
}

export interface Crash {
  readonly error: unknown;
}

/** The functions that receive the errors of the journeys that are watched. */
const watches = new Set<(crash: Crash) => void>();

let stop: (() => void) | undefined;

/**
 * Starts to watch a journey.
 *
 * @param isInProcess Whether the client runs in this process. Otherwise errors of this process are not its own, and
 *   stay with the program that runs the check.
 */
export function watchCrashes(isInProcess: boolean): CrashWatch {
  const { promise: crashed, resolve } = Promise.withResolvers<Crash>();
  let first: Crash | undefined;
  let timersEnded = !isInProcess;
  const unfinished: Promise<unknown>[] = [];
  const report = (crash: Crash) => {
    first ??= crash;
    resolve(crash);
  };
  if (isInProcess) {
    watches.add(report);
    stop ??= onUncaughtError((error) => {
      for (const watch of watches) watch({ error });
    });
  }
  return {
    get crash() {
      return first;
    },
    crashed,
    addUnfinished(action) {
      unfinished.push(action);
      timersEnded = !isInProcess;
    },
    unfinishedEnd: async () => void await Promise.allSettled(unfinished),
    async nextTask() {
      // Some libraries throw an error from a timer of 0 ms.
      if (!timersEnded) await new Promise((resolve) => timers.setTimeout(resolve));
      timersEnded = true;
      await uncaughtErrorsReported();
    },
    end() {
      watches.delete(report);
      if (watches.size > 0) return;
      stop?.();
      stop = undefined;
    },
  };
}
