/** What a client does wrong: the cause that its failures have in common. */

import { severities, type Severity } from "./attack.ts";
import { withoutServerNumber } from "./journeys.ts";
import { type AttackResult, type FailureCause, isUndecided, type Verdict } from "./report.ts";

/** The verdicts that have a cause, the worst first. */
export const failureVerdicts: readonly Verdict[] = ["failed", "known", "warning"];

/** How many harms and duties of one cause a report names. */
const maxTexts = 4;

/** The results; those that failed have their cause, unless the check itself named one. */
export function withCauses(results: readonly AttackResult[]): AttackResult[] {
  const groups = findWholeGroups(results);
  return results.map((result) =>
    failureVerdicts.includes(result.verdict) ? { ...result, cause: result.cause ?? causeOf(result, groups) } : result
  );
}

/** How the client ended decides first, then what the attack declares. */
function causeOf(
  { attack: { cause, partOf }, evidence: { outcome } }: AttackResult,
  wholeGroups: ReadonlySet<string>,
): string {
  if (outcome === "crashed") return "crashes with an error that no code catches";
  if (outcome === "hung") return "does not end within the time limit of the check";
  return partOf !== undefined && wholeGroups.has(partOf) ? partOf : cause;
}

/** The groups of causes of which a client has each one: several, and most attacks of each succeed. */
function findWholeGroups(results: readonly AttackResult[]): ReadonlySet<string> {
  const decided = results.filter(({ attack, verdict }) => attack.partOf !== undefined && !isUndecided(verdict));
  const groups = Map.groupBy(decided, ({ attack }) => attack.partOf!);
  const isWhole = (group: readonly AttackResult[]) => {
    const causes = [...Map.groupBy(group, ({ attack }) => attack.cause).values()];
    return causes.length > 1 && causes.every(mostFail);
  };
  return new Set([...groups].flatMap(([name, group]) => isWhole(group) ? [name] : []));
}

function mostFail(results: readonly AttackResult[]): boolean {
  const attacks = [...Map.groupBy(results, ({ attack }) => attack.id).values()];
  const failed = attacks.filter((own) => own.some(({ verdict }) => failureVerdicts.includes(verdict)));
  return failed.length * 2 > attacks.length;
}

/** The causes of the results that failed: the worst and gravest first, then those of the most attacks. */
export function listCauses(results: readonly AttackResult[]): FailureCause[] {
  const failed = results.filter(({ verdict }) => failureVerdicts.includes(verdict));
  return [...Map.groupBy(failed, ({ cause }) => cause!)].map(([cause, own]): FailureCause => {
    const byGravity = own.map(({ attack }) => attack).sort((one, other) => rankOf(one) - rankOf(other));
    const { severity, consequence, fix } = byGravity[0]!;
    return {
      cause,
      verdict: failureVerdicts.find((verdict) => own.some((result) => result.verdict === verdict))!,
      ...{ severity, consequence, fix },
      attacks: [...new Set(byGravity.map(({ id }) => id))],
      harms: harmsOf(own).slice(0, maxTexts),
      duties: dutiesOf(own).slice(0, maxTexts),
    };
  }).sort((one, other) =>
    failureVerdicts.indexOf(one.verdict) - failureVerdicts.indexOf(other.verdict) || rankOf(one) - rankOf(other) ||
    other.attacks.length - one.attacks.length
  );
}

/** What the attacker got in some journeys, each once; follows "the client". */
export function harmsOf(results: readonly Pick<AttackResult, "harm">[]): string[] {
  return [...new Set(results.flatMap(({ harm }) => harm === undefined ? [] : withoutServerNumber(harm)))];
}

/** The MUSTs that the client breaks in some journeys, each once. */
export function dutiesOf(results: readonly Pick<AttackResult, "duty">[]): string[] {
  return [...new Set(results.flatMap(({ duty }) => duty ?? []))];
}

/** 0: the gravest. */
export function rankOf({ severity }: { readonly severity: Severity }): number {
  return severities.indexOf(severity);
}
