/** The rules as Markdown: a page for each group, and one for each rule. */

import { findRule } from "../../src/server/rules.ts";
import { citedSections } from "../../src/server/pages/specifications.ts";
import type { Rejection } from "./rejections.ts";
import { type Part, plain } from "./source.ts";

/** A row of the table of rules. */
export interface RuleRow {
  readonly id: string;
  readonly level: string;
  readonly text: string;
  readonly source: string;
}

/** The rows of a group. */
export function rowsOf({ text }: Part): RuleRow[] {
  return [...text.matchAll(/^\| ([A-Z]{2}-\d{2}) \| (.*) \|$/gm)].map(([, id, rest]) => {
    const [level, requirement, source] = rest!.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
    return { id: id!, level: level!, text: requirement!, source: source! };
  });
}

/** The list of the groups, with the number of their rules, for the page of all rules. */
export const groupList = (groups: readonly Part[]): string =>
  [
    ...groups.map((group) => `- [${plain(group.title!)}](#${group.anchors[0]}): ${rowsOf(group).length}`),
    "",
  ].join("\n");

/** The page of a rule. `group` is the heading of its group. */
export function rulePage({ id, level, text, source }: RuleRow, group: string, rejection?: Rejection): string {
  const fix = findRule(id)?.fix;
  const passes = findRule(id)?.passes;
  const facts = [
    `- **Group**: [${group}](${id.slice(0, 2)}.md)`,
    `- **Level**: ${level}`,
    `- **Source**: ${source.split("; ").map(linkSource).join("; ")}`,
  ];
  const example = rejection === undefined ? [] : [
    "## A request that is rejected\n",
    block("http", rejection.request),
    "The response:\n",
    block("http", rejection.response),
    "The terminal of the server:\n",
    block("text", rejection.explanation),
  ];
  return [
    `# Rule ${id}${passes === undefined ? "" : `: ${passes}`}\n`,
    `${text}\n`,
    ...fix === undefined ? [] : [`**How to fix a request**: ${fix}\n`],
    `${facts.join("\n")}\n`,
    ...example,
  ].join("\n");
}

const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`;

/** A source with links to the sections that it cites. */
function linkSource(source: string): string {
  const sections = citedSections([source.replace(" †", "")]);
  return sections.length === 0 ? source : sections.map(({ title, url }) => `[${title}](${url})`).join(", ");
}
