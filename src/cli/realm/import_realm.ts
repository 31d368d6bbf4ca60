/** `latchkey init --from FILE`: writes a configuration file from a realm that Keycloak exported. */

import type { ProcessEnvironment } from "../../platform/runtime/process_environment.ts";
import { quote } from "../../server/config/config_issue.ts";
import { printable, printableLines } from "../../core/http/quote_value.ts";
import { CommandLineError } from "../command_line_error.ts";
import { configFileName } from "../environment.ts";
import { copyProfileHint, findForeignFormat, isRealm } from "../foreign_formats.ts";
import type { InitActions } from "../init.ts";
import { readObjectOfFile } from "../json_object.ts";
import { splitWords } from "../split_words.ts";
import { printText } from "../terminal_text.ts";
import { readNamedFile } from "../text_file.ts";
import { unwritableFile } from "../about.ts";
import { linesOf } from "./keep_valid.ts";
import { readRealm } from "./read_realm.ts";

const helpText = `Usage: latchkey init --from FILE [--output FILE]

Reads a realm that Keycloak exported, and writes a configuration file with its
clients, users and roles. It contains the client secrets of
the export, and passwords that it has in plain text. The command
prints what the file lacks.

  --output FILE   a new file, which only you can read (mode 0600).
                  Default: latchkey.json, which a server in this folder reads

For another provider, copy the nearest profile: static/docs/providers.md.
`;

/**
 * Runs the command.
 *
 * @param args The words after `init`.
 * @returns The exit code.
 * @throws {CommandLineError} If the command line or the realm is invalid, or the file exists.
 */
export async function importRealm(
  args: readonly string[],
  environment: Pick<ProcessEnvironment, "readTextFile" | "mainModule" | "env">,
  { createPrivateFile, randomSecret }: Pick<InitActions, "createPrivateFile" | "randomSecret">,
): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) return printText(helpText, environment), 0;
  const { source, output = configFileName } = readArguments(args);
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(source)) throw issue("--from", expectedFile, "a URL", copyProfileHint);
  const text = await readNamedFile(source, "--from", environment.readTextFile);
  if (typeof text !== "string") throw new CommandLineError([text]);
  const realm = await parseRealm(text, source);
  const { value, notes } = await readRealm(realm, randomSecret, environment.env);
  // JSON escapes only some of the characters that control a terminal.
  const json = printableLines(JSON.stringify(value, null, 2));
  const isNew = await createPrivateFile(output, `${json}\n`).catch((error) => {
    throw unwritableFile(output, error, environment, "init");
  });
  if (!isNew) {
    const hint = "Rename or remove it, or choose another name.";
    throw issue(printable(output), "no file of this name, because this command never overwrites one", "a file", hint);
  }
  const lines = linesOf(notes);
  console.error([
    `${printable(output)} is written: ${
      output === configFileName
        ? "a server that starts in this folder reads it"
        : `start with --config ${printable(output)}`
    }.`,
    ...lines.length > 0 ? ["Check these, and add what the application relies on:"] : [],
    ...lines.map((line) => `  ${line}`),
  ].join("\n"));
  return 0;
}

const expectedFile = "a file with a realm that Keycloak exported";

function readArguments(args: readonly string[]): { readonly source: string; readonly output?: string } {
  const values = new Map<string, string>();
  const hint = "latchkey init --from FILE --help has the flags.";
  for (const { flag, value = "", written } of splitWords(args)) {
    if (flag !== "--from" && flag !== "--output") {
      throw issue("latchkey init", "--from, and at most --output", quote(written[0]!.slice(0, 80)), hint);
    }
    if (value === "") throw issue(flag, "the name of a file", "nothing", hint);
    if (values.has(flag)) throw issue(flag, "one file", "two", "Keep one of the flags.");
    values.set(flag, value);
  }
  return { source: values.get("--from")!, output: values.get("--output") };
}

async function parseRealm(text: string, source: string): Promise<Readonly<Record<string, unknown>>> {
  const hint = "Save the export of one realm: a JSON object whose member realm is its name.";
  const { value, issues } = await readObjectOfFile(text, printable(source), "--from", hint);
  if (value !== undefined && isRealm(value)) return value;
  const found = issues[0] ?? findForeignFormat("--from", text, value) ??
    { received: "an object without the name of a realm", hint };
  throw issue(issues[0]?.path ?? printable(source), expectedFile, found.received, found.hint ?? hint);
}

function issue(path: string, expected: string, received: string, hint: string): CommandLineError {
  return new CommandLineError([{ path, expected, received, hint }]);
}
