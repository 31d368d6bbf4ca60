/** The pages of rules: the table of the code with the sentences of `tests/rules.md`. */

import { findRule, type RuleId, rules } from "../oauth/rules/mod.ts";
import type { RuleDescription, RuleGroup } from "../ui/docs/props.ts";
import { parseInline, plainText } from "./markdown.ts";

/** What `tests/rules.md` says of a rule. */
export interface RuleRow {
  readonly id: RuleId;
  /** The level of BCP 14, such as `MUST`. */
  readonly level: string;
  /** What the rule demands, as Markdown. */
  readonly text: string;
  /** The title of its group. */
  readonly group: string;
}

/** The rows of the rules that this program checks, in their order. */
export function parseRules(text: string): RuleRow[] {
  const rows: RuleRow[] = [];
  let group = "";
  for (const line of text.split("\n")) {
    const title = /^## [A-Z]{2}: (.*)$/.exec(line)?.[1];
    if (title !== undefined) group = plainText(parseInline(title));
    const [, id = "", level = "", text = ""] = /^\| ([A-Z]{2}-\d{2}) \| ([^|]*) \| (.*) \| [^|]* \|$/.exec(line) ?? [];
    if (findRule(id) !== undefined) rows.push({ id: id as RuleId, level, text: text.replaceAll("\\|", "|"), group });
  }
  return rows;
}

/** The rules by group, each with its demand in short. */
export function groupRules(rows: readonly RuleRow[]): RuleGroup[] {
  const groups = Map.groupBy(rows, ({ id }) => id.slice(0, 2));
  return [...groups].map(([prefix, members]) => ({
    prefix,
    title: members[0]!.group,
    rules: members.map(({ id, text }) => ({ id, summary: summarize(id, text) })),
  }));
}

/** The sentence of a passed check, or else the beginning of what the rule demands. A name is written as on the wire. */
function summarize(id: RuleId, text: string): string {
  const { passes } = rules[id];
  if (passes !== undefined) {
    const [word = ""] = passes.split(" ", 1);
    const isOnWire = word.includes("_") || text.includes(`\`${word}\``);
    return isOnWire ? passes : passes.charAt(0).toUpperCase() + passes.slice(1);
  }
  const plain = plainText(parseInline(text));
  const [sentence = plain] = /^.+?[^.]\.(?= [A-Z])|^.+$/.exec(plain) ?? [];
  return sentence.length <= maxSummaryChars ? sentence.replace(/\.$/, "") : shorten(sentence);
}

/** Maximum length of the short form of a demand, in characters. */
const maxSummaryChars = 140;

/** The text without its last clauses or, if the first one is too long, its last words. */
function shorten(text: string): string {
  const cut = text.slice(0, maxSummaryChars);
  const [clauses] = /^.{40,}(?=[,;:] )/.exec(cut) ?? [cut.slice(0, cut.lastIndexOf(" "))];
  return `${clauses}\u00a0…`;
}

/** The page of a rule; `undefined` if this program does not check it. */
export function describeRule(
  rows: readonly RuleRow[],
  id: string,
  settings: readonly string[],
  base: string,
): RuleDescription | undefined {
  const at = rows.findIndex((row) => row.id === id);
  const row = rows[at];
  if (row === undefined) return undefined;
  const { fix, passes, cites } = rules[row.id];
  const mentioned = `${row.text} ${fix ?? ""}`;
  const named = (name: string) => new RegExp(`(?<![\\w.-])${name.replaceAll(".", "\\.")}(?![\\w-])`).test(mentioned);
  return {
    id: row.id,
    level: row.level.replace(" P", ""),
    isOwnDecision: row.level.endsWith(" P"),
    group: row.group,
    demand: parseInline(row.text, (id) => findRule(id) && `${base}/docs/rules/${id}`),
    passes,
    fix,
    cites,
    settings: settings.filter(named),
    previous: rows[at - 1]?.id,
    next: rows[at + 1]?.id,
  };
}
