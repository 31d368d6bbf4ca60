/** Rules of encrypted responses (OpenID Connect Core §10.2). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const encryptedResponseRules = {
  "EN-01": { cites: ["OpenID Connect Core §2, §10.2", "OpenID Connect Registration §2", "RFC 7519 §5.2"] },
  "EN-05": { cites: [] },
} as const satisfies Readonly<Record<string, Rule>>;
