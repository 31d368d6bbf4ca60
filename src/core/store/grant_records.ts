/** The records of grants, which users gave to clients. Types only. Times are in milliseconds since the epoch. */

/** @internal Names of requested claims, by the place where they are returned (OpenID Connect Core §5.5). */
export interface RequestedClaims {
  /** In the response of the userinfo endpoint. */
  readonly userinfo: readonly string[];
  /** In the ID token. */
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
  /** Authorization details (RFC 9396). */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
}

/**
 * The access that a user granted to a client. The code, the decision about a device, and each refresh token contain the
 * whole grant.
 *
 * @internal
 */
export interface Grant extends FurtherAccess {
  /** The client. */
  readonly clientId: string;
  /**
   * The generation of the client. If it differs now, the client was removed, and another one with the same id was
   * added. Absent for a configured client that was never removed, and for one that is not registered.
   */
  readonly clientGeneration?: string;
  /** The user, and the login in which they approved. */
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
  /** When the user approved. */
  readonly approvedAt: number;
}

/** @internal A record that gives a client the access of a grant. */
export interface GrantRecord {
  /** The grant. */
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
