/** Records of device authorizations (RFC 8628). Times are in milliseconds since the epoch. */

import type { Grant } from "./grant_records.ts";

/** A device authorization, stored under the digest of its user code (RFC 8628 §3.2). Times are in milliseconds. */
export interface DeviceRecord {
  /** The digest of the secret part of the device code. */
  readonly secretDigest: string;
  /** The authorization request, whole. */
  readonly request: Readonly<Record<string, unknown>> & { readonly clientId: string };
  /** The network address that started it; absent if unknown. */
  readonly address?: string;
  /** When it was started. */
  readonly issuedAt: number;
  /** When both codes expire; checked by the server, not by the store. */
  readonly validUntil: number;
}

/** The kinds of records of device authorizations. */
export interface DeviceRecords {
  /** Device authorizations, by the digest of the user code. Consumed: the tokens were issued. */
  device: DeviceRecord;
  /** Decisions of users about them, by the same digest: what was approved; absent if the user denied. */
  device_decision: { readonly grant?: Grant };
  /**
   * The paces of polls, by the same digest: when the next poll is allowed, and the seconds between two polls. A copy
   * under the digest and the time marks that the poll of that time was made.
   */
  device_poll: { readonly notBefore: number; readonly interval: number };
}
