/** The lists of attacks and habits in the README of the check, printed from their records. */

import { readFileSync } from "node:fs";
import { categoryOf } from "../src/check/attack.ts";
import { attacks } from "../src/check/attacks/mod.ts";
import { habits } from "../src/recorder/habits/mod.ts";

/** The README with the lists. */
export const cataloguePath = "src/check/README.md";

const width = 120;

/** The README with the current lists, between the comments that mark them. */
export function catalogueText(): string {
  const text = readFileSync(cataloguePath, "utf8");
  const marked = /(<!-- deno task schema -->\n)[^]*?(<!-- end -->)/;
  if (!marked.test(text)) throw new Error(`${cataloguePath}: expected <!-- deno task schema --> and <!-- end -->`);
  return text.replace(marked, (_, start, end) => `${start}\n${lists()}\n${end}`);
}

function lists(): string {
  const categories = [...Map.groupBy(attacks, ({ id }) => categoryOf(id))].map(([category, own]) =>
    wrap(`- **${category}**: ${own.map(({ id }) => id.slice(category.length + 1)).join(", ")}`)
  );
  return [...categories, wrap(`- **habits**: ${habits.map(({ id }) => id).join(", ")}`)].join("");
}

/** The words of a list item in lines, as `deno fmt` writes them. */
function wrap(item: string): string {
  const lines = [""];
  for (const word of item.split(" ")) {
    const line = lines.at(-1)!;
    if (line === "") lines.push(lines.pop() + word);
    else if (line.length + 1 + word.length <= width) lines.push(`${lines.pop()} ${word}`);
    else lines.push(`  ${word}`);
  }
  return `${lines.join("\n")}\n`;
}
