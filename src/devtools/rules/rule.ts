/** What is known of a rule: its row of the rule table, with its requirement in the file of `rules_file.ts`. */

import { suggest } from "../../core/policy/suggest.ts";
import { coreRules, type Rule, type RuleId } from "../../core/rules/mod.ts";
import { extensionRules, findRule, rules } from "../../server/rules.ts";
import { serverRules } from "../../server/rules/mod.ts";
import type { RuleDescription } from "./pages/rule_page.tsx";
import { parseRules, type ReadRules } from "./rules_file.ts";

/** The rule with this ID, in capital or small letters; `undefined` if there is none. */
export async function describeRule(name: string, readRules: ReadRules): Promise<RuleDescription | undefined> {
  const id = name.toUpperCase() as RuleId;
  const rule = findRule(id);
  if (rule === undefined) return undefined;
  const text = await readRules().catch(() => "");
  const row = parseRules(text).find((row) => row.id === id);
  const [, title, about = ""] = new RegExp(`^## ${id.slice(0, 2)}: (.*)\\n\\n((?:[^-\\n].*\\n)*)`, "m").exec(text) ??
    [];
  return {
    ...{ ...rule, id, level: row?.level.replace(" P", ""), requirement: row?.requirement },
    group: title &&
      [title, ...about.trim().replace(/\.?$/, "").split(". ", 1)].filter(Boolean).join(": ").replaceAll("\n", " "),
  };
}

/** The rule with the most similar ID, else all of the group that the name begins with; none for any other name. */
export function nearestRules(name: string): RuleId[] {
  const ids = (Object.keys(rules) as RuleId[]).sort();
  const nearest = suggest(name, ids) as RuleId | undefined;
  return nearest === undefined ? ids.filter((id) => id.startsWith(`${name.slice(0, 2).toUpperCase()}-`)) : [nearest];
}

/** The letters with which the IDs of each group begin. */
export function ruleGroups(): string[] {
  return [...new Set(Object.keys(rules).map((id) => id.slice(0, 2)))].sort();
}

/** Maximum number of rules that are named for an error code. */
const maxNamed = 8;

/** The rules that reject requests with an error code, in a line; `undefined` if none does. */
export function rulesOfCode(code: string): string | undefined {
  const ids = [coreRules, serverRules, ...Object.values(extensionRules)].flatMap((table) =>
    Object.entries<Rule>(table).filter(([, rule]) => sends(rule, code)).map(([id]) => id)
  );
  if (ids.length === 0) return undefined;
  return `${ids.slice(0, maxNamed).join(", ")}${ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : ""}: ` +
    `latchkey explain ${ids[0]}`;
}

function sends(rule: Rule, code: string): boolean {
  return "isAboutGrant" in rule ? code === "invalid_grant" : "code" in rule && rule.code === code;
}
