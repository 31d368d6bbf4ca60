/** Rules of HTTP and of pages. */

import { type Rule, rule } from "./rule.ts";

/** The pages that may use a server like a page on its machine. */
export const knownPages =
  "a page on a test host, or on an origin of allowedOrigins or of a redirect URI of a configured client";

/** By ID, in the order of `tests/rules.md`. */
export const httpRules = {
  "HT-01": { source: "RFC 9110 §15.5.5, §15.5.6" },
  "HT-07": { source: "RFC 9126 §2.3" },
  "HT-08": { source: "" },
  "HT-09": { source: "" },
  "HT-10": { source: "OAuth 2.1 App. B" },
  "HT-13": { source: "" },
  "HT-16": { source: "RFC 9700 §4.13" },
  "HT-20": { source: "" },
  "HT-22": { source: "RFC 9700 §4.7" },
  "HT-25": { source: "RFC 6585 §5" },
  "UI-20": { source: "RFC 9700 §4.7" },
  // `frame`: what the page requests in a frame, such as `iframe`; absent if it is not framed.
  "UI-30": rule<{ readonly page: string; readonly frame?: string; readonly fix?: string }>(
    "interaction_required",
    "automatic login is not allowed for a page of another site",
    "RFC 9700 §4.7",
  ),
  "DM-15": { source: "" },
  "DI-04": { source: "RFC 9700 §4.7" },
} as const satisfies Readonly<Record<string, Rule>>;
