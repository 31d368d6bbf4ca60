/** Rules of signed authorization requests (RFC 9101). */

import { rejectBy } from "../../../core/rules/reject.ts";
import { type Rule, rule } from "../../../core/rules/rule.ts";
import type { ByProfile } from "../../config/server_policy.ts";

/** A request that must be signed. */
export type UnsignedRequest =
  | ({ readonly demandedBy: "setting" } & ByProfile)
  | { readonly demandedBy: "client"; readonly clientId: string }
  /** At an endpoint that supports no signed requests. */
  | { readonly unsupportedFor: string };

/** By ID, in the order of `tests/rules.md`. */
export const signedRequestRules = {
  "JR-02": { source: "RFC 9101 §4, §6, §10.8; RFC 9126 §3" },
  "JR-03": { source: "RFC 9101 §4, §6.3, §10.7; RFC 9126 §3" },
  "JR-04": { source: "RFC 9101 §4, §10.8" },
  "JR-05": rule<UnsignedRequest>(
    (facts) => "unsupportedFor" in facts ? "unauthorized_client" : "invalid_request",
    (facts) =>
      "unsupportedFor" in facts
        ? "requests of this client must be signed, which is not supported here"
        : `the authorization request must be signed${facts.demandedBy === "setting" ? facts.byProfile : ""}`,
    "RFC 9101 §10.5; RFC 9126 §3",
  ),
  "JR-06": { source: "RFC 9101 §6.1; RFC 7516 §11.5" },
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of signed authorization requests. */
export const reject = rejectBy(signedRequestRules);
