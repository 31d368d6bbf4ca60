/** Texts of the rules of levels of authentication (RFC 9470). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { stepUpRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const stepUpTexts = {
  "ST-06": {
    passes: "the login has reached a level that the request accepts",
    fix:
      "Request a value of acr_values_supported. If a login must reach it, log in with a method that the setting acrValues lists for it.",
    explain: ({ demanded, reached }) => ({
      expected: demanded.join(" or "),
      received: reached ?? "a login without a level",
    }),
  },
  "ST-07": {
    fix: "Send a value of acr_values_supported in acr_values, or add the level to the setting acrValues.",
    explain: ({ demanded, known }) => ({ expected: known.join(" or "), received: demanded.join(" ") }),
  },
  "ST-08": {
    fix: "Require a value of acr_values_supported in claims, or request acr without essential.",
    explain: ({ demanded, known }) => ({
      expected: known.join(" or ") || "no required acr, because this server has no levels",
      received: demanded.join(" ") || "a value that is not one of the values",
    }),
  },
  "ST-12": {
    passes: "acr is a level that the setting acrValues lists for this method of login",
    fix: "Let the approver state an acr that the setting acrValues lists, or none.",
    explain: ({ stated, known }) => ({
      expected: known.join(" or ") || "no acr, because this server has no levels",
      received: stated,
    }),
  },
} as const satisfies RuleTexts<typeof stepUpRules>;
