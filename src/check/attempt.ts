/** One action of the client, until it ends, crashes or takes too long. */

import type { CrashWatch } from "./crashes.ts";
import type { JourneyOutcome } from "./observation.ts";

/** How an action of the client ended. */
export interface Attempt<Result> {
  /** How it ended. */
  readonly outcome: JourneyOutcome;
  /** What the client threw, unless the outcome is `accepted` or `hung`. */
  readonly error?: unknown;
  /** What the client returned, if the outcome is `accepted`. */
  readonly result?: Result;
}

/**
 * Waits for an action of the client, but not longer than the time limit of the check.
 *
 * @param act Receives a signal that is aborted at the time limit, so that no request of the action comes later.
 * @param watch Ends the wait at a crash. `undefined`: nothing does.
 * @param stop Ends the wait. Default: never.
 * @throws The reason of `stop`.
 */
export async function attempt<Result>(
  act: (signal: AbortSignal) => Promise<Result>,
  watch: CrashWatch | undefined,
  timeoutMs: number,
  stop?: AbortSignal,
): Promise<Attempt<Result>> {
  stop?.throwIfAborted();
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<Attempt<Result>>((resolve) => {
    timer = setTimeout(() => {
      resolve({ outcome: "hung" });
      controller.abort(new Error("The check no longer waits for this action."));
    }, timeoutMs);
  });
  // A driver may throw before it returns a promise.
  const action = new Promise<Result>((resolve) => resolve(act(controller.signal))).then(
    (result): Attempt<Result> => ({ outcome: "accepted", result }),
    (error: unknown): Attempt<Result> => ({ outcome: "rejected", error }),
  );
  const crash = watch?.crashed.then(({ error }): Attempt<Result> => {
    // The error may belong to another journey, and this one may throw another error later.
    watch.addUnfinished(action);
    return { outcome: "crashed", error };
  });
  try {
    return await untilStopped(Promise.race([...crash === undefined ? [] : [crash], action, limit]), stop);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a promise. @throws The reason of `stop`, once it is aborted. */
export async function untilStopped<Result>(promise: Promise<Result>, stop: AbortSignal | undefined): Promise<Result> {
  if (stop === undefined) return await promise;
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const abort = () => reject(stop.reason);
  stop.addEventListener("abort", abort, { once: true });
  if (stop.aborted) abort();
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    stop.removeEventListener("abort", abort);
  }
}

/** What an action returns, or else another value if the check is stopped meanwhile. */
export async function unlessStopped<Result, Stopped>(
  stop: AbortSignal | undefined,
  stopped: Stopped,
  act: () => Promise<Result>,
): Promise<Result | Stopped> {
  if (stop?.aborted) return stopped;
  try {
    const result = await act();
    return stop?.aborted ? stopped : result;
  } catch (error) {
    if (stop?.aborted) return stopped;
    throw error;
  }
}
