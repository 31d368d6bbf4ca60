/** The texts for agents, from the README and the guides: `static/llms.txt` and `static/skill/SKILL.md`. */

import { dirname, join, relative } from "node:path/posix";
import { guides } from "./docs/plan.ts";

/** Reads a README by its path in the repository. */
export type ReadText = (path: string) => string;

/** The pages that `llms.txt` lists for users; READMEs of the code are not among them. */
export const userPages: readonly string[] = [
  "README.md",
  ...guides().flatMap(({ pages }) => pages.map(({ source }) => source)),
  ...["src/server/explain/README.md", "src/server/profiles/README.md", "src/server/extensions/README.md"],
  ...["tests/rules.md", "static/changes.md"],
];

/** The sections of the skill, in order. */
const skillSections: readonly (readonly [page: string, section: string])[] = [
  ["README.md", "Quick start"],
  ["README.md", "Connect your app"],
  ["README.md", "In a test"],
  ["static/docs/test-in-any-language.md", "Run your tests beside a server"],
  ["static/docs/mcp.md", "Tools for an agent"],
  ["README.md", "Check your client"],
];

/** The text of `static/llms.txt`: a line for each page, with its sections. */
export function printLlms(read: ReadText): string {
  const lines = userPages.map((page) => {
    const text = read(page);
    const isReadme = /README\.md$|\/docs\//.test(page);
    const sections = !isReadme
      ? []
      : outsideCode(text).filter((line) => line.startsWith("## ")).map((line) => plain(line.slice(3)));
    return `- [${plain(titleOf(text))}](${relative("static", page)})` +
      (sections.length === 0 ? "" : `: ${sections.join("; ")}`);
  });
  return ["# Latchkey", "", `> ${summary(read)}`, "", "## Pages", "", ...lines, ""].join("\n");
}

/** The text of `static/skill/SKILL.md`: sections of the READMEs, with links from its folder. */
export function printSkill(read: ReadText): string {
  const sections = skillSections.map(([page, name]) => rebase(section(read(page), name), page, "static/skill"));
  const head = ["---", "name: latchkey", `description: ${JSON.stringify(summary(read))}`, "---", "", "# Latchkey", ""];
  return [...head, ...sections.flatMap((text) => [text.trim(), ""])].join("\n");
}

/** The first paragraph of the README. */
function summary(read: ReadText): string {
  return read("README.md").split("\n\n")[1]!.replaceAll("\n", " ");
}

const titleOf = (text: string) => /^# (.+)$/m.exec(text)![1]!;

const plain = (text: string) => text.replaceAll("`", "").replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");

/** The lines that are not in a block of code. */
function outsideCode(text: string): string[] {
  return text.replaceAll(/^```[^]*?^```$/gm, "").split("\n");
}

/** A section with its heading, without the words for the search. @throws {TypeError} If the page has none of this name. */
function section(text: string, name: string): string {
  const [, ...rest] = `\n${text}`.split(`\n## ${name}\n`);
  if (rest.length !== 1) throw new TypeError(`expected one section ${name}, received ${rest.length}`);
  return `## ${name}\n${rest[0]!.split(/\n## /)[0]!.replaceAll(/^<!--.*-->\n\n/gm, "")}`;
}

/** Makes links of a page links from another folder. */
function rebase(text: string, page: string, folder: string): string {
  return text.replaceAll(
    /\]\((?![a-z]+:)([^)#]*)(#[^)]*)?\)/g,
    (_, path: string, anchor = "") => `](${relative(folder, path === "" ? page : join(dirname(page), path))}${anchor})`,
  );
}
