/** The records that a server stores. Types only. Times are in milliseconds since the epoch. */

import type { WithExtensions } from "../slot.ts";

/**
 * The user of a grant, and their login (OpenID Connect Core §2), with what extensions know of the login. A session, a
 * grant and its tokens contain the whole subject.
 */
export interface Subject extends WithExtensions {
  /** The user's subject on this server; a pairwise client gets another subject. */
  readonly sub: string;
  /** When the user was authenticated, in milliseconds since the epoch; absent if an assertion does not contain it. */
  readonly authTime?: number;
  /**
   * The session of the login; absent if the user has not logged in at this server; such a grant has no refresh token.
   */
  readonly sid?: string;
}

/**
 * The access that a user granted to a client. The code and each refresh token contain the whole grant.
 *
 * @internal
 */
export interface Grant extends WithExtensions {
  readonly clientId: string;
  readonly subject: Subject;
  /** The granted scope; an access token may have less. */
  readonly scope: readonly string[];
  /** The consent that the grant depends on, revoked like a grant; absent if the user was not asked for consent. */
  readonly consent?: string;
  readonly approvedAt: number;
}

/** @internal A record that gives a client the access of a grant. */
export interface GrantRecord extends WithExtensions {
  readonly grant: Grant;
  /** The OpenID Connect nonce for the ID token; absent if none was sent. */
  readonly nonce?: string;
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

/** @internal A secret of the server itself, such as the key of the MAC in session cookies. */
export interface ServerSecretRecord {
  /** 43 URL-safe characters. */
  readonly secret: string;
}

/** @internal A signing key as a JWK. Only `longest` changes later: it increases. */
export interface KeyRecord {
  /** The key ID: the RFC 7638 thumbprint, unless the program chose another one. */
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

/** Marks a grant with everything that was issued for it, a session, or a token as revoked. */
export interface RevocationRecord {
  /** Why, for explanations. */
  readonly reason?: string;
  /** When, in milliseconds since the epoch. */
  readonly at?: number;
}

/** The kinds of records of the core. A store accepts any other kind too. */
export interface Records {
  /** Authorization codes, by the digest of the code. */
  code: CodeRecord;
  /** Signing keys, by algorithm and number. */
  key: KeyRecord;
  /** Refresh tokens, by the digest of the token. */
  refresh_token: RefreshTokenRecord;
  /** The server's own secrets, by purpose. */
  server_secret: ServerSecretRecord;
  /** The marks of {@link Store.revoke}, by the id that was revoked. */
  revocation: RevocationRecord;
  /** Records of the whole server and of extensions. */
  [kind: string]: object;
}

/** The name of a kind of record. */
export type RecordKind = keyof Records & string;
