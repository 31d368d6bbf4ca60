/** The rules as Markdown: one page, with the fix and the sources of each. */

import { parseRules, type RuleRow, rulesPath } from "../../../src/devtools/rules/rules_file.ts";
import { citedSections } from "../../../src/server/pages/specifications.ts";
import { findRule } from "../../../src/server/rules.ts";
import type { ReferencePage } from "./page.ts";

/** The file with the sources that the rule table in the code does not have. */
const sourcesPath = "tests/rule_sources.json";

/** The page of the rules. */
export function rulesPage(read: (path: string) => string): ReferencePage {
  const sources: Readonly<Record<string, string>> = JSON.parse(read(sourcesPath));
  const text = read(rulesPath).replace(/^<!--.*-->\n+/, "")
    .replaceAll(/^- \*\*[A-Z]{2}-\d{2}\*\* .+$/gm, (line) => {
      const [row] = parseRules(line);
      return row === undefined ? line : printRule(row, sources[row.id]);
    });
  return { name: "rules", text };
}

function printRule({ id, level, requirement }: RuleRow, source: string | undefined): string {
  const { fix, passes, cites = [] } = findRule(id) ?? {};
  const sources = [...cites, ...source?.split("; ") ?? []].map(linkSource).join("; ") || "A decision of this project";
  return [
    `### \`${id}\``,
    ...passes === undefined ? [] : [`**${passes}**`],
    `${level === "MUST" ? "" : `${level}: `}${requirement}`,
    `${fix === undefined ? "" : `Fix: ${fix}\\\n`}Source: ${sources}\n`,
  ].join("\n\n");
}

/** A source with links to the sections that it cites. */
function linkSource(source: string): string {
  const sections = citedSections([source.replace(" †", "")]);
  return sections.length === 0 ? source : sections.map(({ title, url }) => `[${title}](${url})`).join(", ");
}
