/** Maintenance: deletes expired records and unused clients, rotates keys and reads the changes of other instances. */

import type { ResolvedSettings } from "../oauth/config/settings.ts";
import type { Server } from "../oauth/server.ts";
import { algorithmsInUse } from "../endpoints/jwks.ts";

/** Interval of the maintenance of keys and unused clients, in milliseconds; far below the default of `keys.lead`. */
const keyMaintenanceIntervalMs = 60_000;

/**
 * Maximum difference between the clocks of instances on one store, in milliseconds. An expired record is kept for this
 * time, so that its use or revocation is still known to instances that accept the token.
 */
const clockToleranceMs = 30_000;

/** Interval in which expired records are deleted, in milliseconds by the server's clock. */
const sweepIntervalMs = 1000;

/** The maintenance of a server. */
interface Maintenance {
  /** Starts the tasks that are due. It returns immediately and never throws. */
  runIfDue(): void;
  /** Runs the due tasks by a timer from now on. */
  startTimer(): void;
  /** Stops the timer. */
  stopTimer(): void;
}

/** The input of maintenance besides the server. */
interface MaintenanceOptions {
  /** The setting `keys`. */
  readonly keys: ResolvedSettings["keys"];
  /** The clients and users in the store, which other instances may change; absent if the store is not persistent. */
  readonly records?: { readonly refreshIntervalMs: number; refreshIfDue(): void };
}

/** Creates the maintenance of a server. */
export function maintenance(server: Server, { keys: keySettings, records }: MaintenanceOptions): Maintenance {
  const { now, store, keys, trace } = server;
  let timer: ReturnType<typeof setInterval> | undefined;
  let lastSweepAt = now();
  let lastKeyMaintenanceAt = now();
  let pendingSweep: Promise<unknown> | undefined;

  const traceFailure = (cause: unknown) => trace({ type: "internal_error", at: now(), endpoint: "sweep", cause });

  /** Reads the keys of other instances, and creates the next key when the rotation interval is over. */
  async function maintainKeys(): Promise<void> {
    await keys.refresh();
    const { rotateEvery, lead } = keySettings;
    if (rotateEvery === undefined) return;
    for (const alg of algorithmsInUse(server)) {
      if (await keys.newestSignsFrom(alg) + rotateEvery * 1000 <= now()) await keys.rotate(alg, lead);
    }
  }

  /** Deletes registered clients that were never used. Only a server with such clients loads the code. */
  async function deleteUnusedClients(): Promise<void> {
    const { mode, recordPrefix } = server.registration;
    if (mode === "off" || await store.count("unused_registration", recordPrefix) === 0) return;
    await (await import("../oauth/clients/unused_registrations.ts")).deleteUnusedClients(server);
  }

  function runIfDue(): void {
    records?.refreshIfDue();
    if (Math.abs(now() - lastSweepAt) < sweepIntervalMs) return;
    lastSweepAt = now();
    // One at a time: a store that hangs gets no further request.
    pendingSweep ??= (async () => await store.deleteExpired(lastSweepAt - clockToleranceMs))().catch(traceFailure)
      .finally(() => {
        pendingSweep = undefined;
      });
    if (Math.abs(now() - lastKeyMaintenanceAt) < keyMaintenanceIntervalMs) return;
    lastKeyMaintenanceAt = now();
    maintainKeys().catch(traceFailure);
    deleteUnusedClients().catch(traceFailure);
  }

  return {
    runIfDue,
    startTimer() {
      timer ??= setInterval(runIfDue, Math.min(sweepIntervalMs, records?.refreshIntervalMs ?? Infinity));
    },
    stopTimer: () => clearInterval(timer),
  };
}
