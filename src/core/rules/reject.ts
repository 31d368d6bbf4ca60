/** Rejections by rules: a check names the rule and the facts, and `server/explain/` makes the texts from them. */

import { type CommonErrorDetails, type ExplanationTexts, OAuthError } from "./errors.ts";
import { coreRules, type RuleId } from "./mod.ts";
import type { GrantRule, RejectionRule, Rule } from "./rule.ts";

/** The facts of a rule; `never` if it rejects no request. */
export type FactsOf<Row> = Row extends RejectionRule<infer Facts> ? Facts
  : "facts" extends keyof Row ? Row extends GrantRule<infer Facts> ? Facts : never
  : never;

/** A broken rule of a table, with its facts. */
export type BrokenRule<Rules> = {
  [Id in keyof Rules & RuleId]: undefined extends FactsOf<Rules[Id]> ? { readonly rule: Id }
    : { readonly rule: Id } & FactsOf<Rules[Id]>;
}[keyof Rules & RuleId];

/** How the error is sent, where it differs from other errors with its code. */
export type Handling = Omit<CommonErrorDetails, keyof ExplanationTexts | "publicExpected" | "facts">;

/** The rules of a table that reject requests. */
type Rejecting<Rules> = {
  readonly [Id in keyof Rules as Rules[Id] extends { readonly code: unknown } ? Id : never]: Rules[Id];
};

type Reject<Rules> = <Id extends keyof Rejecting<Rules> & RuleId>(
  id: Id,
  ...[facts, handling]: undefined extends FactsOf<Rules[Id]> ? [facts?: FactsOf<Rules[Id]>, handling?: Handling]
    : [facts: FactsOf<Rules[Id]>, handling?: Handling]
) => OAuthError;

export function rejectBy<Rules extends Readonly<Record<string, Rule>>>(rules: Rules): Reject<Rules> {
  return (id, facts?: unknown, handling?: Handling) => {
    const { code, message } = rules[id] as unknown as RejectionRule<unknown>;
    return new OAuthError(
      typeof code === "string" ? code : code(facts),
      typeof message === "string" ? message : message(facts),
      { ...handling, rule: id, facts: () => facts },
    );
  };
}

/** Creates the error of a rule that every server has. */
export const reject: Reject<typeof coreRules> = rejectBy(coreRules);
