/** Rules of mutual TLS (RFC 8705). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const mutualTlsRules = {
  "MT-04": { cites: ["RFC 9440 §2.2, §4"] },
  "MT-05": { cites: ["RFC 8705 §3, §3.1, §3.2, §3.3"] },
  "MT-06": { cites: ["RFC 8705 §3"] },
  "MT-07": { cites: ["RFC 8705 §4"] },
} as const satisfies Readonly<Record<string, Rule>>;
