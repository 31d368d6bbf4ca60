/** The list of attacks in the README has every attack of the catalogue, in its order. */

import { assertEquals } from "@std/assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { categoryOf } from "../../src/check/attack.ts";
import { attacks } from "../../src/check/attacks/mod.ts";

test("the list of attacks in the README is made of the definitions", () => {
  const readme = readFileSync("src/check/README.md", "utf8").replace(/\n {2}/g, " ");
  const listed = readme.match(/^- `[a-z-]+\/`: .*$/gm);
  const expected = [...Map.groupBy(attacks, ({ id }) => categoryOf(id))].map(([category, own]) =>
    `- \`${category}/\`: ${own.map(({ id }) => id.slice(category.length + 1)).join(", ")}`
  );
  assertEquals(listed, expected);
});
