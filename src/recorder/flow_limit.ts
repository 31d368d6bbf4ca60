/**
 * Limits the number of new flows that a recorder records in a second, so that load does not evict all earlier ones.
 * Notable exchanges have a separate limit, so that rejected requests do not hide logins, nor logins a rejection.
 */

import { timers } from "../core/http/timers.ts";

/** Duration of a period, in milliseconds of real time: a test may freeze the clock of the server. */
const periodMs = 1000;

/** Creates a limit. It calls `onReached` once for each second in which a request finds the limit reached. */
export function flowLimit(maxFlowsPerSecond: number, onReached: () => void) {
  let startedAt = -Infinity;
  let counts = { notable: 0, others: 0 };
  let isReported = false;
  return {
    /** Whether the limit is reached for the current second. */
    isReached(isNotable: boolean): boolean {
      const count = isNotable ? counts.notable : counts.others;
      if (count < maxFlowsPerSecond || timers.elapsed() - startedAt >= periodMs) return false;
      if (!isReported) onReached();
      isReported = true;
      return true;
    },
    count(isNotable: boolean): void {
      const time = timers.elapsed();
      if (time - startedAt >= periodMs) {
        startedAt = time;
        counts = { notable: 0, others: 0 };
        isReported = false;
      }
      counts[isNotable ? "notable" : "others"]++;
    },
  };
}
