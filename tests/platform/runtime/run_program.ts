/**
 * The program as a process, started like by a user on the runtime of the tests; or as one executable file, without the
 * environment of the tests.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import process from "node:process";
import { shellQuote } from "../../../src/core/http/quote_value.ts";
import { findRandomSecrets } from "../../secrets.ts";

/** How a process ended. */
export interface ExitResult {
  /** `null` when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the program is started with. */
export interface StartOptions {
  readonly args?: readonly string[];
  /** Beside the environment of the tests, without what that says to the program. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its working directory. Default: that of the tests, whose `latchkey.json` it does not read. */
  readonly cwd?: string;
  /** Whether it reads a `latchkey.json` in `cwd`, and so starts without {@link fastKeys}. Default: false. */
  readonly readsFolder?: boolean;
  /** What is piped into it. Default: nothing, and the pipe is closed. */
  readonly input?: string;
  /** Whether the pipe stays open after `input`. Default: false. */
  readonly keepsInput?: boolean;
  /**
   * A shell command with `PROGRAM` for it, which `script` of util-linux runs in a terminal of its own. Default: it has
   * no terminal.
   */
  readonly inTerminal?: string;
  /** How many files and sockets it may have open, by `prlimit` of util-linux. Default: as the tests. */
  readonly openFiles?: number;
  /** A file in the place of its `/etc/resolv.conf`, beside `FILE.hosts` for `/etc/hosts`. Default: of the machine. */
  readonly resolvConf?: string;
  /** What it may say although it looks drawn, such as an example key; called at its end. Default: nothing. */
  readonly allowedSecrets?: () => string;
}

/** A program that has greeted. */
export interface Program {
  /** Its output until then. */
  readonly banner: string;
  /** Where it listens. */
  readonly port: number;
  /** Its output on both streams since the banner. */
  output(): string;
  /** Waits for this text, on either stream. */
  waitForOutput(pattern: RegExp): Promise<void>;
  signal(name: "SIGINT" | "SIGTERM" | "SIGKILL"): void;
  /** Types text, if it runs in a terminal. */
  type(text: string): void;
  /** Resolves when it is gone and its streams are read. */
  readonly exited: Promise<ExitResult>;
}

/** The program as one file, where it is that one which is tested. */
export const binary: string | undefined = process.env.LATCHKEY_TEST_BINARY;

/**
 * On Deno the command of `deno task start` with its permissions, and one to write files of tests. Node reads neither
 * TypeScript with JSX nor an import map, so it is given the bundle.
 */
const command: readonly string[] = "Deno" in globalThis
  ? JSON.parse(readFileSync("deno.json", "utf8")).tasks.start.replace("--allow-write=.", `$&,${tmpdir()}`)
    .replace(/dev\.lock|src\/main\.ts/g, (path: string) => resolve(path))
    .split(" ").slice(1)
  : "Bun" in globalThis
  ? [resolve("src/main.ts")]
  : [resolve("dist/tests/platform/runtime/main_child.mjs")];

/** Selects EdDSA, whose keys take a hundredth of the time of RSA keys to generate. */
export const fastKeys = { LATCHKEY_CONFIG_JSON: JSON.stringify({ alg: "EdDSA" }) };

const bannerPattern = /^Ctrl-C .*\n|"event":"listening".*\n/m;

/** Starts it and waits for its end, as for `--help` or a fault. */
export function runProgram(start: StartOptions): Promise<ExitResult> {
  return spawnProgram(start).ended;
}

/** Starts it without a wait, such as a command that has no banner. */
export function startCommand(start: StartOptions): Pick<Program, "waitForOutput" | "signal" | "type" | "exited"> {
  const { child, says: waitForOutput, ended: exited } = spawnProgram(start);
  return { waitForOutput, signal: signalOf(child), type: (text) => void child.stdin!.write(text), exited };
}

/** Starts it, with EdDSA unless it reads a file, and waits for its banner; rejects with its output if it ends first. */
export async function startProgram(start: StartOptions = {}): Promise<Program> {
  const hasFile = start.readsFolder || start.args?.includes("--config") || start.env?.LATCHKEY_CONFIG !== undefined;
  const env = { ...!hasFile && fastKeys, ...start.env };
  const { child, output, says: waitForOutput, ended: exited } = spawnProgram({ ...start, env });
  const failure = exited.then(({ code, stderr }) => {
    throw new Error(`the program ended with ${code} before it greeted:\n${stderr}`);
  });
  await Promise.race([waitForOutput(bannerPattern), failure]);
  failure.catch(() => {});
  const banner = output.stdout;
  return {
    banner,
    port: Number(/:(\d+)(?:\W\[0m)?$/.exec(findAddress(output))![1]),
    output: () => output.stdout.slice(banner.length) + output.stderr,
    waitForOutput,
    signal: signalOf(child),
    type: (text) => void child.stdin!.write(text),
    exited,
  };
}

/** Sends signals by the number of the process: after child.kill, Deno reports the signal instead of the exit code. */
function signalOf(child: ChildProcess): Program["signal"] {
  return (name) => void (child.exitCode === null && process.kill(child.pid!, name));
}

/** Its URL: the one of the line `listening on`, else the issuer in the first line of the banner. */
function findAddress({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  const listening = /^.*"event":"listening".*$/m.exec(stderr)?.[0];
  if (listening !== undefined) return JSON.parse(listening).url;
  return /^listening on (\S+)$/m.exec(stdout)?.[1] ?? stdout.split("\n", 1)[0]!;
}

function spawnProgram(
  {
    args = [],
    env = {},
    cwd,
    input,
    keepsInput = false,
    inTerminal,
    openFiles,
    resolvConf,
    allowedSecrets = () => "",
  }: StartOptions,
) {
  const withoutFile = cwd === undefined && env.LATCHKEY_CONFIG_JSON === undefined ? { LATCHKEY_CONFIG: "none" } : {};
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("LATCHKEY_"));
  const baseEnv = binary === undefined
    ? { ...Object.fromEntries(inherited), NO_COLOR: "1", NODE_NO_WARNINGS: "1" }
    : {};
  const limit = openFiles === undefined ? [] : ["prlimit", `--nofile=${openFiles}`];
  // A mount namespace, which needs root.
  const script = 'mount --bind "$0" /etc/resolv.conf && mount --bind "$0.hosts" /etc/hosts && exec "$@"';
  const mount = ["unshare", "-m", "sh", "-c", script];
  const namespace = resolvConf === undefined ? [] : [...mount, resolvConf];
  const commandLine = [
    ...namespace,
    ...limit,
    binary ?? process.execPath,
    ...binary === undefined ? command : [],
    ...args,
  ];
  const [program, ...programArgs] = inTerminal === undefined
    ? commandLine
    : ["script", "-qec", inTerminal.replace("PROGRAM", commandLine.map(shellQuote).join(" ")), "/dev/null"];
  const child: ChildProcess = spawn(program!, programArgs, {
    env: { ...baseEnv, ...withoutFile, ...env },
    cwd,
    stdio: [input === undefined && inTerminal === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  if (input !== undefined && keepsInput) child.stdin!.write(input);
  else if (inTerminal === undefined) child.stdin?.end(input);
  const output = { stdout: "", stderr: "" };
  let checkOutput = () => {};
  for (const name of ["stdout", "stderr"] as const) {
    child[name]!.setEncoding("utf8").on("data", (text: string) => {
      output[name] += inTerminal === undefined ? text : text.replaceAll("\r", "");
      checkOutput();
    });
  }
  return {
    child,
    output,
    says: (pattern: RegExp) =>
      new Promise<void>((resolve) => {
        checkOutput = () => (pattern.test(output.stdout) || pattern.test(output.stderr)) && resolve();
        checkOutput();
      }),
    ended: once(child, "close").then(([code]): ExitResult => {
      // A code challenge and the id of a key are public.
      const text = (output.stdout + output.stderr).replace(/(?:code_challenge |\bkid: "|instead of ")[\w-]{43}/g, "");
      const secret = findRandomSecrets(text).find((drawn) => !allowedSecrets().includes(drawn));
      if (secret !== undefined) {
        throw new Error(`[HT-15] the program printed a value that looks like a secret: ${secret}`);
      }
      return { code, ...output };
    }),
  };
}
