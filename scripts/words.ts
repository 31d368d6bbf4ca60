/** Finds words that the project's vocabulary replaces: `deno task words --help`. */

import { existsSync, globSync, readFileSync } from "node:fs";
import { readCommand } from "./command.ts";
import { checkWords, findLongComments, findMissingPaths, findWords, type WordRules } from "./word_rules.ts";
import list from "./words.json" with { type: "json" };

const rules: WordRules = list.words;
const open: Readonly<Record<string, number>> = list.open;

const patterns = [
  "README.md",
  "{src,scripts,tests}/**/*.{ts,tsx,md}",
  "static/**/*.{ts,md}",
  ".github/**/*.yml",
];

const { flags, words } = readCommand({
  call: "deno task words",
  does: "Fails on words that scripts/words.json replaces: in identifiers, comments, texts, tests and documentation. " +
    "A folder under `open` in that file may have so many findings and no more. Also fails on more comment lines beyond " +
    "120 columns than `longComments` allows, and on a comment with the path of a missing file or folder.",
  flags: { counts: { does: "the number of findings of each open folder, as JSON for scripts/words.json" } },
  words: { value: "PATH", does: "list every finding in files whose path contains this" },
});

const paths = globSync(patterns).map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !path.endsWith(".gen.ts") && !path.includes("node_modules")).sort();
const findings = paths.flatMap((path) => findWords(path, readFileSync(path, "utf8"), rules));
const results = checkWords(findings, open);
const longComments = paths.filter((path) => /\.tsx?$/.test(path))
  .flatMap((path) => findLongComments(path, readFileSync(path, "utf8")));
const missing = paths.filter((path) => /\.tsx?$/.test(path))
  .flatMap((path) => findMissingPaths(path, readFileSync(path, "utf8"), existsSync));

if (flags.counts) {
  const counts = results.map(({ folder, findings }) => [folder, findings.length] as const);
  console.log(JSON.stringify(Object.fromEntries(counts.filter(([, count]) => count > 0)), null, 2));
  Deno.exit();
}

const shown = words.length > 0
  ? findings.filter(({ path }) => words.some((part) => path.includes(part)))
  : results.filter(({ failed }) => failed).flatMap((result) => result.findings);
for (const { path, line, word, write } of shown) console.log(`${path}:${line}: ${word} → ${write}`);
for (const { folder, findings, allowed, failed } of results) {
  if (failed) console.log(`${folder}: ${findings.length} findings, at most ${allowed} allowed.`);
  else if (findings.length < allowed) {
    console.log(`${folder}: ${findings.length} findings; lower ${allowed} in words.json.`);
  }
}
const hasTooManyLong = longComments.length > list.longComments;
if (hasTooManyLong) {
  for (const { path, line, word, write } of longComments) console.log(`${path}:${line}: ${word} → ${write}`);
}
if (longComments.length !== list.longComments) {
  console.log(`${longComments.length} long comment lines, ${list.longComments} allowed by longComments in words.json.`);
}
for (const { path, line, word, write } of missing) console.log(`${path}:${line}: ${word} → ${write}`);
console.log(`${findings.length} findings in ${paths.length} files; words.json allows some in its open folders.`);
if (hasTooManyLong || missing.length > 0 || results.some(({ failed }) => failed)) Deno.exitCode = 1;
