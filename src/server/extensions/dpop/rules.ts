/** Rules of DPoP (RFC 9449). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const dpopRules = {
  "DO-01": { cites: ["RFC 9449 §4.2, §4.3, §5.1"] },
  "DO-02": { cites: ["RFC 9449 §4.2, §4.3"] },
  "DO-03": { cites: ["RFC 9449 §4.3, §11.1"] },
  "DO-04": { cites: ["RFC 9449 §11.1"] },
  "DO-05": { cites: ["RFC 9449 §8, §9"] },
  "DO-06": { cites: ["RFC 9449 §5, §5.2, §6"] },
  "DO-07": { cites: ["RFC 9449 §5"] },
  "DO-08": { cites: ["RFC 9449 §10, §10.1"] },
  "DO-09": { cites: ["RFC 9449 §4.3, §7.1, §7.2"] },
} as const satisfies Readonly<Record<string, Rule>>;
