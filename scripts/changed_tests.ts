/** The test files that a change can affect. */

import { globSync, readFileSync } from "node:fs";
import { dirname, normalize } from "node:path/posix";
import { readImportGraph } from "./import_graph.ts";
import { run } from "./run.ts";

/** Files that every test depends on. */
const neededByAll = ["deno.json", "dev.lock"];

/** The paths of all files that differ from a commit, new files included. */
async function findChangedFiles(commit: string): Promise<string[]> {
  const lists = await Promise.all([
    run(["git", "diff", "--name-only", "--relative", "--no-renames", commit, "--"]),
    run(["git", "ls-files", "--others", "--exclude-standard"]),
  ]);
  return lists.flatMap((list) => list.split("\n")).filter((path) => path !== "");
}

/**
 * Selects the test files that differ from a commit, or import or name what differs, directly or through other files. A
 * name is text in quotes: a path from the root or from the folder of the file, or a pattern, as tests have it that read
 * files or start programs.
 *
 * @throws {CommandError} When git does not know the commit.
 */
export async function selectChangedTests(commit: string, tests: readonly string[]): Promise<string[]> {
  const changed = await findChangedFiles(commit);
  if (changed.some((path) => neededByAll.includes(path))) return [...tests];
  const modules = globSync("{src,scripts,static,tests}/**/*.{ts,tsx}").map((path) => path.replaceAll("\\", "/"));
  const dependents = new Map<string, string[]>();
  const addDependency = (from: string, to: string) => {
    dependents.set(to, [...dependents.get(to) ?? [], from]);
  };
  // Types are gone when a test runs.
  for (const { from, to, kind } of await readImportGraph(".", modules)) {
    if (to !== undefined && kind !== "type") addDependency(from, normalize(to.replaceAll("\\", "/")));
  }
  const known = new Set([...modules, ...changed]);
  for (const module of modules.filter((path) => path.startsWith("tests/"))) {
    for (const [, text] of readFileSync(module, "utf8").matchAll(/(?<!from )["'`]([\w@.{}*,/-]+)["'`]/g)) {
      const paths = [text!, `${dirname(module)}/${text}`].flatMap((path) => [path, `${path}.ts`]).map(normalize);
      for (const path of paths.filter((path) => path !== module && known.has(path))) addDependency(module, path);
      // Only below a folder, so that no packages are searched.
      if (!/^[\w{},.]+\/.*\*/.test(text!)) continue;
      for (const path of globSync(text!).map((path) => path.replaceAll("\\", "/"))) addDependency(module, path);
    }
  }
  const affected = new Set<string>();
  const visit = (path: string): void => {
    if (affected.has(path)) return;
    affected.add(path);
    dependents.get(path)?.forEach(visit);
  };
  changed.forEach(visit);
  return tests.filter((test) => affected.has(test));
}
