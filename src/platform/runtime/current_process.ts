/** The environment of the current process. */

import type { ProcessEnvironment } from "./process_environment.ts";

/** Loads the adapter of this runtime. */
export async function processEnvironment(): Promise<ProcessEnvironment> {
  const { Deno: deno } = globalThis as { Deno?: unknown };
  return deno === undefined
    ? (await import("./process.ts")).processEnvironment
    : (await import("./deno.ts")).processEnvironment;
}
