/** Rules of client assertions (RFC 7523 §2.2). */

import type { Rule } from "../../../core/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const assertionAuthenticationRules = {
  "JC-02": { source: "RFC 7523 §3" },
  "JC-05": { source: "OAuth 2.1 §2.4; RFC 10070 §4; RFC 9126 §2; OpenID Connect CIBA §7.1" },
} as const satisfies Readonly<Record<string, Rule>>;
