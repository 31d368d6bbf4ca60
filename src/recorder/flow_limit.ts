/** Limits the number of new flows that a recorder records in a second, so that load does not evict all earlier ones. */

/** Duration of a period, in milliseconds of real time: a test may freeze the clock of the server. */
const periodMs = 1000;

/** The limit of a recorder. */
export interface FlowLimit {
  /** Whether the limit is reached for the current second. */
  isReached(): boolean;
  /** Counts a new flow. */
  count(): void;
}

/** Creates a limit. It calls `onReached` once for each second in which a request finds the limit reached. */
export function flowLimit(maxFlowsPerSecond: number, onReached: () => void): FlowLimit {
  let startedAt = -Infinity;
  let flowCount = 0;
  let isReported = false;
  return {
    isReached() {
      if (flowCount < maxFlowsPerSecond || performance.now() - startedAt >= periodMs) return false;
      if (!isReported) onReached();
      isReported = true;
      return true;
    },
    count() {
      const time = performance.now();
      if (time - startedAt >= periodMs) {
        startedAt = time;
        flowCount = 0;
        isReported = false;
      }
      flowCount++;
    },
  };
}
