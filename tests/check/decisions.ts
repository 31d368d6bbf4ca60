/** What the small client decides, as functions. A broken client replaces one of them. */

import { isInternal } from "./limits.ts";

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
type IssuerPlace = "metadata" | "response" | "ID token" | "initiated login" | "logout";

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
  /** The code of a response, as it goes to the token endpoint. */
  readCode(code: string): string;
  isNonce(received: unknown, expected: string, situation: Situation): boolean;
  isAudience(aud: unknown, clientId: string, place: "ID token" | "logout"): boolean;
  isAuthorizedParty(azp: unknown, clientId: string): boolean;
  /** Whether the signature of an ID token is verified. */
  needsSignature(header: Readonly<Record<string, unknown>>, situation: Situation): boolean;
  /** Whether the keys of all issuers verify the ID tokens of each. */
  readonly sharesKeys: boolean;
  /** Whether an ID token has not expired. */
  isCurrent(exp: unknown, now: number, situation: Situation): boolean;
  /** Whether userinfo describes the user of the ID token. */
  isSubject(received: unknown, expected: string, situation: Situation): boolean;
  /** Whether a response with this status is a success. */
  isSuccess(status: number, endpoint: Endpoint): boolean;
  isBearer(type: string): boolean;
  /** Whether a redirect of an endpoint is followed, with all that the request has. */
  follows(endpoint: Endpoint): boolean;
  /** What identifies a user at an issuer. */
  userKey(claims: Readonly<Record<string, unknown>>): unknown;
  /** Whether the browser may go to a URL after the login. */
  isOwnTarget(target: string, origin: string): boolean;
  /** Whether tokens are used after a logout by the user, or by a logout token. */
  usesTokens(after: "logout" | "logout token"): boolean;
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

/** The endpoints that the client sends requests to. */
export type Endpoint = "discovery" | "jwks" | "token" | "refresh" | "userinfo" | "revocation" | "claims";

/** The decisions of a correct client. */
export const correctDecisions: Decisions = {
  isState: (received, expected) => received === expected,
  keepsStates: false,
  isIssuer: (received, expected) => received === expected,
  isError: () => true,
  readCode: (code) => code,
  isNonce: (received, expected) => received === expected,
  isAudience: (aud, clientId) => [aud].flat().length === 1 && [aud].flat()[0] === clientId,
  isAuthorizedParty: (azp, clientId) => azp === undefined || azp === clientId,
  needsSignature: () => true,
  sharesKeys: false,
  isCurrent: (exp, now) => typeof exp === "number" && now < exp,
  isSubject: (received, expected) => received === expected,
  isSuccess: (status) => status === 200,
  isBearer: (type) => /^bearer$/i.test(type),
  follows: () => false,
  userKey: ({ sub }) => sub,
  isOwnTarget: (target, origin) => URL.canParse(target) && new URL(target).origin === origin,
  usesTokens: () => false,
  sharesVerifiers: false,
  sharesTokens: false,
  discardsUserinfo: false,
  keepsUserinfo: false,
  encodeCredential: (text) => String(new URLSearchParams({ _: text })).slice(2),
  isEndpoint: (url, name) => url.startsWith("https://") && (name === "authorization_endpoint" || !isInternal(url)),
};
