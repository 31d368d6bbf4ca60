/** Texts of the rules of encrypted responses (OpenID Connect Core §10.2). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { encryptedResponseRules } from "./rules.ts";
import { describeKey } from "./validate_client.ts";

/** By ID, in the order of `tests/rules.md`. */
export const encryptedResponseTexts = {
  "EN-01": { passes: "the response is encrypted by a key of the client" },
  "EN-05": {
    fix:
      "Publish a public key for the registered algorithm in jwks or at jwks_uri, then repeat the request: nothing was consumed.",
    explain: (facts) =>
      "alg" in facts
        ? {
          reason: `client ${facts.clientId} has no key for the encryption of the response`,
          expected: describeKey(facts.alg),
          received: `a key set (keys: ${facts.keys}) without a valid key for it; at most ${facts.maxTried} are tried`,
        }
        : facts,
  },
} as const satisfies RuleTexts<typeof encryptedResponseRules>;
