/** Rules of dynamic client registration and its management. */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const registrationRules = {
  "DR-01": { cites: ["RFC 7591 §3.2.1"] },
  "DR-02": { cites: ["RFC 7591 §2"] },
  "DR-03": { cites: ["RFC 7591 §3.1, §3.2.2"] },
  "DR-04": { cites: ["RFC 7591 §2, §2.1, §3.2.1", "OpenID Connect Registration §2"] },
  "DR-05": { cites: ["RFC 7591 §3", "OAuth 2.1 §7.9"] },
  "DR-06": { cites: ["RFC 7592 §2, §3"] },
  "DR-07": { cites: ["RFC 7592 §2.2"] },
  "DR-08": { cites: ["RFC 7591 §5", "RFC 7592 §2.3", "OpenID Connect Registration §5"] },
  "DR-09": { cites: ["RFC 7591 §5"] },
  "DR-10": { cites: ["RFC 7591 §2.3, §3.2.2"] },
  "DR-13": { cites: ["RFC 7591 §5"] },
  "DR-12": { cites: [] },
} as const satisfies Readonly<Record<string, Rule>>;
