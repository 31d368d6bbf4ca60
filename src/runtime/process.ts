/** The machine under Bun and Node, which share the process object. */

import { readFile } from "node:fs/promises";
import process from "node:process";
import type { Machine } from "./machine.ts";

/** The first Node that has node:sqlite without a flag. */
const oldestNode = [22, 13] as const;

function judgeNode(): string | undefined {
  if (process.versions.bun !== undefined) return undefined;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return undefined;
  return `Latchkey needs Node ${
    oldestNode.join(".")
  } or newer, and this is ${process.versions.node}: update Node, or run it with npx -y deno task start.`;
}

/** Bun's and Node's. */
export const machine: Machine = {
  args: process.argv.slice(2),
  env: process.env,
  isTerminal: process.stdout.isTTY === true,
  unfit: judgeNode(),
  readTextFile: (path) => readFile(path, "utf-8"),
  onStop(callback) {
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, callback);
  },
  exit: (code) => process.exit(code),
};
