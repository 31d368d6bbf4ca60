/** What is kept, and the verbs every store offers: types only, so that a new store is one file. */

/** A one-time authorization code, shelved under the digest of its value (OAuth 2.1 §4.1.2). Times in milliseconds. */
export interface CodeRecord {
  /** The client it was issued to. */
  readonly clientId: string;
  /** The redirect URI the code was sent to, exactly as it was requested. */
  readonly redirectUri: string;
  /** The S256 code challenge, when one was sent. */
  readonly challenge?: string;
  /** The scope values granted. */
  readonly scope: readonly string[];
  /** The subject who granted. */
  readonly sub: string;
  /** The OpenID Connect nonce, when one was sent. */
  readonly nonce?: string;
  /** When the user was authenticated. */
  readonly authTime: number;
  /** When the code was issued. */
  readonly issuedAt: number;
  /** From this moment on the code is refused; judged by the rules, not by the store. */
  readonly validUntil: number;
}

/** The signing keys of one algorithm, as private JWKs with their working life in milliseconds. */
export interface KeyRingRecord {
  /** Oldest first. */
  readonly keys: readonly {
    readonly kid: string;
    readonly jwk: Readonly<Record<string, unknown>>;
    /** Published from the moment it is stored; signs from this moment on. */
    readonly signsFrom: number;
    /** Withdrawn from publication at this moment; absent while the key is current. */
    readonly retiresAt?: number;
  }[];
}

/** Marks a family (everything one approval bought) as ended. */
export type EndedFamilyRecord = Readonly<Record<string, never>>;

/** Every kind of record there is; a new kind is one line here and no change to any store. */
export interface Records {
  /** Authorization codes, by the digest of the code. */
  code: CodeRecord;
  /** Signing keys, by algorithm. */
  keys: KeyRingRecord;
  /** Ended families, by family. */
  ended_family: EndedFamilyRecord;
}

/** The name of a kind of record. */
export type Kind = keyof Records;

/** How long a record is kept, and what it belongs to. */
export interface Shelf {
  /** The family that ends with {@link Store.revoke}; absent for records that belong to none. */
  readonly family?: string;
  /** Milliseconds since the epoch. {@link Store.sweep} may remove the record from then on; `Infinity` keeps it. */
  readonly expiresAt: number;
}

/** A record as it is read back. */
export interface Entry<T> {
  /** What was put. */
  readonly value: T;
  /** The family it was put with. */
  readonly family?: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** When the record was spent, in milliseconds since the epoch; absent while it is unspent. */
  readonly spentAt?: number;
}

/**
 * Where records are kept. Stores hold `expiresAt` but never judge it: the rules judge it with the server's clock, and
 * `sweep` clears. Records are values: what is read back is equal to what was put and must not be changed.
 *
 * A store that fails throws; the server answers `server_error` and nothing is issued.
 */
export interface Store {
  /** Reads a record; `undefined` when there is none. Spent records stay readable until they are swept. */
  get<K extends Kind>(kind: K, id: string): Promise<Entry<Records[K]> | undefined>;
  /** Writes a record, replacing one of the same kind and id (which is then unspent). */
  put<K extends Kind>(kind: K, id: string, value: Records[K], shelf: Shelf): Promise<void>;
  /** Writes a record only if there is none of that kind and id: true for the one caller that wrote it. */
  add<K extends Kind>(kind: K, id: string, value: Records[K], shelf: Shelf): Promise<boolean>;
  /**
   * Marks a record as used at `now` (milliseconds), in one atomic step: true for exactly one caller, ever, across all
   * handles on the same store; false when it is spent already or does not exist.
   */
  spend(kind: Kind, id: string, now: number): Promise<boolean>;
  /**
   * Ends a family, what is issued for it later included: afterwards `get("ended_family", family)` finds a record,
   * until `until` (milliseconds). Ending an ended family changes nothing but may keep the mark longer.
   */
  revoke(family: string, until: number): Promise<void>;
  /** Removes every record whose `expiresAt` is at or before `now` (milliseconds); returns how many. */
  sweep(now: number): Promise<number>;
  /** Lets go of files and connections; further calls may throw. Closing twice is harmless. */
  close(): Promise<void>;
}
