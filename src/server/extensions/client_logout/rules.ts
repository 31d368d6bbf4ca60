/** Rules of the logout of clients (OpenID Connect Back-Channel Logout). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const clientLogoutRules = {
  "BL-09": {
    fix:
      "Let the backchannel_logout_uri of the client accept a POST with logout_token, verify the token, end its session, and respond with 200 or 204 immediately, without a redirect. privateHosts allows a host that is not public.",
    cites: ["OpenID Connect Back-Channel Logout §2.8"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
