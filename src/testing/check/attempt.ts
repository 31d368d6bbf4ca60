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
 */
export async function attempt<Result>(
  act: (signal: AbortSignal) => Promise<Result>,
  watch: CrashWatch,
  timeoutMs: number,
): Promise<Attempt<Result>> {
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
  const crash = watch.crashed.then(({ error }): Attempt<Result> => ({ outcome: "crashed", error }));
  try {
    return await Promise.race([crash, action, limit]);
  } finally {
    clearTimeout(timer);
  }
}
