/** The report of a check as text. */

import { formatHabit, summarizeHabits } from "../testing/habit_report.ts";
import {
  type AttackGroup,
  type ControlFailure,
  type ControlRejection,
  countedNames,
  countOf,
  formatValues,
  groupByAttack,
  groupByCause,
  type ReportData,
  type ReportedResult,
} from "./report_data.ts";
import { type FailureCause, verdicts } from "./report.ts";

/** The text, without a final newline. */
export function formatReport(data: ReportData): string {
  const { control, causes, results, habits, hint, outdatedBaseline } = data;
  const withVerdict = (verdict: string) => results.filter((result) => result.verdict === verdict);
  const known = [
    ...countedNames(withVerdict("known")),
    ...habits.filter(({ isKnown }) => isKnown).map(({ id }) => `habit ${id}`),
  ];
  // Without a login everything is inconclusive, for one reason.
  const undecided = control.passed ? ["inconclusive", "skipped"] as const : [];
  return [
    ...formatSummary(data),
    ...list(
      "CAUSES, what the client does wrong:",
      causes.filter(({ verdict }) => verdict !== "known").map(formatCause),
    ),
    ...hint === undefined ? [] : ["", `HINT: ${hint}`],
    ...["failed", "warning"].flatMap((verdict) => groupByAttack(withVerdict(verdict), results).flatMap(formatAttack)),
    ...habits.flatMap((habit) => habit.isKnown ? [] : formatHabit(habit)),
    ...list("KNOWN, failures that the baseline has:", known),
    ...list("OUTDATED, failures of the baseline that passed:", outdatedBaseline),
    ...undecided.flatMap((verdict) =>
      groupByCause(results, verdict).flatMap(({ cause, attacks, example }) => [
        ...list(`${verdict.toUpperCase()}, ${cause}:`, [attacks.join(", ")]),
        ...example === undefined ? [] : [`  for example: ${example}`],
      ])
    ),
  ].join("\n");
}

/**
 * The first lines of the text: the counts, why the login without an attack failed, and what is wrong with the check.
 */
export function formatSummary(data: ReportData): string[] {
  const { client, control: { failure }, results, habits, attackCounts, problem } = data;
  // Without a login no attack ran.
  if (failure !== undefined && results.every(({ outcome }) => outcome === undefined)) {
    return [`${client}: no attack ran.`, "", ...formatControlFailure(failure)];
  }
  const counts = verdicts.filter((verdict) => attackCounts[verdict] > 0)
    .map((verdict) => `${attackCounts[verdict]} ${verdict}`);
  return [
    `${client}: ${formatSize(data)}: ` +
    [counts.join(", "), ...habits.length === 0 ? [] : [summarizeHabits(habits)]].join("; "),
    ...failure === undefined ? [] : ["", ...formatControlFailure(failure)],
    ...problem === undefined ? [] : ["", `NOT PASSED: ${problem}.`],
  ];
}

/** `226 attacks (635 journeys, 12.3 s)`. */
export function formatSize({ results, seconds }: Pick<ReportData, "results" | "seconds">): string {
  const attacks = new Set(results.map(({ id }) => id)).size;
  return `${countOf(attacks, "attack")} (${countOf(results.length, "journey")}, ${seconds.toFixed(1)} s)`;
}

/** The lines about a login without an attack that failed. */
export function formatControlFailure({ error, rejections }: ControlFailure): string[] {
  return [`The login without an attack failed: ${error}`, ...rejections.flatMap(formatRejection)];
}

function formatRejection({ request, error, rule, reason, ...facts }: ControlRejection): string[] {
  const { expected, received, earlier, fix, sources, url } = facts;
  const source = url !== undefined || sources.length === 0 ? undefined : sources.join("; ");
  return [
    "",
    `The server rejected ${request} with ${error}${rule === undefined ? "" : ` by ${rule}`}: ${reason}`,
    ...Object.entries({ expected, received, earlier, fix, page: url, source }).flatMap(([label, text]) =>
      text === undefined ? [] : [`  ${`${label}:`.padEnd(10)}${text}`]
    ),
  ];
}

/** `does not compare state: 5 attacks (failed, high)`. */
const formatCause = ({ cause, verdict, severity, attacks }: FailureCause): string =>
  `${cause}: ${countOf(attacks.length, "attack")} (${verdict}, ${severity})`;

function list(heading: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : ["", heading, ...names.map((name) => `  ${name}`)];
}

/** The block of an attack with its variants, which have one verdict. */
export function formatAttack({ attack, results, total }: AttackGroup): string[] {
  const { id, verdict, title, level, severity, consequence, correctClient, fix, repeat, sources } = attack;
  const variants = total === 1 ? "" : `, ${results.length} of ${total} variants`;
  return [
    "",
    `${verdict.toUpperCase()} ${id} (${level}, ${severity})${variants}`,
    `  attack:      ${title}`,
    `  consequence: ${consequence}`,
    `  expected:    ${correctClient}`,
    ...results.flatMap(formatVariant),
    `  fix:         ${fix}`,
    `  repeat:      ${repeat}`,
    `  sources:     ${sources.join("; ")}`,
  ];
}

function formatVariant({ values, because, sent, exchanges }: ReportedResult): string[] {
  const heading = formatValues(values);
  const indent = heading === "" ? "" : "  ";
  const line = (label: string, text: string) => `  ${indent}${`${label}:`.padEnd(13 - indent.length)}${text}`;
  return [
    ...heading === "" ? [] : [`  ${heading}`],
    line("received", `${because}.`),
    ...sent.map((text) => line("sent", text)),
    ...exchanges.length === 0 ? [] : [line("requests", exchanges.join("; "))],
  ];
}
