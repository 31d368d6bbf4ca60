/** Texts of the rules of client assertions (RFC 7523 §2.2). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { assertionAuthenticationRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const assertionAuthenticationTexts = {
  "JC-02": {
    fix:
      "Create an assertion for each request, with exp one minute ahead: a stolen assertion is useless after that minute.",
  },
  "JC-05": {
    fix: "Set aud of the assertion to the issuer, as RFC 10070 requires.",
  },
} as const satisfies RuleTexts<typeof assertionAuthenticationRules>;
