/** Rules of the pages for users and operators. */

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

/** Facts about a form whose button no page has. */
interface UnknownAction {
  /** The values of the buttons. */
  readonly expected: string;
  /** The value that was sent; absent without one. */
  readonly sent?: string;
}

/** By ID, in the order of `tests/rules.md`. */
export const pageRules = {
  "UI-04": rule<{ readonly isMissing: boolean }>({
    code: "access_denied",
    message: "the form was not made for this browser and purpose",
    cites: ["RFC 9700 §4.7", "RFC 6819 §4.4.1.8"],
  }),
  "UI-05": { cites: [] },
  "UI-10": rule({
    code: "invalid_request",
    message: "decision is neither allow nor deny",
    cites: ["OAuth 2.1 §7.9"],
  }),
  "UI-11": { cites: ["OAuth 2.1 §7.3.1"] },
  "UI-12": { cites: ["OAuth 2.1 §7.7"] },
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
  "DM-12": rule<{ readonly hasStep: boolean; readonly hasClient: boolean; readonly hasCode: boolean }>({
    code: "invalid_request",
    message: "the form names no step",
    cites: [],
  }),
  "DM-15": { cites: [] },
  "DI-03": rule<UnknownAction>({
    code: "invalid_request",
    message: "unknown value of do",
    cites: [],
  }),
  "DI-04": { cites: ["RFC 9700 §4.7"] },
  "FL-01": { cites: [] },
  "FL-03": { cites: [] },
  "FL-04": rule<UnknownAction>({
    code: "invalid_request",
    message: "unknown value of do",
    cites: ["RFC 9700 §4.7"],
  }),
  "FL-05": { cites: [] },
  "FL-06": { cites: [] },
  "FL-17": { cites: [] },
  "TP-04": { cites: ["RFC 9700 §4.7"] },
} as const satisfies Readonly<Record<string, Rule>>;
