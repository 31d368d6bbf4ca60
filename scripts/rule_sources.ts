/** Makes src/ui/rules.gen.ts from tests/rules.md: where each rule comes from. */

import { readFile, writeFile } from "node:fs/promises";
import { readCommand, refuse } from "./command.ts";

const output = "src/ui/rules.gen.ts";

/** What names a specification that can be looked up; other sources are programs, or this project itself. */
const specification = /^(?:RFC \d+|OAuth 2\.[01]|OpenID Connect|MCP authorization)/;

const { flags } = readCommand({
  call: "deno run -A scripts/rule_sources.ts",
  does: `Makes ${output} from tests/rules.md: where each rule comes from.`,
  flags: { check: { does: "writes nothing, and only tells if it is stale" } },
});

const rows = (await readFile("tests/rules.md", "utf8")).matchAll(/^\| ([A-Z]{2}-\d{2}) \|.*\| ([^|]*) \|$/gm);
const lines: string[] = [];
for (const [, id, source] of rows) {
  const cited = source!.replaceAll(/ †|`[^`]*`/g, "").split("; ").map((one) => one.replace(/, (?!§|App\.).*$/, ""))
    .filter((one) => specification.test(one) && !one.includes("conformance"));
  if (cited.length > 0) lines.push(`  "${id}": ${JSON.stringify(cited.join("; "))},`);
}
const text = `// deno-fmt-ignore-file
/** Where rules come from, made by scripts/rule_sources.ts from tests/rules.md: change it there. */

/** The specifications that a rule cites, by its ID. */
export const sources: Readonly<Record<string, string>> = {
${lines.join("\n")}
};
`;

if (!flags.check) {
  await writeFile(output, text);
} else if (text !== await readFile(output, "utf8").catch(() => "")) {
  refuse(`${output} does not match tests/rules.md. Run: deno run -A scripts/rule_sources.ts`);
}
