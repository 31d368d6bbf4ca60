/** The records that a server stores. Types only. Times are in milliseconds since the epoch. */

/** @internal Names of requested claims, by the place where they are returned (OpenID Connect Core §5.5). */
export interface RequestedClaims {
  readonly userinfo: readonly string[];
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

/** One object of `authorization_details` (RFC 9396 §2): its other members are the fields of its type. */
export interface AuthorizationDetail extends Readonly<Record<string, unknown>> {
  /** The type, which the server configures. */
  readonly type: string;
}

/**
 * The user of a grant, and their login (OpenID Connect Core §2). A session, a grant and its tokens contain the whole
 * subject.
 */
export interface Subject {
  /** The user's subject on this server; a pairwise client gets another subject. */
  readonly sub: string;
  /** When the user was authenticated, in milliseconds since the epoch; absent if an assertion does not contain it. */
  readonly authTime?: number;
  /** The level of authentication that the login reached (`acr`); absent without one. */
  readonly acr?: string;
  /** The methods of the login (`amr`, RFC 8176); absent if they are not known. */
  readonly amr?: readonly string[];
  /**
   * The session of the login; absent if the user has not logged in at this server; such a grant has no refresh token.
   */
  readonly sid?: string;
}

/** @internal Access besides scope and resources. A member is absent if there is no such access. */
export interface FurtherAccess {
  readonly authorizationDetails?: readonly AuthorizationDetail[];
}

/**
 * The access that a user granted to a client. The code, the decision about a device, and each refresh token contain the
 * whole grant.
 *
 * @internal
 */
export interface Grant extends FurtherAccess {
  readonly clientId: string;
  /**
   * The generation of the client. If it differs now, the client was removed, and another one with the same id was
   * added. Absent for a configured client that was never removed, and for one that is not registered.
   */
  readonly clientGeneration?: string;
  readonly subject: Subject;
  /** The granted scope; an access token may have less. */
  readonly scope: readonly string[];
  /** The granted resources (RFC 8707); empty: the server's default audience. */
  readonly resources: readonly string[];
  /** The claims requested by name (OpenID Connect Core §5.5); absent if none were. */
  readonly claims?: RequestedClaims;
  /** The consent that the grant depends on, revoked like a grant; absent if the user was not asked for consent. */
  readonly consent?: string;
  /**
   * A fingerprint of the user's password at login; if it differs now, the session has ended. Absent if the user had no
   * password.
   */
  readonly password?: string;
  /**
   * The generation of the user. If it differs now, the user was removed, and another one with the same subject was
   * added. Absent for a configured user who was never removed.
   */
  readonly generation?: string;
  readonly approvedAt: number;
}

/** @internal A record that gives a client the access of a grant. */
export interface GrantRecord {
  readonly grant: Grant;
  /** The OpenID Connect nonce for the ID token; absent if none was sent. */
  readonly nonce?: string;
  /** The thumbprint of the key that must be proven (RFC 9449 §5, §10); absent if the record is not bound to a key. */
  readonly dpopJkt?: string;
}

/** @internal An authorization code, stored under the digest of its value (OAuth 2.1 §4.1.2). */
export interface CodeRecord extends GrantRecord {
  /** The redirect URI that the code was sent to, exactly as requested. */
  readonly redirectUri: string;
  /** The S256 code challenge; absent if none was sent. */
  readonly codeChallenge?: string;
  /** When it expires; checked by the server, not by the store. */
  readonly validUntil: number;
}

/** @internal A refresh token, stored under the digest of its value (OAuth 2.1 §4.3). */
export interface RefreshTokenRecord extends GrantRecord {
  /** A random value. A repeated request within the grace period derives the same successor from it and the token. */
  readonly salt: string;
  /** When the token expires if it is not used. */
  readonly validUntil: number;
  /** When the token expires even if it is used; the same for all refresh tokens of a grant. */
  readonly endsAt: number;
}

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

/** @internal Marks a pending authorization request as finished; the request itself is stored in the browser. */
export interface InteractionRecord {
  readonly at: number;
}

/** @internal The users who logged in recently in one browser. */
export interface BrowserRecord {
  /** Subjects, the latest first. */
  readonly recent: readonly string[];
}

/** @internal A client that got an ID token in a session, and has a logout URI. Consumed: the session has ended. */
export interface SessionClientRecord {
  readonly clientId: string;
  readonly sub: string;
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

/** @internal A stream of security events to a client. */
export interface EventStreamRecord {
  /** The client that created it and receives its events. */
  readonly clientId: string;
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

/** @internal A subject that a client added to a stream, or removed from it. */
export interface StreamSubjectRecord {
  /** False: it was removed. */
  readonly isAdded: boolean;
}

/** @internal A security event that a stream has not delivered yet. Consumed: a process posts it. */
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

/** Marks a grant with everything that was issued for it, a session, or a token as revoked. */
export interface RevocationRecord {
  /** Why, for explanations. */
  readonly reason?: string;
  /** When, in milliseconds since the epoch. */
  readonly at?: number;
}

/** Every kind of record. A new kind is one line here, and no change to any store. */
export interface Records {
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
  /**
   * Requests whose results clients poll for, by a digest of the user code or of the user.
   * Consumed: the tokens were issued.
   */
  polled_request: PolledRequestRecord;
  /** Users' decisions about these requests, by the same id: the grant; absent if the user denied. */
  polled_decision: { readonly grant?: Grant };
  /**
   * The paces of polls, by the same id: when the next poll is allowed, and the seconds between two polls. A copy under
   * the id and a time marks that the poll at that time was made.
   */
  poll_pace: { readonly notBefore: number; readonly interval: number };
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
  used_identifier: Readonly<Record<string, never>>;
  /** The server's own secrets, by purpose. */
  server_secret: ServerSecretRecord;
  /** The marks of {@link Store.revoke}, by the id that was revoked. */
  revocation: RevocationRecord;
}

/** The name of a kind of record. */
export type RecordKind = keyof Records;
