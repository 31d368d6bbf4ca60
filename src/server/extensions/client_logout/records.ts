/** The records of clients to log out. */

import type { ClientRecord } from "../../clients/generations.ts";
import { storeOf } from "../../stored/records.ts";

/** A client that got an ID token in a session, and has a logout URI. Consumed: the session has ended. */
export interface SessionClientRecord extends ClientRecord {
  readonly sub: string;
  readonly sid: string;
  /** The issuer of the ID token, for a server with several names. Absent: the issuer of the server. */
  readonly issuer?: string;
}

/** A call of a `backchannel_logout_uri` without a response yet. Consumed: a process makes it. */
export interface LogoutCallRecord extends SessionClientRecord {
  /** Number of earlier attempts. */
  readonly attempts: number;
  /** When it is due, in milliseconds since the epoch. */
  readonly dueAt: number;
}

export const logoutStore = storeOf<{
  /** Clients that got an ID token in a session, by user, session and client. */
  session_client: SessionClientRecord;
  /** Back-channel logout calls to repeat, by issuer and time. */
  logout_call: LogoutCallRecord;
}>;
