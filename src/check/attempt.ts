/** One action of the client, until it ends, crashes or takes too long. */

import type { Attack, JourneyOutcome } from "./attack.ts";
import type { CrashWatch } from "./crashes.ts";
import { type Timer, timers } from "../core/http/timers.ts";
import { unlessAborted } from "../platform/http/unless_aborted.ts";

export interface Attempt<Result> {
  readonly outcome: JourneyOutcome;
  /** What the client threw, unless the outcome is `accepted` or `hung`. */
  readonly error?: unknown;
  /** What the client returned, if the outcome is `accepted`. */
  readonly result?: Result;
}

/**
 * An action of the client; it receives a signal that is aborted when the check no longer waits, and a function that
 * restarts the time limit, for an action with several logins.
 */
export type Action<Result> = (signal: AbortSignal, restartLimit: () => void) => Promise<Result>;

/**
 * Waits for an action of the client, but for each of its logins not longer than the time limit of the check.
 *
 * @param watch Ends the wait at a crash. `undefined`: nothing does.
 * @param stop Ends the wait. Default: never.
 * @throws The reason of `stop`.
 */
export async function attempt<Result>(
  act: Action<Result>,
  watch: CrashWatch | undefined,
  timeoutMs: number,
  stop?: AbortSignal,
): Promise<Attempt<Result>> {
  stop?.throwIfAborted();
  const controller = new AbortController();
  const limit = Promise.withResolvers<Attempt<Result>>();
  let timer: Timer | undefined;
  let hasEnded = false;
  const restartLimit = () => {
    timers.clearTimeout(timer);
    if (hasEnded) return;
    timer = timers.setTimeout(() => {
      limit.resolve({ outcome: "hung" });
      controller.abort(new Error("The check no longer waits for this action."));
    }, timeoutMs);
  };
  restartLimit();
  // A driver may throw before it returns a promise.
  const action = new Promise<Result>((resolve) => resolve(act(controller.signal, restartLimit))).then(
    (result): Attempt<Result> => ({ outcome: "accepted", result }),
    (error: unknown): Attempt<Result> => ({ outcome: "rejected", error }),
  );
  const crash = watch?.crashed.then(({ error }): Attempt<Result> => {
    // The error may belong to another journey, and this one may throw another error later.
    watch.addUnfinished(action);
    return { outcome: "crashed", error };
  });
  try {
    return await unlessAborted(Promise.race([...crash === undefined ? [] : [crash], action, limit.promise]), stop);
  } finally {
    hasEnded = true;
    timers.clearTimeout(timer);
  }
}

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

/** The shortest limit, in milliseconds. */
const minLimitMs = 2000;

/** The shorter limit is this multiple of the duration of the slowest action that ended. */
const slowestFactor = 4;

/**
 * The time limit. It becomes shorter after the first hang, but only for an application in another process, because its
 * journeys run one at a time. It is longer than given if actions take long even without an attack.
 *
 * @param options `timeoutMs` is the initial limit, in milliseconds (default: 5000). `as` is the server that listens for
 *   the application; without it, each journey has its own server.
 */
export function timeLimit(
  { timeoutMs = 5000, as, signal }: {
    readonly timeoutMs?: number;
    readonly as?: object;
    readonly signal?: AbortSignal;
  },
): TimeLimit {
  let [usualMs, slowestMs] = [0, 0];
  let hasHung = false;

  /** The whole time if the client must tolerate a slow server, if that is the attack, or if an attack waits. */
  function limitOf(attack: Attack | undefined): number {
    const needsAll = attack === undefined || attack.level === "must-tolerate" || attack.id.startsWith("transport/") ||
      attack.by === "acceptToken";
    const wholeMs = Math.max(timeoutMs, slowestFactor * usualMs);
    if (needsAll || as === undefined || !hasHung) return wholeMs;
    return Math.min(wholeMs, Math.max(minLimitMs, slowestFactor * slowestMs));
  }

  return {
    async attempt(act, watch, attack) {
      const startedAt = timers.elapsed();
      const ended = await attempt(act, watch, limitOf(attack), signal);
      const took = timers.elapsed() - startedAt;
      if (ended.outcome === "hung") hasHung = true;
      else slowestMs = Math.max(slowestMs, took);
      if (ended.outcome === "accepted" && attack === undefined) usualMs = Math.max(usualMs, took);
      return ended;
    },
  };
}
