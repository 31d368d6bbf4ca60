/** What specifications leave to a client. */

import type { ClientJourney } from "../../src/check/mod.ts";
import type { Fetch } from "../../src/testing/fetch.ts";

/** A mistake about an extension. */
export type ExtensionMistake =
  | "sends the request plainly when the push fails"
  | "sends the request unsigned when it is rejected"
  | "does not verify signed responses"
  | "accepts plain responses"
  | "repeats without a limit"
  | "has one nonce for all servers"
  | "does not read nonces"
  | "believes any registration"
  | "never registers again";

/** What a client does in its own way. Each member is legal, by the named specification if a reader may doubt it. */
export interface Style {
  // The authorization request.
  /** Sends no `state`: one login is open in a browser, and PKCE binds the code (RFC 9700 §2.1). */
  readonly state?: false;
  /** Sends no `nonce`. */
  readonly nonce?: false;
  /** Sends no code challenge: for confidential clients with a nonce (RFC 9700 §2.1.1). */
  readonly pkce?: false;
  /** Default: `openid profile email offline_access`. */
  readonly scope?: string;
  /** Default: `query`, which is not sent. */
  readonly responseMode?: "query" | "fragment" | "fragment.jwt" | "jwt" | "form_post" | "form_post.jwt";
  readonly par?: true;
  /** Signs the authorization request (RFC 9101). */
  readonly jar?: true;
  readonly dpop?: true;
  /** Sends `max_age`. */
  readonly maxAge?: number;
  /** Further parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Makes `state`, `nonce` and verifier of one random text. Default: each is random. */
  readonly values?: (
    random: string,
  ) => { readonly state?: string; readonly nonce?: string; readonly verifier?: string };
  /** Tries a login without pages first. */
  readonly silentFirst?: true;
  /** How many more logins it starts by itself after one that fails. Default: 0. */
  readonly restarts?: number;

  /** What it does wrong. Default: nothing. */
  readonly mistake?: ExtensionMistake;

  // The authorization response.
  /** Whether one login is open in a browser, the newest. Default: any number. */
  readonly oneLogin?: true;
  /** Whether a login stays open until it succeeds; PKCE binds the code. Default: the first response ends it. */
  readonly staysOpen?: true;
  /** Reads `error` before it compares `state`. */
  readonly errorFirst?: true;
  /** How long a login stays open, in seconds. Default: for ever. */
  readonly loginSeconds?: number;
  /** A browser that is logged in gets its session, and no second login. */
  readonly keepsSession?: true;

  // The token request.
  /** Default: a public client. */
  readonly authentication?: "client_secret_basic" | "client_secret_post" | "client_secret_jwt" | "private_key_jwt";
  /** The audience of assertions. Default: the issuer. */
  readonly assertionFor?: "token endpoint";
  /** Registers itself at its first login at an issuer. */
  readonly registers?: true;
  /** Further members of the registration. */
  readonly client?: Readonly<Record<string, unknown>>;

  // Metadata and keys.
  /** Fetches metadata by RFC 8414. Default: by OpenID Connect Discovery. `configured`: none. */
  readonly metadata?: "RFC 8414" | "configured";
  /** How long it keeps metadata, in seconds. Default: 3600. */
  readonly metadataSeconds?: number;
  /** Keeps nothing of an issuer between logins. */
  readonly cache?: false;
  /** How long it keeps keys, in seconds. Default: for ever. */
  readonly keySeconds?: number;
  /** The shortest time between two fetches of the keys, in seconds. Default: 60. */
  readonly keyCooldown?: number;
  /** Keeps the keys that it has if it cannot fetch others. */
  readonly keepsKeys?: true;

  // The ID token.
  /** Whether the ID token has an effect. Without one, userinfo names the user. Default: true. */
  readonly idToken?: false;
  /** Skips the signature of ID tokens from the token endpoint (OpenID Connect Core §3.1.3.7). */
  readonly signature?: false;
  /** How far times may differ from the clock, in seconds. Default: 0. */
  readonly tolerance?: number;
  /** The age at which an ID token is too old, in seconds (OpenID Connect Core §3.1.3.7). Default: any. */
  readonly idTokenSeconds?: number;
  /** The `typ` that an ID token must have, if it has one. Default: any. */
  readonly typ?: "JWT";
  /** Accepts a known second audience. */
  readonly audiences?: "any with azp";
  /** Verifies `at_hash`. Default: it has no effect. */
  readonly atHash?: true;
  /** Accepts the algorithms of the keys (RFC 8725 §3.1). Default: the registered one. */
  readonly algorithms?: readonly string[];

  // Users and sessions.
  /** Default: a response that is invalid or about another user fails the login. */
  readonly userinfo?: "none" | "discarded";
  /** The application's name of a user. Default: `sub`. */
  readonly user?: (sub: string, issuer: string) => string;
  /** Whether the session has a refresh. Default: true. */
  readonly refresh?: false;
  /** Sends `scope` in refreshes. */
  readonly refreshScope?: true;
  /** Whether the session requests userinfo; `ahead`: it refreshes a minute before the expiry. Default: no requests. */
  readonly requests?: "ahead" | "after 401";
  /** Whether the session logs in again without pages. */
  readonly silent?: true;
  /** How the session ends. Default: it has no logout. */
  readonly logout?: "local" | "RP-initiated" | "revocation";
  /** How the application receives logout tokens. Default: it does not. */
  readonly logoutTokens?: "with sid" | "with sub";
  /** The session hides who is logged in. */
  readonly currentUser?: false;
  /** The driver does not read the clock of the check. */
  readonly clock?: false;
  /** The driver does not age the data that it keeps. */
  readonly ages?: false;

  // HTTP.
  /** How it sends requests. Default: as the journey does. */
  readonly http?: (fetch: Fetch, journey: ClientJourney) => Fetch;
}
