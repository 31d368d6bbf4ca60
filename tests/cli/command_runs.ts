/** Runs commands in this process, as `main.ts` does. */

import { readFile } from "node:fs/promises";
import process from "node:process";
import type { ProcessEnvironment } from "../../src/platform/runtime/process_environment.ts";
import type { execute } from "../../src/cli/exec/execute.ts";
import { fastKeys } from "../platform/runtime/run_program.ts";

const readTextFile = (path: string) => readFile(path, "utf8");

/** A folder without files. */
export const noFiles = (path: string): Promise<string> =>
  Promise.reject(Object.assign(new Error(`no file ${path}`), { code: "ENOENT" }));

export const readRules = () => readTextFile("tests/rules.md");

/**
 * The environment of a command that may not end this process. Of the variables that configure a server it has only
 * those given and, unless a file is named, one that selects EdDSA.
 */
export function commandEnvironment(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): ProcessEnvironment {
  const hasFile = args.includes("--config") || variables.LATCHKEY_CONFIG !== undefined;
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("LATCHKEY_"));
  return {
    ...{ args, mainModule: "", isTerminal: false, isOutputTerminal: false, terminalWidth: () => undefined },
    env: { ...Object.fromEntries(own), ...!hasFile && fastKeys, ...variables },
    now: Date.now,
    ...{ readTextFile, writeLogLine: () => {}, onStop: () => {} },
    exit: () => {
      throw new Error("The command may not end the process.");
    },
  };
}

/** Runs `exec`, without the variables of this process that configure a server. */
export async function runCommandHere(
  command: typeof execute,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  onStop: (callback: () => void) => void = () => {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const { log, error } = console;
  const output = { stdout: "", stderr: "" };
  console.log = (text: string) => void (output.stdout += `${text}\n`);
  console.error = (text: string) => void (output.stderr += `${text}\n`);
  try {
    const environment = { ...commandEnvironment(args, variables), onStop };
    const code = await command(args, environment, readRules);
    return { code, ...output };
  } finally {
    Object.assign(console, { log, error });
  }
}
