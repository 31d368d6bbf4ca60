/** The machine under Bun and Node, which share the process object. */

import { readFile } from "node:fs/promises";
import process from "node:process";
import type { Machine } from "./machine.ts";

/** Bun's and Node's. */
export const machine: Machine = {
  args: process.argv.slice(2),
  env: process.env,
  readTextFile: (path) => readFile(path, "utf-8"),
  onStop(callback) {
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, callback);
  },
  exit: (code) => process.exit(code),
};
