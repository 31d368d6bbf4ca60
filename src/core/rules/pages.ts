/** Rules of pages, and of logins that pages continue. */

import { type Rule, rule } from "./rule.ts";

/** Facts about an automatic login that a page of another site started. */
export interface CrossSiteLogin {
  /** The page. */
  readonly page: string;
  /** What the page requests in a frame, such as `iframe`; absent if it is not framed. */
  readonly frame?: string;
}

/** The pages that may use a server like a page on its machine. */
export const knownPages =
  "a page on a test host, or on an origin of allowedOrigins or of a redirect URI of a configured client";

/** Why a pending login cannot continue. */
export type LostLogin =
  | "unknown"
  | "expired"
  | "finished a moment ago"
  | "client changed"
  | "other browser"
  | "stored request expired";

/** Facts about a pending login that cannot continue. */
export type LostLoginFacts =
  | { readonly problem: LostLogin }
  /** When it was finished, in milliseconds since the epoch. */
  | { readonly finishedAt: number }
  /** The extension that delivered the results of such logins. */
  | { readonly delivery: string };

/** By ID, in the order of `tests/rules.md`. */
export const pageRules = {
  "UI-14": rule<LostLoginFacts>({
    code: "invalid_request",
    message: (facts) =>
      "delivery" in facts
        ? "the server no longer supports such logins"
        : "this login is finished, has expired or belongs to another browser",
    cites: [],
  }),
  "UI-20": { cites: ["RFC 9700 §4.7"] },
  "UI-30": rule<CrossSiteLogin>({
    code: "interaction_required",
    message: "automatic login is not allowed for a page of another site",
    cites: ["RFC 9700 §4.7"],
  }),
  "DM-15": { cites: [] },
  "DI-04": { cites: ["RFC 9700 §4.7"] },
} as const satisfies Readonly<Record<string, Rule>>;
