/** Rules of backchannel authentication (CIBA). */

import { rejectBy } from "../../../core/rules/reject.ts";
import { type ExtensionErrorCode, type Rule, rule } from "../../../core/rules/rule.ts";
import { polledRules } from "../polled/rules.ts";

/** OpenID Connect CIBA §13. */
const unknownUserId = "unknown_user_id" as ExtensionErrorCode;
const invalidBindingMessage = "invalid_binding_message" as ExtensionErrorCode;

/** A request that is signed, or that does not ask for an ID token. */
export type UnsupportedRequest =
  | { readonly problem: "signed" }
  | { readonly problem: "no openid"; readonly scope: string | undefined };

/** A request whose hints are too many, too few or not supported. */
export interface WrongHints {
  /** The names of the hints. */
  readonly sent: readonly string[];
}

/** A `client_notification_token` that is missing or malformed. */
export interface WrongNotificationToken {
  readonly clientId: string;
  /** Its length; absent if there is no token. */
  readonly length?: number;
}

/** A hint that names no user, or a user for whom too many requests wait. */
export type UnreachableUser =
  | { readonly problem: "unknown"; readonly hint: string; readonly loginHint: string }
  | { readonly problem: "busy"; readonly maxRequests: number };

/** Whether the only hint of a request is of a kind that is not supported. */
export function isUnsupportedHint({ sent }: WrongHints): boolean {
  return sent.length === 1;
}

/** By ID, in the order of `tests/rules.md`. */
export const cibaRules = {
  "CB-01": rule<UnsupportedRequest>(
    ({ problem }) => problem === "signed" ? "request_not_supported" : "invalid_scope",
    ({ problem }) =>
      problem === "signed"
        ? "signed backchannel authentication requests are not supported"
        : "scope does not contain openid",
    "OpenID Connect CIBA §7.1, §7.3",
  ),
  "CB-02": rule<WrongHints>(
    "invalid_request",
    (facts) =>
      isUnsupportedHint(facts) ? "login_hint_token is not supported" : "the request must have exactly one hint",
    "OpenID Connect CIBA §7.1",
  ),
  "CB-03": polledRules["CB-03"],
  "CB-04": polledRules["CB-04"],
  "CB-05": polledRules["CB-05"],
  "CB-06": { source: "OpenID Connect CIBA §8; RFC 10027 §6.1.14" },
  "CB-07": polledRules["CB-07"],
  "CB-08": rule<{ readonly length: number }>(
    invalidBindingMessage,
    "binding_message cannot be shown",
    "OpenID Connect CIBA §7.1, §13",
  ),
  "CB-09": rule<{ readonly requested: string }>(
    "invalid_request",
    "requested_expiry is not a positive whole number of seconds",
    "OpenID Connect CIBA §7.1",
  ),
  "CB-10": rule<UnreachableUser>(
    ({ problem }) => problem === "busy" ? "temporarily_unavailable" : unknownUserId,
    (facts) => facts.problem === "busy" ? "too many requests for this user" : `${facts.hint} names no user`,
    "OpenID Connect CIBA §13; RFC 10027 §6.1.11",
  ),
  "CB-12": rule<WrongNotificationToken>(
    "invalid_request",
    ({ length }) => `client_notification_token is ${length === undefined ? "missing" : "invalid"}`,
    "OpenID Connect CIBA §4, §7.1, §10.2",
  ),
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of backchannel authentication. */
export const reject = rejectBy(cibaRules);
