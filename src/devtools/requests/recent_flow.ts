/** Flows on pages other than those of flows. */

import type { Status } from "../../server/pages/status_badge.tsx";

/** A recorded flow in one line; its texts are redacted. */
export interface RecentFlow {
  /** The path of its page, below the base. */
  readonly path: string;
  /** Why it was rejected, or else what happened. */
  readonly title: string;
  /** `success`, `error`, `pending` or `revoked`. */
  readonly outcome: Status;
  /** The client that the flow names; absent on the page of a client. */
  readonly client?: string;
}
