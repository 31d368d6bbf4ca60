/** Rules of levels of authentication (RFC 9470). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const stepUpRules = {
  "ST-06": {
    passes: "the login has reached a level that the request accepts",
    fix:
      "Request a value of acr_values_supported. If a login must reach it, log in with a method that the setting acrValues lists for it.",
    cites: ["RFC 9470 §5", "OpenID Connect Core §3.1.2.1"],
  },
  "ST-07": {
    fix: "Send a value of acr_values_supported in acr_values, or add the level to the setting acrValues.",
    cites: ["RFC 9470 §5", "OpenID Connect Unmet Authentication Requirements §2"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
