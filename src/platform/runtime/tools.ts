/** Access to the process that only commands need: new files, the shell, questions, lines that replace each other. */

import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { createInterface } from "node:readline/promises";

/** Writes a UTF-8 file. Rejects with the error of the runtime. */
export async function writeTextFile(path: string, text: string): Promise<void> {
  await writeFile(path, text);
}

/**
 * Writes a UTF-8 file, which only the current user can read, unless it exists. Rejects with the error of the runtime.
 * On Windows, the rights of the folder apply.
 *
 * @returns Whether it was written.
 */
export async function createPrivateFile(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Whether standard input is a terminal. */
export function hasTerminalInput(): boolean {
  return process.stdin.isTTY === true;
}

/** Asks a question on standard error and reads a line of the terminal; `undefined` if the input ends. */
export async function ask(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const end = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
  try {
    return await Promise.race([lines.question(question), end]);
  } finally {
    lines.close();
  }
}

/** Writes to standard error, without a newline. */
export function writeError(text: string): void {
  process.stderr.write(text);
}

/**
 * Runs a command in the shell; its output goes to standard error. The function does not wait for programs that the
 * command leaves running.
 *
 * @throws {Error} If the command cannot run, or ends with a code other than 0.
 */
export function runInShell(command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ["ignore", 2, 2] });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`the command ended with ${code ?? signal}: ${command}`));
    });
  });
}
