/** Maintenance: deletes expired records and unused clients, rotates keys and reads the changes of other instances. */

import { algorithmsInUse } from "../endpoints/jwks.ts";
import type { MinuteTask, Server } from "../oauth/server.ts";

/** Interval of {@link minuteTasks}, in milliseconds; far below the default of `keys.lead`. */
const minuteTasksIntervalMs = 60_000;

/**
 * Maximum difference between the clocks of instances on one store, in milliseconds. An expired record is kept for this
 * time, so that an instance whose clock is behind still knows the use or the revocation of a token that it accepts.
 */
const clockToleranceMs = 30_000;

/** Interval in which expired records are deleted, in milliseconds by the server's clock. */
const sweepIntervalMs = 1000;

/** The maintenance of a server. */
export interface Maintenance {
  /** How often it must run, in milliseconds. */
  readonly intervalMs: number;
  /** Starts the tasks that are due. The timer of the host calls it. It returns immediately and never throws. */
  runIfDue(): void;
  /**
   * Starts the tasks that are due before a request. Returns the promise that the request must await. Without a timer,
   * the first request after a pause would otherwise see outdated clients and users. The promise never rejects.
   */
  runBeforeRequest(): Promise<void> | undefined;
}

/** The input of maintenance besides the server. */
interface MaintenanceOptions {
  /** The clients and users in the store, which other instances may change; absent if the store is not persistent. */
  readonly records?: { readonly refreshIntervalMs: number; refreshIfDue(): Promise<void> | undefined };
  /** The tasks of extensions for each minute. */
  readonly extensionTasks: readonly MinuteTask[];
}

/** Creates the maintenance of a server. */
export function maintenance(server: Server, { records, extensionTasks }: MaintenanceOptions): Maintenance {
  const { now, store, trace } = server;
  let lastSweepAt = now();
  let lastMinuteTasksAt = now();
  let pendingSweep: Promise<unknown> | undefined;

  const traceFailure = (cause: unknown) => trace({ type: "internal_error", at: now(), endpoint: "sweep", cause });

  let hasTimer = false;

  function run(): Promise<void> | undefined {
    const refreshed = records?.refreshIfDue();
    sweepIfDue();
    return refreshed;
  }

  function sweepIfDue(): void {
    if (Math.abs(now() - lastSweepAt) < sweepIntervalMs) return;
    lastSweepAt = now();
    // Only one run at a time: a store that hangs receives no further call.
    pendingSweep ??= (async () => await store.deleteExpired(lastSweepAt - clockToleranceMs))().catch(traceFailure)
      .finally(() => {
        pendingSweep = undefined;
      });
    if (Math.abs(now() - lastMinuteTasksAt) < minuteTasksIntervalMs) return;
    lastMinuteTasksAt = now();
    // These tasks run concurrently.
    for (const task of [...minuteTasks, ...extensionTasks]) task(server).catch(traceFailure);
  }

  return {
    intervalMs: Math.min(sweepIntervalMs, records?.refreshIntervalMs ?? Infinity),
    runIfDue() {
      hasTimer = true;
      run();
    },
    runBeforeRequest() {
      const refreshed = run();
      return hasTimer ? undefined : refreshed;
    },
  };
}

/** Runs the maintenance of a host by a timer. */
interface MaintenanceTimer {
  /** Starts it. A second call has no effect. */
  start(intervalMs: number): void;
  /** Stops it. */
  stop(): void;
}

/** Creates the timer. */
export function maintenanceTimer(run: () => void): MaintenanceTimer {
  let firstRun: AbortSignal | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let interval = 0;

  function startInterval(): void {
    run();
    timer ??= setInterval(run, interval);
  }

  return {
    start(intervalMs) {
      interval = intervalMs;
      // The first interval of a process takes 5 ms on Deno, so it is created after the first requests.
      firstRun ??= AbortSignal.timeout(intervalMs);
      firstRun.addEventListener("abort", startInterval);
    },
    stop() {
      // A listener keeps the process running.
      firstRun?.removeEventListener("abort", startInterval);
      clearInterval(timer);
    },
  };
}

/** The tasks of each minute. Each loads the code of its feature only if there is something to do. */
const minuteTasks: readonly MinuteTask[] = [
  maintainKeys,
];

/** Reads the keys of other instances, and creates the next key when the rotation interval is over. */
async function maintainKeys(server: Server): Promise<void> {
  const { keys, settings: { keys: { rotateEvery, lead } } } = server;
  await keys.refresh();
  if (rotateEvery === undefined) return;
  for (const alg of algorithmsInUse(server)) {
    await keys.rotateIfDue(alg, rotateEvery, lead);
  }
}
