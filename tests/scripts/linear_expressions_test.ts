/**
 * Every regular expression of `src` takes linear time, whatever text it searches. Not found are those that only begin
 * again at each place behind a fixed text, such as `<a [^>]*>`: `tests/fuzz/costly_texts_test.ts` sends long texts.
 */

import { assertEquals } from "@std/assert";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { analyse } from "scslre";
import { problems } from "../../src/devtools/messages/messages.ts";

/** What is not linear, by file, with the reason why no stranger can use it. */
const explained: Readonly<Record<string, string>> = {};

/** The literals of a file that take more than linear time for some text, in the order of the file. */
function slowLiterals(path: string, source: string): string[] {
  const slow: string[] = [];
  const rule: Deno.lint.Rule = {
    create: () => ({
      Literal(node) {
        if (!("regex" in node) || node.regex === undefined) return;
        const { pattern, flags } = node.regex;
        if (isSlow(new RegExp(pattern, flags))) slow.push(`/${pattern}/${flags}`);
      },
    }),
  };
  Deno.lint.runPlugin({ name: "expressions", rules: { rule } }, path, source);
  return slow;
}

function isSlow(expression: RegExp): boolean {
  return analyse(expression).reports.length > 0;
}

test("no expression over text that others write takes more than linear time", () => {
  const found = globSync("src/**/*.{ts,tsx}").flatMap((path) => {
    // Scripts of the pages run in the browser of the reader.
    if (path.endsWith(".gen.ts")) return [];
    return slowLiterals(path, readFileSync(path, "utf8")).map((literal) => `${path}: ${literal}`);
  });
  assertEquals(found.filter((one) => !Object.hasOwn(explained, one)), []);
  for (const one of Object.keys(explained)) assertEquals(found.includes(one), true, `no longer there: ${one}`);
});

test("the patterns that tell the cause of an error text take linear time", () => {
  const patterns = problems.flatMap(({ tells = "" }) => tells === "" ? [] : tells.split(" ; "))
    .map((tell) => tell.split(" > ")[0]!);
  assertEquals(patterns.filter((pattern) => isSlow(new RegExp(pattern, "i"))), []);
});

test("an expression with more than linear time is found", () => {
  const slow = ["/^\\s+|\\s+$/", "/\\/+$/", "/(a|b)*?c*b$/", "/^(?:a+)+$/", "/^ *= *((?:[^+]|x)+?) *$/"];
  assertEquals(slowLiterals("a.ts", slow.map((text, at) => `export const a${at} = ${text};\n`).join("")), slow);
});
