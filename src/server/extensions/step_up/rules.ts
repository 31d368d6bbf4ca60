/** Rules of levels of authentication (RFC 9470). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const stepUpRules = {
  "ST-06": { cites: ["RFC 9470 §5", "OpenID Connect Core §3.1.2.1"] },
  "ST-07": { cites: ["RFC 9470 §5", "OpenID Connect Unmet Authentication Requirements §2"] },
} as const satisfies Readonly<Record<string, Rule>>;
