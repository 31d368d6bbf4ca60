/** Legal styles of clients: what specifications leave to a client. */

import type { Style } from "./style.ts";

const oauthScope = "profile offline_access";

/** Styles that one client has together. Each is legal, by the named specification if another reader may doubt it. */
export const legalStyles: Readonly<Record<string, Style>> = {
  "every protection": {},
  "PKCE and nonce without state (RFC 9700 §2.1)": { state: false },
  "PKCE without state and nonce (RFC 9700 §2.1); no refresh": { state: false, nonce: false, refresh: false },
  "no nonce (OpenID Connect Core §3.1.2.1); metadata of RFC 8414; no text of the user": {
    ...{ nonce: false, metadata: "RFC 8414", currentUser: false },
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
