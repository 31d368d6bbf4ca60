/** Rules of token exchange (TX), and of ID-JAGs that it issues (IJ). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const tokenExchangeRules = {
  "IJ-01": { cites: [] },
  "IJ-02": { cites: [] },
  "IJ-03": { cites: [] },
  "IJ-04": { cites: [] },
  "IJ-05": { cites: [] },
  "IJ-08": { cites: [] },
  "IJ-09": { cites: [] },
  "IJ-11": { cites: ["RFC 8693 §2.1"] },
  "TX-01": { cites: ["RFC 8693 §2.1, §2.2.2"] },
  "TX-02": { cites: ["RFC 8693 §2.2.1"] },
  "TX-03": { cites: ["RFC 8693 §2.2.2, §5"] },
  "TX-04": { cites: ["RFC 8693 §4.1, §4.4"] },
  "TX-05": { cites: ["RFC 9700 §2.2.2"] },
} as const satisfies Readonly<Record<string, Rule>>;
