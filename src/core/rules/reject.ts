/** Rejections by rules: a check names the rule and the facts, and `server/explain/` makes the texts from them. */

import { type CommonErrorDetails, type ExplanationTexts, OAuthError } from "./errors.ts";
import { coreRules, type RuleId } from "./mod.ts";
import type { GrantRule, RejectionRule, Rule } from "./rule.ts";

/** The facts that a row of the table declares; `never` if its rule rejects no request. */
export type FactsOf<Row> = Row extends RejectionRule<infer Facts> | GrantRule<infer Facts> ? Facts : never;

/** A broken rule of a table, with its facts if its row declares some. */
export type BrokenRule<Rules> = {
  [Id in keyof Rules & RuleId]:
    & { readonly rule: Id }
    & (undefined extends FactsOf<Rules[Id]> ? unknown : FactsOf<Rules[Id]>);
}[keyof Rules & RuleId];

/** How the error is sent, where it differs from other errors with its code. */
export type Handling = Omit<CommonErrorDetails, keyof ExplanationTexts | "publicExpected" | "facts">;

/** The rules of a table that have an error code of their own. */
type RejectingId<Rules> = {
  [Id in keyof Rules & RuleId]: Rules[Id] extends { readonly code: unknown } ? Id : never;
}[keyof Rules & RuleId];

/** Creates the error of a rule. If its row declares no facts, they are left out. */
type Reject<Rules> = <Id extends RejectingId<Rules>>(
  id: Id,
  ...details: undefined extends FactsOf<Rules[Id]> ? [facts?: FactsOf<Rules[Id]>, handling?: Handling]
    : [facts: FactsOf<Rules[Id]>, handling?: Handling]
) => OAuthError;

/** Creates {@link Reject} for a table. */
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
