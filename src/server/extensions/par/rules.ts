/** Rules of pushed authorization requests (RFC 9126). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const pushedRequestRules = {
  "PA-01": { cites: ["RFC 9126 §2.1, §2.3"] },
  "PA-04": { cites: ["RFC 9126 §2.1"] },
  "PA-05": { cites: ["RFC 9126 §2.2, §4, §7.4", "RFC 9101 §6.3"] },
  "PA-06": { cites: ["RFC 9126 §4"] },
  "PA-07": { cites: ["RFC 9126 §4, §5, §6"] },
} as const satisfies Readonly<Record<string, Rule>>;
