/** The checks and warnings of an exchange, each with the sections of its rule. */

import { findRule, getPassedText } from "../../server/rules.ts";
import { upperFirst } from "../../server/pages/first_letter.ts";
import type { RuleId } from "../../core/rules/mod.ts";
import type { Exchange } from "../../recorder/exchange.ts";
import type { RuleCheckResult } from "./pages/props.ts";

/** All checks of an exchange in order: passed, failed, not checked. */
export function exchangeChecks(
  { passed, rejection, warnings }: Exchange,
  expectedRules: readonly RuleId[],
): RuleCheckResult[] {
  const checks = passed.map(({ rule, value }): RuleCheckResult => ({ ...passedRule(rule), passed: true, value }));
  if (rejection === undefined) return checks;
  const { reason: statement, ...why } = rejection.explanation;
  const lastPassed = expectedRules.findLastIndex((candidate) => passed.some(({ rule }) => rule === candidate));
  const uncheckedRules = expectedRules.slice(lastPassed + 1)
    .filter((candidate) => candidate !== why.rule && !warnings.some(({ rule }) => rule === candidate));
  return [
    ...checks,
    {
      ...why,
      passed: false,
      cites: ruleCitations(why.rule),
      statement,
    },
    ...uncheckedRules.map((rule): RuleCheckResult => ({ ...passedRule(rule), passed: undefined })),
  ];
}

/** The warnings of an exchange: accepted, but should be fixed. */
export function exchangeWarnings({ warnings }: Exchange): RuleCheckResult[] {
  return warnings.map(({ reason, ...why }) => ({
    ...why,
    passed: undefined,
    cites: ruleCitations(why.rule),
    statement: upperFirst(reason.endsWith("?") ? reason : `${reason}.`),
  }));
}

function passedRule(rule: RuleId): Pick<RuleCheckResult, "rule" | "cites" | "statement"> {
  return { rule, cites: ruleCitations(rule), statement: getPassedText(rule) };
}

function ruleCitations(rule: string | undefined): readonly string[] {
  return findRule(rule)?.cites ?? [];
}
