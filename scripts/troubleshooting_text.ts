/** The guide to the messages of client libraries, printed from their table. */

import { relative } from "node:path/posix";
import type { LibraryMessage, Problem } from "../src/devtools/messages/problem.ts";
import { problems } from "../src/devtools/messages/messages.ts";

/** Where the guide is. */
export const troubleshootingPath = "static/docs/troubleshooting.md";

/** The text of the guide, formatted. */
export async function printTroubleshooting(): Promise<string> {
  const libraries = new Set(problems.flatMap(({ messages }) => messages.flatMap((message) => message.libraries)));
  const count = problems.reduce((sum, { messages }) => sum + messages.length, 0);
  return await format([
    "# Troubleshooting: error messages of client libraries",
    `Why did the login fail? If Latchkey rejected a request, its page, its terminal and \`/flows\` ` +
    "[say why](start.md#why-did-the-login-fail), as `String(as.log)` does in a test. This page is about what client " +
    "libraries say.",
    '```sh\nlatchkey explain "jwt expired"\nnpm test 2>&1 | latchkey explain -\n```',
    `The command explains an error code, a message or a whole stack trace, from its words where it does not know the ` +
    "text, and compares the values in it; the search field of `/flows` does the same. " +
    `Both know the ${count} texts of ${libraries.size} libraries and programs below. \`*\` stands for a value. ` +
    "`/flows`, the tool `explain` of `latchkey mcp`, and `latchkey explain --server http://localhost:9000 TEXT` add " +
    "what the server saw of the problem, such as the page on which the login began, or the `aud` of the tokens.",
    ...problems.map(printProblem),
  ].join("\n\n"));
}

function printProblem({ title, causes, application, server, guide, messages }: Problem): string {
  const [path, anchor] = guide.split("#");
  const link = `${relative("static/docs", path!)}${anchor === undefined ? "" : `#${anchor}`}`;
  return [
    // The search of the site finds a code by its name.
    `## ${escape(title).replace(/^[a-z]+(?:_[a-z]+)+(?=:)/, "`$&`")}`,
    ...[
      "The usual causes, the most frequent first:",
      causes.map((cause, i) => `${i + 1}. ${escape(cause)}`).join("\n"),
    ],
    `**In the application**: ${escape(application)}`,
    `**Here**: ${escape(server)} [More](${link})`,
    ...messages.length === 0
      ? []
      : [["| message | of | in this library |", "| --- | --- | --- |", ...messages.map(printRow)].join("\n")],
  ].join("\n\n");
}

function printRow({ text, libraries, fix = "" }: LibraryMessage): string {
  // A backquote in code needs two around it.
  const [open, close] = text.includes("`") ? ["`` ", " ``"] : ["`", "`"];
  return `| ${open}${text.replaceAll("|", "\\|")}${close} | ${libraries.join(", ")} | ${escape(fix)} |`;
}

/** Plain text in Markdown. */
function escape(text: string): string {
  return text.replaceAll(/[\\*<>[\]|]/g, "\\$&");
}

async function format(markdown: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext", "md", "--line-width", "120", "-"],
    ...{ stdin: "piped", stdout: "piped", stderr: "inherit" },
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(`${markdown}\n`));
  await writer.close();
  const { success, stdout } = await child.output();
  if (!success) throw new Error("deno fmt failed");
  return new TextDecoder().decode(stdout);
}
