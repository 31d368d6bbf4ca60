/** The version, the commit, the licences, the texts and the command of the program. */

import manifest from "../../deno.json" with { type: "json" };
import { type ReadRules, rulesPath } from "../devtools/rules/rules_file.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import type { ProcessEnvironment } from "../platform/runtime/process_environment.ts";
import { printable } from "../core/http/quote_value.ts";
import { shellWord } from "../platform/shell_word.ts";
import { CommandLineError } from "./command_line_error.ts";

/** The values that the build of the single executable file defines. */
interface BuildInfo {
  /** The short hash of the commit. */
  readonly commit?: string;
  /** The full licences of the packages inside. */
  readonly licences: string;
  /** Loads the text that describes each rule. */
  readonly readRules?: () => Promise<{ readonly text: string }>;
}

declare const LATCHKEY_ABOUT: BuildInfo;

function readBuildInfo(): BuildInfo {
  if (typeof LATCHKEY_ABOUT !== "undefined") return LATCHKEY_ABOUT;
  return {
    licences:
      "The licence of Latchkey is MIT, in the file LICENSE. The licences of the packages that it uses are beside them " +
      "in node_modules, and those of the packages inside its npm package in THIRD_PARTY_LICENSES.",
  };
}

export const version = manifest.version;

/** `latchkey` and the version, with the commit if it is known. */
export function formatVersion(): string {
  const { commit } = readBuildInfo();
  return `latchkey ${version}${commit === undefined ? "" : ` (${commit})`}`;
}

export function formatLicences(): string {
  return readBuildInfo().licences.trimEnd();
}

/**
 * Reads the text that describes each rule: the one inside the executable file, otherwise the file of the clone or of
 * the npm package.
 *
 * @param main The URL of the main module: `src/main.ts` in a clone, `main.js` at the root of the package.
 */
export function rulesReader({ readTextFile }: Pick<ProcessEnvironment, "readTextFile">, main: string): ReadRules {
  const { readRules } = readBuildInfo();
  if (readRules !== undefined) return async () => (await readRules()).text;
  return () => readTextFile(toPath(new URL(rulesPath, new URL(main.endsWith(".ts") ? ".." : ".", main))));
}

/** The path of a file URL. On Windows it has no slash before the drive. */
function toPath({ pathname }: URL): string {
  return decodeURIComponent(pathname).replace(/^\/(?=[A-Za-z]:\/)/, "");
}

/**
 * The command that starts the program in a shell: its name, or in a clone of the repository the task, and elsewhere the
 * path, with npx if npx runs it.
 *
 * @param command What follows, if it is known: the task must not start programs, as `exec` and `check` do.
 */
export function programCommand(
  { mainModule, env }: Pick<ProcessEnvironment, "mainModule" | "env">,
  command?: string,
): string {
  if (!/[/\\]src[/\\]main\.ts$/.test(mainModule)) return "latchkey";
  const npx = env.npm_command === "exec" ? "npx -y " : "";
  const path = mainModule.startsWith("file:") ? toPath(new URL(mainModule)) : mainModule;
  // The task is known in the clone only.
  const isElsewhere = env.PWD !== undefined && path !== `${env.PWD}/src/main.ts`;
  if (isElsewhere) return `${npx}deno run -A ${shellWord(path)}`;
  return startingCommands.includes(command) ? `${npx}deno run -A src/main.ts` : `${npx}deno task start`;
}

/** Commands that start programs; in a help text COMMAND is any of them. */
const startingCommands: readonly unknown[] = ["exec", "check", "COMMAND"];

/** What to say if Deno lets the process start no programs; `undefined` for every other error. */
export function missingPermission(error: unknown, command: string): Omit<ConfigIssue, "path"> | undefined {
  if (!/--allow-(?:run|write)\b/.test(String(error))) return undefined;
  return {
    expected: "a process that may start programs",
    received: "one that may not",
    hint: `Run ${command} with the same arguments instead.`,
  };
}

/**
 * The error of a command whose file cannot be written.
 *
 * @param error What the runtime threw.
 * @param command Its name, such as `init`.
 */
export function unwritableFile(
  path: string,
  error: unknown,
  environment: Pick<ProcessEnvironment, "mainModule" | "env">,
  command: string,
): CommandLineError {
  // In a clone, the task of every command may write in its folder only.
  const missing = missingPermission(error, `${programCommand(environment, "COMMAND")} ${command}`);
  return new CommandLineError([{
    path: printable(path),
    expected: "a folder in which this command may create a file",
    received: printable(error instanceof Error ? error.message : String(error)),
    hint: "Run the command in a folder of your own, such as that of the application, or name a file in one.",
    ...missing && { ...missing, expected: "a process that may write this file" },
  }]);
}
