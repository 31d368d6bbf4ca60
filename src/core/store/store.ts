/**
 * The interface of a store, and what all stores share, for authors of stores. The records are in `records.ts`.
 *
 * A store writes with `put`, `add` and `replace`, reads with `get`, `list` and `count`, and removes with `delete`,
 * `deleteExpired` and `deleteAll`. `consume` marks a record as used exactly once; `extend` keeps a record for longer;
 * `revoke` marks a grant as revoked; `close` ends the store. The stores: `memory.ts`, `sqlite.ts`, and those in
 * `platform/store/`.
 *
 * @module
 */

import type { Records, RevocationRecord } from "./records.ts";

export type * from "./records.ts";

/** The expiry of a record, and the grant that it belongs to. */
export interface RecordMetadata {
  /** The grant, which {@link Store.revoke} revokes; absent for records that belong to no grant. */
  readonly grantId?: string;
  /**
   * Milliseconds since the epoch. {@link Store.deleteExpired} may remove the record from then on; `Infinity` keeps it.
   */
  readonly expiresAt: number;
}

/** A stored record. */
export interface StoredRecord<T> {
  /** The value. */
  readonly value: T;
  /** The grant. */
  readonly grantId?: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** When the record was consumed, in milliseconds since the epoch; absent before. */
  readonly consumedAt?: number;
}

/** A record in a list. */
export interface ListedRecord<T> extends StoredRecord<T> {
  /** Its id. */
  readonly id: string;
}

/** Selects a page of records. */
export interface ListOptions {
  /** The prefix of the ids. */
  readonly prefix: string;
  /** The id after which the page begins; it begins with the prefix. Default: the first page. */
  readonly after?: string;
  /** Maximum number of records. */
  readonly limit: number;
}

/**
 * A store of records. It keeps `expiresAt` but never checks it; the server does so, with its own clock. Records are
 * values: a record that is read equals the written record, and must not be changed.
 *
 * If a call rejects, the server issues nothing. If the error's `name` is `StoreError`, the failure counts as temporary,
 * and the server responds with 503 `temporarily_unavailable`. Otherwise it responds with 500 `server_error`.
 *
 * @typeParam Kinds The kinds of records, by name.
 */
export interface Store<Kinds extends object = Records> {
  /**
   * Whether records outlive the process. The whole server then stores clients and users that are added at run time, and
   * expects that other instances may use the records too. Their ids then begin with their format. Default: false.
   */
  readonly persistent?: boolean;
  /** Reads a record; `undefined` without one. Consumed records are readable until they are deleted. */
  get<K extends keyof Kinds & string>(kind: K, id: string): Promise<StoredRecord<Kinds[K]> | undefined>;
  /** Writes a record; it replaces one of the same kind and id, even a consumed one. */
  put<K extends keyof Kinds & string>(kind: K, id: string, value: Kinds[K], metadata: RecordMetadata): Promise<void>;
  /** Writes a record unless a record of this kind and id exists; true only for the caller that wrote it. */
  add<K extends keyof Kinds & string>(kind: K, id: string, value: Kinds[K], metadata: RecordMetadata): Promise<boolean>;
  /**
   * Replaces a record as `put` does, in one atomic step, if its value is still `former` and it is not consumed: true
   * only for the caller that replaced it. A caller that changes what it has read uses this: no change of another
   * instance gets lost, and no removed record comes back.
   *
   * @param former The value as it was read. A store may compare the JSON texts.
   */
  replace<K extends keyof Kinds & string>(
    kind: K,
    id: string,
    former: Kinds[K],
    value: Kinds[K],
    metadata: RecordMetadata,
  ): Promise<boolean>;
  /**
   * Marks a record as consumed at `now` (milliseconds), in one atomic step: true for exactly one caller, across all
   * instances on the same store; false if it was consumed before or does not exist.
   */
  consume(kind: keyof Kinds & string, id: string, now: number): Promise<boolean>;
  /**
   * Keeps a record until a later time, in milliseconds since the epoch and finite, if it exists; a record that is kept
   * for longer stays as it is.
   */
  extend(kind: keyof Kinds & string, id: string, expiresAt: number): Promise<void>;
  /**
   * Revokes a grant, including tokens that are issued for it later: `get("revocation", grantId)` finds a record until
   * `until` (milliseconds). It is stored as if by `add("revocation", grantId, record, { expiresAt: until })`, and so
   * belongs to no grant itself. Revoking it again may only extend that time, and keeps the first record.
   *
   * @param record Default: an empty one.
   */
  revoke(grantId: string, until: number, record?: RevocationRecord): Promise<void>;
  /**
   * Removes a record, if it exists; returns whether it did.
   *
   * @param former Removes it, in one atomic step, only under the condition of `replace`. Default: any.
   */
  delete<K extends keyof Kinds & string>(kind: K, id: string, former?: Kinds[K]): Promise<boolean>;
  /**
   * Reads records in a fixed order of their ids, which each store defines. Consumed and expired records are included. A
   * page with fewer records than `limit` is the last one.
   */
  list<K extends keyof Kinds & string>(kind: K, options: ListOptions): Promise<readonly ListedRecord<Kinds[K]>[]>;
  /** Counts the records whose ids begin with `prefix`, including consumed and expired records. */
  count(kind: keyof Kinds & string, prefix: string): Promise<number>;
  /**
   * Removes every record whose `expiresAt` is at or before `now` (milliseconds), and none that is kept for ever
   * (`Infinity`); returns how many.
   */
  deleteExpired(now: number): Promise<number>;
  /**
   * Removes every record, of any kind, whose id begins with `prefix`; returns how many. Other calls proceed in the
   * meantime. It may search the whole store.
   */
  deleteAll(prefix: string): Promise<number>;
  /** Closes files and connections; further calls may reject. Closing twice is safe. */
  close(): Promise<void>;
}

/** @internal The parts of the message; each is a phrase without a full stop. */
export interface StoreErrorDetails {
  /** The store that failed: the path of its file, or its URL without the password. */
  readonly location: string;
  /** The expected state, as a noun phrase. */
  readonly expected: string;
  /** The found state, as a noun phrase; never a stored value. */
  readonly received: string;
  /** How to fix it, in the imperative. */
  readonly hint: string;
}

/** The parts of the message about an error, without the store. */
export type StoreErrorPhrases = Omit<StoreErrorDetails, "location">;

/** The error of a store that cannot be opened or used. The message is one sentence; `cause` is the underlying error. */
export class StoreError extends Error {
  /** The parts of the message. */
  readonly details: StoreErrorDetails;

  /** Creates an error; `cause` is the underlying error. */
  constructor(details: StoreErrorDetails, cause?: unknown) {
    super(`${details.location}: expected ${details.expected}, found ${details.received}; ${details.hint}.`, { cause });
    this.name = "StoreError";
    this.details = details;
  }
}

/**
 * Returns the options, with defaults for absent ones.
 *
 * @param call The function with the options: `memoryStore`.
 * @throws {TypeError} If an option is unknown: a misspelt limit would have no effect.
 */
export function storeOptions<T extends object>(call: string, defaults: Required<T>, options: T): Required<T> {
  const resolved = { ...defaults };
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(defaults, name)) {
      const known = Object.keys(defaults).join(", ");
      throw new TypeError(
        `${call}: expected the options ${known}; received ${JSON.stringify(name)}. Correct its name.`,
      );
    }
    if (value !== undefined) resolved[name as keyof T] = value;
  }
  return resolved;
}

/**
 * Evictable kinds, also outside the core. Marks of revocation or single use are not evictable, because their loss
 * would allow a replay. Consents are not evictable, because a lost consent cannot be revoked, and each user has at most
 * one per client. A lost pushed request or device authorization cannot be used, and a lost ID token cannot be
 * exchanged. The user must repeat a lost decision about a device. If the record of a session's client is lost, that
 * client is not called at logout. A lost event is not delivered.
 */
export const evictable: ReadonlySet<string> = new Set([
  ...["code", "refresh_token", "id_token", "access_token", "interaction", "browser", "pushed_request"],
  ...["polled_request", "polled_decision", "poll_pace", "session_client", "logout_call", "stream_event"],
]);
