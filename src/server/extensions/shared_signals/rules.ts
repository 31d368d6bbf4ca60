/** Rules of shared signals (OpenID Shared Signals Framework 1.0, RFC 8935, RFC 8936). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const sharedSignalRules = {
  "SS-02": { cites: ["OpenID Shared Signals Framework §8", "CAEP Interoperability Profile §2.7.2"] },
  "SS-03": { cites: ["OpenID Shared Signals Framework §8.1.1"] },
  "SS-04": { cites: ["OpenID Shared Signals Framework §8.1.1.2, §8.1.1.5"] },
  "SS-05": { cites: ["OpenID Shared Signals Framework §8.1.1.3, §8.1.1.4"] },
  "SS-06": { cites: [] },
  "SS-10": { cites: ["RFC 8935 §2", "OpenID Shared Signals Framework §6.1.1"] },
  "SS-11": { cites: ["RFC 8936 §2"] },
} as const satisfies Readonly<Record<string, Rule>>;
