/** Rules of the device authorization grant (RFC 8628). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const deviceRules = {
  "DV-02": { cites: ["RFC 8628 §5.1, §6.1", "RFC 10027 §6.1.2, §6.1.4"] },
  "DV-03": { cites: ["RFC 8628 §3.5"] },
  "DV-04": { cites: ["RFC 8628 §3.5"] },
  "DV-05": { cites: ["RFC 8628 §3.4"] },
  "DV-06": { cites: ["RFC 8628 §3.3, §5.4", "RFC 10027 §6.1.14"] },
  "DV-07": { cites: ["RFC 8628 §3.3", "OAuth 2.1 §7.11", "RFC 10027 §6.1.3"] },
} as const satisfies Readonly<Record<string, Rule>>;
