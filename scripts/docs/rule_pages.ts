/** The rules as Markdown: a page for each group, and one for each rule. */

import { parseRules, type RuleRow } from "../../src/devtools/rules/rules_file.ts";
import { findRule } from "../../src/server/rules.ts";
import { citedSections } from "../../src/server/pages/specifications.ts";
import type { Rejection } from "./rejections.ts";
import { type Part, plain } from "./source.ts";

/** The list of the groups, with the number of their rules, for the page of all rules. */
export const groupList = (groups: readonly Part[]): string =>
  [
    ...groups.map((group) => `- [${plain(group.title!)}](#${group.anchors[0]}): ${parseRules(group.text).length}`),
    "",
  ].join("\n");

/** What the page of a rule says besides its requirement. */
export interface RuleContext {
  /** The heading of its group. */
  readonly group: string;
  /** The sources that the rule table in the code does not have. */
  readonly source?: string;
  readonly rejection?: Rejection;
}

/** The page of a rule. */
export function rulePage({ id, level, requirement }: RuleRow, { group, source, rejection }: RuleContext): string {
  const { fix, passes, cites = [] } = findRule(id) ?? {};
  const sources = [...cites, ...source?.split("; ") ?? []].map(linkSource);
  const facts = [
    `- **Group**: [${group}](${id.slice(0, 2)}.md)`,
    `- **Level**: ${level}`,
    `- **Source**: ${sources.join("; ") || "A decision of this project"}`,
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
    `${requirement}\n`,
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
