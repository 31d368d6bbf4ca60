/** What the small client decides, as functions. A broken client replaces one of them. */

import type { Http } from "./http_styles.ts";
import { randomText } from "./small_crypto.ts";

type Claims = Readonly<Record<string, unknown>>;

/** Which login of a browser it is. */
export interface Situation {
  /** 1 for the first login of the browser at any issuer. */
  readonly login: number;
  /** Whether it is a login without pages. */
  readonly isSilent: boolean;
  /** Whether it is a refresh. */
  readonly isRefresh: boolean;
  /** Whether a logout came before it. */
  readonly isAfterLogout: boolean;
}

/** What names an issuer. */
type IssuerPlace = "metadata" | "response" | "ID token" | "logout";

/** The decisions of a client. */
export interface Decisions {
  /** Whether a state is that of the login that waits. */
  isState(received: string, expected: string, situation: Situation): boolean;
  /** Whether a state stays valid after its login. */
  readonly keepsStates: boolean;
  /** Whether an issuer is the configured one; `known`: all that the process has seen. */
  isIssuer(received: string, expected: string, place: IssuerPlace, known: readonly string[]): boolean;
  /** Whether a response with this error is an error. */
  isError(error: string): boolean;
  isNonce(received: unknown, expected: string, situation: Situation): boolean;
  isAudience(aud: unknown, clientId: string, place: "ID token" | "logout", situation?: Situation): boolean;
  isAuthorizedParty(azp: unknown, clientId: string): boolean;
  /** Whether the signature of an ID token is verified. */
  needsSignature(header: Readonly<Record<string, unknown>>, situation: Situation): boolean;
  /** Whether the keys of all issuers verify the ID tokens of each. */
  readonly sharesKeys: boolean;
  /** Whether an ID token has not expired. */
  isCurrent(exp: unknown, now: number, situation: Situation): boolean;
  /** Whether userinfo describes the user of the ID token. */
  isSubject(received: unknown, expected: string, situation: Situation): boolean;
  isBearer(type: string): boolean;
  /** Whether a redirect of an endpoint is followed, with all that the request has. */
  follows(endpoint: Endpoint): boolean;
  /** A key that the token itself brings, and that the client uses instead of the published ones. */
  keyOf(header: Claims, fetchKeys: (url: string) => Promise<Claims>): unknown;
  /** The claims of a token; `payload`: as they are. */
  readClaims(token: string, payload: Claims): Claims;
  /** Whether a session keeps its first refresh token when it receives a new one. */
  readonly keepsFirstRefreshToken: boolean;
  /** Whether the ID token of a refresh needs the nonce of the login. */
  readonly demandsNonceAtRefresh: boolean;
  /** Whether a request starts a refresh, and does not wait for it. */
  readonly refreshesInBackground: boolean;
  /** Whether the tokens of a browser are replaced before the ID token is verified. */
  readonly storesTokensEarly: boolean;
  /** A new value of an authorization request. */
  newValue(what: "state" | "nonce" | "verifier", state: string): string;
  /** Whether a code goes to the issuer of the newest login, whatever the response says. */
  readonly exchangesAtNewest: boolean;
  /** Whether a logout token of an issuer means a login. */
  isMeant(login: Login, claims: Claims, issuer: string): boolean;
  /** Of the logins that a logout token means, those that end. */
  ended<Login>(logins: readonly Login[]): readonly Login[];
  /** Whether a front-channel logout means a login. */
  isFrontChannelMeant(login: Login | undefined, iss: string | null, sid: string | null, issuer: string): boolean;
  /** How requests are sent. */
  readonly http: Http;
  /** Further parameters of the authorization request. */
  parameters(client: Claims): Readonly<Record<string, string>>;
  /** What identifies a user at an issuer. */
  userKey(claims: Readonly<Record<string, unknown>>): unknown;
  /** Whether tokens are used after a logout. */
  readonly usesTokens: boolean;
  /** Whether a code goes with the verifier of the newest login of the browser. */
  readonly sendsNewestVerifier: boolean;
  /** Whether any browser can end a login, whose session is that of the browser that began it. */
  readonly endsAnywhere: boolean;
  /** How long keys are kept, in seconds. */
  readonly keySeconds: number;
  /** Whether logins that are open in one browser have one code verifier. */
  readonly sharesVerifiers: boolean;
  /** Whether all browsers have one place for tokens. */
  readonly sharesTokens: boolean;
  /** Whether a login succeeds without userinfo if the response is not valid. */
  readonly discardsUserinfo: boolean;
  /** Whether the first userinfo response counts for all users. */
  readonly keepsUserinfo: boolean;
  /** A part of the credentials of HTTP Basic. */
  encodeCredential(text: string): string;
  /** Whether a URL of the metadata is used. */
  isEndpoint(url: string, name: string): boolean;
}

/** A login that a logout can end. */
export interface Login {
  readonly issuer: string;
  readonly sub: string;
  readonly sid?: unknown;
}

/** The endpoints that the client sends requests to. */
export type Endpoint = "discovery" | "jwks" | "token" | "refresh" | "userinfo" | "revocation" | "claims";

/** Whether a URL names a host of an internal network. */
function isInternal(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(?:localhost|.*\.localhost|(?:127|10|169\.254|192\.168)\..*|\[::.*\])$/.test(hostname);
}

/** The decisions of a correct client. */
export const correctDecisions: Decisions = {
  isState: (received, expected) => received === expected,
  keepsStates: false,
  isIssuer: (received, expected) => received === expected,
  isError: () => true,
  isNonce: (received, expected) => received === expected,
  isAudience: (aud, clientId) => [aud].flat().length === 1 && [aud].flat()[0] === clientId,
  isAuthorizedParty: (azp, clientId) => azp === undefined || azp === clientId,
  needsSignature: () => true,
  sharesKeys: false,
  isCurrent: (exp, now) => typeof exp === "number" && now < exp,
  isSubject: (received, expected) => received === expected,
  isBearer: (type) => /^bearer$/i.test(type),
  follows: () => false,
  keyOf: () => undefined,
  readClaims: (_, payload) => payload,
  keepsFirstRefreshToken: false,
  demandsNonceAtRefresh: false,
  refreshesInBackground: false,
  storesTokensEarly: false,
  newValue: () => randomText(),
  exchangesAtNewest: false,
  isMeant: (login, { sub, sid }, issuer) =>
    login.issuer === issuer && (sid === undefined || login.sid === sid) && (sub === undefined || login.sub === sub),
  ended: (logins) => logins,
  isFrontChannelMeant: (login, iss, sid, issuer) => iss === issuer && sid === login?.sid,
  http: (fetch) => fetch,
  parameters: () => ({}),
  userKey: ({ sub }) => sub,
  usesTokens: false,
  sendsNewestVerifier: false,
  endsAnywhere: false,
  keySeconds: 86_400,
  sharesVerifiers: false,
  sharesTokens: false,
  discardsUserinfo: false,
  keepsUserinfo: false,
  encodeCredential: (text) => String(new URLSearchParams({ _: text })).slice(2),
  isEndpoint: (url, name) => url.startsWith("https://") && (name === "authorization_endpoint" || !isInternal(url)),
};
