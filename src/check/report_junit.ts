/** The report of a check as JUnit XML. */

import { formatHabit } from "../testing/habit_report.ts";
import { categoryOf } from "./attack.ts";
import { isUndecided } from "./report.ts";
import { formatId, type ReportData, type ReportedResult } from "./report_data.ts";
import { formatAttack, formatControlFailure } from "./report_text.ts";

/** A test case; without `failure` and `skipped` it passed. */
interface TestCase {
  readonly classname: string;
  readonly name: string;
  readonly failure?: string;
  /** The lines of a failure. */
  readonly text?: readonly string[];
  readonly skipped?: string;
}

/** A test case for each result and each habit, and one for the check as a whole. */
export function formatJUnit({ client, control, results, habits, seconds, problem }: ReportData): string {
  const { failure } = control;
  const cases = [
    {
      classname: "control",
      name: "login without an attack",
      failure: failure?.error ?? problem,
      text: failure && formatControlFailure(failure),
    },
    ...results.map(resultCase),
    ...habits.map(habitCase),
  ];
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter(({ skipped }) => skipped !== undefined).length;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuite name="${escapeXml(client)}" tests="${cases.length}" ` +
    `failures="${failures}" skipped="${skipped}" time="${seconds.toFixed(3)}">`,
    ...control.traits.length === 0 ? [] : [
      "  <properties>",
      ...control.traits.map((trait) => `    <property name="observed" value="${escapeXml(trait)}"/>`),
      "  </properties>",
    ],
    ...cases.map(formatCase),
    `</testsuite>`,
    "",
  ].join("\n");
}

function resultCase(result: ReportedResult): TestCase {
  const { id, values, verdict, because } = result;
  const named = { classname: categoryOf(id), name: formatId(id, values) };
  if (verdict === "failed") {
    return { ...named, failure: because, text: formatAttack({ attack: result, results: [result], total: 1 }) };
  }
  return { ...named, skipped: isUndecided(verdict) || verdict === "known" ? `${verdict}: ${because}` : undefined };
}

function habitCase(habit: ReportData["habits"][number]): TestCase {
  const { id, outcome, because, isKnown } = habit;
  const named = { classname: "practice", name: id };
  if (isKnown) return { ...named, skipped: `known: ${because}` };
  if (outcome === "failed") return { ...named, failure: because, text: formatHabit(habit) };
  return { ...named, skipped: outcome === "not seen" ? because : undefined };
}

function formatCase({ classname, name, failure, text = [], skipped }: TestCase): string {
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
