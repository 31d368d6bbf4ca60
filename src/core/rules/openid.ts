/** Rules of OpenID Connect and bearer tokens. */

import { type Repeated, repeatedMessage } from "./authorize.ts";
import { type ByPolicy, grantRule, type Rule, rule } from "./rule.ts";

/** Why a session cannot be used for a request. */
export type UnusableSession =
  | { readonly problem: "no session" | "prompt=login" | "other user" | "other user approved" }
  | { readonly problem: "too old"; readonly maxAgeSeconds: number }
  | { readonly problem: "unmet demand"; readonly reason: string };

const neededCodes = {
  "user interaction": "interaction_required",
  "a choice": "account_selection_required",
  consent: "consent_required",
} as const;

/** Why a request with `prompt=none` was rejected: it has other values too, no usable session, or needs a page. */
export type SilentLogin =
  | { readonly prompts: readonly string[] }
  | UnusableSession
  | { readonly needs: keyof typeof neededCodes };

export interface OldLogin {
  /** When the user logged in, in milliseconds since the epoch. */
  readonly authTime: number;
  /** The `max_age` that it exceeds; absent if `prompt` asks for a new login. */
  readonly maxAgeSeconds?: number;
}

export interface WrongUser {
  /** Lists of subjects: the subject must be in each of them. */
  readonly demandedSubs: readonly (readonly string[])[];
}

export interface WrongHint {
  /** The client of the ID token; `undefined` if the token cannot be verified. */
  readonly hintedClient: string | undefined;
}

/** The message about such a hint. */
export const wrongHint = "id_token_hint is not an ID token that this server issued to this client";

export interface MissingToken {
  readonly header: "absent" | "of another scheme" | "malformed";
  /** Another place that has a token. */
  readonly place?: "form" | "query";
  /** The length of a token that is too long. */
  readonly tooLong?: number;
  /** The schemes of the tokens that the resource accepts. */
  readonly schemes: readonly string[];
}

/** Why a token is not a valid access token of this server. `unreadable`: unknown, malformed or expired. */
export type AccessTokenProblem =
  | "unreadable"
  | "the client was removed"
  | "the user was removed"
  | "the token was revoked"
  | "its grant was revoked";

export type InvalidToken =
  | { readonly token: string; readonly problem: AccessTokenProblem }
  | { readonly token: string; readonly audience: readonly string[] };

/** By ID, in the order of `tests/rules.md`. */
export const openidRules = {
  "OI-03": rule<SilentLogin>(
    (facts) => "prompts" in facts ? "invalid_request" : "needs" in facts ? neededCodes[facts.needs] : "login_required",
    (facts) =>
      "prompts" in facts
        ? "prompt combines none with another value"
        : `${"needs" in facts ? facts.needs : "login"} is required, but prompt=none forbids it`,
    "OpenID Connect Core §3.1.2.1, §3.1.2.6",
  ),
  "OI-05": rule<{ readonly maxAge: string } | OldLogin>(
    (facts) => "maxAge" in facts ? "invalid_request" : "login_required",
    (facts) =>
      "maxAge" in facts ? "max_age is not a whole number of seconds" : "the login is older than the request allows",
    "OpenID Connect Core §3.1.2.1",
  ),
  "OI-07": rule<WrongHint & { readonly clientId: string }>(
    "invalid_request",
    wrongHint,
    "OpenID Connect Core §3.1.2.1, §3.1.2.2",
  ),
  "OI-08": rule<WrongUser>(
    "access_denied",
    "the user is not the one that the request requires",
    "OpenID Connect Core §5.5",
  ),
  "OI-09": { source: "OpenID Connect Core §11" },
  "LO-05": grantRule("OAuth 2.1 §4.3.3"),
  "LO-06": grantRule("OAuth 2.1 §4.3.1"),
  "BR-01": rule<Repeated | { readonly place: "form" | "query"; readonly isAccepted: boolean } | ByPolicy>(
    "invalid_request",
    (facts) =>
      "repeated" in facts
        ? repeatedMessage(facts)
        : "place" in facts
        ? "the access token was sent in two places"
        : "the access token was sent in the form",
    "OAuth 2.1 §5.1",
  ),
  "BR-02": rule<
    MissingToken | InvalidToken | { readonly scope: string; readonly granted?: string } | { readonly isBound: true }
  >(
    (facts) => "scope" in facts ? "insufficient_scope" : "invalid_token",
    (facts) =>
      "header" in facts
        ? "an access token is required"
        : "token" in facts
        ? "the access token is unknown, expired, revoked, or for another resource"
        : "scope" in facts
        ? "the access token lacks the required scope"
        : "the access token is bound to a key, and this server accepts no proofs",
    "OAuth 2.1 §5.3",
  ),
} as const satisfies Readonly<Record<string, Rule>>;
