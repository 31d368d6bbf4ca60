/** The machine under Bun and Node, which share the process object. */

import type nodeProcess from "node:process";
import type { ProcessEnvironment } from "./process_environment.ts";

/** Not imported: a module that lists what it has opens standard input and output too. */
const { process } = globalThis as unknown as { readonly process: typeof nodeProcess };

/** The first Node that has node:sqlite without a flag. */
const minNodeVersion = [22, 13] as const;

function describeUnsupportedNode(): string | undefined {
  if (process.versions.bun !== undefined) return undefined;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > minNodeVersion[0] || (major === minNodeVersion[0] && minor >= minNodeVersion[1])) return undefined;
  return `Latchkey needs Node ${
    minNodeVersion.join(".")
  } or newer, and this is ${process.versions.node}: update Node, or run npx -y node@24 ${process.argv[1]}`;
}

/** Asked of the file first, because only a device can be one, and the module that knows takes Bun 7 ms to load. */
function isTerminal(descriptor: number): boolean {
  try {
    return process.getBuiltinModule("node:fs").fstatSync(descriptor).isCharacterDevice() &&
      process.getBuiltinModule("node:tty").isatty(descriptor);
  } catch {
    // It was closed, or this is a Node that is too old anyway.
    return false;
  }
}

/** Bun's and Node's. */
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
