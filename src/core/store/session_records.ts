/** The records of browsers, sessions and their logout. Types only. */

/**
 * Marks a pending authorization request as finished; the request itself is stored in the browser. Times are in
 * milliseconds.
 *
 * @internal
 */
export interface InteractionRecord {
  /** When it was finished. */
  readonly at: number;
}

/** @internal The users who logged in recently in one browser. */
export interface BrowserRecord {
  /** Subjects, the latest first. */
  readonly recent: readonly string[];
}

/** @internal A client that got an ID token in a session, and has a logout URI. Consumed: the session has ended. */
export interface SessionClientRecord {
  /** The client. */
  readonly clientId: string;
  /** The user. */
  readonly sub: string;
  /** The session. */
  readonly sid: string;
  /** The issuer of the ID token, for a server with several names. Absent: the issuer of the server. */
  readonly issuer?: string;
}

/** @internal A call of a `backchannel_logout_uri` without a response yet. Consumed: a process makes it. */
export interface LogoutCallRecord extends SessionClientRecord {
  /** Number of earlier attempts. */
  readonly attempts: number;
  /** When it is due, in milliseconds since the epoch. */
  readonly dueAt: number;
}
