/** The sample of a recorder: how many new flows it records in a second. */

import type { RequestLike } from "../platform/http/message.ts";
import type { TraceEvent } from "../server/oauth/trace.ts";
import { type BodyTap, TappedRequest } from "./body_tap.ts";
import type { ExchangeDraft } from "./exchange_draft.ts";

/** Real time that a sample covers, in milliseconds. */
const sampleMs = 1000;

/** The divisor of a sample while the load continues, so that rejections are not evicted within seconds. */
const sustainedDivisor = 10;

/** Decides whether a request may begin a new flow of the recording. */
export interface Sampling {
  /**
   * Whether the sample of this second is complete.
   *
   * @param flowCount The number of flows so far that {@link beginsSampledFlow} counts.
   */
  isComplete(flowCount: number): boolean;
}

/**
 * Creates a sample of the first `limit` flows in a second, and of the first tenth of them in each further second of the
 * same load. It reads the clock of the process, because a test may freeze that of the server, and only when the sample
 * is complete. Calls `onComplete` once for each second.
 */
export function sampling(limit: number, onComplete: () => void): Sampling {
  const sustainedLimit = Math.ceil(limit / sustainedDivisor);
  let currentLimit = limit;
  let startedAt = performance.now();
  let countAtStart = 0;
  let isReported = false;
  return {
    isComplete(flowCount) {
      if (flowCount - countAtStart < currentLimit) return false;
      const time = performance.now();
      const elapsed = time - startedAt;
      if (elapsed >= sampleMs) {
        currentLimit = isReported && elapsed < 2 * sampleMs ? sustainedLimit : limit;
        startedAt = time;
        countAtStart = flowCount;
        isReported = false;
        return false;
      }
      // The first tenth took at least a tenth of a second, so the load is no longer above the limit.
      if (currentLimit < limit && !isReported && elapsed >= sampleMs / sustainedDivisor) {
        currentLimit = limit;
        return false;
      }
      if (!isReported) {
        isReported = true;
        onComplete();
      }
      return true;
    },
  };
}

/**
 * A request whose outcome decides whether it is recorded, as the next plugin receives it. It has the data of the
 * recorder as members, because an entry in a WeakMap costs more than the rest of the recorder's work.
 */
export class UndecidedRequest extends TappedRequest {
  readonly recorder: object;
  readonly number: number;
  readonly at: number;
  readonly events: TraceEvent[] = [];
  readonly faults: string[] = [];

  constructor(request: RequestLike, tap: BodyTap | undefined, recorder: object, number: number, at: number) {
    super(request, tap);
    this.recorder = recorder;
    this.number = number;
    this.at = at;
  }
}

/** Finds the undecided request of this recorder: `request` itself, or the one that plugins replaced by `request`. */
export function findUndecided(request: RequestLike, recorder: object): UndecidedRequest | undefined {
  for (let found: RequestLike | undefined = request; found !== undefined; found = found.original) {
    if (found instanceof UndecidedRequest && found.recorder === recorder) return found;
  }
  return undefined;
}

/** Whether a rule, or an error of the server, ended the request. */
export function isRejected({ events }: Pick<UndecidedRequest, "events">): boolean {
  return events.some(({ type }) => type === "rejected" || type === "internal_error");
}

/**
 * Whether an exchange begins a flow that the sample counts. Rejected requests and unknown paths are recorded in any
 * case, and do not count: otherwise a page of another site could use up the sample, and hide logins.
 */
export function beginsSampledFlow(draft: ExchangeDraft): boolean {
  const { group, endpoint } = draft;
  return group?.flow !== undefined && group.drafts[0] === draft && endpoint !== undefined && !isRejected(draft);
}
