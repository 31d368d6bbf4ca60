/** What was looked at in an exchange, in order: what held, what did not, and what was therefore left unlooked at. */

import { checkOrder, findRule, passesOf } from "../oauth/rules/mod.ts";
import type { PassedRuleId } from "../oauth/rules/mod.ts";
import type { Exchange } from "../recorder/exchange.ts";
import type { Check } from "../ui/flows/props.ts";
import { valueOf } from "./labels.ts";

/** Every check of an exchange. */
export function checksOf({ endpoint, request, held, refusal, warnings }: Exchange): Check[] {
  const checks = held.map(({ rule, value }): Check => ({ ...passed(rule), holds: true, value }));
  if (refusal === undefined) return checks;
  const { reason: statement, ...why } = refusal.why;
  const walk = endpoint === "token" ? valueOf(request.form, "grant_type") ?? "" : endpoint;
  const all = Object.hasOwn(checkOrder, walk) ? checkOrder[walk]! : [];
  const left = all.slice(all.findLastIndex((known) => held.some(({ rule }) => rule === known)) + 1)
    .filter((known) => known !== why.rule && !warnings.some(({ rule }) => rule === known));
  return [
    ...checks,
    { ...why, holds: false, cites: citesOf(why.rule), statement },
    ...left.map((rule): Check => ({ ...passed(rule), holds: undefined })),
  ];
}

/** What was let pass, but should be mended. */
export function warningsOf({ warnings }: Exchange): Check[] {
  return warnings.map(({ reason, ...why }) => ({
    ...why,
    holds: undefined,
    cites: citesOf(why.rule),
    statement: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
  }));
}

function passed(rule: PassedRuleId): Pick<Check, "rule" | "cites" | "statement"> {
  return { rule, cites: citesOf(rule), statement: passesOf(rule) };
}

function citesOf(rule: string): readonly string[] {
  return findRule(rule)?.cites ?? [];
}
