/** How long each test file took last time, to start the longest first and to estimate the time left. */

import { dirname } from "node:path";

/** Beside the bundles of the tests; not part of the repository. */
const path = "dist/tests/seconds.json";

/** Seconds by `RUNTIME FILE`. */
export type Durations = Readonly<Record<string, number>>;

/** Reads the durations of former runs; empty in a new clone. */
export async function readDurations(): Promise<Durations> {
  return JSON.parse(await Deno.readTextFile(path).catch(() => "{}"));
}

/** Stores durations beside those of files that did not run. */
export async function writeDurations(durations: Durations): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, JSON.stringify({ ...await readDurations(), ...durations }));
}

/** Folders whose files take long, because they start programs or run the whole check of clients. */
const slowFolders = /^tests\/(?:check|platform\/runtime|cli\/operating|scripts)\//;

/** The seconds that a file is expected to take on a runtime: as last time, or else by its folder. */
export function expectSeconds(durations: Durations, runtime: string, file: string): number {
  return durations[`${runtime} ${file}`] ?? durations[`deno ${file}`] ?? (slowFolders.test(file) ? 8 : 1);
}
