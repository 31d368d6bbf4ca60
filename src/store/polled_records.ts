/** Records of requests that a client polls for, such as device authorizations (RFC 8628). */

import type { Grant } from "./grant_records.ts";

/** A request whose result its client polls for, while the user decides elsewhere. Times are in milliseconds. */
export interface PolledRequestRecord {
  /** The name of the delivery: that of its extension. */
  readonly delivery: string;
  /** The digest of the secret part of the code that the client polls with. */
  readonly secretDigest: string;
  /** The authorization request, whole. */
  readonly request: Readonly<Record<string, unknown>> & { readonly clientId: string };
  /** What the client shows too, so that the user recognizes the request; absent if it shows nothing. */
  readonly message?: string;
  /** The network address that started it; absent if unknown. */
  readonly address?: string;
  /** When it was started. */
  readonly issuedAt: number;
  /** When the code expires; checked by the server, not by the store. */
  readonly validUntil: number;
}

/** The kinds of records of such requests. */
export interface PolledRecords {
  /** The requests, by a digest: that of the user code, or of the user. Consumed: the tokens were issued. */
  polled_request: PolledRequestRecord;
  /** Decisions of users about them, by the same id: what was approved; absent if the user denied. */
  polled_decision: { readonly grant?: Grant };
  /**
   * The paces of polls, by the same id: when the next poll is allowed, and the seconds between two polls. A copy under
   * the id and the time marks that the poll of that time was made.
   */
  poll_pace: { readonly notBefore: number; readonly interval: number };
}
