/** Legal styles of clients: what specifications leave to a client. */

/** What the client does in its own way. */
export interface Style {
  /** Sends no `state`: one login is open in a browser, and PKCE binds the code (RFC 9700 §2.1). */
  readonly state?: false;
  /** Sends no `nonce`. */
  readonly nonce?: false;
  /** Sends no code challenge: for confidential clients with a nonce (RFC 9700 §2.1.1). */
  readonly pkce?: false;
  /** Default: `openid profile email offline_access`. */
  readonly scope?: string;
  /** Default: `query`, which is not sent. */
  readonly responseMode?: "jwt" | "form_post";
  readonly par?: true;
  readonly dpop?: true;
  /** Default: a public client. */
  readonly authentication?: "client_secret_basic" | "client_secret_post" | "private_key_jwt";
  /** The audience of assertions. Default: the issuer. */
  readonly assertionFor?: "token endpoint";
  /** Registers itself at its first login at an issuer. */
  readonly registers?: true;
  /** Tries a login without pages first. */
  readonly silentFirst?: true;
  /** The shortest time between two fetches of the keys, in seconds. Default: 60. */
  readonly keyCooldown?: number;
  /** How far times may differ from the clock, in seconds. Default: 0. */
  readonly tolerance?: number;
  /** Whether the ID token has an effect. Without one, userinfo names the user. Default: true. */
  readonly idToken?: false;
  /** Default: a response that is invalid or about another user fails the login. */
  readonly userinfo?: "none" | "discarded";
  /** Accepts a known second audience. */
  readonly audiences?: "any with azp";
  /** Keeps nothing of an issuer between logins. */
  readonly cache?: false;
  /** Whether the session has a refresh. Default: true. */
  readonly refresh?: false;
  /** The session hides who is logged in. */
  readonly currentUser?: false;
  /** Fetches metadata by RFC 8414. Default: by OpenID Connect Discovery. */
  readonly oauthMetadata?: true;
  readonly secondRedirectUri?: true;
  /** Skips the signature of ID tokens from the token endpoint (OpenID Connect Core §3.1.3.7). */
  readonly signature?: false;
  /** Sends `max_age`. */
  readonly maxAge?: number;
}

const oauthScope = "profile offline_access";

/** Styles that one client has together. Each is legal, by the named specification if another reader may doubt it. */
export const legalStyles: Readonly<Record<string, Style>> = {
  "every protection": {},
  "PKCE and nonce without state (RFC 9700 §2.1); two redirect URIs": { state: false, secondRedirectUri: true },
  "PKCE without state and nonce (RFC 9700 §2.1); no refresh": { state: false, nonce: false, refresh: false },
  "no nonce (OpenID Connect Core §3.1.2.1); metadata of RFC 8414; no text of the user": {
    ...{ nonce: false, oauthMetadata: true, currentUser: false },
  },
  "client_secret_basic and nonce without PKCE (RFC 9700 §2.1.1); keeps no metadata and keys": {
    ...{ authentication: "client_secret_basic", pkce: false, cache: false },
  },
  "client_secret_post and nonce without PKCE and state; skips signatures (OpenID Connect Core §3.1.3.7)": {
    ...{ authentication: "client_secret_post", pkce: false, state: false, signature: false },
  },
  "signed responses (JARM); assertions for the issuer": { responseMode: "jwt", authentication: "private_key_jwt" },
  "signed responses without state (JARM); pushed requests (RFC 9126)": { responseMode: "jwt", state: false, par: true },
  "form_post; pushed requests with client_secret_basic": {
    ...{ responseMode: "form_post", par: true, authentication: "client_secret_basic" },
  },
  "DPoP (RFC 9449); max_age": { dpop: true, maxAge: 36_000 },
  "DPoP, pushed requests, signed responses, assertions, no openid (FAPI 2.0)": {
    ...{ dpop: true, par: true, responseMode: "jwt", authentication: "private_key_jwt", scope: oauthScope },
  },
  "assertions for the token endpoint (RFC 7523 §3); five minutes of clock tolerance": {
    ...{ authentication: "private_key_jwt", assertionFor: "token endpoint", tolerance: 300 },
  },
  "registers itself (RFC 7591); a second audience with azp (OpenID Connect Core §3.1.3.7)": {
    ...{ registers: true, audiences: "any with azp" },
  },
  "a login without pages first": { silentFirst: true },
  "a login without pages first, without state; no userinfo": { silentFirst: true, state: false, userinfo: "none" },
  "fetches keys at most once in five minutes": { keyCooldown: 300 },
  "no use of the ID token": { idToken: false },
  "discards userinfo that is not valid (OpenID Connect Core §5.3.2)": { userinfo: "discarded" },
  "no openid, no state": { scope: oauthScope, state: false },
};
