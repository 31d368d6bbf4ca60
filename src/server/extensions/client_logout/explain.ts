/** Texts of the rules of the logout of clients (OpenID Connect Back-Channel Logout). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { clientLogoutRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const clientLogoutTexts = {
  "BL-09": {
    fix:
      "Let the backchannel_logout_uri of the client accept a POST with logout_token, verify the token, end its session, and respond with 200 or 204 immediately, without a redirect. privateHosts allows a host that is not public.",
  },
} as const satisfies RuleTexts<typeof clientLogoutRules>;
