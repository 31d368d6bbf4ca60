/**
 * The records, and the interface of a store, for authors of stores. Types only.
 *
 * A store writes with `put` and `add`, reads with `get`, `list` and `count`, and removes with `delete`, `deleteExpired`
 * and `deleteAll`. `consume` marks a record as used exactly once; `extend` keeps a record for longer; `revoke` marks a
 * grant as revoked. The stores: `memory.ts`, `sqlite.ts`, and those in `platform/store/`.
 * The server decides on expiry, with its own clock.
 *
 * @module
 */

import type { PolledRecords } from "./polled_records.ts";
import type { CodeRecord, GrantRecord, RefreshTokenRecord } from "./grant_records.ts";
import type { BrowserRecord, InteractionRecord, LogoutCallRecord, SessionClientRecord } from "./session_records.ts";
import type { EventStreamRecord, StreamEventRecord, StreamSubjectRecord } from "./signal_records.ts";

export type * from "./grant_records.ts";
export type * from "./polled_records.ts";
export type * from "./session_records.ts";
export type * from "./signal_records.ts";

/** @internal An opaque access token, stored under the digest of its value. */
export interface AccessTokenRecord {
  /** The claims that a JWT access token would have (RFC 9068 §2.2). */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The subject of the user on this server; absent if the client acts on its own behalf. */
  readonly user?: string;
}

/** @internal A secret of the server itself, such as the key of the MAC in session cookies. */
export interface ServerSecretRecord {
  /** 43 URL-safe characters. */
  readonly secret: string;
}

/** @internal A signing key as a JWK. Only `longest` changes later: it increases. */
export interface KeyRecord {
  /** The key ID: the RFC 7638 thumbprint, unless the key source chose another one. */
  readonly kid: string;
  /** The private key (RFC 7517 §4); the public key if the private one is outside the server. */
  readonly jwk: Readonly<Record<string, unknown>>;
  /** When it begins to sign, in milliseconds since the epoch. It is published as soon as it is stored. */
  readonly signsFrom: number;
  /**
   * Maximum lifetime of its tokens, in seconds: the key stays published for this time after its successor begins to
   * sign.
   */
  readonly longest: number;
}

/** @internal A pushed authorization request, stored under the digest of its `request_uri` (RFC 9126 §2.2). */
export interface PushedRequestRecord {
  /** The client that pushed it. */
  readonly clientId: string;
  /** The generation of the client; absent if it has none. */
  readonly clientGeneration?: string;
  /** The parameters of the request, without the parameters of client authentication. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** When the `request_uri` expires, in milliseconds since the epoch; the record is kept while the user logs in. */
  readonly validUntil: number;
  /** Whether the client signed it (RFC 9101); absent: no. */
  readonly isSigned?: boolean;
}

/** @internal The consent of a user to a client, so that they are not asked twice. Times are in milliseconds. */
export interface ConsentRecord {
  /** Identifies the consent, so that everything issued under it can be revoked together. */
  readonly name: string;
  /** The allowed scope values by resource (RFC 8707); the default audience has its own entry. */
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  /** The claims allowed by name. */
  readonly claims: readonly string[];
  /** The digest of the identity of a client with a metadata document: the consent is valid for that identity only. */
  readonly identity?: string;
  /** When the user was last asked. */
  readonly at: number;
  /** When the user must be asked again. The record is kept until everything issued under it has expired. */
  readonly validUntil: number;
}

/** @internal A client or user that was registered at run time; a guest user if the record expires. */
export interface RegisteredRecord {
  /** The registered entry, but with the digest of a client secret, unless the secret is the key of assertions. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Distinguishes entries of the same id that were added one after the other. */
  readonly generation?: string;
}

/** @internal What the limit of registered clients knows of one of them. */
export interface RegistrationRecord {
  /** Until when it is not evicted, in milliseconds since the epoch. */
  readonly until: number;
}

/** @internal */
export type UsedIdentifierRecord = Readonly<Record<string, never>>;

/** Marks a grant with everything that was issued for it, a session, or a token as revoked. */
export interface RevocationRecord {
  /** Why, for explanations. */
  readonly reason?: string;
  /** When, in milliseconds since the epoch. */
  readonly at?: number;
}

/** Every kind of record. A new kind is one line here, and no change to any store. */
export interface Records extends PolledRecords {
  /** Authorization codes, by the digest of the code. */
  code: CodeRecord;
  /** Signing keys, by algorithm and number. */
  key: KeyRecord;
  /** Refresh tokens, by the digest of the token. */
  refresh_token: RefreshTokenRecord;
  /** ID tokens that their client may exchange, by the digest of the token. */
  id_token: GrantRecord;
  /** Opaque access tokens, by the digest of the token. */
  access_token: AccessTokenRecord;
  /** Pushed authorization requests, by the digest of the `request_uri`. Consumed: a response was sent. */
  pushed_request: PushedRequestRecord;
  /** Finished authorization requests, by the digest of the interaction. */
  interaction: InteractionRecord;
  /** Consents, by the digest of user and client. */
  consent: ConsentRecord;
  /** Browsers, by the digest of their cookie. */
  browser: BrowserRecord;
  /** Clients registered at run time, by issuer and client. */
  client: RegisteredRecord;
  /** Users added at run time, by issuer and subject. */
  user: RegisteredRecord;
  /** Clients that registered without an initial access token, by issuer and client. */
  registration: RegistrationRecord;
  /** Clients that got an ID token in a session, by user, session and client. */
  session_client: SessionClientRecord;
  /** Back-channel logout calls to repeat, by issuer and time. */
  logout_call: LogoutCallRecord;
  /** Streams of security events, by issuer, client and stream. */
  event_stream: EventStreamRecord;
  /** Subjects of these streams, by issuer, stream and subject. */
  stream_subject: StreamSubjectRecord;
  /** Undelivered events of these streams, by issuer, stream and time. */
  stream_event: StreamEventRecord;
  /** Identifiers that may be used once, such as those of client assertions. */
  used_identifier: UsedIdentifierRecord;
  /** The server's own secrets, by purpose. */
  server_secret: ServerSecretRecord;
  /** The marks of {@link Store.revoke}, by the id that was revoked. */
  revocation: RevocationRecord;
}

/** The name of a kind of record. */
export type RecordKind = keyof Records;

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
 */
export interface Store {
  /**
   * Whether records outlive the process and may be shared with other instances: clients and users that are added
   * at run time are then also stored here. Default: false.
   */
  readonly persistent?: boolean;
  /** Reads a record; `undefined` without one. Consumed records are readable until they are deleted. */
  get<K extends RecordKind>(kind: K, id: string): Promise<StoredRecord<Records[K]> | undefined>;
  /** Writes a record; it replaces one of the same kind and id, even a consumed one. */
  put<K extends RecordKind>(kind: K, id: string, value: Records[K], metadata: RecordMetadata): Promise<void>;
  /** Writes a record unless a record of this kind and id exists; true only for the caller that wrote it. */
  add<K extends RecordKind>(kind: K, id: string, value: Records[K], metadata: RecordMetadata): Promise<boolean>;
  /**
   * Marks a record as consumed at `now` (milliseconds), in one atomic step: true for exactly one caller, across all
   * instances on the same store; false if it was consumed before or does not exist.
   */
  consume(kind: RecordKind, id: string, now: number): Promise<boolean>;
  /**
   * Keeps a record until a later time, in milliseconds since the epoch and finite, if it exists; a record that is kept
   * for longer stays as it is.
   */
  extend(kind: RecordKind, id: string, expiresAt: number): Promise<void>;
  /**
   * Revokes a grant, including tokens that are issued for it later: `get("revocation", grantId)` finds a record until
   * `until` (milliseconds). Revoking it again may only extend that time, and keeps the first record.
   *
   * @param record Default: an empty one.
   */
  revoke(grantId: string, until: number, record?: RevocationRecord): Promise<void>;
  /** Removes a record, if it exists. */
  delete(kind: RecordKind, id: string): Promise<void>;
  /**
   * Reads records in a fixed order of their ids, which each store defines. Consumed and expired records are included. A
   * page with fewer records than `limit` is the last one.
   */
  list<K extends RecordKind>(kind: K, options: ListOptions): Promise<readonly ListedRecord<Records[K]>[]>;
  /** Counts the records whose ids begin with `prefix`, including consumed and expired records. */
  count(kind: RecordKind, prefix: string): Promise<number>;
  /** Removes every record whose `expiresAt` is at or before `now` (milliseconds); returns how many. */
  deleteExpired(now: number): Promise<number>;
  /**
   * Removes every record, of any kind, whose id begins with `prefix`; returns the number of removed records. Other
   * calls proceed in the meantime.
   * It may search the whole store.
   */
  deleteAll(prefix: string): Promise<number>;
  /** Closes files and connections; further calls may reject. Closing twice is safe. */
  close(): Promise<void>;
}
