/** The process environment on Bun and Node, which share the `process` object. */

import type nodeProcess from "node:process";
import type { ProcessEnvironment } from "./process_environment.ts";

/** Not imported: an import evaluates all exports, which opens standard input and output. */
const { process } = globalThis as unknown as { readonly process: typeof nodeProcess };

/** The first version of Node with node:sqlite without a flag. */
const minNodeVersion = [22, 13] as const;

function describeUnsupportedNode(): string | undefined {
  if (process.versions.bun !== undefined) return undefined;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > minNodeVersion[0] || (major === minNodeVersion[0] && minor >= minNodeVersion[1])) return undefined;
  return `Latchkey needs Node ${
    minNodeVersion.join(".")
  } or newer, and this is ${process.versions.node}: update Node, or run npx -y node@24 ${process.argv[1]}`;
}

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

export const processEnvironment: ProcessEnvironment = {
  args: process.argv.slice(2),
  env: process.env,
  isTerminal: isTerminal(1),
  now: Date.now,
  unsupported: describeUnsupportedNode(),
  readTextFile: (path) =>
    new Promise((resolve) => resolve(process.getBuiltinModule("node:fs").readFileSync(path, "utf-8"))),
  onStop(callback) {
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, callback);
  },
  exit: (code) => process.exit(code),
};
