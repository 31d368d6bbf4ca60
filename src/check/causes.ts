/** What a client does wrong: the causes that its failures have in common. */

import { effects, severities, type Severity } from "./effects.ts";
import { withoutServerNumber } from "./journeys.ts";
import { type AttackResult, type FailureCause, failureVerdicts, isFailure } from "./report.ts";

/** How many fixes, harms and requirements of one cause a report names. */
const maxTexts = 3;

/** The causes of failures: sorted by verdict, severity, harm, and the number of attacks. */
export function listCauses(results: readonly AttackResult[]): FailureCause[] {
  const failed = results.filter(({ verdict }) => isFailure(verdict));
  return [...Map.groupBy(failed, ({ cause }) => cause!)].map(([cause, own]): FailureCause => {
    const byGravity = own.toSorted((one, other) =>
      rankOf(one.effect) - rankOf(other.effect) || Number(other.harm !== undefined) - Number(one.harm !== undefined)
    );
    const { severity, consequence } = byGravity[0]!.effect;
    const worst = own.filter(({ verdict }) => verdict === "failed");
    const ownFixes = new Set(byGravity.map(({ effect }) => effect.fix));
    // Of many mistakes the general fix comes first.
    const general = Object.values(effects).find((effect) => effect.cause === cause)?.fix;
    const fixes = ownFixes.size > maxTexts && general !== undefined ? new Set([general, ...ownFixes]) : ownFixes;
    return {
      cause,
      verdict: worst.length > 0 ? "failed" : "warning",
      ...worst.length > 0 && worst.every(({ isKnown }) => isKnown) && { isKnown: true },
      ...{ severity, consequence, fix: [...fixes].slice(0, maxTexts).join(" ") },
      attacks: [...new Set(byGravity.map(({ attack }) => attack.id))],
      harms: harmsOf(own).slice(0, maxTexts),
      requirements: requirementsOf(own).slice(0, maxTexts),
    };
  }).sort((one, other) =>
    failureVerdicts.indexOf(one.verdict) - failureVerdicts.indexOf(other.verdict) || rankOf(one) - rankOf(other) ||
    Number(other.harms.length > 0) - Number(one.harms.length > 0) || other.attacks.length - one.attacks.length
  );
}

/** What the attacker got in some journeys, each once; follows "the client". */
export function harmsOf(results: readonly Pick<AttackResult, "harm">[]): string[] {
  return [...new Set(results.flatMap(({ harm }) => harm === undefined ? [] : withoutServerNumber(harm)))];
}

/** The MUSTs that the client breaks in some journeys, each once. */
export function requirementsOf(results: readonly Pick<AttackResult, "requirement">[]): string[] {
  return [...new Set(results.flatMap(({ requirement }) => requirement ?? []))];
}

/** 0: the gravest. */
export function rankOf({ severity }: { readonly severity: Severity }): number {
  return severities.indexOf(severity);
}
