/** The process environment on Bun and Node, which share the `process` object. */

import type nodeProcess from "node:process";
import { decodeText } from "./decode_text.ts";
import { describeUnsupportedNode } from "./node_version.ts";
import type { ProcessEnvironment } from "./process_environment.ts";
import { onRunnerEnd } from "./runner.ts";

/** `process` is not imported, because an import evaluates all exports, which opens standard input and output. */
const { process } = globalThis as unknown as { readonly process: typeof nodeProcess };

const unsupported = describeUnsupportedNode();

/** Checks the file type first, because only a device can be a terminal, and Bun takes 7 ms to load node:tty. */
function isTerminal(descriptor: number): boolean {
  try {
    return process.getBuiltinModule("node:fs").fstatSync(descriptor).isCharacterDevice() &&
      process.getBuiltinModule("node:tty").isatty(descriptor);
  } catch {
    // The descriptor is closed, or this version of Node is too old.
    return false;
  }
}

/** Standard error, opened when the first line is written. */
let errorOutput: typeof process.stderr | undefined;

export const processEnvironment: ProcessEnvironment = {
  args: process.argv.slice(2),
  mainModule: process.argv[1] ?? "",
  env: process.env,
  isTerminal: isTerminal(2),
  isOutputTerminal: isTerminal(1),
  terminalWidth: () => process.stderr.columns || undefined,
  now: Date.now,
  unsupported: unsupported && `${unsupported}: update Node, or run npx -y node@24 ${process.argv[1]}`,
  readTextFile: (path) =>
    new Promise((resolve) => resolve(decodeText(process.getBuiltinModule("node:fs").readFileSync(path)))),
  writeLogLine(line) {
    if (errorOutput === undefined) {
      errorOutput = process.stderr;
      // Without a listener, the process would end when the reader of a pipe ends.
      errorOutput.on("error", () => {});
    }
    errorOutput.write(`${line}\n`);
  },
  onStop(callback) {
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, callback);
    onRunnerEnd(process.env.npm_command, () => process.ppid, callback);
  },
  exit: (code) => process.exit(code),
};
