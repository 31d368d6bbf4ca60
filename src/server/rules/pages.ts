/** Rules of the pages for users and operators, and of logins that pages continue. */

import { rejectBy } from "../../core/rules/reject.ts";
import { type Rule, rule } from "../../core/rules/rule.ts";

/** Facts about a form whose button no page has. */
interface UnknownAction {
  /** The values of the buttons. */
  readonly expected: string;
  /** The value that was sent; absent without one. */
  readonly sent?: string;
}

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
  "UI-04": rule<{ readonly isMissing: boolean }>(
    "access_denied",
    "the form was not made for this browser and purpose",
    "RFC 9700 §4.7; RFC 6819 §4.4.1.8",
  ),
  "UI-05": { source: "" },
  "UI-10": rule("invalid_request", "decision is neither allow nor deny", "OAuth 2.1 §7.9"),
  "UI-11": { source: "OAuth 2.1 §7.3.1" },
  "UI-12": { source: "OAuth 2.1 §7.7" },
  "UI-14": rule<LostLoginFacts>(
    "invalid_request",
    (facts) =>
      "delivery" in facts
        ? "the server no longer supports such logins"
        : "this login is finished, has expired or belongs to another browser",
  ),
  "DM-12": rule<{ readonly hasStep: boolean; readonly hasClient: boolean; readonly hasCode: boolean }>(
    "invalid_request",
    "the form names no step",
  ),
  "DI-03": rule<UnknownAction>("invalid_request", "unknown value of do"),
  "FL-01": { source: "" },
  "FL-03": { source: "" },
  "FL-04": rule<UnknownAction>("invalid_request", "unknown value of do", "RFC 9700 §4.7"),
  "FL-05": { source: "" },
  "FL-06": { source: "" },
  "TP-04": { source: "RFC 9700 §4.7" },
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of pages. */
export const reject = rejectBy(pageRules);
