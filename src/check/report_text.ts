/** The report of a check as text. */

import { printable } from "../core/http/quote_value.ts";
import { explanationLines } from "../server/explain/explanation_lines.ts";
import { formatPractice, summarizePractices } from "../testing/practice_report.ts";
import { harmsOf, requirementsOf } from "./causes.ts";
import {
  type AttackGroup,
  type CauseGroup,
  countedNames,
  countOf,
  formatValues,
  groupByCause,
  groupByEffect,
  journeyNoun,
  type ReportData,
  type ReportedResult,
} from "./report_data.ts";
import { withoutServerNumber } from "./journeys.ts";
import { type ControlFailure, type ControlRejection, type FailureCause, timeLimitCause, verdicts } from "./report.ts";

/**
 * The text, without a final newline: what the client does wrong and how to fix it, what the check could not decide,
 * each attack in detail, and last what was skipped.
 */
export function formatReport(data: ReportData): string {
  const { kind, control, causes, results, practices, outdatedBaseline } = data;
  const withVerdict = (verdict: string) => results.filter((result) => result.verdict === verdict && !result.isKnown);
  const known = [
    ...countedNames(results.filter(({ isKnown }) => isKnown)),
    ...practices.filter(({ isKnown }) => isKnown).map(({ id }) => `practice ${id}`),
  ];
  const own = causes.filter(({ isKnown }) => !isKnown);
  // The details come in the order of the causes.
  const byCause = (one: AttackGroup, other: AttackGroup) => causeOf(one) - causeOf(other);
  const causeOf = ({ attack }: AttackGroup) => own.findIndex(({ attacks }) => attacks.includes(attack.id));
  const failed = own.filter(({ verdict }) => verdict === "failed");
  const others = own.filter(({ verdict }) => verdict !== "failed");
  // Without a login everything is skipped, for one reason.
  const skipped = control.passed ? groupByCause(results) : [];
  const unclear = skipped.filter(({ isUnclear }) => isUnclear);
  const notRun = skipped.filter(isNotRun);
  const inapplicable = skipped.filter((group) => !group.isUnclear && !isNotRun(group));
  return [
    ...formatSummary(data),
    ...list(`CAUSES, what the ${kind} does wrong; begin with the first:`, failed.flatMap(formatCause(kind))),
    ...list("WARNINGS:", others.flatMap(formatCause(kind))),
    ...list(`ABOUT the ${kind}, as the check saw it:`, control.observed),
    ...practices.flatMap((practice) => practice.isKnown ? [] : formatPractice(practice)),
    ...list("KNOWN, failures that the baseline has:", known),
    ...list("OUTDATED, failures of the baseline that passed:", outdatedBaseline),
    ...unclear.flatMap(({ cause, attacks, example }) => [
      ...list(`SKIPPED, although they apply: ${cause}:`, [attacks.join(", ")]),
      ...example === undefined ? [] : [`  for example: ${example}`],
    ]),
    ...notRun.flatMap(({ attacks }) => list(`NOT RUN, ${notRunReason}:`, [attacks.join(", ")])),
    ...["failed", "warning"].flatMap((verdict) =>
      groupByEffect(withVerdict(verdict), results).sort(byCause).flatMap(formatAttack(kind))
    ),
    ...formatSkipped("SKIPPED, because something that the check needs is missing:", inapplicable.filter(isExtensible)),
    ...formatSkipped(
      `SKIPPED, what does not apply to the ${kind}:`,
      inapplicable.filter((group) => !isExtensible(group)),
    ),
  ].join("\n");
}

/** Whether attacks did not run because the check had no time for them. */
export const isNotRun = ({ cause }: Pick<CauseGroup, "cause">): boolean => cause === timeLimitCause;

/** Why they did not run. */
export const notRunReason = `because ${timeLimitCause} (minutes, --minutes)`;

/** Whether an attack is skipped only because the check lacks a flag, or a member of the driver. */
const isExtensible = ({ cause }: CauseGroup): boolean =>
  cause.includes("(add ") && !cause.includes("through pages and redirects");

const formatSkipped = (heading: string, groups: readonly CauseGroup[]): string[] =>
  list(heading, groups.map(({ cause, attacks }) => `${cause} (${attacks.length})`));

/**
 * The first lines of the text: the counts, why the login without an attack failed, and what is wrong with the check.
 */
export function formatSummary(data: ReportData): string[] {
  const { client, kind, control: { failure }, results, practices, attackCounts, problem } = data;
  if (failure !== undefined && !hasRun(results)) {
    return [`${client}: no attack ran.`, "", ...formatControlFailure(failure, kind)];
  }
  const isNew = ({ verdict, isKnown }: ReportedResult) => verdict === "failed" && !isKnown;
  const known = attackCounts.failed - new Set(results.filter(isNew).map(({ id }) => id)).size;
  const counts = verdicts.filter((verdict) => attackCounts[verdict] > 0).map((verdict) =>
    `${attackCounts[verdict]} ${verdict}${verdict === "failed" && known > 0 ? ` (${known} known)` : ""}`
  );
  return [
    `${client}: ${formatSize(data)}: ` +
    [counts.join(", "), ...practices.length === 0 ? [] : [summarizePractices(practices)]].join("; "),
    ...failure === undefined ? [] : ["", ...formatControlFailure(failure, kind)],
    ...problem === undefined ? [] : ["", `NOT PASSED: ${problem}.`],
  ];
}

/** Whether an attack ran: without a login none does. */
export const hasRun = (results: readonly Pick<ReportedResult, "response">[]): boolean =>
  results.some(({ response }) => response !== undefined);

/** `226 attacks (635 logins, 12.3 s)`, and how many of these logins the check had no time for. */
export function formatSize({ kind, results, seconds }: Pick<ReportData, "kind" | "results" | "seconds">): string {
  const noun = journeyNoun(kind);
  const attacks = new Set(results.map(({ id }) => id)).size;
  const notRun = results.filter(({ because }) => because === timeLimitCause).length;
  const rest = notRun === 0 ? "" : `; ${countOf(notRun, noun)} not run, because ${timeLimitCause}`;
  return `${countOf(attacks, "attack")} (${countOf(results.length, noun)}, ${seconds.toFixed(1)} s${rest})`;
}

/** How long the error of a client may be in the text, in characters. The JSON form has all of it. */
const maxErrorLength = 300;

/**
 * The lines about a login without an attack that failed: its cause, and how to fix it. What the application sent adds
 * no line of its own, which the log of a CI system could take for a command.
 */
export function formatControlFailure(failure: ControlFailure, kind: ReportData["kind"]): string[] {
  return controlFailureLines(failure, `The ${journeyNoun(kind)} without an attack failed`).map(printable);
}

function controlFailureLines({ error, rejections, fix: ownFix }: ControlFailure, heading: string): string[] {
  const cause = rejections.at(-1);
  const fix = ownFix ?? cause?.fix;
  const lines = (texts: Partial<ControlRejection>) =>
    explanationLines(texts).map(([label, text]) => `  ${`${label}:`.padEnd(10)}${text}`);
  const short = error.length > maxErrorLength ? `${error.slice(0, maxErrorLength)}…` : error;
  if (cause === undefined) return [`${heading}: ${short}`, ...lines({ fix })];
  const { request, error: code, rule, reason, url } = cause;
  return [
    `${heading}.`,
    `The server rejected ${request} with ${code}${rule === undefined ? "" : ` by ${rule}`}: ${reason}`,
    ...lines({ ...cause, fix }),
    ...url === undefined ? [] : [`  page:     ${url}`],
  ];
}

/** `does not compare state: 5 attacks (failed, high)`. */
const formatCause =
  (kind: ReportData["kind"]) =>
  ({ cause, verdict, severity, attacks, harms, requirements, fix }: FailureCause): string[] => [
    `${cause}: ${countOf(attacks.length, "attack")} (${verdict}, ${severity})`,
    `  seen in: ${listSome(attacks)}`,
    ...harms.map((harm) => `  harm: the ${kind} ${harm}`),
    ...harms.length > 0 || requirements.length === 0 ? [] : [`  requirement: ${requirements.join("; ")}`],
    ...verdict === "failed" ? [`  fix:  ${fix}`] : [],
  ];

/** The first line of each cause, for a terminal without the report. */
export const formatCauses = ({ causes, kind }: ReportData): string[] =>
  list("CAUSES:", causes.filter(({ isKnown }) => !isKnown).map((cause) => formatCause(kind)(cause)[0]!));

/** How many attacks of a cause the text names. */
const maxNames = 8;

/** The first names, and how many others there are. */
function listSome(names: readonly string[], separator = ", "): string {
  const rest = names.length - maxNames;
  return [...names.slice(0, maxNames), ...rest > 0 ? [`${rest} more`] : []].join(separator);
}

/** The texts; of some that are repeated to the end only the first time, and how often. */
function withoutRepeats(texts: readonly string[]): readonly string[] {
  const isPeriod = (length: number) => texts.every((text, index) => text === texts[index % length]);
  const period = texts.findIndex((_, index) => index > 0 && texts.length % index === 0 && isPeriod(index));
  return period < 0 ? texts : [...texts.slice(0, period), `all of it ${texts.length / period} times`];
}

function list(heading: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : ["", heading, ...names.map((name) => `  ${name}`)];
}

/** The block of an attack with its variants, which have one verdict. */
export const formatAttack = (kind: ReportData["kind"]) => ({ attack, results, total }: AttackGroup): string[] => {
  const { id, verdict, title, level, severity, consequence, correctClient, fix, repeat, sources } = attack;
  const variants = total === 1 ? "" : `, ${results.length} of ${total} variants`;
  const shown = results.map((result) => ({ ...result, exchanges: result.exchanges.map(withoutValue) }));
  const alike = Map.groupBy(shown, ({ because, exchanges }) => withoutServerNumber([because, ...exchanges].join()));
  return [
    "",
    `${verdict.toUpperCase()} ${id} (${level}, ${severity})${variants}`,
    line("attack", title),
    line("consequence", consequence),
    line("expected", correctClient),
    ...[...alike.values()].flatMap(formatVariants),
    ...harmsOf(results).map((harm) => line("harm", `the ${kind} ${harm}`)),
    ...requirementsOf(results).map((requirement) => line("requirement", requirement)),
    line("fix", fix),
    ...repeat === undefined ? [] : [line("repeat", repeat)],
    line("sources", sources.join("; ")),
  ];
};

/** The line of an exchange without the value of its fault, which the line of the variant shows. */
const withoutValue = (exchange: string) => exchange.replace(/(?<=, changed by: wrong [\w.-]{1,80}): .*$/, "");

const line = (label: string, text: string): string => `  ${`${label}:`.padEnd(13)}${text}`;

/** Variants in which the client did the same: what each sent, then what was received. */
function formatVariants(variants: readonly ReportedResult[]): string[] {
  const { because, exchanges } = variants[0]!;
  return [
    ...variants.flatMap(({ values, sent }) => {
      const heading = formatValues(values);
      if (sent.length === 0) return heading === "" ? [] : [line("variant", heading)];
      return sent.map((text) => line("sent", [heading, text].filter(Boolean).join(" ")));
    }),
    line("received", `${because}.`),
    ...exchanges.length === 0 ? [] : [line("requests", listSome(withoutRepeats(exchanges), "; "))],
  ];
}
