/** Rules of response types with an ID token (OpenID Connect Core §3.2, §3.3). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const responseTypeRules = {
  "HY-02": {
    fix: "Add openid to scope, or send response_type=code.",
    cites: ["OpenID Connect Core §3.1.2.1, §3.2.2.1"],
  },
  "HY-03": {
    fix: "Send a new random nonce with each authorization request, and compare it with the nonce of the ID token.",
    cites: ["OpenID Connect Core §3.2.2.1, §3.3.2.11"],
  },
  "HY-13": {
    fix: "Send response_type=code or code id_token: a response without a code leads to no access token.",
    cites: ["OpenID Connect Core §3.2, §5.5"],
  },
  "HY-15": {
    fix: "Send response_mode=form_post, or release fewer claims.",
    cites: [],
  },
} as const satisfies Readonly<Record<string, Rule>>;
