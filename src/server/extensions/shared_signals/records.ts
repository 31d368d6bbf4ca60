/** The records of streams, their subjects and their undelivered events. */

import type { ClientRecord } from "../../clients/generations.ts";
import { storeOf } from "../../stored/records.ts";

/** A stream of security events to the client that created it. */
export interface EventStreamRecord extends ClientRecord {
  readonly streamId: string;
  /** Whether events are sent, kept, or dropped (SSF §8.1.2). */
  readonly status: "enabled" | "paused" | "disabled";
  /** Why the client set the status; absent if it did not say. */
  readonly reason?: string;
  /** The event types that the client requested; absent: none. */
  readonly eventsRequested?: readonly string[];
  /** The URL to which events are posted (RFC 8935); absent: the client polls (RFC 8936). */
  readonly pushUrl?: string;
  /** The value of the `Authorization` header of these posts; absent: they have none. */
  readonly authorization?: string;
  /** The text that the client gave the stream. */
  readonly description?: string;
}

/** A subject that a client added to a stream, or removed from it. */
export interface StreamSubjectRecord {
  /** False: it was removed. */
  readonly isAdded: boolean;
}

/** A security event that a stream has not delivered yet. Consumed: a process posts it. */
export interface StreamEventRecord {
  /** The claims of its token (RFC 8417). It is signed when it is sent, because keys rotate. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The token, signed before; only in tests. */
  readonly token?: string;
  /** Number of earlier attempts to post it. */
  readonly attempts: number;
  /** When it may be sent, in milliseconds since the epoch. */
  readonly dueAt: number;
}

export const streamStore = storeOf<{
  /** Streams, by issuer, client and stream. */
  event_stream: EventStreamRecord;
  /** Subjects of these streams, by issuer, stream and subject. */
  stream_subject: StreamSubjectRecord;
  /** Undelivered events of these streams, by issuer, stream and time. */
  stream_event: StreamEventRecord;
}>;
