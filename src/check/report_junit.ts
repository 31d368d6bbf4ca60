/** The report of a check as JUnit XML. */

import type { HabitOutcome } from "../recorder/habits/mod.ts";
import { describeControlFailure, formatControlFailure } from "./control_failure.ts";
import { formatHabit } from "../testing/habit_report.ts";
import type { CheckedHabit, CheckReport, CheckResult } from "./report.ts";
import { formatAttack, formatId } from "./report_text.ts";
import { isUndecided } from "./verdict.ts";

/** A test case for each result and each habit, and one for the check as a whole. */
export function formatJUnit(report: CheckReport): string {
  const { client, results, habits, counts, seconds, problem } = report;
  const count = (outcome: HabitOutcome, isKnown = false) =>
    habits.filter((habit) => habit.outcome === outcome && (habit.isKnown ?? false) === isKnown).length;
  const failure = describeControlFailure(report);
  const isWholeFailed = failure !== undefined || problem !== undefined;
  const failures = counts.failed + count("failed") + (isWholeFailed ? 1 : 0);
  const skipped = counts.skipped + counts.inconclusive + counts.known + count("not seen") + count("failed", true);
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuite name="${escapeXml(client)}" tests="${results.length + habits.length + 1}" ` +
    `failures="${failures}" skipped="${skipped}" time="${seconds.toFixed(3)}">`,
    testCase("control", "login without an attack", {
      failure: failure?.error ?? problem,
      text: failure && formatControlFailure(failure),
    }),
    ...results.map((result) => formatResult(result, report)),
    ...habits.map(formatHabitCase),
    `</testsuite>`,
    "",
  ].join("\n");
}

function formatResult(result: CheckResult, report: CheckReport): string {
  const { attack, verdict, because } = result;
  const category = attack.id.split("/")[0]!;
  if (verdict === "failed") {
    const text = formatAttack({ attack, verdict, results: [result], total: 1 }, report);
    return testCase(category, formatId(result), { failure: because, text });
  }
  const isSkipped = isUndecided(verdict) || verdict === "known";
  return testCase(category, formatId(result), { skipped: isSkipped ? `${verdict}: ${because}` : undefined });
}

function formatHabitCase(result: CheckedHabit): string {
  const { habit: { id }, outcome, because, isKnown } = result;
  if (isKnown) return testCase("habit", id, { skipped: `known: ${because}` });
  if (outcome === "failed") return testCase("habit", id, { failure: because, text: formatHabit(result) });
  return testCase("habit", id, { skipped: outcome === "not seen" ? because : undefined });
}

/** How a test case ended; without a member it passed. */
interface CaseEnd {
  readonly failure?: string;
  /** The lines of a failure. */
  readonly text?: readonly string[];
  readonly skipped?: string;
}

function testCase(classname: string, name: string, { failure, text = [], skipped }: CaseEnd): string {
  const open = `  <testcase classname="${escapeXml(classname)}" name="${escapeXml(name)}"`;
  const end = "\n  </testcase>";
  if (failure !== undefined) {
    const lines = escapeXml(text.join("\n").trim());
    return `${open}>\n    <failure message="${escapeXml(failure)}">${lines}</failure>${end}`;
  }
  return skipped === undefined ? `${open}/>` : `${open}>\n    <skipped message="${escapeXml(skipped)}"/>${end}`;
}

/** Characters that XML 1.0 does not allow are removed. */
function escapeXml(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
