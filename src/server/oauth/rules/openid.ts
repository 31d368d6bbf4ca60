/** Rules of OpenID Connect, logout and bearer tokens. */

import type { Rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const openidRules = {
  "OI-03": { cites: ["OpenID Connect Core §3.1.2.1, §3.1.2.6"] },
  "OI-04": { cites: ["OpenID Connect Core §3.1.2.1"] },
  "OI-05": { cites: ["OpenID Connect Core §3.1.2.1"] },
  "OI-06": { cites: ["OpenID Connect Core §3.1.2.1"] },
  "OI-07": { cites: ["OpenID Connect Core §3.1.2.1, §3.1.2.2"] },
  "OI-08": { cites: ["OpenID Connect Core §5.5"] },
  "OI-09": { cites: ["OpenID Connect Core §11"] },
  "LO-01": { cites: ["OpenID Connect RP-Initiated Logout §2"] },
  "LO-02": { cites: ["OpenID Connect RP-Initiated Logout §2"] },
  "LO-03": { cites: ["OpenID Connect RP-Initiated Logout §3"] },
  "LO-05": { cites: ["OAuth 2.1 §4.3.3"] },
  "LO-06": { cites: ["OAuth 2.1 §4.3.1"] },
  "CL-17": { cites: [] },
  "BR-01": { cites: ["OAuth 2.1 §5.1"] },
  "BR-02": { cites: ["OAuth 2.1 §5.3"] },
  "ST-08": { cites: ["OpenID Connect Core §5.5.1.1", "OpenID Connect Unmet Authentication Requirements §2"] },
  "ST-12": { cites: ["RFC 9068 §2.2.1"] },
} as const satisfies Readonly<Record<string, Rule>>;
