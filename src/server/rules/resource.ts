/** Rules of protected resources: metadata and challenges (RFC 9728), access tokens. */

import type { MissingToken } from "../../core/rules/openid.ts";
import { type Rule, rule } from "../../core/rules/rule.ts";

/** Facts about a claim of an access token with another value than the resource requires. */
interface WrongClaim {
  readonly claim: "iss" | "exp" | "nbf";
  /** The issuer, or the time of the resource in seconds since the epoch. */
  readonly required: string | number;
  /** The value, as text. */
  readonly received: string;
}

/** Facts about a JWT that is no access token of the authorization server. */
interface InvalidJwt {
  /** The `typ` that the resource accepts besides `at+jwt`, or `none`. */
  readonly typ: string;
  readonly jwt: string;
  readonly isOtherType: boolean;
}

const wrongClaims = {
  iss: "the access token was issued by another authorization server",
  exp: "the access token has expired",
  nbf: "the access token is not valid yet",
};

/** Facts about an access token whose login is not strong or recent enough. */
interface WeakLogin {
  readonly acrValues?: readonly string[];
  readonly maxAgeSeconds?: number;
  readonly acr?: string;
  /** Seconds since the login; absent if the token does not name its time. */
  readonly ageSeconds?: number;
}

/** By ID, in the order of `tests/rules.md`. */
export const resourceRules = {
  "PR-08": rule<MissingToken | WrongClaim | InvalidJwt | { readonly isInactive: true }>(
    "invalid_token",
    (facts) =>
      "header" in facts
        ? "an access token is required"
        : "claim" in facts
        ? wrongClaims[facts.claim]
        : "jwt" in facts
        ? "the access token is not one of the authorization server"
        : "the access token is unknown, expired or revoked",
    "OAuth 2.1 §5.3; RFC 9068 §4",
  ),
  "PR-10": rule<{ readonly scope: readonly string[]; readonly granted: string }>(
    "insufficient_scope",
    "the access token lacks scope that this operation needs",
    "OAuth 2.1 §5.3; MCP authorization",
  ),
  "PR-15": rule<{ readonly expected: string; readonly received: string }>(
    "temporarily_unavailable",
    "the access token cannot be checked now, try again later",
  ),
  "MC-08": rule<{ readonly resource: string; readonly audience?: string }>(
    "invalid_token",
    "the access token is for another resource",
    "RFC 8707 §2; RFC 9728 §3.3; MCP authorization",
  ),
  "MC-12": rule<{ readonly session: "none" | "of another user" } | { readonly isUnknown: true }>(
    (facts) => "session" in facts ? "access_denied" : "invalid_request",
    (facts) =>
      "session" in facts
        ? "only the user of the MCP client can connect an account"
        : "this request to connect an account is unknown or has expired",
    "MCP elicitation",
  ),
  "ST-04": rule<WeakLogin>(
    "insufficient_user_authentication",
    "this operation needs a stronger or more recent login",
    "RFC 9470 §3, §6",
  ),
} as const satisfies Readonly<Record<string, Rule>>;
