/** The commands as Markdown, from the help of each: a section for the command, and one for each of its flags. */

import { checkHelpText, faultsHelpText } from "../../../src/cli/check/check_help.ts";
import { commandNames, commands } from "../../../src/cli/commands.ts";
import { execHelpText } from "../../../src/cli/exec/exec_help.ts";
import { explainHelpText } from "../../../src/cli/explain.ts";
import { helpText } from "../../../src/cli/help.ts";
import { initHelpText } from "../../../src/cli/init.ts";
import { mcpHelpText } from "../../../src/cli/mcp/serve_tools.ts";
import { flagName } from "../../../src/cli/options.ts";
import { optionNames } from "../../../src/cli/settings.ts";
import { escape, paragraphs, type ReferencePage } from "./page.ts";

/** Commands with a help of their own. */
const helpTexts: Readonly<Record<string, string>> = {
  ...{ init: initHelpText, exec: execHelpText, check: checkHelpText, mcp: mcpHelpText },
  explain: `${explainHelpText}\n\n${faultsHelpText}`,
};

/** A flag in a help, and what stands behind it and in the lines below it. */
const flagPattern = /^ {2}(--[a-z].*(?:\n {10,}.*)*)/gm;

/** The flags of the server that are settings: each has its section on the page of the setting. */
const settingFlags = new Set<string>(
  optionNames.filter((name) => name !== "config").map((name) => `--${flagName(name)}`),
);

/** The page of the commands. */
export function commandsPage(): ReferencePage {
  return {
    name: "commands",
    text: paragraphs(
      "# The command line (CLI): commands, flags and options",
      "The flags that are settings, such as `--port`, are on the pages of the settings.",
      ...printCommand("latchkey", "starts the server", helpText),
      ...commandNames.flatMap((name) =>
        printCommand(
          name,
          commands[name][1],
          helpTexts[name] ?? `Usage: latchkey ${`${name} ${commands[name][0]}`.trim()}`,
        )
      ),
    ),
  };
}

function printCommand(name: string, does: string, help: string): string[] {
  const title = name === "latchkey" ? "`latchkey`, `start`" : `\`${name}\`, \`latchkey ${name}\``;
  return [
    `## ${title}`,
    escape(`${does[0]!.toUpperCase()}${does.slice(1)}.`),
    `\`\`\`text\n${help.trim()}\n\`\`\``,
    ...[...help.matchAll(flagPattern)].map(([, row]) => row!.replaceAll(/\n +/g, " "))
      .filter((row) => !settingFlags.has(/^[\w-]+/.exec(row)![0])).flatMap(printFlag),
  ];
}

/** A row of the help: `--only LIST  attacks or categories`, or only names of flags. */
function printFlag(row: string): string[] {
  const [flag, meaning] = row.split(/ {2,}(.*)/);
  if (meaning !== undefined) {
    return [`### \`${/^[\w-]+/.exec(flag!)![0]}\``, `\`${flag}\`: ${escape(meaning.replaceAll(/ {2,}/g, ", "))}.`];
  }
  const names = row.match(/--[a-z-]+/g)!.filter((name) => !settingFlags.has(name));
  return [`### ${names.map((name) => `\`${name}\``).join(", ")}`, `${escape(row)}.`];
}
