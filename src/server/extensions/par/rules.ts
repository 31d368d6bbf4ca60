/** Rules of pushed authorization requests (RFC 9126). */

import { rejectBy } from "../../../core/rules/reject.ts";
import { type Repeated, repeatedMessage } from "../../../core/rules/authorize.ts";
import { type Rule, rule } from "../../../core/rules/rule.ts";
import type { ByProfile } from "../../config/server_policy.ts";

/** A pushed request without `client_id`, or one that is too large: its size and the limit, in characters of JSON. */
export type InvalidPush =
  | { readonly problem: "no client_id" }
  | { readonly problem: "size"; readonly length: number; readonly limit: number };

/** A `client_id` or a `request_uri` that is missing, repeated, or does not belong to the other one. */
export type WrongReference =
  | { readonly problem: "no client_id" }
  | ({ readonly problem: "repeated" } & Repeated)
  | { readonly problem: "other client" | "removed client"; readonly clientId: string };

export type UnusableRequestUri =
  | { readonly problem: "unknown" | "too late" }
  /** When it was used or expired, in milliseconds since the epoch. */
  | { readonly problem: "used" | "expired"; readonly at: number };

export interface UnpushedRequest extends ByProfile {
  readonly clientId: string;
  /** Whether the setting demands pushed requests; otherwise the client does. */
  readonly isSetting: boolean;
}

/** By ID, in the order of `tests/rules.md`. */
export const pushedRequestRules = {
  "PA-01": rule<InvalidPush>(
    "invalid_request",
    ({ problem }) => problem === "size" ? "the pushed request is too large" : "client_id is missing",
    "RFC 9126 §2.1, §2.3",
  ),
  "PA-04": rule("invalid_request", "a pushed request cannot contain request_uri", "RFC 9126 §2.1"),
  "PA-05": rule<WrongReference>(
    ({ problem }) => problem === "no client_id" || problem === "repeated" ? "invalid_request" : "invalid_request_uri",
    (facts) =>
      facts.problem === "no client_id"
        ? "client_id is missing"
        : facts.problem === "repeated"
        ? repeatedMessage(facts)
        : "request_uri was not pushed by this client",
    "RFC 9126 §2.2, §4, §7.4; RFC 9101 §6.3",
  ),
  "PA-06": rule<UnusableRequestUri & { readonly lifetimeSeconds: number }>(
    "invalid_request_uri",
    "request_uri is unknown, expired or used",
    "RFC 9126 §4",
  ),
  "PA-07": rule<UnpushedRequest>(
    "invalid_request",
    ({ byProfile }) => `the authorization request must be pushed${byProfile}`,
    "RFC 9126 §4, §5, §6",
  ),
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of pushed authorization requests. */
export const reject = rejectBy(pushedRequestRules);
