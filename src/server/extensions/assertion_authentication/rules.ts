/** Rules of client assertions (RFC 7523 §2.2). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const assertionAuthenticationRules = {
  "JC-02": {
    fix:
      "Create an assertion for each request, with exp one minute ahead: a stolen assertion is useless after that minute.",
    cites: ["RFC 7523 §3"],
  },
  "JC-05": {
    fix: "Set aud of the assertion to the issuer, as RFC 10070 requires.",
    cites: ["OAuth 2.1 §2.4", "RFC 10070 §4", "RFC 9126 §2", "OpenID Connect CIBA §7.1"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
