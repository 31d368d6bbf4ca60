/**
 * `latchkey explain PK-09`: a rule, how to fix a request that breaks it, its sources, and where it is checked;
 * `latchkey explain PK`: the rules of a group.
 */

import { describeRule, nearestRules, ruleGroups } from "../devtools/rules/rule.ts";
import type { ReadRules } from "../devtools/rules/rules_file.ts";
import { quote } from "../server/config/config_issue.ts";
import { CommandLineError } from "./command_line_error.ts";
import { wrap } from "./operating/format_event.ts";
import type { ProcessEnvironment } from "../platform/runtime/process_environment.ts";
import { citedSections } from "../server/pages/specifications.ts";

const helpText = `Usage: latchkey explain RULE

Prints what a rule requires, how to fix a request that breaks it, its sources
with links, and where the server checks it. RULE is the ID at the end of an
error_description and of each rejection in the terminal, such as PK-09. With the
first letters alone, such as PK, it lists the rules of the group.`;

/**
 * The output of the command, without a final newline.
 *
 * @param args The words after `explain`: the ID of a rule, or the letters of a group, in capital or small letters.
 * @throws {CommandLineError} If they are neither.
 */
export async function explain(
  args: readonly string[],
  { terminalWidth }: Pick<ProcessEnvironment, "terminalWidth">,
  readRules: ReadRules,
): Promise<string> {
  if (args.includes("--help") || args.includes("-h")) return helpText;
  const [name = ""] = args;
  if (args.length === 1 && ruleGroups().includes(name.toUpperCase())) {
    const group = await Promise.all(nearestRules(name).map((id) => describeRule(id, readRules)));
    return group.flatMap((rule) =>
      wrap(`${rule!.id}  ${rule!.requirement ?? rule!.passes}`, " ".repeat(7), terminalWidth())
    )
      .join("\n");
  }
  const rule = args.length === 1 ? await describeRule(name, readRules) : undefined;
  if (rule === undefined) throw unknownRule(args);
  const { id, level, passes, requirement, fix, cites, checkedAt } = rule;
  const sections = citedSections(cites);
  const sources = sections.length > 0 ? sections.map(({ title, url }) => `${title}  ${url}`) : cites;
  const rows: readonly (readonly [label: string, text: string | undefined])[] = [
    ["rule", requirement ?? passes],
    ["correct", requirement === undefined ? undefined : passes],
    ["fix", fix],
    ...(sources.length > 0 ? sources : ["a decision of this project"]).map((source, i) =>
      [i === 0 ? "source" : "", source] as const
    ),
    ["checked", checkedAt],
  ];
  return [
    level === undefined ? id : `${id}  ${level}`,
    ...rows.flatMap(([label, text]) =>
      text === undefined
        ? []
        : wrap(`  ${label.padEnd(labelWidth)}${text}`, " ".repeat(labelWidth + 2), terminalWidth())
    ),
  ].join("\n");
}

const labelWidth = 9;

function unknownRule(args: readonly string[]): CommandLineError {
  const [name = ""] = args;
  const nearest = args.length === 1 ? nearestRules(name) : [];
  const received = args.length === 0 ? "none" : args.length === 1 ? quote(name.slice(0, 80)) : `${args.length} words`;
  const hint = nearest.length === 0
    ? `latchkey explain PK lists the rules of a group. The groups are ${ruleGroups().join(", ")}.`
    : nearest.length === 1
    ? `The nearest rule is ${nearest[0]}. latchkey explain ${nearest[0]!.slice(0, 2)} lists the rules of its group.`
    : `The rules of the group ${nearest[0]!.slice(0, 2)} are ${nearest.join(", ")}.`;
  return new CommandLineError([{
    path: "latchkey explain",
    expected: "the ID of a rule of this server, such as PK-09",
    received,
    hint,
  }]);
}
