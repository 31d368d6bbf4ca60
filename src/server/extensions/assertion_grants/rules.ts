/** Rules of the JWT bearer grant (JB), and of ID-JAGs as its assertions (IJ). */

import type { OAuthError } from "../../../core/rules/errors.ts";
import type { JwtProblem } from "../../../platform/jwt/jwt_policies.ts";
import { rejectBy } from "../../../core/rules/reject.ts";
import { grantRule, type Rule, rule } from "../../../core/rules/rule.ts";
import type { TrustedIssuer } from "./settings.ts";

export interface WrongClaim {
  readonly claim: string;
  readonly expected: string;
  /** Its JSON type. */
  readonly received: string;
}

/** An issuer that is not trusted, or only for other tenants. */
export type UntrustedIssuer =
  | { readonly iss: string | undefined }
  | { readonly tenant: string | undefined; readonly tenants: readonly (string | undefined)[] };

/** An assertion that is not valid now. Times are in seconds since the epoch. */
export type InvalidTimes =
  | { readonly missing: "sub" | "exp" }
  | { readonly problem: JwtProblem }
  | { readonly authTime: number; readonly now: number }
  | { readonly lifetime: number; readonly maxLifetime: number };

/** An assertion for other audiences. */
export interface WrongAudience {
  readonly accepted: readonly string[];
  readonly audience: readonly string[];
}

/** A signature that cannot be verified: the keys could not be fetched, or none of them made it. */
export interface UnverifiedSignature {
  readonly issuer: string;
  /** Why no key verifies it; `undefined` if the keys could not be fetched. */
  readonly failure?: string;
  readonly expected?: string;
  readonly received?: string;
  readonly fix?: string;
}

/** A token of another kind. */
export type WrongKind =
  | { readonly ownIssuer: string }
  | { readonly isIdJag: boolean; readonly expected: string; readonly received: string };

/** A client that may not use an assertion. */
export type UnpermittedClient =
  | { readonly problem: "public"; readonly clientId: string }
  | {
    readonly problem: "not listed";
    readonly clientId: string;
    readonly standing: string;
    /** The clients in the entry of the issuer; absent if it lists none. */
    readonly clients?: readonly string[];
  };

/** A subject that is no user, or that is for another client. */
export type UnusableSubject =
  | { readonly problem: "other client"; readonly mapped: string; readonly clientId: string }
  | { readonly problem: "like a client" }
  | { readonly problem: "unknown"; readonly users: TrustedIssuer["users"]; readonly subject: string };

/** A scope that an assertion cannot grant. */
export interface UngrantableScope {
  readonly allowed: readonly string[];
  readonly requested: string | undefined;
  /** The scope of the ID-JAG. */
  readonly claimed: readonly string[] | undefined;
}

/** Access that an ID-JAG grants, and that is invalid or unknown at this server. */
export type UngrantableAccess =
  /** Its `authorization_details`, rejected as in a request. */
  | { readonly invalidDetails: OAuthError }
  /** It names no resource, and a setting demands one. */
  | { readonly byProfile: string }
  | { readonly allowed: readonly string[]; readonly claimed: readonly string[] | undefined };

/** By ID, in the order of `tests/rules.md`. */
export const assertionGrantRules = {
  "JB-01": rule<{ readonly problem: "missing" | "malformed" }>(
    "invalid_request",
    "assertion is missing",
    "RFC 7523 §2.1; RFC 7521 §4.1",
  ),
  "JB-02": { source: "RFC 7523 §3.1" },
  "JB-03": grantRule<WrongClaim | UntrustedIssuer>("RFC 7523 §3; RFC 8725 §3.10"),
  "JB-04": grantRule<WrongClaim | InvalidTimes>("RFC 7523 §3"),
  "JB-05": grantRule<WrongClaim | WrongAudience>("RFC 7523 §3; RFC 10070 §4"),
  "JB-06": grantRule<UnverifiedSignature>("RFC 7523 §3; RFC 8725 §3.1"),
  "JB-07": grantRule<WrongKind>("RFC 8725 §3.11, §3.12"),
  "JB-08": rule<UnpermittedClient>(
    "unauthorized_client",
    ({ problem }) =>
      problem === "public"
        ? "only a confidential client may use this assertion"
        : "this client may not use assertions of this issuer",
    "RFC 7521 §4.1, §6.1",
  ),
  "JB-09": grantRule<UnusableSubject>("RFC 7521 §5.2"),
  "JB-10": grantRule<{ readonly problem: "no jti" | "used" }>("RFC 7521 §4.1"),
  "JB-11": rule<UngrantableScope>(
    "invalid_scope",
    "scope is more than this assertion can grant",
    "RFC 7521 §4.1; RFC 8707 §2",
  ),
  "IJ-13": grantRule<WrongAudience>(),
  "IJ-14": grantRule<Pick<JwtProblem, "expected" | "received">>(),
  "IJ-15": grantRule<{ readonly issuedTo: unknown; readonly clientId: string }>(),
  "IJ-16": grantRule<{ readonly missing: string }>(),
  "IJ-17": rule<UngrantableAccess>(
    "invalid_target",
    "the assertion names no resource that this server issues tokens for",
  ),
  "IJ-19": grantRule<{ readonly jkt: unknown; readonly provenKey: string | undefined }>(),
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of the JWT bearer grant. */
export const reject = rejectBy(assertionGrantRules);
