/**
 * Prints the checks of an authorization request and how a token is made, each in its order, and which test proves which
 * rule, and compares tests/rules.md with the table in the code: `deno task rules --help`.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { checksWith } from "../src/core/authorize/checks.ts";
import { placeNames, stepsWith } from "../src/core/token/table.ts";
import type { Server } from "../src/core/server.ts";
import { builtInAfter, builtInBefore } from "../src/server/hosting/built_in_extensions.ts";
import { approvalChecks, claimsOfSteps, destinationChecks, tokenRequestSteps } from "../tests/core/check_order.ts";
import { parseRules, type RuleRow } from "../src/devtools/rules/rules_file.ts";
import { extensions } from "../src/server/hosting/extensions.ts";
import { rules } from "../src/server/rules.ts";
import otherSources from "../tests/rule_sources.json" with { type: "json" };
import { readCommand } from "./command.ts";

interface Title {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly ids: readonly string[];
}

/** The sources that the table does not have. */
const sources: Readonly<Record<string, string>> = otherSources;

const testsFolder = new URL("../tests/", import.meta.url);
const sourceFolder = new URL("../src/", import.meta.url);

/** Sources that are specifications. Others are programs, or this project. */
const specification =
  /^(?:RFC \d+|OAuth 2\.[01]|OpenID (?:Connect|Shared Signals Framework)|CAEP\b|MCP (?:authorization|elicitation)|Client ID Metadata Document\b)/;

/** The rules of tests/rules.md by ID. Throws with the line of a malformed one. */
function readRequirements(): Map<string, RuleRow> {
  const found = new Map<string, RuleRow>();
  for (const [index, line] of readFileSync(new URL("rules.md", testsFolder), "utf8").split("\n").entries()) {
    if (!/^[-*+|]/.test(line)) continue;
    const [row] = parseRules(line);
    const problem = row === undefined
      ? "expected `- **CI-06** SHOULD: The rule.`, the level only if it is not MUST"
      : found.has(row.id)
      ? `${row.id} stands there twice; give the new rule a number of its own`
      : undefined;
    if (problem) throw new Error(`tests/rules.md:${index + 1}: ${problem}`);
    found.set(row!.id, row!);
  }
  return found;
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

/** The specifications among the sources that are in no rule rules. */
function getCitations(id: string): string {
  return (sources[id] ?? "").replaceAll(/ †|`[^`]*`/g, "").split("; ").map((one) => one.replace(/, (?!§|App\.).*$/, ""))
    .filter((one) => specification.test(one) && !one.includes("conformance")).join("; ");
}

/** Rule IDs in these calls whose rule lacks the text. The types do not check them. */
function findIdsWithoutText(call: RegExp, text: "fix" | "passes"): string[] {
  const sources = readdirSync(sourceFolder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts")).map((file) => readFileSync(new URL(file, sourceFolder), "utf8"));
  const used = sources.flatMap((source) => [...source.matchAll(call)].map(([, id]) => id!));
  return [...new Set(used)].filter((id) => rules[id]?.[text] === undefined);
}

/** Rule IDs in the code, without the rule rules. */
function findRuleIdsInCode(): Set<string> {
  const files = readdirSync(sourceFolder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/")).filter((file) =>
      /\.tsx?$/.test(file) && !/^(?:core|server)\/rules\/|^server\/extensions\/\w+\/rules\.ts$/.test(file)
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

/** The extensions of the whole server, in order. */
const owned = [
  ...builtInBefore({ loginPage: "mock-oauth2-server", hosting: {} } as never),
  ...extensions,
  ...builtInAfter,
];

/** The core or the extension whose function has this name. */
function ownerOf(name: string): string {
  return name.split(" of the extension ")[1] ?? "core";
}

/** The checks of an authorization request to a server with all extensions, in the order in which they run. */
function printChecks(requirements: ReadonlyMap<string, RuleRow>): void {
  const print = (rule = "", name: string, reads = "", requests = "", owner = "core"): void => {
    const requirement = reads === "" ? shorten(requirements.get(rule)?.requirement ?? "", 70) : reads;
    console.log(
      `  ${rule.padEnd(5)}  ${requests.padEnd(8)}  ${owner.padEnd(21)}  ${name.padEnd(21)}  ${requirement}`.trimEnd(),
    );
  };
  const printOther = (rows: typeof approvalChecks) => rows.forEach(({ rule, by, reads }) => print(rule, by, reads));
  console.log(
    "The checks of an authorization request, in order: rule, whether only of requests with a redirect URI, " +
      "core or extension, function, what is checked.",
  );
  console.log("\nAn error is a page:");
  printOther(destinationChecks);
  console.log("\nAn error is sent to the client:");
  for (const { redirectOnly, rule, otherRules = [], read, reads } of checksWith(owned)) {
    const others = otherRules.length > 0 && reads !== undefined ? ` (also ${otherRules.join(", ")})` : "";
    if (read !== undefined) {
      print(rule, read.name.split(" ")[0]!, reads && reads + others, redirectOnly && "redirect", ownerOf(read.name));
    }
  }
  console.log("\nAfter the request was read:");
  printOther(approvalChecks);
  console.log("");
}

type Table = keyof Server["steps"];

/** What each table of steps makes. */
const tables: Readonly<Record<Table, string>> = {
  granted: "What an approval grants",
  beforeIssue: "Before something is issued, for an approval and for a token request",
  narrowed: "What a token request gets of a stored grant",
  issue: "What a token response gets",
  accessTokenClaims: "The claims of an access token",
  idTokenClaims: "The claims of an ID token",
  afterIssue: "After the tokens were made, before they are sent",
  visibleClaims: "What introspection returns of an access token",
};

/** The tables that run inside of a step: of an endpoint, or of a table. */
const inside: Readonly<Record<string, Table>> = {
  "grants.issueResponse": "idTokenClaims",
  "authorize of the grant type": "narrowed",
  access_token: "accessTokenClaims",
  id_token: "idTokenClaims",
};

/** What makes a token of the claims of a table. It is the last that can change them. */
const makers: Readonly<Partial<Record<Table, string>>> = {
  accessTokenClaims: "grants.formatToken",
  idTokenClaims: "grants.formatIdToken",
};

/** The file of an extension in `src/server/`. */
function fileOf(owner: string): string {
  const files = [
    `extensions/${owner}/mod.ts`,
    ...["clients/", "hosting/", "hosting/with_"].map((path) => `${path}${owner}.ts`),
  ];
  return files.find((file) => existsSync(new URL(`server/${file}`, sourceFolder))) ?? "";
}

/** How a token is made at a server with all extensions: each step in the order in which it runs, and whose it is. */
function printSteps(): void {
  const steps = stepsWith(owned);
  const printTable = (table: Table, indent = ""): void => {
    console.log(`${indent}${tables[table]} (${table}):`);
    for (const { name, run, changes } of steps[table]) {
      const owner = ownerOf(run.name);
      const isBuiltIn = !extensions.some((extension) => extension.name === owner);
      const whose = owner === "core"
        ? `core, ${run.name}`
        : `${isBuiltIn ? "built-in " : ""}extension ${owner}, server/${fileOf(owner)}`;
      const claims = claimsOfSteps[`${name} of ${table}`];
      const notes = [
        ...owner !== "core" && placeNames[table].includes(name) ? ["instead of the core's"] : [],
        ...changes === undefined ? [] : [`changes ${changes.join(", ")}`],
        ...claims === undefined ? [] : [claims],
      ];
      print(name, [whose, ...notes].join("; "), indent);
    }
    const maker = makers[table];
    if (maker !== undefined) {
      print(
        maker,
        "makes the token; before, a profile or a test changes any claim (server/token/claim_change.ts)",
        indent,
      );
    }
  };
  const print = (name: string, text: string, indent: string): void => {
    console.log(`${indent}  ${name.padEnd(34)}  ${text}`);
    if (inside[name] !== undefined) printTable(inside[name], `${indent}    `);
  };
  console.log(
    "How a token is made, in order: step, core or extension with its function or file, claims. At the authorization endpoint:\n",
  );
  printTable("granted");
  printTable("beforeIssue");
  print("grants.create", "makes the grant", "");
  print("grants.issueResponse", "issues the code; for response_type id_token or code id_token, also an ID token", "");
  console.log("\nAt the token endpoint:\n");
  for (const { by, does } of tokenRequestSteps) print(by, does, "");
  for (const table of ["beforeIssue", "issue", "afterIssue"] as const) printTable(table);
  console.log("\nAt the introspection endpoint:\n");
  printTable("visibleClaims");
  console.log("");
}

const { flags } = readCommand({
  call: "deno task rules",
  does:
    "Prints the checks of an authorization request and how a token is made, in their order, and which test proves which rule of tests/rules.md. Fails while a MUST or a rule of the rule table has no test, " +
    "a title quotes an unknown ID, or the table does not match tests/rules.md and the code.",
  flags: {
    uncovered: { does: "only what is missing" },
    order: { does: "only the checks and the steps" },
  },
});
const requirements = readRequirements();
const { titles, unread } = findTestTitles();
const testsByRule = new Map(
  [...requirements.keys()].map((id) => [id, titles.filter((title) => title.ids.includes(id))]),
);
const hasTest = (rule: RuleRow): boolean => testsByRule.get(rule.id)!.length > 0;

if (!flags.uncovered) {
  printChecks(requirements);
  printSteps();
  if (flags.order) Deno.exit();
  for (const { id, level } of requirements.values()) {
    const [first, ...others] = testsByRule.get(id)!;
    const proof = first ? `${first.file}: ${first.text}` : "–";
    const more = others.length > 0 ? ` (+${others.length})` : "";
    console.log(`${id} ${level.padEnd(8)} ${shorten(proof, 105 - more.length)}${more}`);
  }
}

const all = [...requirements.values()];
const mustRules = all.filter((rule) => rule.level.startsWith("MUST"));
const untested = all.filter((rule) => !hasTest(rule));
const missing = untested.filter((rule) => mustRules.includes(rule) || Object.hasOwn(rules, rule.id));
const unknown = titles.flatMap(({ file, line, ids }) =>
  ids.filter((id) => !requirements.has(id)).map((id) => `${id}  tests/${file}:${line}`)
);
const idsInSource = findRuleIdsInCode();
const disagreements = Object.keys(rules).flatMap((id) => [
  ...requirements.has(id) ? [] : [`${id}  is not in tests/rules.md`],
  ...getCitations(id) === ""
    ? []
    : [`${id}  cites "${getCitations(id)}" in tests/rule_sources.json: move it to the rule in the code`],
  ...idsInSource.has(id) ? [] : [`${id}  is named nowhere in src/`],
]);
disagreements.push(
  ...Object.keys(sources).filter((id) => !requirements.has(id))
    .map((id) => `${id}  is in tests/rule_sources.json, but not in tests/rules.md`),
);
const formatRule = ({ id, level, requirement }: RuleRow): string =>
  `${id} ${level.padEnd(8)} ${shorten(requirement, 100)}`;

printList("MUST rules, and rules that the code checks, without a test", missing.map(formatRule));
printList(
  "SHOULD and MAY rules without a test, which is allowed",
  untested.filter((rule) => !missing.includes(rule)).map(formatRule),
);
printList("IDs in titles that tests/rules.md does not know; correct the title, or add the rule", unknown);
printList("Titles whose ID is computed and was not read; write it out, as in `[PK-07] ${name}`", unread);
const withoutFix = findIdsWithoutText(/(?:new HttpError\(\s*\d+,|\b(?:internalR|r)ule:)\s*"([^"]*)"/g, "fix");
printList("IDs in an HttpError or an explanation that no rule of the table with a fix has", withoutFix);
const withoutSentence = findIdsWithoutText(/\bpassed\?\.\(\s*"([A-Z]{2}-[^"]*)"/g, "passes");
printList("IDs of passed checks that no rule of the table with a sentence has", withoutSentence);
printList("Rules of the table that differ from tests/rules.md or the code", disagreements);
console.log(
  `\n${all.length} rules, ${all.length - untested.length} with a test; MUST: ${mustRules.filter(hasTest).length} of ` +
    `${mustRules.length}; ${
      Object.keys(rules).length
    } in the code; ${titles.length} titles read; ${unknown.length} unknown IDs`,
);
if ([missing, unknown, withoutFix, withoutSentence, disagreements].some((list) => list.length > 0)) Deno.exitCode = 1;
