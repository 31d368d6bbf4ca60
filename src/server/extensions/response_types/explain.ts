/** Texts of the rules of response types with an ID token (OpenID Connect Core §3.2, §3.3). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { responseTypeRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const responseTypeTexts = {
  "HY-02": {
    fix: "Add openid to scope, or send response_type=code.",
    explain: ({ scope }) => ({
      expected: "a scope with openid",
      received: scope.join(" ") || "no scope that releases claims",
    }),
  },
  "HY-03": {
    fix: "Send a new random nonce with each authorization request, and compare it with the nonce of the ID token.",
    explain: () => ({ expected: "a nonce", received: "no nonce" }),
  },
  "HY-13": {
    fix: "Send response_type=code or code id_token: a response without a code leads to no access token.",
    explain: ({ unusable }) => ({ expected: `a request without ${unusable}`, received: unusable }),
  },
  "HY-15": {
    fix: "Send response_mode=form_post, or release fewer claims.",
    explain: ({ length, max }) => ({ expected: `at most ${max} characters`, received: `${length} characters` }),
  },
} as const satisfies RuleTexts<typeof responseTypeRules>;
