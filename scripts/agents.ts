/** Writes the texts for agents from the READMEs: `deno task agents --help`. */

import { mkdir, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { printLlms, printSkill } from "./agents_text.ts";
import { exitWithError, readCommand } from "./command.ts";

readCommand({
  call: "deno task agents",
  does:
    "Writes static/llms.txt, the list of the pages, and static/skill/SKILL.md, a skill for coding agents, from the " +
    "READMEs. A test compares them.",
});

try {
  const read = (path: string) => readFileSync(path, "utf8");
  await mkdir("static/skill", { recursive: true });
  await writeFile("static/llms.txt", printLlms(read));
  await writeFile("static/skill/SKILL.md", printSkill(read));
} catch (error) {
  exitWithError(error);
}
