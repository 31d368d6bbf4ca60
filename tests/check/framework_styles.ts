/** Legal styles that come from the practices of frameworks and the defaults of libraries. */

import {
  all,
  demandsJson,
  followsGets,
  limitsBodies,
  lowerCaseScheme,
  rests,
  retriesGets,
  sendsFields,
} from "./http_styles.ts";
import type { Style } from "./style.ts";

const hour = 3600;
const day = 24 * hour;
const web = { authentication: "client_secret_basic" } as const;
const postingWeb = { authentication: "client_secret_post" } as const;
const assertions = { authentication: "private_key_jwt" } as const;
const session = { requests: "after 401", silent: true, logout: "RP-initiated" } as const;
const everyAlgorithm = ["EdDSA", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"];
const oauthOnly = "profile offline_access";

/** The styles. Each is one client: what its framework does by default, or is often configured to do. */
export const frameworkStyles: Readonly<Record<string, Style>> = {
  // Web frameworks.
  "a login per session, a minute of tolerance, keys for five minutes": {
    ...{ ...web, pkce: false, oneLogin: true, tolerance: 60, keySeconds: 300, http: sendsFields },
  },
  "an error is read before state; one login per session; userinfo alone": {
    ...{ ...web, errorFirst: true, oneLogin: true, idToken: false, nonce: false, http: retriesGets },
  },
  "OAuth alone, without nonce and ID token; the server configured by endpoints": {
    ...{ ...postingWeb, metadata: "configured", scope: oauthOnly, refresh: false },
  },
  "users named by issuer and sub; metadata kept for a day": {
    ...{ ...postingWeb, user: (sub, issuer) => `${issuer}|${sub}`, metadataSeconds: day },
  },
  "form_post, five minutes of tolerance, keys and metadata for a day, fetched again immediately for an unknown key": {
    ...{ ...postingWeb, responseMode: "form_post", tolerance: 300, metadataSeconds: day, keySeconds: day },
    keyCooldown: 0,
  },
  "form_post with state and nonce alike": {
    ...{ ...web, responseMode: "form_post", values: (random) => ({ state: random, nonce: random }) },
  },
  "a verifier that is derived of state by a secret of the application": {
    ...web,
    values: (random) => ({ state: random.slice(0, 22), verifier: `${random}-application` }),
  },
  "state is the address to return to, and a random part": {
    values: (random) => ({ state: btoa(JSON.stringify({ next: "/account?tab=1", csrf: random })) }),
  },
  "a cookie holds state, nonce and verifier until the next login": { staysOpen: true, oneLogin: true, ...session },
  "who is logged in gets the session, and no second login": { keepsSession: true, requests: "after 401" },
  // Proxies.
  "a proxy: starts one more login after one that fails": { ...web, restarts: 1, http: sendsFields },
  "a proxy: a login open for five minutes, keys kept for an hour, refreshed a minute before the expiry": {
    ...{ ...web, loginSeconds: 300, keySeconds: hour, requests: "ahead", atHash: true },
  },
  "a proxy that asks for consent, and follows redirects of documents": {
    ...{ ...web, parameters: { prompt: "consent", access_type: "offline" }, http: followsGets },
  },
  "a proxy that shows no user, and has no refresh": { ...web, currentUser: false, refresh: false, userinfo: "none" },
  // Pages and desktop programs.
  "a page: fragment, logins without pages, keys of the hour": {
    ...{ responseMode: "fragment.jwt", silent: true, keySeconds: hour, logout: "RP-initiated" },
  },
  "a page: fragment, select_account, a day of metadata": {
    ...{ responseMode: "fragment.jwt", parameters: { prompt: "select_account" }, metadataSeconds: day, clock: false },
  },
  "a page without state: fragment, PKCE and nonce": { responseMode: "fragment.jwt", state: false, silent: true },
  "a desktop program: query named, login hint, no clock, no ages": {
    ...{ responseMode: "query", parameters: { login_hint: "alice", ui_locales: "de en" }, clock: false, ages: false },
  },
  "a phone: the browser's session, prompt login, an ID token of ten minutes at most": {
    ...{ parameters: { prompt: "login" }, idTokenSeconds: 600, tolerance: 30 },
  },
  "a page: fragment, no refresh": { responseMode: "fragment", refresh: false, silent: true },
  "a command line: a redirect URI with a scheme of its own (RFC 8252 §7.1)": {
    client: { redirect_uri: "com.example.tool:/callback" },
  },
  "a command line: the IPv6 loopback address (RFC 8252 §7.3), no refresh, no userinfo": {
    ...{ client: { redirect_uri: "http://[::1]:51004/oauth2redirect" }, refresh: false, userinfo: "none" },
  },
  "single claims, and in which languages (OpenID Connect Core §5.5)": {
    parameters: {
      claims: JSON.stringify({ id_token: { name: null }, userinfo: { email: { essential: false } } }),
      ...{ ui_locales: "de en", display: "page" },
    },
  },
  // Libraries.
  "every asymmetric algorithm of the keys (RFC 8725 §3.1)": { algorithms: everyAlgorithm, ...session },
  "typ JWT or none, at_hash compared, a second audience with azp": {
    ...{ typ: "JWT", atHash: true, audiences: "any with azp", tolerance: 10 },
  },
  "JSON by its media type, bodies of 64 KiB at most": { http: all(demandsJson, limitsBodies), ...session },
  "credentials with a scheme in lower case (RFC 9110 §11.1)": { ...web, http: lowerCaseScheme, requests: "after 401" },
  "a rest after Retry-After": { http: rests, requests: "after 401" },
  "nothing kept; documents fetched three times, redirects of documents followed": {
    ...{ cache: false, http: all(followsGets, retriesGets) },
  },
  "keys kept when others cannot be fetched; fetched once in ten minutes": {
    ...{ keepsKeys: true, keyCooldown: 600, keySeconds: hour },
  },
  "scope in refreshes (RFC 6749 §6), refreshed ahead": { refreshScope: true, requests: "ahead" },
  "assertions by the secret (OpenID Connect Core §9)": { authentication: "client_secret_jwt" },
  // Profiles.
  "silent first through pushed requests": { silentFirst: true, par: true, ...web },
  "silent first through signed requests": { silentFirst: true, jar: true },
  "silent first with signed responses": { silentFirst: true, responseMode: "jwt", ...assertions },
  "signed requests that are pushed, DPoP, assertions": { jar: true, par: true, dpop: true, ...assertions },
  "signed responses by POST": { responseMode: "form_post.jwt", ...assertions, assertionFor: "token endpoint" },
  // Logout.
  "logout tokens with sid (Back-Channel Logout §2.4); users of the session": {
    ...{ ...web, logoutTokens: "with sid", requests: "after 401", logout: "local" },
  },
  "logout tokens with sub (Back-Channel Logout §2.4); one login per session": {
    ...{ ...web, logoutTokens: "with sub", oneLogin: true, logout: "revocation" },
  },
  "local logout; max_age; silent renewal without state": { state: false, silent: true, logout: "local", maxAge: hour },
};
