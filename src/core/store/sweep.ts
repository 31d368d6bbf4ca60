/** Deletes expired records. */

import type { Server } from "../server.ts";
import { clockToleranceMs, timers } from "../http/timers.ts";

/** Minimum time between two sweeps, in milliseconds. */
const intervalMs = 10_000;

/** For this long after a jump of the system clock nothing is deleted, in milliseconds. */
const pauseMs = 3_600_000;

/**
 * Creates the function that starts a sweep if one is due. It returns immediately and never throws.
 *
 * An expired record is kept for the tolerance, so that an instance whose clock is behind still knows the use or the
 * revocation of a token that it accepts. For the same reason nothing is deleted after the system clock jumped forward:
 * once it is corrected, tokens and assertions that seemed to have expired are accepted again.
 */
export function sweeper({ now, store, trace }: Pick<Server, "now" | "store" | "trace">): () => void {
  let lastAt = now();
  let pending: Promise<unknown> | undefined;
  const hasJumped = jumpDetector();
  const traceFailure = (cause: unknown) => trace({ type: "internal_error", at: now(), endpoint: "sweep", cause });
  return () => {
    if (Math.abs(now() - lastAt) < intervalMs) return;
    lastAt = now();
    if (hasJumped()) return;
    // Only one sweep at a time: a store that hangs receives no further call.
    pending ??= (async () => await store.deleteExpired(lastAt - clockToleranceMs))().catch(traceFailure)
      .finally(() => {
        pending = undefined;
      });
  };
}

/**
 * Creates the function that compares the system clock with the one that is never set: whether it is further ahead than
 * at the last call that found no jump. After the pause the new time counts as right, such as after a sleep of the
 * machine.
 */
function jumpDetector(): () => boolean {
  let last = { at: timers.now(), elapsed: timers.elapsed() };
  return () => {
    const current = { at: timers.now(), elapsed: timers.elapsed() };
    const elapsed = current.elapsed - last.elapsed;
    if (current.at - last.at - elapsed > clockToleranceMs && elapsed < pauseMs) return true;
    last = current;
    return false;
  };
}
