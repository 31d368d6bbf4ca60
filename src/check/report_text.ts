/** The report of a check as text. */

import { redactExchanges } from "../recorder/redact.ts";
import type { Attack } from "./attack.ts";
import { rankOf } from "./causes.ts";
import { describeControlFailure, formatControlFailure } from "./control_failure.ts";
import { formatHabit, summarizeHabits } from "../testing/habit_report.ts";
import type { CheckReport, CheckResult, FailureCause } from "./report.ts";
import { describeSent } from "./sent_values.ts";
import { type Verdict, verdicts } from "./verdict.ts";

/** The variants of one attack that have one verdict. */
export interface AttackGroup {
  readonly attack: Attack;
  readonly verdict: Verdict;
  /** In the order of the catalogue. */
  readonly results: readonly CheckResult[];
  /** How many variants of the attack there are, whatever their verdict. */
  readonly total: number;
}

/** The attacks with a verdict and their variants, the gravest first. */
function groupByAttack(results: readonly CheckResult[], verdict: Verdict): AttackGroup[] {
  const groups = Map.groupBy(results, ({ attack }) => attack.id).values();
  return [...groups].flatMap((all): AttackGroup[] => {
    const own = all.filter((result) => result.verdict === verdict);
    return own.length === 0 ? [] : [{ attack: all[0]!.attack, verdict, results: own, total: all.length }];
  }).sort((one, other) => rankOf(one.attack) - rankOf(other.attack));
}

/** Results that show nothing for the same cause. */
export interface CauseGroup {
  /** One sentence without a full stop. */
  readonly cause: string;
  /** The attacks, with the number of their variants if these are several: `id-token/aud-wrong (3)`. */
  readonly attacks: readonly string[];
  /** What one of them says beyond the cause; absent if they say no more. */
  readonly example?: string;
}

/** The results with a verdict by their cause, that of the most results first. */
export function groupByCause(results: readonly CheckResult[], verdict: "inconclusive" | "skipped"): CauseGroup[] {
  const own = results.filter((result) => result.verdict === verdict);
  const causes = Map.groupBy(own, ({ cause, because }) => cause ?? because);
  return [...causes].sort(([, one], [, other]) => other.length - one.length).map(([cause, group]) => {
    const example = group.find(({ because }) => because !== cause)?.because;
    const variants = Map.groupBy(group, ({ attack }) => attack.id);
    const attacks = [...variants].map(([id, { length }]) => length === 1 ? id : `${id} (${length})`);
    return { cause, attacks, ...example !== undefined && { example } };
  });
}

/** The text, without a final newline. */
export function formatReport(report: CheckReport): string {
  const { control, results, habits, outdatedBaseline } = report;
  const hint = signatureHint(results);
  const failed = (["failed", "warning"] as const).flatMap((verdict) => groupByAttack(results, verdict));
  const known = groupByAttack(results, "known").map(({ attack, results }) => nameWithCount(attack.id, results.length));
  const knownHabits = habits.filter(({ isKnown }) => isKnown).map(({ habit: { id } }) => `habit ${id}`);
  const causes = report.causes.filter(({ verdict }) => verdict !== "known").map(formatCauseLine);
  // Without a login everything is inconclusive, for one reason.
  const undecided = control.passed
    ? (["inconclusive", "skipped"] as const).flatMap((verdict) =>
      groupByCause(results, verdict).flatMap((group) => formatCause(verdict, group))
    )
    : [];
  return [
    ...formatSummary(report),
    ...list("CAUSES, what the client does wrong:", causes),
    ...hint === undefined ? [] : ["", `HINT: ${hint}`],
    ...failed.flatMap((group) => formatAttack(group, report)),
    ...habits.flatMap((habit) => habit.isKnown ? [] : formatHabit(habit)),
    ...list("KNOWN, failures that the baseline has:", [...known, ...knownHabits]),
    ...list("OUTDATED, failures of the baseline that passed:", outdatedBaseline),
    ...undecided,
  ].join("\n");
}

/**
 * The first lines of the text: the counts, why the login without an attack failed, and what is wrong with the check.
 */
export function formatSummary(report: CheckReport): string[] {
  const { client, results, habits, attackCounts, seconds, problem } = report;
  const attackCount = new Set(results.map(({ attack }) => attack.id)).size;
  const summary = verdicts.filter((verdict) => attackCounts[verdict] > 0)
    .map((verdict) => `${attackCounts[verdict]} ${verdict}`);
  const failure = describeControlFailure(report);
  // Without a login no attack ran.
  if (failure !== undefined && results.every(({ outcome }) => outcome === undefined)) {
    return [`${client}: no attack ran.`, "", ...formatControlFailure(failure)];
  }
  return [
    `${client}: ${countOf(attackCount, "attack")} (${countOf(results.length, "journey")}, ${seconds.toFixed(1)} s): ` +
    [summary.join(", "), ...habits.length === 0 ? [] : [summarizeHabits(habits)]].join("; "),
    ...failure === undefined ? [] : ["", ...formatControlFailure(failure)],
    ...problem === undefined ? [] : ["", `NOT PASSED: ${problem}.`],
  ];
}

/** `does not compare state: 5 attacks (failed, high)`. */
const formatCauseLine = ({ cause, verdict, severity, attacks }: FailureCause): string =>
  `${cause}: ${countOf(attacks.length, "attack")} (${verdict}, ${severity})`;

const nameWithCount = (name: string, count: number): string => count === 1 ? name : `${name} (${count})`;

function list(heading: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : ["", heading, ...names.map((name) => `  ${name}`)];
}

function formatCause(verdict: "inconclusive" | "skipped", { cause, attacks, example }: CauseGroup): string[] {
  return [
    "",
    `${verdict.toUpperCase()}, ${cause}:`,
    `  ${attacks.join(", ")}`,
    ...example === undefined ? [] : [`  for example: ${example}`],
  ];
}

/** How a client declares that it skips the signature of ID tokens; `undefined` if it accepted no wrong one. */
export function signatureHint(results: readonly CheckResult[]): string | undefined {
  const isAccepted = ({ attack, verdict, outcome }: CheckResult) =>
    attack.needsSignatureCheck && verdict === "failed" && outcome === "accepted";
  if (!results.some(isAccepted)) return undefined;
  return "If the client does not verify the signature of ID tokens from the token endpoint, which OpenID Connect Core " +
    "§3.1.3.7 allows, declare it: --id-token-signature off in the command, verifiesIdTokenSignature: false in a driver, or in the form of the check.";
}

/** `1 attack`, `2 attacks`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A line for each exchange: `userinfo 200, changed by: edited body`. */
export function summarizeExchanges({ exchanges }: Pick<CheckResult, "exchanges">): string[] {
  return redactExchanges(exchanges).map(({ endpoint, response, faults }) =>
    `${endpoint} ${response?.status ?? "no response"}${faults.length === 0 ? "" : `, changed by: ${faults.join(", ")}`}`
  );
}

/** The block of an attack with its variants. */
export function formatAttack(
  { attack, verdict, results, total }: AttackGroup,
  { control, repeat }: CheckReport,
): string[] {
  const { id, title, level, severity, consequence, correctClient, fix, sources } = attack;
  const variants = total === 1 ? "" : `, ${results.length} of ${total} variants`;
  return [
    "",
    `${verdict.toUpperCase()} ${id} (${level}, ${severity})${variants}`,
    `  attack:      ${title}`,
    `  consequence: ${consequence}`,
    `  expected:    ${correctClient}`,
    ...results.flatMap((result) => formatVariant(result, control.exchanges)),
    `  fix:         ${fix}`,
    `  repeat:      ${repeat(id)}`,
    `  sources:     ${sources.join("; ")}`,
  ];
}

function formatVariant(result: CheckResult, reference: CheckResult["exchanges"]): string[] {
  const values = formatValues(result.values);
  const indent = values === "" ? "" : "  ";
  const line = (label: string, text: string) => `  ${indent}${`${label}:`.padEnd(13 - indent.length)}${text}`;
  const exchanges = summarizeExchanges(result);
  return [
    ...values === "" ? [] : [`  ${values}`],
    line("received", `${result.because}.`),
    ...describeSent(result.exchanges, reference).map((sent) => line("sent", sent)),
    ...exchanges.length === 0 ? [] : [line("requests", exchanges.join("; "))],
  ];
}

/** The longest value of a parameter that is written as a whole, in characters. */
const maxValueLength = 60;

/** The parameters of a variant: `{ how: "shortened" }`; of a long value the beginning. Empty without parameters. */
export function formatValues(values: CheckResult["values"]): string {
  const pairs = Object.entries(values).map(([name, value]) => {
    const text = JSON.stringify(value);
    const isLong = text.length > maxValueLength;
    return `${name}: ${isLong ? `${text.slice(0, maxValueLength)}… (${text.length} characters)` : text}`;
  });
  return pairs.length === 0 ? "" : `{ ${pairs.join(", ")} }`;
}

/** The id of an attack, with the values of its parameters. */
export function formatId({ attack: { id }, values }: Pick<CheckResult, "attack" | "values">): string {
  return [id, formatValues(values)].filter((text) => text !== "").join(" ");
}
