/** Access to the process that only commands need: new files, the shell, questions, lines that replace each other. */

import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline/promises";
import { rootCertificates } from "node:tls";

/** Creates a folder with its parents, unless it exists. Rejects with the error of the runtime. */
export async function createFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
}

/**
 * Writes a UTF-8 file that the user named; follows symbolic links, as a shell does with `>`. Rejects with the error of
 * the runtime.
 */
export async function writeTextFile(path: string, text: string): Promise<void> {
  await writeFile(path, text);
}

/**
 * Writes a UTF-8 file that this program named; replaces a file or a symbolic link at this path and follows no link.
 * Rejects with the error of the runtime.
 */
export async function replaceTextFile(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, text, { flag: "wx" });
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

/** Creates a folder for temporary files of the current user alone. Rejects with the error of the runtime. */
export async function createTemporaryFolder(): Promise<{
  /** Creates a file. @returns Its path. */
  write(name: string, text: string): Promise<string>;
  /** Removes the folder with its files. */
  remove(): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-"));
  return {
    async write(name, text) {
      const path = join(folder, name);
      await writeFile(path, text, { flag: "wx" });
      return path;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Where systems have their roots as one file: Debian, Fedora, openSUSE, Alpine and macOS. */
const rootFiles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** The root certificates of the system as PEM; those of the runtime if the system has no such file. */
export async function systemRoots(): Promise<string> {
  for (const path of rootFiles) {
    const text = await readFile(path, "utf8").catch(() => "");
    if (text !== "") return text;
  }
  return rootCertificates.join("\n");
}

/** Whether standard input is a terminal. */
export function hasTerminalInput(): boolean {
  return process.stdin.isTTY === true;
}

/** The lines of the terminal, of which {@link ask} reads one at a time. */
let typedLines: AsyncGenerator<string> | undefined;

/** Asks a question on standard error and reads a line of the terminal; `undefined` if the input ends. */
export async function ask(question: string): Promise<string | undefined> {
  writeError(question);
  // Read by one interface: a second one would not get what the first has read.
  typedLines ??= inputLines();
  const { done, value } = await typedLines.next();
  return done ? undefined : value;
}

/**
 * The lines of standard input, until it ends. Opens it when the first line is asked for: what arrives between the
 * creation of an interface and its first reader would be lost.
 */
export async function* inputLines(): AsyncGenerator<string> {
  yield* createInterface({ input: process.stdin, terminal: false });
}

export async function readStandardInput(): Promise<string> {
  const parts: string[] = [];
  for await (const line of inputLines()) parts.push(line);
  return parts.join("\n");
}

/** Writes to standard output, without a newline. */
export function writeOutput(text: string): void {
  process.stdout.write(text);
}

/** Writes to standard error, without a newline. */
export function writeError(text: string): void {
  process.stderr.write(text);
}

/**
 * Runs a command in the shell; its output is added to a file. The function does not wait for programs that the command
 * leaves running.
 *
 * @throws {Error} If the command cannot run, or ends with a code other than 0.
 */
export function runInShell(command: string, outputFile: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawnWithOutput(command, outputFile, {});
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`the command ended with ${code ?? signal}: ${command}`));
    });
  });
}

/** A program that runs beside this one. */
export interface ShellProgram {
  /** Rejects when it ends by itself. */
  readonly failed: Promise<never>;
  /** Ends it, and what it has started, and waits for that. */
  stop(): Promise<void>;
}

/** How long a program has to end before it is killed, and the step of the wait, in milliseconds. */
const [maxEndMs, endStepMs] = [5000, 50] as const;

/** Starts a command in the shell. A file, not a pipe: programs that it leaves running may write to it later. */
function spawnWithOutput(command: string, outputFile: string, options: { readonly detached?: boolean }) {
  const output = openSync(outputFile, "a");
  try {
    return spawn(command, { shell: true, ...options, stdio: ["ignore", output, output] });
  } finally {
    closeSync(output);
  }
}

/** Starts a command in the shell, such as a server; its output is added to a file. */
export function startInShell(command: string, outputFile: string): ShellProgram {
  // The group of the shell has all processes of the command.
  const isGroup = process.platform !== "win32";
  const child = spawnWithOutput(command, outputFile, { detached: isGroup });
  const failed = new Promise<never>((_, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => reject(new Error(`the command ended with ${code ?? signal}: ${command}`)));
  });
  failed.catch(() => {});
  /** Sends a signal; 0 only asks. @returns Whether there is a process that receives it. */
  const send = (signal: NodeJS.Signals | 0): boolean => {
    if (child.pid === undefined) return false;
    if (!isGroup) return signal === 0 ? child.exitCode === null : child.kill(signal);
    try {
      return process.kill(-child.pid, signal);
    } catch {
      return false;
    }
  };
  return {
    failed,
    async stop() {
      send("SIGTERM");
      for (let waitedMs = 0; send(0); waitedMs += endStepMs) {
        if (waitedMs >= maxEndMs) send("SIGKILL");
        await new Promise((resolve) => setTimeout(resolve, endStepMs));
      }
    },
  };
}

/**
 * Runs a command with the streams of this process. SIGINT and SIGTERM are passed on to the command as SIGTERM; the
 * second one kills it.
 *
 * @param env All variables of the command.
 * @param onStop Calls back at each such signal.
 * @returns Its exit code; 128 and more if a signal ended it, as in a shell.
 * @throws {Error} If the command cannot be started.
 */
export function runCommand(
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
  onStop: (callback: () => void) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "inherit", env: env as NodeJS.ProcessEnv });
    let isStopping = false;
    let isRunning = true;
    onStop(() => {
      const signal = isStopping ? "SIGKILL" : "SIGTERM";
      isStopping = true;
      if (!isRunning || child.pid === undefined) return;
      try {
        // Not child.kill: Deno's sends one signal and no second one.
        process.kill(child.pid, signal);
      } catch {
        // It has just ended.
      }
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      isRunning = false;
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
