/** Versions of Latchkey: each in a folder of its own, so that a change of the source does not disturb a measurement. */

import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { run } from "../run.ts";

/** A version, with the name that tables show. */
export interface Version {
  readonly name: string;
  readonly folder: string;
  /** Builds the npm package at the first call. */
  build(): Promise<unknown>;
}

/**
 * Copies the source of a commit, or without one the present files, to a new folder.
 *
 * @throws {CommandError} If the commit does not exist.
 */
export async function copyVersion(name: string, ref?: string): Promise<Version> {
  const folder = await Deno.makeTempDir({ prefix: "latchkey-bench-" });
  let built: Promise<unknown> | undefined;
  const version: Version = {
    name,
    folder,
    build: () => built ??= run([Deno.execPath(), "task", "--config", `${folder}/deno.json`, "build"]),
  };
  try {
    if (ref === undefined) await copySource(folder);
    else await copyCommit(ref, folder);
    return version;
  } catch (error) {
    await Deno.remove(folder, { recursive: true });
    throw error;
  }
}

/** Copies the files of the repository as they are. */
export async function copySource(folder: string): Promise<void> {
  const files = await run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  for (const file of files.split("\0").filter((path) => existsSync(path))) await cp(file, `${folder}/${file}`);
}

async function copyCommit(ref: string, folder: string): Promise<void> {
  const archive = `${folder}/source.tar`;
  await run(["git", "archive", "--output", archive, ref]);
  await run(["tar", "-xf", archive, "-C", folder]);
  await Deno.remove(archive);
}
