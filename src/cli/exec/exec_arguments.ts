/** The command line of `latchkey exec`: flags of the command and of the server, `--`, and the command to run. */

import { quote } from "../../server/config/config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { CommandLineError } from "../command_line_error.ts";
import { splitWords } from "../split_words.ts";

/** The values that the command passes on, and the variable of each by default. */
export const exportedVariables = {
  issuer: "LATCHKEY_ISSUER",
  client_id: "LATCHKEY_CLIENT_ID",
  client_secret: "LATCHKEY_CLIENT_SECRET",
  discovery: "LATCHKEY_DISCOVERY_URL",
  control: "LATCHKEY_CONTROL_URL",
  ca_file: "LATCHKEY_CA_FILE",
} as const;

/** The name of such a value. */
export type ExportedValue = keyof typeof exportedVariables;

/** The content of the command line. */
export interface ExecArguments {
  readonly command: readonly [name: string, ...args: readonly string[]];
  /** Further variables, by name. */
  readonly variables: ReadonlyMap<string, ExportedValue>;
  /** The folder of the report. Default: no report. */
  readonly report?: string;
  /** The redirect URIs of the client that the command registers. Default: any. */
  readonly redirectUris: readonly string[];
  readonly serverArgs: readonly string[];
}

/** Each flag of the command: its example. */
const examples = {
  "--env": "--env AUTH_ISSUER=issuer",
  "--report": "--report reports",
  "--redirect-uri": "--redirect-uri http://localhost:3000/callback",
} as const;

type ExecFlag = keyof typeof examples;

const isExecFlag = (word: string): word is ExecFlag => Object.hasOwn(examples, word);

/**
 * Reads the words after `exec`. The flags of the server are only separated; `cli/read_config.ts` reads them.
 *
 * @param program The command that starts the program in a shell.
 * @throws {CommandLineError} With all issues.
 */
export function readExecArguments(args: readonly string[], program: string): ExecArguments {
  const end = args.indexOf("--");
  const words = end < 0 ? args : args.slice(0, end);
  const [name, ...rest] = end < 0 ? [] : args.slice(end + 1);
  const values: Record<ExecFlag, string[]> = { "--env": [], "--report": [], "--redirect-uri": [] };
  const issues: ConfigIssue[] = [];
  const serverArgs: string[] = [];
  for (const { flag, value, written } of splitWords(words)) {
    if (flag === undefined || !isExecFlag(flag)) serverArgs.push(...written);
    else if (value) values[flag].push(value);
    else {
      const hint = `Write it like ${examples[flag]}.`;
      issues.push({ path: flag, expected: "a value", received: "none", hint });
    }
  }
  const variables = new Map<string, ExportedValue>();
  for (const text of values["--env"]) {
    const [, variable, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(\w+)$/.exec(text) ?? [];
    if (variable !== undefined && Object.hasOwn(exportedVariables, value!)) {
      variables.set(variable, value as ExportedValue);
    } else {
      issues.push({
        path: "--env",
        expected: `NAME=VALUE, where VALUE is one of ${Object.keys(exportedVariables).join(", ")}`,
        received: quote(text.slice(0, 80)),
        hint: `Write it like ${examples["--env"]}.`,
      });
    }
  }
  const [report, ...others] = values["--report"];
  if (others.length > 0) {
    issues.push({
      path: "--report",
      expected: "one folder",
      received: `${others.length + 1}`,
      hint: "Keep one of them.",
    });
  }
  if (name === undefined) {
    issues.push({
      path: "command line",
      expected: "-- and the command to run",
      received: end < 0 ? "no --" : "nothing after --",
      hint: `Write it like ${program} exec -- npm test.`,
    });
  }
  if (issues.length > 0) throw new CommandLineError(issues);
  return { command: [name!, ...rest], variables, report, redirectUris: values["--redirect-uri"], serverArgs };
}
