/** Rules of the control over HTTP. */

import { type Repeated, repeatedMessage } from "./authorize.ts";
import { type Rule, rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const controlRules = {
  "CO-01": { cites: ["RFC 6750 §2.1"] },
  "CO-02": { cites: ["RFC 9700 §4.7"] },
  "CO-03": { cites: ["RFC 9700 §4.7"] },
  "CO-04": { cites: ["RFC 9110 §8.3"] },
  "CO-05": rule<Repeated>({ code: "invalid_request", message: repeatedMessage, cites: ["RFC 9457"] }),
} as const satisfies Readonly<Record<string, Rule>>;
