/** Deletes expired records. */

import type { Server } from "./server.ts";

/**
 * Maximum difference between the clocks of instances on one store, in milliseconds. An expired record is kept for this
 * time, so that an instance whose clock is behind still knows the use or the revocation of a token that it accepts.
 */
const clockToleranceMs = 30_000;

/** Minimum time between two sweeps, in milliseconds. */
const intervalMs = 1000;

/** Creates the function that starts a sweep if one is due. It returns immediately and never throws. */
export function sweeper({ now, store, trace }: Pick<Server, "now" | "store" | "trace">): () => void {
  let lastAt = now();
  let pending: Promise<unknown> | undefined;
  const traceFailure = (cause: unknown) => trace({ type: "internal_error", at: now(), endpoint: "sweep", cause });
  return () => {
    if (Math.abs(now() - lastAt) < intervalMs) return;
    lastAt = now();
    // Only one sweep at a time: a store that hangs receives no further call.
    pending ??= (async () => await store.deleteExpired(lastAt - clockToleranceMs))().catch(traceFailure)
      .finally(() => {
        pending = undefined;
      });
  };
}
