/** The report of a check: as text, as JSON and as JUnit XML. */

import type { CheckReportProps } from "../../ui/check_report.tsx";
import type { Exchange } from "../../recorder/exchange.ts";
import { redactExchanges } from "../../recorder/redact.ts";
import type { Ability } from "./abilities.ts";
import type { Attack } from "./attack.ts";
import { describeError } from "./assess.ts";
import { describeHabit, formatHabit, summarizeHabits } from "./habit_report.ts";
import type { HabitOutcome, HabitResult } from "../../habits/mod.ts";
import type { JourneyOutcome } from "./observation.ts";

/** What one attack shows about the client. */
export type Verdict =
  /** The client behaves as a correct one. */
  | "passed"
  /** It does not, and a specification demands it. */
  | "failed"
  /** It does not, and a specification recommends it. */
  | "warning"
  /** The attack is informational. */
  | "noted"
  /**
   * The attack shows nothing: it did not reach the client, the login without an attack failed, the driver does not
   * know what the client did, or a correct client can do the same.
   */
  | "inconclusive"
  /** The attack was not run. */
  | "skipped";

const verdicts: readonly Verdict[] = ["passed", "failed", "warning", "noted", "inconclusive", "skipped"];

/** The verdicts, the worst first: the order of a page, and that of the journeys of one attack. */
const worstFirst: readonly Verdict[] = ["failed", "warning", "inconclusive", "noted", "passed", "skipped"];

/** Whether a verdict shows nothing about the client. */
const isUndecided = (verdict: Verdict): boolean => verdict === "inconclusive" || verdict === "skipped";

/** The journey without an attack. */
export interface ControlResult {
  /** Whether the client completed it, and again after the attacks if each has a server of its own. */
  readonly passed: boolean;
  /** How it ended. */
  readonly outcome: JourneyOutcome;
  /** The error of the client. */
  readonly error?: unknown;
  /** Who was logged in. */
  readonly sub?: string;
  /** The endpoints that the client sent requests to. */
  readonly endpoints: ReadonlySet<string>;
  /** What the driver can do besides a login; empty if the login failed. */
  readonly abilities: ReadonlySet<Ability>;
  /** The abilities that fail without an attack, with the error of the client. Attacks that need them are inconclusive. */
  readonly failedAbilities: ReadonlyMap<Ability, unknown>;
}

/** One variant of one attack. */
export interface CheckResult {
  /** The attack. */
  readonly attack: Attack;
  /** The parameters of the attack that differ from their defaults. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What it shows. */
  readonly verdict: Verdict;
  /** What the client did, or why it is unknown. */
  readonly because: string;
  /** How the journey ended; absent if there was none. */
  readonly outcome?: JourneyOutcome;
  /** The error of the client. */
  readonly error?: unknown;
  /** The exchanges since the attack began, secrets included. */
  readonly exchanges: readonly Exchange[];
}

/** The report of a check. */
export interface CheckReport {
  /** The name of the driver. */
  readonly client: string;
  /**
   * Whether the login without an attack succeeded, no attack and no habit failed, and at least one of them showed
   * something. Warnings do not count, and inconclusive attacks do not either if others showed something.
   */
  readonly passed: boolean;
  /** The journey without an attack. */
  readonly control: ControlResult;
  /** Every variant of every attack, in the order of the catalogue. */
  readonly results: readonly CheckResult[];
  /** The habits of the client; empty without a login, or if they were not to be checked. */
  readonly habits: readonly HabitResult[];
  /** The results that failed. */
  readonly failures: readonly CheckResult[];
  /** How many journeys, which are the {@link CheckReport.results}, have each verdict. */
  readonly counts: Readonly<Record<Verdict, number>>;
  /** How many attacks have each verdict: that of the worst of its journeys. */
  readonly attackCounts: Readonly<Record<Verdict, number>>;
  /** How long the check took, in seconds of real time. */
  readonly seconds: number;
  /** The report as text. */
  toString(): string;
  /** The report as data that JSON can carry, without secrets. */
  toJSON(): Readonly<Record<string, unknown>>;
  /** The report as an HTML document, which needs no other file and no script. */
  toHTML(): Promise<string>;
  /** The report as JUnit XML: a test case for each result; what did not pass and is required is a failure. */
  toJUnit(): string;
}

/** Creates the report. */
export function checkReport(
  facts: Pick<CheckReport, "client" | "control" | "results" | "habits" | "seconds">,
): CheckReport {
  const { client, control, results, habits, seconds } = facts;
  const counts = countVerdicts(results.map(({ verdict }) => verdict));
  const failures = results.filter(({ verdict }) => verdict === "failed");
  const report: CheckReport = {
    ...facts,
    counts,
    attackCounts: countAttacks(results),
    failures,
    passed: control.passed && failures.length === 0 && habits.every(({ outcome }) => outcome !== "failed") &&
      (results.some(({ verdict }) => !isUndecided(verdict)) || habits.some(({ outcome }) => outcome !== "not seen")),
    toString: () => formatReport(report),
    toJSON: () => ({
      client,
      passed: report.passed,
      control: {
        ...control,
        error: control.error === undefined ? undefined : describeError(control.error),
        abilities: [...control.abilities],
        failedAbilities: Object.fromEntries(
          [...control.failedAbilities].map(([ability, error]) => [ability, describeError(error)]),
        ),
      },
      counts,
      attackCounts: report.attackCounts,
      seconds,
      results: results.map(({ attack: { id, title, level, sources, correctClient }, values, verdict, ...result }) => ({
        id,
        title,
        level,
        values,
        verdict,
        because: result.because,
        outcome: result.outcome,
        correctClient,
        sources,
        exchanges: summarizeExchanges(result),
      })),
      habits: habits.map(describeHabit),
    }),
    toHTML: async () => await (await import("./html_report.ts")).formatDocument(describeReport(report)),
    toJUnit: () => formatJUnit(report),
  };
  return report;
}

function countVerdicts(all: readonly Verdict[]): Record<Verdict, number> {
  const count = (verdict: Verdict) => all.filter((other) => other === verdict).length;
  return Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)])) as Record<Verdict, number>;
}

function countAttacks(results: readonly CheckResult[]): Record<Verdict, number> {
  const byAttack = Map.groupBy(results, ({ attack }) => attack.id).values();
  return countVerdicts(
    [...byAttack].map((journeys) => worstFirst.find((verdict) => journeys.some((one) => one.verdict === verdict))!),
  );
}

/** The verdict under which a page lists a habit. */
const verdictOf = (outcome: HabitOutcome): Verdict => outcome === "not seen" ? "skipped" : outcome;

/** A habit as a row of a page. */
function describeHabitRow({ habit: { id, title, level, sources }, because }: HabitResult) {
  return {
    id: `habit ${id}`,
    name: `habit ${id}`,
    title,
    level,
    correctClient: title,
    because,
    exchanges: [],
    sources,
  };
}

/** The report as the props of a page. */
export function describeReport(report: CheckReport): CheckReportProps {
  const { client, passed, control, results, habits, seconds } = report;
  const attackCount = new Set(results.map(({ attack }) => attack.id)).size;
  const verdicts = worstFirst.map((verdict) => {
    const isBrief = verdict === "passed" || verdict === "skipped";
    const attacks = results.filter((result) => result.verdict === verdict).map((result) => ({
      ...result.attack,
      id: result.attack.id,
      name: isBrief ? result.attack.id : formatId(result),
      because: result.because,
      exchanges: summarizeExchanges(result),
    }));
    const all = [...attacks, ...habits.filter(({ outcome }) => verdictOf(outcome) === verdict).map(describeHabitRow)];
    const byId = new Map(all.map((item) => [item.id, item]));
    return { verdict, count: byId.size, attacks: isBrief ? [...byId.values()] : all };
  });
  return {
    client,
    passed,
    controlError: control.passed ? undefined : `${control.outcome}, ${describeError(control.error)}`,
    summary: `${countOf(attackCount, "attack")} (${countOf(results.length, "journey")}, ${seconds.toFixed(1)} s)${
      habits.length === 0 ? "" : `; ${habits.length} habits`
    }`,
    verdicts: verdicts.filter(({ count }) => count > 0),
  };
}

/** A line for each exchange: `userinfo 200, changed by: edited body`. */
function summarizeExchanges({ exchanges }: Pick<CheckResult, "exchanges">): string[] {
  return redactExchanges(exchanges).map(({ endpoint, response, faults }) =>
    `${endpoint} ${response?.status ?? "no response"}${faults.length === 0 ? "" : `, changed by: ${faults.join(", ")}`}`
  );
}

function formatReport({ client, control, results, habits, attackCounts, seconds }: CheckReport): string {
  const attackCount = new Set(results.map(({ attack }) => attack.id)).size;
  const summary = verdicts.filter((verdict) => attackCounts[verdict] > 0)
    .map((verdict) => `${attackCounts[verdict]} ${verdict}`);
  const head = `${client}: ${countOf(attackCount, "attack")} (${countOf(results.length, "journey")}, ` +
    `${seconds.toFixed(1)} s): ` +
    [summary.join(", "), ...habits.length === 0 ? [] : [summarizeHabits(habits)]].join("; ");
  const loginFailure = control.passed
    ? []
    : ["", `The login without an attack failed: ${control.outcome}, ${describeError(control.error)}`];
  const shown = results.filter(({ verdict }) => verdict === "failed" || verdict === "warning");
  // Without a login everything is inconclusive, for one reason.
  const unknown = control.passed
    ? (["inconclusive", "skipped"] as const).flatMap((verdict) => formatReasons(verdict, results))
    : [];
  const hints = signatureHint(results);
  return [head, ...loginFailure, ...hints, ...shown.flatMap(formatResult), ...habits.flatMap(formatHabit), ...unknown]
    .join("\n");
}

/** How a client declares that it skips the signature of ID tokens; empty if it accepted no wrong one. */
function signatureHint(results: readonly CheckResult[]): string[] {
  const isAccepted = ({ attack, verdict, outcome }: CheckResult) =>
    attack.needsSignatureCheck && verdict === "failed" && outcome === "accepted";
  return !results.some(isAccepted) ? [] : [
    "",
    "HINT: If the client does not verify the signature of ID tokens from the token endpoint, which OpenID Connect Core " +
    "§3.1.3.7 allows, declare it: verifiesIdTokenSignature: false in a driver, or --id-token-signature off in the command.",
  ];
}

/** `1 attack`, `2 attacks`. */
function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The attacks that show nothing, by the reason. */
function formatReasons(verdict: "inconclusive" | "skipped", results: readonly CheckResult[]): string[] {
  const reasons = Map.groupBy(results.filter((result) => result.verdict === verdict), ({ because }) => because);
  return [...reasons].flatMap(([because, group]) => [
    "",
    `${verdict.toUpperCase()}, ${because}:`,
    `  ${[...new Set(group.map(({ attack: { id } }) => id))].join(", ")}`,
  ]);
}

function formatResult(result: CheckResult): string[] {
  const { attack, verdict, because } = result;
  const exchanges = summarizeExchanges(result);
  return [
    "",
    `${verdict.toUpperCase()} ${formatId(result)} (${attack.level})`,
    `  attack:   ${attack.title}`,
    `  expected: ${attack.correctClient}`,
    `  received: ${because}.`,
    ...exchanges.length === 0 ? [] : [`  requests: ${exchanges.join("; ")}`],
    `  sources:  ${attack.sources.join("; ")}`,
  ];
}

/** The longest value of a parameter that is written as a whole, in characters. */
const maxValueLength = 60;

/** The id of an attack, with the values of its parameters; of a long value the beginning. */
export function formatId({ attack: { id }, values }: Pick<CheckResult, "attack" | "values">): string {
  const pairs = Object.entries(values).map(([name, value]) => {
    const text = JSON.stringify(value);
    const isLong = text.length > maxValueLength;
    return `${name}: ${isLong ? `${text.slice(0, maxValueLength)}… (${text.length} characters)` : text}`;
  });
  return pairs.length === 0 ? id : `${id} { ${pairs.join(", ")} }`;
}

function formatJUnit({ client, passed, control, results, habits, counts, seconds }: CheckReport): string {
  const count = (outcome: HabitOutcome) => habits.filter((result) => result.outcome === outcome).length;
  const failed = counts.failed + count("failed");
  const controlFailure = !control.passed
    ? describeError(control.error)
    : !passed && failed === 0
    ? "no attack and no habit showed anything about the client"
    : undefined;
  const controlCase = controlFailure === undefined
    ? `  <testcase classname="control" name="login without an attack"/>`
    : [
      `  <testcase classname="control" name="login without an attack">`,
      `    <failure message="${escapeXml(controlFailure)}"/>`,
      `  </testcase>`,
    ].join("\n");
  const cases = results.map((result) => {
    const { attack: { id }, verdict, because } = result;
    const open = `  <testcase classname="${escapeXml(id.split("/")[0]!)}" name="${escapeXml(formatId(result))}"`;
    if (verdict === "failed") {
      const text = escapeXml(formatResult(result).join("\n").trim());
      return `${open}>\n    <failure message="${escapeXml(because)}">${text}</failure>\n  </testcase>`;
    }
    return isUndecided(verdict)
      ? `${open}>\n    <skipped message="${escapeXml(`${verdict}: ${because}`)}"/>\n  </testcase>`
      : `${open}/>`;
  });
  const habitCases = habits.map((result) => {
    const open = `  <testcase classname="habit" name="${escapeXml(result.habit.id)}"`;
    const because = escapeXml(result.because);
    if (result.outcome === "failed") {
      const text = escapeXml(formatHabit(result).join("\n").trim());
      return `${open}>\n    <failure message="${because}">${text}</failure>\n  </testcase>`;
    }
    return result.outcome === "not seen" ? `${open}>\n    <skipped message="${because}"/>\n  </testcase>` : `${open}/>`;
  });
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuite name="${escapeXml(client)}" tests="${results.length + habits.length + 1}" failures="${
      failed + (controlFailure === undefined ? 0 : 1)
    }" ` +
    `skipped="${counts.skipped + counts.inconclusive + count("not seen")}" time="${seconds.toFixed(3)}">`,
    controlCase,
    ...cases,
    ...habitCases,
    `</testsuite>`,
    "",
  ].join("\n");
}

/** Characters that XML 1.0 does not allow are removed. */
function escapeXml(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
