/** Texts of the program as its terminal shows them: with the command that started it, in the width of the terminal. */

import type { ProcessEnvironment } from "../platform/runtime/process_environment.ts";
import { programCommand } from "./about.ts";
import { commandNames } from "./commands.ts";
import { wrap } from "./operating/wrap.ts";

const ownCommand = new RegExp(`(?<![\\w/.@-])latchkey (?=(${commandNames.join("|")}|COMMAND)\\b|--|\\[)`, "g");

/** The members of the environment that a text depends on. */
type Environment =
  & Pick<ProcessEnvironment, "mainModule" | "env">
  & Partial<Pick<ProcessEnvironment, "isOutputTerminal" | "terminalWidth">>;

/** Prints the help or the list of a command. */
export function printText(text: string, environment: Environment): void {
  const width = environment.isOutputTerminal ? environment.terminalWidth?.() : undefined;
  console.log(terminalText(text.trimEnd(), environment, width));
}

/** A row of a table: two spaces, a name, and its text in a column. Lines below it continue the text. */
const tableRow = /^ {2}\S+(?: \S+)* {2,}(?=\S)/;

/**
 * Replaces `latchkey`, before a command or flag, by the command that started the program, and wraps long lines.
 *
 * @param width Of the terminal, in characters. Default: lines are not wrapped.
 */
export function terminalText(
  text: string,
  environment: Environment,
  width = Infinity,
): string {
  const typed = text.replace(ownCommand, (_, command) => `${programCommand(environment, command)} `);
  const lines: string[] = [];
  for (const block of typed.split("\n\n")) {
    const fits = block.split("\n").every((line) => line.length <= width);
    lines.push(fits ? block : wrapBlock(block, width), "");
  }
  return lines.slice(0, -1).join("\n");
}

function wrapBlock(block: string, width: number): string {
  const wrapped = joinParagraphs(block).flatMap((line) => wrap(line, hangingIndent(line), width));
  return wrapped.map((line) => line.trimEnd()).join("\n");
}

/** Joins the lines of each paragraph, and of each row of a table. */
function joinParagraphs(block: string): string[] {
  const joined: string[] = [];
  for (const line of block.split("\n")) {
    const previous = joined.at(-1);
    const indent = line.search(/\S/);
    const continues = previous !== undefined &&
      (indent === 0
        ? /^\S/.test(previous) && /^\S/.test(line)
        : indent > 2 && indent === hangingIndent(previous).length);
    if (continues) joined[joined.length - 1] += ` ${line.trimStart()}`;
    else joined.push(line);
  }
  return joined;
}

function hangingIndent(line: string): string {
  return " ".repeat((tableRow.exec(line) ?? /^ */.exec(line)!)[0].length);
}
