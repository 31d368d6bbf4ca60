/** Rules of the logout of clients (OpenID Connect Back-Channel Logout). */

import type { Rule } from "../../../core/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const clientLogoutRules = {
  "BL-09": { source: "OpenID Connect Back-Channel Logout §2.8" },
} as const satisfies Readonly<Record<string, Rule>>;
