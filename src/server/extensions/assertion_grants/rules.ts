/** Rules of the JWT bearer grant (JB), and of ID-JAGs as its assertions (IJ). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const assertionGrantRules = {
  "JB-01": { cites: ["RFC 7523 §2.1", "RFC 7521 §4.1"] },
  "JB-02": { cites: ["RFC 7523 §3.1"] },
  "JB-03": { cites: ["RFC 7523 §3", "RFC 8725 §3.10"] },
  "JB-04": { cites: ["RFC 7523 §3"] },
  "JB-05": { cites: ["RFC 7523 §3", "RFC 10070 §4"] },
  "JB-06": { cites: ["RFC 7523 §3", "RFC 8725 §3.1"] },
  "JB-07": { cites: ["RFC 8725 §3.11, §3.12"] },
  "JB-08": { cites: ["RFC 7521 §4.1, §6.1"] },
  "JB-09": { cites: ["RFC 7521 §5.2"] },
  "JB-10": { cites: ["RFC 7521 §4.1"] },
  "JB-11": { cites: ["RFC 7521 §4.1", "RFC 8707 §2"] },
  "IJ-13": { cites: [] },
  "IJ-14": { cites: [] },
  "IJ-15": { cites: [] },
  "IJ-16": { cites: [] },
  "IJ-17": { cites: [] },
  "IJ-19": { cites: [] },
} as const satisfies Readonly<Record<string, Rule>>;
