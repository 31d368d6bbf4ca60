/** Rules of the control over HTTP. */

import { type Repeated, repeatedMessage } from "../../core/rules/authorize.ts";
import { type Rule, rule } from "../../core/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const controlRules = {
  "CO-01": { source: "RFC 6750 §2.1" },
  "CO-02": { source: "RFC 9700 §4.7" },
  "CO-03": { source: "RFC 9700 §4.7" },
  "CO-04": { source: "RFC 9110 §8.3" },
  "CO-05": rule<Repeated>("invalid_request", repeatedMessage, "RFC 9457"),
} as const satisfies Readonly<Record<string, Rule>>;
