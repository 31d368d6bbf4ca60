/** Rules of HTTP and of operation. */

import { type Rule, rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const httpRules = {
  "HT-01": { cites: ["RFC 9110 §15.5.5, §15.5.6"] },
  "HT-07": { cites: ["RFC 9126 §2.3"] },
  "HT-08": { cites: [] },
  "HT-09": { cites: [] },
  "HT-10": { cites: ["OAuth 2.1 App. B"] },
  "HT-13": { cites: [] },
  "HT-16": { cites: ["RFC 9700 §4.13"] },
  "HT-20": { cites: [] },
  "HT-22": { cites: ["RFC 9700 §4.7"] },
  "HT-23": rule<{ readonly count: number }>({
    code: "temporarily_unavailable",
    message: "too many requests, try again later",
    cites: [],
  }),
  "HT-24": { cites: ["RFC 9700 §4.13", "RFC 9110 §15.5.20"] },
  "HT-25": { cites: ["RFC 6585 §5"] },
  "OP-01": { cites: ["RFC 9110 §15.6.4"] },
  "OP-10": { cites: ["OAuth 2.1 §2.4.1", "RFC 9700 §2.5"] },
} as const satisfies Readonly<Record<string, Rule>>;
