/** Maintenance: deletes expired records and unused clients, and rotates keys. */

import { algorithmsInUse } from "../../core/keys/jwks.ts";
import type { HostedServer } from "../hosted_server.ts";
import { sweeper } from "../../core/store/sweep.ts";
import { type Timer, timers } from "../../core/http/timers.ts";

/** The time between two runs of the minute tasks, in milliseconds; far below the default of `keys.lead`. */
const minuteTasksIntervalMs = 60_000;

const maintenanceIntervalMs = 1000;

type MinuteTask = (server: HostedServer) => Promise<void>;

export interface Maintenance {
  /**
   * Starts the tasks that are due. The timer of the host calls it, and each request, because a server may have no
   * timer. It returns immediately and never throws.
   */
  runIfDue(): void;
}

/**
 * Creates the maintenance of a server.
 *
 * @param extensionTasks The tasks of extensions for each minute.
 */
export function maintenance(server: HostedServer, extensionTasks: readonly MinuteTask[]): Maintenance {
  const { background, now } = server;
  const sweep = sweeper(server);
  let lastMinuteTasksAt = now();

  function runIfDue(): void {
    sweep();
    if (Math.abs(now() - lastMinuteTasksAt) < minuteTasksIntervalMs) return;
    lastMinuteTasksAt = now();
    // These tasks run concurrently.
    for (const task of [maintainKeys, ...extensionTasks]) background.start("sweep", () => task(server));
  }

  return { runIfDue };
}

/** Runs the maintenance of a host by a timer. */
interface MaintenanceTimer {
  /** Starts it. A second call has no effect. */
  start(): void;
  stop(): void;
}

export function maintenanceTimer(run: () => void): MaintenanceTimer {
  let timer: Timer | undefined;
  return {
    start: () => void (timer ??= timers.setInterval(run, maintenanceIntervalMs)),
    stop: () => timers.clearInterval(timer),
  };
}

/** Reads the keys of other instances, and creates the next key when the rotation interval is over. */
async function maintainKeys(server: HostedServer): Promise<void> {
  const { keyRotation, policy } = server;
  const { rotateEvery, lead } = policy.keys;
  await keyRotation.refresh();
  if (rotateEvery === undefined) return;
  for (const alg of algorithmsInUse(server)) {
    await keyRotation.rotateIfDue(alg, rotateEvery, lead);
  }
}
