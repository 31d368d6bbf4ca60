/** Rules of backchannel authentication (CIBA). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const cibaRules = {
  "CB-01": { cites: ["OpenID Connect CIBA §7.1, §7.3"] },
  "CB-02": { cites: ["OpenID Connect CIBA §7.1"] },
  "CB-03": { cites: ["OpenID Connect CIBA §7.3, §10.1, §11"] },
  "CB-04": { cites: ["OpenID Connect CIBA §7.3, §11"] },
  "CB-05": { cites: ["OpenID Connect CIBA §4, §10.1"] },
  "CB-06": { cites: ["OpenID Connect CIBA §8", "RFC 10027 §6.1.14"] },
  "CB-07": { cites: ["OpenID Connect CIBA §8"] },
  "CB-08": { cites: ["OpenID Connect CIBA §7.1, §13"] },
  "CB-09": { cites: ["OpenID Connect CIBA §7.1"] },
  "CB-10": { cites: ["OpenID Connect CIBA §13", "RFC 10027 §6.1.11"] },
  "CB-12": { cites: ["OpenID Connect CIBA §4, §7.1, §10.2"] },
} as const satisfies Readonly<Record<string, Rule>>;
