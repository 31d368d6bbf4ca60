/** Rules of response types with an ID token (OpenID Connect Core §3.2, §3.3). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const responseTypeRules = {
  "HY-02": { cites: ["OpenID Connect Core §3.1.2.1, §3.2.2.1"] },
  "HY-03": { cites: ["OpenID Connect Core §3.2.2.1, §3.3.2.11"] },
  "HY-13": { cites: ["OpenID Connect Core §3.2, §5.5"] },
  "HY-15": { cites: [] },
} as const satisfies Readonly<Record<string, Rule>>;
