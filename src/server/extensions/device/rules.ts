/** Rules of the device authorization grant (RFC 8628). */

import { rejectBy } from "../../../core/rules/reject.ts";
import { type Rule, rule } from "../../../core/rules/rule.ts";
import { polledRules } from "../polled/rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const deviceRules = {
  "DV-02": rule("temporarily_unavailable", "no user code is free", "RFC 8628 §5.1, §6.1; RFC 10027 §6.1.2, §6.1.4"),
  "DV-03": polledRules["DV-03"],
  "DV-04": polledRules["DV-04"],
  "DV-05": polledRules["DV-05"],
  "DV-06": rule("access_denied", "the user denied the device", "RFC 8628 §3.3, §5.4; RFC 10027 §6.1.14"),
  "DV-07": polledRules["DV-07"],
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of the device authorization grant. */
export const reject = rejectBy(deviceRules);
