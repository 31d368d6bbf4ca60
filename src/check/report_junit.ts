/** The report of a check as JUnit XML. */

import { formatPractice } from "../testing/practice_report.ts";
import { categoryOf } from "./attack.ts";
import { formatId, journeyNoun, type ReportData, type ReportedResult } from "./report_data.ts";
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

/** A test case for each result and each practice, and one for the check as a whole. */
export function formatJUnit({ client, kind, control, results, practices, seconds, problem }: ReportData): string {
  const { failure } = control;
  const cases = [
    {
      classname: "control",
      name: `${journeyNoun(kind)} without an attack`,
      failure: failure?.error ?? problem,
      text: failure && formatControlFailure(failure, kind),
    },
    ...results.map((result) => resultCase(result, kind)),
    ...practices.map(practiceCase),
  ];
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter(({ skipped }) => skipped !== undefined).length;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuite name="${escapeXml(client)}" tests="${cases.length}" ` +
    `failures="${failures}" skipped="${skipped}" time="${seconds.toFixed(3)}">`,
    ...control.observed.length === 0 ? [] : [
      "  <properties>",
      ...control.observed.map((clause) => `    <property name="observed" value="${escapeXml(clause)}"/>`),
      "  </properties>",
    ],
    ...cases.map(formatCase),
    `</testsuite>`,
    "",
  ].join("\n");
}

function resultCase(result: ReportedResult, kind: ReportData["kind"]): TestCase {
  const { id, values, verdict, because, isKnown } = result;
  const named = { classname: categoryOf(id), name: formatId(id, values) };
  if (isKnown) return { ...named, skipped: `known: ${because}` };
  if (verdict === "failed") {
    return { ...named, failure: because, text: formatAttack(kind)({ attack: result, results: [result], total: 1 }) };
  }
  return { ...named, skipped: verdict === "skipped" ? because : undefined };
}

function practiceCase(practice: ReportData["practices"][number]): TestCase {
  const { id, outcome, because, isKnown } = practice;
  const named = { classname: "practice", name: id };
  if (isKnown) return { ...named, skipped: `known: ${because}` };
  if (outcome === "failed") return { ...named, failure: because, text: formatPractice(practice) };
  return { ...named, skipped: outcome === "skipped" ? because : undefined };
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

/** Two characters that XML 1.0 does not allow, and that no text of a report has escaped, are removed. */
function escapeXml(text: string): string {
  return text.replace(/[\uFFFE\uFFFF]/g, "")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
