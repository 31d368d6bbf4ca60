/** What is kept, and the verbs every store offers: types only, so that a new store is one file. */

/** Names of claims that a client asked for, by where they are to appear (OpenID Connect Core §5.5). */
export interface RequestedClaims {
  /** In the answers of the userinfo endpoint. */
  readonly userinfo: readonly string[];
  /** In the id token. */
  readonly id_token: readonly string[];
  /**
   * The requested values by place and claim name; a claim is released only if it has one of them. Absent if no values
   * were requested (§5.5.1).
   */
  readonly values?: {
    readonly userinfo: Readonly<Record<string, readonly unknown[]>>;
    readonly id_token: Readonly<Record<string, readonly unknown[]>>;
  };
}

/** A refresh token, shelved under the digest of its value (OAuth 2.1 §4.3). Times in milliseconds. */
export interface RefreshTokenRecord {
  /** The client it was issued to. */
  readonly clientId: string;
  /** The subject who granted. */
  readonly sub: string;
  /** All that was granted; an access token may have less. */
  readonly scope: readonly string[];
  /** All the resources of the grant. */
  readonly resources: readonly string[];
  /** The claims asked for by name, when any were. */
  readonly claims?: RequestedClaims;
  /** When the user was authenticated. */
  readonly authTime: number;
  /** The session it ends with. */
  readonly sid: string;
  /** A mark of the user's password at login; if it differs now, the session has ended. Absent if the user had none. */
  readonly password?: string;
  /** The consent it rests on, ended like a family; absent where nobody was asked. */
  readonly consent?: string;
  /** Drawn with the token: where a retry is forgiven, the next token follows from it and from the token's value. */
  readonly salt: string;
  /** Refused from this moment on if it is not used before. */
  readonly validUntil: number;
  /** Refused from this moment on, however often it is used; the same for all that follow from one grant. */
  readonly endsAt: number;
}

/** An opaque access token, shelved under the digest of its value. */
export interface AccessTokenRecord {
  /** What the token means, in the claims a JWT would have (RFC 9068 §2.2). */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The user it acts for, by the name this server has for them; absent where a client acts for itself. */
  readonly user?: string;
}

/** A secret of the server itself, such as the one that seals session cookies. */
export interface ServerSecretRecord {
  /** 43 URL-safe characters. */
  readonly secret: string;
}

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
  /** The session the user was authenticated in. */
  readonly sid: string;
  /** A mark of the user's password at login; if it differs now, the session has ended. Absent if the user had none. */
  readonly password?: string;
  /** The resources asked for (RFC 8707); empty: the server's default audience. */
  readonly resources: readonly string[];
  /** The claims asked for by name (OpenID Connect Core §5.5), when any were. */
  readonly claims?: RequestedClaims;
  /** The consent it rests on, ended like a family; absent where nobody was asked. */
  readonly consent?: string;
  /** When the code was issued. */
  readonly issuedAt: number;
  /** From this moment on the code is refused; judged by the rules, not by the store. */
  readonly validUntil: number;
}

/** A signing key, as a JWK; all that ever changes is that `longest` grows. */
export interface KeyRecord {
  /** The RFC 7638 thumbprint, unless a source of keys chose another name. */
  readonly kid: string;
  /** The private key (RFC 7517 §4); or the public one, where whoever signs keeps the private one to itself. */
  readonly jwk: Readonly<Record<string, unknown>>;
  /** Published from the moment it is stored; signs from this moment on, in milliseconds since the epoch. */
  readonly signsFrom: number;
  /** The longest life, in seconds, of a token it may have signed: so long it stays published after its successor signs. */
  readonly longest: number;
}

/** Marks a pending authorization request, which the browser carries, as finished. Times in milliseconds. */
export interface InteractionRecord {
  /** When it was finished. */
  readonly at: number;
}

/** The consent of a user to a client, so that they are not asked twice. Times in milliseconds. */
export interface ConsentRecord {
  /** Identifies the consent, so that everything issued under it can be revoked at once. */
  readonly name: string;
  /** The allowed scope values by resource (RFC 8707); the default audience has its own entry. */
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  /** The claims allowed by name. */
  readonly claims: readonly string[];
  /** When the user was last asked. */
  readonly at: number;
  /** When the user must be asked again. The record is kept until everything issued under it has expired. */
  readonly validUntil: number;
}

/** Who logged in lately in one browser. */
export interface BrowserRecord {
  /** Subjects, the last one first. */
  readonly recent: readonly string[];
}

/** A person who was made up on the login page. */
export interface GuestUserRecord {
  /** The claims, `sub` among them. */
  readonly user: { readonly sub: string; readonly [claim: string]: unknown };
}

/** A change of clients or users that was made while a server ran; never changed itself once it is written. */
export type ChangeRecord =
  & {
    /** What was changed. */
    readonly of: "clients" | "users";
    /** The client or the user. */
    readonly id: string;
    /** Drawn for this change, so that whoever wrote it knows it again. */
    readonly mark: string;
    /**
     * The digest of the configured entry that the change was based on; `""` if the client or user was not configured.
     * Absent from changes of versions without digests.
     */
    readonly over?: string;
  }
  & (
    | {
      /** Registered, or replaced. */
      readonly verb: "set";
      /** As it was written down, but with digests for secrets wherever digests will do. */
      readonly written: Readonly<Record<string, unknown>>;
    }
    | {
      /** Removed, or put in front of all others. */
      readonly verb: "delete" | "first";
    }
    | {
      /** No change: a server started with a new configured entry, which is in effect from now on. */
      readonly verb: "configured";
    }
  );

/** A client or user that was registered at run time; a guest user if the record expires. */
export interface RegisteredRecord {
  /** As it was registered, but with a digest for a client secret unless the secret is the key of assertions. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** What a change at run time does to a configured client or user. */
export type OverrideRecord =
  & {
    /** What is changed. */
    readonly of: "client" | "user";
    /** The client or user. */
    readonly id: string;
    /** The digest of the configured entry that the change is based on; `""` if the id is not configured. */
    readonly basis: string;
  }
  & (
    | {
      /** Replaced. */
      readonly change: "set";
      /** As in {@link RegisteredRecord}. */
      readonly entry: Readonly<Record<string, unknown>>;
    }
    | {
      /** Removed, or made the default, which is listed first. */
      readonly change: "delete" | "default";
    }
  );

/** How far the records of an issuer have been migrated from a former version. */
export interface MigrationRecord {
  /** Whether the former records have been deleted, too. */
  readonly isComplete: boolean;
}

/** Marks an identifier as seen. */
export type UsedIdentifierRecord = Readonly<Record<string, never>>;

/** Marks a family (everything one approval bought) as ended. */
export type RevokedGrantRecord = Readonly<Record<string, never>>;

/** Every kind of record there is; a new kind is one line here and no change to any store. */
export interface Records {
  /** Authorization codes, by the digest of the code. */
  code: CodeRecord;
  /** Signing keys, by algorithm and number. */
  key: KeyRecord;
  /** Refresh tokens, by the digest of the token. */
  refresh_token: RefreshTokenRecord;
  /** Opaque access tokens, by the digest of the token. */
  access_token: AccessTokenRecord;
  /** Finished authorization requests, by the digest of the interaction. */
  interaction: InteractionRecord;
  /** Consents, by the digest of user and client. */
  consent: ConsentRecord;
  /** Browsers, by the digest of their cookie. */
  browser: BrowserRecord;
  /** Changes of clients and users, by issuer and number: read by the migration only. */
  change: ChangeRecord;
  /** Guest users of version 0.1 before records, by subject: read by the migration only. */
  person: GuestUserRecord;
  /** Clients registered at run time, by issuer and client. */
  client: RegisteredRecord;
  /** Users added at run time, by issuer and subject. */
  user: RegisteredRecord;
  /** Changes of configured clients and users, by issuer, configured entry and id. */
  override: OverrideRecord;
  /** Migrations, by issuer. */
  migration: MigrationRecord;
  /** Identifiers that must be seen once only, such as those of client assertions. */
  seen: UsedIdentifierRecord;
  /** The server's own secrets, by purpose. */
  server_secret: ServerSecretRecord;
  /** Ended families, by family. */
  ended_family: RevokedGrantRecord;
}

/** The name of a kind of record. */
export type RecordKind = keyof Records;

/** How long a record is kept, and what it belongs to. */
export interface RecordMetadata {
  /** The family that ends with {@link Store.revoke}; absent for records that belong to none. */
  readonly grantId?: string;
  /** Milliseconds since the epoch. {@link Store.deleteExpired} may remove the record from then on; `Infinity` keeps it. */
  readonly expiresAt: number;
}

/** A record as it is read back. */
export interface StoredRecord<T> {
  /** What was put. */
  readonly value: T;
  /** The family it was put with. */
  readonly grantId?: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** When the record was spent, in milliseconds since the epoch; absent while it is unspent. */
  readonly consumedAt?: number;
}

/** A record in a list. */
export interface ListedRecord<T> extends StoredRecord<T> {
  /** Its id. */
  readonly id: string;
}

/** Selects a page of records. */
export interface ListOptions {
  /** What the ids begin with. */
  readonly prefix: string;
  /** The id after which the page begins; it begins with the prefix. Default: the first page. */
  readonly after?: string;
  /** Maximum number of records. */
  readonly limit: number;
}

/**
 * Where records are kept. Stores hold `expiresAt` but never judge it: the rules judge it with the server's clock, and
 * `sweep` clears. Records are values: what is read back is equal to what was put and must not be changed.
 *
 * A store that fails throws, and nothing is issued. Where the error's `name` is `StoreError` it is expected to pass: the
 * server answers 503 `temporarily_unavailable`, and 500 `server_error` otherwise.
 */
export interface Store {
  /**
   * Whether what is put here outlasts the process and may be seen by others: then clients and users that are changed
   * while a server runs are kept here too, and shared. Default: false.
   */
  readonly persistent?: boolean;
  /** Reads a record; `undefined` when there is none. Spent records stay readable until they are swept. */
  get<K extends RecordKind>(kind: K, id: string): Promise<StoredRecord<Records[K]> | undefined>;
  /** Writes a record, replacing one of the same kind and id (which is then unspent). */
  put<K extends RecordKind>(kind: K, id: string, value: Records[K], shelf: RecordMetadata): Promise<void>;
  /** Writes a record only if there is none of that kind and id: true for the one caller that wrote it. */
  add<K extends RecordKind>(kind: K, id: string, value: Records[K], shelf: RecordMetadata): Promise<boolean>;
  /**
   * Marks a record as used at `now` (milliseconds), in one atomic step: true for exactly one caller, ever, across all
   * handles on the same store; false when it is spent already or does not exist.
   */
  consume(kind: RecordKind, id: string, now: number): Promise<boolean>;
  /**
   * Ends a family, what is issued for it later included: afterwards `get("ended_family", family)` finds a record,
   * until `until` (milliseconds). Ending an ended family changes nothing but may keep the mark longer.
   */
  revoke(family: string, until: number): Promise<void>;
  /** Removes a record, if it exists. */
  delete(kind: RecordKind, id: string): Promise<void>;
  /**
   * Reads records in a fixed order of their ids, which each store defines. Consumed and expired records are included. A
   * page with fewer records than `limit` is the last one.
   */
  list<K extends RecordKind>(kind: K, options: ListOptions): Promise<readonly ListedRecord<Records[K]>[]>;
  /** Counts the records whose ids begin with `prefix`, consumed and expired ones included. */
  count(kind: RecordKind, prefix: string): Promise<number>;
  /** Removes every record whose `expiresAt` is at or before `now` (milliseconds); returns how many. */
  deleteExpired(now: number): Promise<number>;
  /** Lets go of files and connections; further calls may throw. Closing twice is harmless. */
  close(): Promise<void>;
}
