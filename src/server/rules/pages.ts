/** Rules of the pages for users and operators. */

import { type Rule, rule } from "../../core/rules/rule.ts";

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
  "DM-12": rule<{ readonly hasStep: boolean; readonly hasClient: boolean; readonly hasCode: boolean }>({
    code: "invalid_request",
    message: "the form names no step",
    cites: [],
  }),
  "DI-03": rule<UnknownAction>({
    code: "invalid_request",
    message: "unknown value of do",
    cites: [],
  }),
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
