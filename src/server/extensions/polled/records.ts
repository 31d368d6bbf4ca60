/** The records of requests whose clients poll. */

import type { Grant } from "../../../core/store/store.ts";
import { storeOf } from "../../stored/records.ts";

/** A request whose result its client polls for, while the user decides elsewhere. Times are in milliseconds. */
export interface PolledRequestRecord {
  /** The name of the delivery: the name of its extension. */
  readonly delivery: string;
  /** The digest of the secret part of the code that the client polls with. */
  readonly secretDigest: string;
  readonly request: Readonly<Record<string, unknown>> & {
    readonly clientId: string;
    readonly clientGeneration?: string;
  };
  /** The message that the client also shows, so that the user recognizes the request; absent if it shows none. */
  readonly message?: string;
  /** The network address from which it was started; absent if unknown. */
  readonly address?: string;
  /** The bearer token and the code that a notification of the client has; absent if it is not notified. */
  readonly notification?: { readonly token: string; readonly code: string };
  readonly issuedAt: number;
  /** When the code expires; checked by the server, not by the store. */
  readonly validUntil: number;
}

/** A user's decision: the grant; absent if the user denied. */
export interface PolledDecisionRecord {
  readonly grant?: Grant;
}

export const polledStore = storeOf<{
  /** Requests, by a digest of the user code or of the user. Consumed: the tokens were issued. */
  polled_request: PolledRequestRecord;
  /** Users' decisions about these requests, by the same id. */
  polled_decision: PolledDecisionRecord;
  /**
   * The paces of polls, by the same id: when the next poll is allowed, and the seconds between two polls. A copy under
   * the id and a time marks that the poll at that time was made.
   */
  poll_pace: { readonly notBefore: number; readonly interval: number };
}>;
