/** Rules of operation. */

import { rejectBy } from "../../core/rules/reject.ts";
import { type Rule, rule } from "../../core/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const operationRules = {
  "CA-12": rule<{ readonly seconds: number }>(
    "temporarily_unavailable",
    "too many failed authentications, try again later",
    "OAuth 2.1 §2.4.1",
  ),
  "HT-23": rule<{ readonly count: number }>("temporarily_unavailable", "too many requests, try again later"),
  "HT-24": { source: "RFC 9700 §4.13; RFC 9110 §15.5.20" },
  "OP-01": { source: "RFC 9110 §15.6.4" },
  "OP-10": { source: "OAuth 2.1 §2.4.1; RFC 9700 §2.5" },
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of operation. */
export const reject = rejectBy(operationRules);
