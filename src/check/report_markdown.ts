/** The report of a check as Markdown, for the summary of a job and the comment of a pull request. */

import { visibleText } from "../server/explain/visible_text.ts";
import { isLacking } from "../testing/practice_report.ts";
import { countOf, type ReportData } from "./report_data.ts";
import { formatControlFailure, formatSummary } from "./report_text.ts";

/** The document, with a final newline. Texts of the client can neither format nor link. */
export function formatReportMarkdown(data: ReportData): string {
  const { client, passed, control: { failure }, problem, causes, results, practices, outdatedBaseline } = data;
  const [summary = ""] = formatSummary(data);
  const own = causes.filter(({ isKnown }) => !isKnown);
  const known = causes.length - own.length;
  const lacking = practices.filter((practice) => !practice.isKnown && isLacking(practice));
  const repeatOf = (id: string) => results.find((result) => result.id === id && result.repeat !== undefined)?.repeat;
  return [
    `## Check of ${escapeMarkdown(client)}: ${passed ? "passed" : "not passed"}`,
    "",
    escapeMarkdown(summary.slice(`${client}: `.length)),
    ...failure === undefined ? [] : ["", ...codeBlock(formatControlFailure(failure))],
    ...problem === undefined ? [] : ["", `**Not passed**: ${escapeMarkdown(problem)}.`],
    ...table(
      ["The client", "Severity", "Attacks", "Consequence", "How to fix it"],
      own.map(({ cause, verdict, severity, attacks, consequence, fix }) => [
        ...[cause, verdict === "failed" ? severity : `${severity} (warning)`, countOf(attacks.length, "attack")],
        ...[consequence, fix],
      ]),
    ),
    ...table(
      ["Best practice", "Level", "What the traffic shows"],
      lacking.map(({ id, level, because }) => [id, level, because]),
    ),
    ...own.length === 0 ? [] : [
      ...["", "<details><summary>Repeat one attack of each row</summary>", ""],
      ...codeBlock(own.flatMap(({ attacks: [first] }) => repeatOf(first!) ?? [])),
      ...["", "</details>"],
    ],
    ...known === 0 ? [] : ["", `${countOf(known, "more cause")} that the baseline has.`],
    ...outdatedBaseline.length === 0
      ? []
      : ["", `Of the baseline, these passed: ${outdatedBaseline.map(escapeMarkdown).join(", ")}.`],
    "",
  ].join("\n");
}

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(" | ")} |`;
  return ["", line(heading), `|${" --- |".repeat(heading.length)}`, ...rows.map(line)];
}

/** A block of code, whose fence is longer than any in the text. */
export function codeBlock(lines: readonly string[]): string[] {
  const text = visibleText(lines.join("\n"));
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return [fence, text, fence];
}

/** Escapes what formats; `://`, `www.` and `@` become no links and mentions. */
function escapeMarkdown(text: string): string {
  return visibleText(text.replaceAll(/\s+/g, " "))
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("@", "&#64;")
    .replaceAll("://", "&#58;//").replaceAll(/\b(www)\./gi, "$1&#46;")
    .replaceAll(/[\\`*_{}[\]|~]|(?<!&)#/g, "\\$&");
}
