/** Files for package managers, filled with the version, the addresses and the sums of a release. */

import { globSync } from "node:fs";
import { Buffer } from "node:buffer";
import { CommandError } from "../command.ts";
import type { ArchiveEntry } from "./archive.ts";

const folder = "scripts/release/packagers";

/** What the files are filled with. */
export interface ReleaseFiles {
  readonly version: string;
  /** The repository at GitHub: `owner/name`. */
  readonly repository: string;
  /** The content of SHA256SUMS. */
  readonly sums: string;
}

/** The systems whose archives the files name. */
export async function namedTargets(): Promise<readonly string[]> {
  const all = (await readTemplates()).flatMap(({ text }) => [...text.matchAll(/\{\{url:([\w-]+)\}\}/g)]);
  return [...new Set(all.map(([, target]) => target!))].sort();
}

/**
 * Fills every file.
 *
 * @throws {CommandError} If a file names something that the release does not have.
 */
export async function fillPackagers(release: ReleaseFiles): Promise<ArchiveEntry[]> {
  const title = `latchkey-${release.version}-packagers`;
  return (await readTemplates()).map(({ path, text }) => ({
    path: `${title}/${path}`,
    bytes: new TextEncoder().encode(fill(path, text, release)),
    mode: path.endsWith(".sh") ? 0o755 : 0o644,
  }));
}

async function readTemplates(): Promise<{ readonly path: string; readonly text: string }[]> {
  const paths = globSync("**/*.*", { cwd: folder }).map((path) => path.replaceAll("\\", "/")).sort();
  return await Promise.all(paths.map(async (path) => ({ path, text: await Deno.readTextFile(`${folder}/${path}`) })));
}

function fill(path: string, text: string, { version, repository, sums }: ReleaseFiles): string {
  return text.replaceAll(/\{\{(\w+)(?::([\w-]+))?\}\}/g, (_, name: string, target: string | undefined) => {
    if (name === "version" && target === undefined) return version;
    if (name === "repository" && target === undefined) return repository;
    const file = `latchkey-${version}-${target}${target?.startsWith("windows") ? ".zip" : ".tar.gz"}`;
    const [, sum] = new RegExp(`^([0-9a-f]{64})  ${file.replaceAll(".", "\\.")}$`, "m").exec(sums) ?? [];
    if (sum === undefined) throw new CommandError(`${path} names ${name}:${target}, but SHA256SUMS has no ${file}.`);
    if (name === "sha256") return sum;
    if (name === "sri") return `sha256-${Buffer.from(sum, "hex").toString("base64")}`;
    if (name === "url") return `https://github.com/${repository}/releases/download/v${version}/${file}`;
    throw new CommandError(`${path} has an unknown placeholder: ${name}`);
  });
}
