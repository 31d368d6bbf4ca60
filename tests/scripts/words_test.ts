/** The check of forbidden words. */

import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { checkWords, findLongComments, findMissingPaths, findWords } from "../../scripts/word_rules.ts";

const rules = { "cats?": "dog", "blue": { write: "green", except: "blue sky" } };

function find(text: string): string[] {
  return findWords("a/b.ts", text, rules).map(({ path, line, word, write }) => `${path}:${line} ${word} ${write}`);
}

test("a word is found in any case, in texts and in parts of identifiers", () => {
  assertEquals(find("// Cats\nconst blackCat = HTTPCat + CAT_NAME;\ncats_of"), [
    "a/b.ts:1 Cats dog",
    "a/b.ts:2 Cat dog",
    "a/b.ts:2 Cat dog",
    "a/b.ts:2 CAT dog",
    "a/b.ts:3 cats dog",
  ]);
});

test("a longer word that contains the word is not found", () => {
  assertEquals(find("concatenate catalog Categories bluetooth"), []);
});

test("an exception hides the word in its phrase only", () => {
  assertEquals(find("a blue sky and a blue door; blueSky"), ["a/b.ts:1 blue green"]);
});

test("a file outside the open folders fails with its first finding, an open folder with one more than allowed", () => {
  const finding = (path: string) => ({ path, line: 1, word: "cat", write: "dog" });
  const findings = ["a/b.ts", "a/c/d.ts", "a/c/e.ts", "f.md"].map(finding);
  const summary = (open: Record<string, number>) =>
    checkWords(findings, open).map(({ folder, findings, failed }) => `${folder} ${findings.length} ${failed}`);
  assertEquals(summary({ "a": 1, "a/c": 1 }), ["a 1 false", "a/c 2 true", "f.md 1 true"]);
  assertEquals(summary({ "a": 3, "f.md": 2 }), ["a 3 false", "f.md 1 false"]);
});

test("a comment line of more than 120 columns is found; a long line of code is not", () => {
  const words = "x ".repeat(60);
  const lines = [`// ${words}`, `  * ${words}`, `/** ${words}*/`, `const a = "${words}";`, `// ${words.slice(4)}`];
  assertEquals(findLongComments("a/b.ts", lines.join("\n")).map(({ line, word }) => `${line} ${word}`), [
    "1 123 columns",
    "2 124 columns",
    "3 126 columns",
  ]);
});

test("a comment that names a missing file or folder is found; a path may be relative to its file or to src/", () => {
  const lines = [
    "/** `c.ts`, `d.ts` and `x/`. */",
    "// `core/e.ts` and `f.tsx`",
    "const a = `g.ts`;",
    "// `text/html`",
  ];
  const files = ["a/c.ts", "a/x/", "src/core/e.ts"];
  const missing = findMissingPaths("a/b.ts", lines.join("\n"), (path) => files.includes(path));
  assertEquals(missing.map(({ line, word }) => `${line} ${word}`), ["1 d.ts", "2 f.tsx"]);
});
