/**
 * Prints which test proves which rule, and compares tests/rules.md with the table in the code:
 * `deno task rules --help`.
 */

import { readdirSync, readFileSync } from "node:fs";
import { rules as table } from "../src/server/oauth/rules/mod.ts";
import { readCommand } from "./command.ts";

interface Rule {
  readonly id: string;
  readonly level: string;
  readonly text: string;
  readonly source: string;
}

interface Title {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly ids: readonly string[];
}

const testsFolder = new URL("../tests/", import.meta.url);
const sourceFolder = new URL("../src/", import.meta.url);

/** Sources that are specifications. Others are programs, or this project. */
const specification = /^(?:RFC \d+|OAuth 2\.[01]|OpenID Connect|MCP authorization|Client ID Metadata Document\b)/;

/** Parses the rows `| ID | Level | Rule | Source |`. Throws with the line of a malformed row. */
function parseRules(): Map<string, Rule> {
  const rules = new Map<string, Rule>();
  for (const [index, line] of readFileSync(new URL("rules.md", testsFolder), "utf8").split("\n").entries()) {
    if (!line.startsWith("|") || /^\| ID \||^\|[-|: ]+$/.test(line)) continue;
    const cells = line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim());
    const [id = "", level = "", text = "", source = ""] = cells;
    const problem = cells.length !== 4
      ? `expected 4 cells, found ${cells.length}; write a bar inside a cell as \\|`
      : !/^[A-Z]{2}-\d{2}$/.test(id)
      ? `expected an ID such as CI-06, found "${id}"`
      : !/^(MUST|SHOULD|MAY)( P)?$/.test(level)
      ? `expected MUST, SHOULD or MAY, with or without P, found "${level}"`
      : rules.has(id)
      ? `${id} stands there twice; give the new rule a number of its own`
      : undefined;
    if (problem) throw new Error(`tests/rules.md:${index + 1}: ${problem}`);
    rules.set(id, { id, level, text, source });
  }
  return rules;
}

/** Titles of every `test(` with a literal title. Skipped tests and comments do not count. */
function findTestTitles(): { readonly titles: readonly Title[]; readonly unread: readonly string[] } {
  const titles: Title[] = [];
  const unread: string[] = [];
  const files = readdirSync(testsFolder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/")).filter((file) => file.endsWith("_test.ts")).sort();
  for (const file of files) {
    const source = readFileSync(new URL(file, testsFolder), "utf8");
    for (const call of source.matchAll(/(?<![.\w$])test\(\s*(?:(["'`])((?:\\.|(?!\1)[^\\])*)\1)?/g)) {
      const before = source.slice(0, call.index);
      if (/^\s*(\/\/|\/?\*)/.test(before.slice(before.lastIndexOf("\n") + 1))) continue;
      const line = before.split("\n").length;
      const text = call[2];
      if (text === undefined || text.includes("[${")) unread.push(`${file}:${line}`);
      if (text === undefined) continue;
      const ids = [...text.matchAll(/\[([a-z]{2}-\d[^\]]*)\]/gi)].flatMap(([, list]) => list.split(/\s*,\s*/));
      titles.push({ file, line, text: text.replace(/\[[a-z]{2}-\d[^\]]*\]\s*/gi, "").trim(), ids });
    }
  }
  return { titles, unread };
}

/** Specifications in the source column of a row, in the format of the rule table. */
function getCitations({ source }: Rule): string {
  return source.replaceAll(/ †|`[^`]*`/g, "").split("; ").map((one) => one.replace(/, (?!§|App\.).*$/, ""))
    .filter((one) => specification.test(one) && !one.includes("conformance")).join("; ");
}

/** Rule IDs with which the HTTP layer rejects and that no rule with a fix has: it knows no table. */
function findUnknownHttpRules(): string[] {
  const sources = readdirSync(sourceFolder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts")
  )
    .map((file) => readFileSync(new URL(file, sourceFolder), "utf8"));
  const used = sources.flatMap((source) =>
    [...source.matchAll(/new HttpError\(\s*\d+,\s*"([^"]*)"/g)].map(([, id]) => id!)
  );
  return [...new Set(used)].filter((id) => table[id as keyof typeof table]?.fix === undefined);
}

/** Rule IDs in the code, without the rule table. */
function findRuleIdsInCode(): Set<string> {
  const files = readdirSync(sourceFolder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/")).filter((file) =>
      /\.tsx?$/.test(file) && !file.startsWith("server/oauth/rules/")
    );
  const sources = files.map((file) => readFileSync(new URL(file, sourceFolder), "utf8"));
  return new Set(sources.flatMap((source) => [...source.matchAll(/"([A-Z]{2}-\d{2})"/g)].map(([, id]) => id!)));
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;
}

function printList(heading: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${heading} (${lines.length}):\n${lines.map((line) => `  ${line}`).join("\n")}`);
}

const { flags } = readCommand({
  call: "deno task rules",
  does:
    "Prints which test proves which rule of tests/rules.md. Fails while a MUST or a rule of src/server/oauth/rules/ has " +
    "no test, a title quotes an unknown ID, or src/server/oauth/rules/ does not match tests/rules.md and the code.",
  flags: { uncovered: { does: "only what is missing" } },
});
const rules = parseRules();
const { titles, unread } = findTestTitles();
const testsByRule = new Map([...rules.keys()].map((id) => [id, titles.filter((title) => title.ids.includes(id))]));
const hasTest = (rule: Rule): boolean => testsByRule.get(rule.id)!.length > 0;

if (!flags.uncovered) {
  for (const { id, level } of rules.values()) {
    const [first, ...others] = testsByRule.get(id)!;
    const proof = first ? `${first.file}: ${first.text}` : "–";
    const more = others.length > 0 ? ` (+${others.length})` : "";
    console.log(`${id} ${level.padEnd(8)} ${shorten(proof, 105 - more.length)}${more}`);
  }
}

const all = [...rules.values()];
const mustRules = all.filter((rule) => rule.level.startsWith("MUST"));
const untested = all.filter((rule) => !hasTest(rule));
const missing = untested.filter((rule) => mustRules.includes(rule) || Object.hasOwn(table, rule.id));
const unknown = titles.flatMap(({ file, line, ids }) =>
  ids.filter((id) => !rules.has(id)).map((id) => `${id}  tests/${file}:${line}`)
);
const idsInSource = findRuleIdsInCode();
const disagreements = Object.entries(table).flatMap(([id, { cites }]) => {
  const row = rules.get(id);
  const cited = cites.join("; ");
  return [
    ...row === undefined ? [`${id}  has no row in tests/rules.md`] : [],
    ...row !== undefined && getCitations(row) !== cited
      ? [`${id}  cites "${cited}", and its row in tests/rules.md "${getCitations(row)}"`]
      : [],
    ...idsInSource.has(id) ? [] : [`${id}  is named nowhere in src/`],
  ];
});
const formatRule = ({ id, level, text }: Rule): string => `${id} ${level.padEnd(8)} ${shorten(text, 100)}`;

printList("MUST rules, and rules that the code checks, without a test", missing.map(formatRule));
printList(
  "SHOULD and MAY rules without a test, which is allowed",
  untested.filter((rule) => !missing.includes(rule)).map(formatRule),
);
printList("IDs in titles that tests/rules.md does not know; correct the title, or add the row", unknown);
printList("Titles whose ID is computed and was not read; write it out, as in `[PK-07] ${name}`", unread);
const unknownHttpRules = findUnknownHttpRules();
printList("IDs of an HttpError that no rule of src/server/oauth/rules/ with a fix has", unknownHttpRules);
printList("Rules of src/server/oauth/rules/ that differ from tests/rules.md or from the code", disagreements);
console.log(
  `\n${all.length} rules, ${all.length - untested.length} with a test; MUST: ${mustRules.filter(hasTest).length} of ` +
    `${mustRules.length}; ${
      Object.keys(table).length
    } in the code; ${titles.length} titles read; ${unknown.length} unknown IDs`,
);
if ([missing, unknown, unknownHttpRules, disagreements].some((list) => list.length > 0)) Deno.exitCode = 1;
