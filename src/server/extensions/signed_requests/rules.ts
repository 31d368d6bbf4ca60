/** Rules of signed authorization requests (RFC 9101). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const signedRequestRules = {
  "JR-02": { cites: ["RFC 9101 §4, §6, §10.8", "RFC 9126 §3"] },
  "JR-03": { cites: ["RFC 9101 §4, §6.3, §10.7", "RFC 9126 §3"] },
  "JR-04": { cites: ["RFC 9101 §4, §10.8"] },
  "JR-05": { cites: ["RFC 9101 §10.5", "RFC 9126 §3"] },
  "JR-06": { cites: ["RFC 9101 §6.1", "RFC 7516 §11.5"] },
} as const satisfies Readonly<Record<string, Rule>>;
