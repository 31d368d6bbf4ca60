/** The table of attacks in the README has every attack of the catalogue, in its order. */

import { assertEquals } from "@std/assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { attacks } from "../../../src/testing/check/attacks/mod.ts";

test("the table of attacks in the README is made of the definitions", () => {
  const readme = readFileSync("src/testing/check/README.md", "utf8");
  const [, table = ""] = /\| attack +\| level +\|[^\n]*\n\|[^\n]*\n((?:\|[^\n]*\n)*)/.exec(readme) ?? [];
  const rows = table.trimEnd().split("\n").map((row) => row.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim()));
  assertEquals(rows, attacks.map(({ id, level, title }) => [`\`${id}\``, `\`${level}\``, title]));
});
