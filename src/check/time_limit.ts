/** How long a check waits for the client: less after several attacks at which the client never responds. */

import { type Attempt, attempt } from "./attempt.ts";
import type { Attack } from "./attack.ts";
import type { CrashWatch } from "./crashes.ts";

/** An action of the client; it receives a signal that is aborted when the check no longer waits. */
export type Action<Result> = (signal: AbortSignal) => Promise<Result>;

/** The time limit of the actions of one check. */
export interface TimeLimit {
  /**
   * Waits for an action of the client.
   *
   * @param attack The attack that is active. Default: none, and the client has the whole time.
   * @throws The reason of the signal, once it is aborted.
   */
  attempt<Result>(act: Action<Result>, watch: CrashWatch, attack?: Attack): Promise<Attempt<Result>>;
}

/** How many actions must take the whole time before the limit of the next ones is shorter. */
const hangsBeforeShorter = 3;

/** The shortest limit, in milliseconds. */
const minLimitMs = 2000;

/** How many times the time of the slowest action that ended is waited for. */
const slowestFactor = 4;

/**
 * The time limit, which becomes shorter for an application in another process alone, whose journeys are one at a time.
 */
export function timeLimit(
  { timeoutMs = 5000, as, signal }: {
    readonly timeoutMs?: number;
    /** The server that listens for the application. Default: each journey has its own server. */
    readonly as?: object;
    readonly signal?: AbortSignal;
  },
): TimeLimit {
  let slowestMs = 0;
  let hangs = 0;

  /** A slow server is the attack itself, or must be tolerated: then the client has the whole time. */
  function limitOf(attack: Attack | undefined): number {
    const needsAll = attack === undefined || attack.level === "must-tolerate" || attack.id.startsWith("transport/");
    if (needsAll || as === undefined || hangs < hangsBeforeShorter) return timeoutMs;
    return Math.min(timeoutMs, Math.max(minLimitMs, slowestFactor * slowestMs));
  }

  return {
    async attempt(act, watch, attack) {
      const startedAt = performance.now();
      const ended = await attempt(act, watch, limitOf(attack), signal);
      if (ended.outcome === "hung") hangs++;
      else slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      return ended;
    },
  };
}
