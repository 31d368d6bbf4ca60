/**
 * The rules that this server checks, as data: what is told when one has passed, how to fix a request that breaks it, the
 * specifications it is taken from. `tests/rules.md` says in full what each rule asks for.
 *
 * A check names its rule by ID alone: `server.held?.("PK-09", challenge)` where it passes, and an `OAuthError` with
 * `rule: "PK-09"` where it rejects. An ID that is not in the table is a type error. So on the way of a request nothing of
 * the table is loaded; a page, a log or a report looks up the texts.
 *
 * To add a rule: its row in `tests/rules.md`, its row here, its check, its test. `deno task rules` compares them.
 */

import { authorizeRules } from "./authorize.ts";
import { httpRules } from "./http.ts";
import { openidRules } from "./openid.ts";
import { pageRules } from "./pages.ts";
import type { Rule } from "./rule.ts";
import { tokenRules } from "./token.ts";

export type { authorizeRules, httpRules, openidRules, pageRules, Rule, tokenRules };

/** The whole table, with its texts. */
export type RuleTable =
  & typeof authorizeRules
  & typeof tokenRules
  & typeof openidRules
  & typeof httpRules
  & typeof pageRules;

/** The ID of a rule that this server checks, such as `PK-09`. */
export type RuleId = keyof RuleTable;

/** The ID of a rule that a request can be rejected by, or warned of: the table says how to fix it. */
export type RejectionRuleId = { [Id in RuleId]: RuleTable[Id] extends { readonly fix: string } ? Id : never }[RuleId];

/** The ID of a rule that is told to have passed: the table has a sentence for it. */
export type PassedRuleId = { [Id in RuleId]: RuleTable[Id] extends { readonly passes: string } ? Id : never }[RuleId];

/** Every rule by its ID, group by group in the order of `tests/rules.md`. */
export const rules: Readonly<Record<RuleId, Rule>> = {
  ...authorizeRules,
  ...tokenRules,
  ...openidRules,
  ...httpRules,
  ...pageRules,
};

/** What the table says of a rule; `undefined` where an embedder's JavaScript has named one of its own. */
export function findRule(id: string): Rule | undefined {
  return Object.hasOwn(rules, id) ? rules[id as RuleId] : undefined;
}

/** The sentence that tells that a rule has passed. */
export function getPassedText(id: PassedRuleId): string {
  return rules[id].passes!;
}

/** Order in which checks run, by endpoint or grant type: what was not checked after a rejection follows from it. */
export const checkOrder: Readonly<Record<string, readonly PassedRuleId[]>> = {
  authorize: ["AZ-02", "RU-01", "AZ-07", "AZ-09", "AZ-17", "PK-07"],
  authorization_code: [
    ...["TK-06", "TK-16", "CI-05", "TK-15", "PK-09", "CI-02", "CI-11", "LO-05", "LO-06", "RT-09", "CI-06"] as const,
  ],
  refresh_token: ["TK-06", "RT-02", "CI-11", "LO-05", "LO-06", "RT-07", "RT-09", "RT-06", "RT-04"],
};
