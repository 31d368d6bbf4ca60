/** Rules of the login, of where it begins and ends, and of the length of tokens. */

import { rejectBy } from "../../core/rules/reject.ts";
import { type Rule, rule } from "../../core/rules/rule.ts";

/** Facts about a `login_hint` that names no user. */
export interface UnknownUser {
  readonly hint: string;
  /** Why no user was created; absent if the server did not try. `plus`: a user has the hint with `+` for the space. */
  readonly problem?: "plus" | "no sub" | "too many users";
  readonly limit: number;
  /** Whether a user was not created because of `prompt=none`. */
  readonly isSilent: boolean;
}

/** Says that no user was found. */
export function describeUnknownUser({ problem, limit }: UnknownUser): string {
  switch (problem) {
    case "plus":
      return "login_hint names no user, because its + was sent as a space";
    case "no sub":
      return "login_hint names no user, and cannot be the sub of a new user";
    case "too many users":
      return `login_hint names no user, and the server has ${limit} already`;
    case undefined:
      return "login_hint names no user";
  }
}

/** Why a login on pages ends without an approval. */
const denials = {
  consent: "the user denied the request",
  login: "the user cancelled the login",
  password: "the password was changed during the login",
} as const;

/** Facts about such a login. */
export interface DeniedLogin {
  readonly denied: keyof typeof denials;
}

/** Creates the error. The core has neither pages nor passwords. */
export const rejectLogin = rejectBy({
  "AZ-21": rule<DeniedLogin>("access_denied", ({ denied }) => denials[denied], "OAuth 2.1 §4.1.2.1"),
});

/** By ID, in the order of `tests/rules.md`. */
export const loginRules = {
  "RU-16": { source: "RFC 6265 §5.1.3" },
  "CI-12": { source: "OAuth 2.1 §4.1.3" },
  "OI-04": { source: "OpenID Connect Core §3.1.2.1" },
  "OI-06": rule<UnknownUser>(
    ({ isSilent }) => isSilent ? "login_required" : "invalid_request",
    describeUnknownUser,
    "OpenID Connect Core §3.1.2.1",
  ),
  "CL-17": { source: "" },
} as const satisfies Readonly<Record<string, Rule>>;
