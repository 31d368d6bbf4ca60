/** The texts for agents are those that the READMEs give, and their links lead to files. */

import { assert, assertEquals } from "@std/assert";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { printLlms, printSkill } from "../../scripts/agents_text.ts";

const read = (path: string) => readFileSync(path, "utf8");

for (const [path, print] of [["static/llms.txt", printLlms], ["static/skill/SKILL.md", printSkill]] as const) {
  test(`${path} is what deno task agents writes, and its links lead to files`, () => {
    assertEquals(read(path), print(read), "Run deno task agents.");
    for (const [, link] of read(path).matchAll(/\]\((?![a-z]+:)([^)#]+)/g)) {
      assert(existsSync(join(dirname(path), link!)), link);
    }
  });
}
