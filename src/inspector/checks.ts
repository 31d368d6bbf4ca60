/** The checks of an exchange in order: passed, failed, not reached. */

import { checkOrder, findRule, getPassedText, type PassedRuleId } from "../oauth/rules/mod.ts";
import type { Exchange } from "../recorder/exchange.ts";
import type { RuleCheckResult } from "../ui/flows/props.ts";
import { fieldValue } from "./labels.ts";

export function exchangeChecks(
  { endpoint, caller, request, passed, rejection, warnings }: Exchange,
): RuleCheckResult[] {
  const checks = passed.map(({ rule, value }): RuleCheckResult => ({ ...passedRule(rule), passed: true, value }));
  if (rejection === undefined) return checks;
  const { reason: statement, ...why } = rejection.explanation;
  const orderKey = caller === "client" ? fieldValue(request.form, "grant_type") ?? endpoint : endpoint;
  const expectedRules = Object.hasOwn(checkOrder, orderKey) ? checkOrder[orderKey]! : [];
  const uncheckedRules = expectedRules.slice(
    expectedRules.findLastIndex((candidate) => passed.some(({ rule }) => rule === candidate)) + 1,
  )
    .filter((candidate) => candidate !== why.rule && !warnings.some(({ rule }) => rule === candidate));
  return [
    ...checks,
    { ...why, passed: false, cites: ruleCitations(why.rule), statement },
    ...uncheckedRules.map((rule): RuleCheckResult => ({ ...passedRule(rule), passed: undefined })),
  ];
}

/** The warnings of an exchange: accepted, but should be fixed. */
export function exchangeWarnings({ warnings }: Exchange): RuleCheckResult[] {
  return warnings.map(({ reason, ...why }) => ({
    ...why,
    passed: undefined,
    cites: ruleCitations(why.rule),
    statement: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
  }));
}

function passedRule(rule: PassedRuleId): Pick<RuleCheckResult, "rule" | "cites" | "statement"> {
  return { rule, cites: ruleCitations(rule), statement: getPassedText(rule) };
}

function ruleCitations(rule: string | undefined): readonly string[] {
  return findRule(rule)?.cites ?? [];
}
