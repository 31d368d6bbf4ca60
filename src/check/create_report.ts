/** Creates the report of a check, and the form of it that is JSON. */

import type { HabitResult } from "../recorder/habits/mod.ts";
import { visibleText } from "../server/endpoints/shared/visible_text.ts";
import { redactTextAbout } from "../recorder/redact.ts";
import { describeError } from "./assess.ts";
import { type Baseline, isKnownHabit, isKnownResult, knownThatPass } from "./baseline.ts";
import { listCauses, withCauses } from "./causes.ts";
import { describeControlFailure } from "./control_failure.ts";
import { describeHabit } from "../testing/habit_report.ts";
import type { CheckedHabit, CheckReport, CheckResult } from "./report.ts";
import { formatJUnit } from "./report_junit.ts";
import { describeReport } from "./report_props.ts";
import { countOf, formatReport, summarizeExchanges } from "./report_text.ts";
import { describeSent } from "./sent_values.ts";
import { isUndecided, type Verdict, verdicts, worstVerdict } from "./verdict.ts";

/** What a report is made of. */
interface ReportFacts extends Pick<CheckReport, "client" | "control" | "results" | "seconds" | "repeat" | "rulesUrl"> {
  readonly habits: readonly HabitResult[];
  /** The known failures. Default: none. */
  readonly baseline?: Baseline;
  /** How many journeys were not run, because the check was stopped. Default: none. */
  readonly notRun?: number;
}

/** The result without secrets in its texts, which may quote a page of the application. */
export function redactResult(result: CheckResult): CheckResult {
  const { because, cause, exchanges } = result;
  const redact = (text: string) => redactTextAbout(text, exchanges);
  return { ...result, because: redact(because), ...cause !== undefined && { cause: redact(cause) } };
}

/** Creates the report. */
export function checkReport(facts: ReportFacts): CheckReport {
  const { client, control, seconds, baseline, repeat, rulesUrl } = facts;
  const results = withCauses(
    facts.results.map(redactResult).map((result): CheckResult =>
      result.verdict === "failed" && isKnownResult(result, baseline) ? { ...result, verdict: "known" } : result
    ),
  );
  const habits = facts.habits.map((habit): CheckedHabit =>
    isKnownHabit(habit, baseline) ? { ...habit, isKnown: true } : habit
  );
  const counts = countVerdicts(results.map(({ verdict }) => verdict));
  const failures = results.filter(({ verdict }) => verdict === "failed");
  const problem = control.passed ? findProblem({ ...facts, results, habits, counts }) : undefined;
  const report: CheckReport = {
    ...{ client, control, results, habits, seconds, counts, failures, problem },
    causes: listCauses(results),
    attackCounts: countAttacks(results),
    outdatedBaseline: baseline === undefined ? [] : knownThatPass(baseline, results, habits),
    passed: control.passed && failures.length === 0 && problem === undefined &&
      habits.every(({ outcome, isKnown }) => outcome !== "failed" || isKnown),
    ...{ repeat, rulesUrl },
    toString: () => visibleText(formatReport(report)),
    toJSON: () => toJson(report),
    toHTML: async () => await (await import("./html_report.ts")).formatDocument(describeReport(report)),
    toJUnit: () => visibleText(formatJUnit(report)),
  };
  return report;
}

/** See {@link CheckReport.problem}. */
function findProblem(
  { results, habits, counts, notRun = 0 }:
    & Pick<CheckReport, "results" | "habits" | "counts">
    & Pick<ReportFacts, "notRun">,
): string | undefined {
  const decided = results.filter(({ verdict }) => !isUndecided(verdict)).length;
  if (notRun > 0) {
    return `the check was stopped after ${results.length - notRun} of ${countOf(results.length, "journey")}`;
  }
  if (decided === 0 && habits.every(({ outcome }) => outcome === "not seen")) {
    return "no attack and no habit showed anything about the client";
  }
  return counts.inconclusive <= decided ? undefined : `most of the check shows nothing: ${counts.inconclusive} of ` +
    `${countOf(decided + counts.inconclusive, "journey")} were inconclusive`;
}

/** The report as data that JSON can carry, without secrets. */
function toJson(report: CheckReport): Readonly<Record<string, unknown>> {
  const { control, results, habits } = report;
  const { abilities, endpoints: _, exchanges: __, error: ___, failedAbilities, ...facts } = control;
  const failure = describeControlFailure(report);
  return {
    client: report.client,
    passed: report.passed,
    problem: report.problem,
    control: {
      ...facts,
      ...failure,
      abilities: [...abilities],
      failedAbilities: Object.fromEntries(
        [...failedAbilities].map(([ability, error]) => [ability, describeError(error)]),
      ),
    },
    counts: report.counts,
    attackCounts: report.attackCounts,
    causes: report.causes,
    outdatedBaseline: report.outdatedBaseline,
    seconds: report.seconds,
    results: results.map((result) => {
      const { attack: { id, title, level, severity, consequence, fix, sources, correctClient } } = result;
      const { values, verdict, because, cause, outcome, exchanges } = result;
      return {
        ...{ id, title, level, severity, values, verdict, because, cause, outcome, consequence, correctClient, fix },
        ...{ sources, sent: describeSent(exchanges, control.exchanges), exchanges: summarizeExchanges(result) },
        repeat: isUndecided(verdict) || verdict === "passed" ? undefined : report.repeat(id),
      };
    }),
    habits: habits.map((habit) => ({ ...describeHabit(habit), isKnown: habit.isKnown })),
  };
}

function countVerdicts(all: readonly Verdict[]): Record<Verdict, number> {
  const count = (verdict: Verdict) => all.filter((other) => other === verdict).length;
  return Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)])) as Record<Verdict, number>;
}

function countAttacks(results: readonly CheckResult[]): Record<Verdict, number> {
  const byAttack = Map.groupBy(results, ({ attack }) => attack.id).values();
  return countVerdicts([...byAttack].map(worstVerdict));
}
