/** The server in a folder of its own, with the tests that need nothing else. */

import { globSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../deno.json" with { type: "json" };
import { CommandError } from "./command.ts";
import { readImportGraph } from "./import_graph.ts";

/** The server, and what it stands on. */
const isOwn = (path: string) => /^src\/(?:core|server|platform)\/|^src\/mod\.ts$/.test(path);

/** What tests of the server may import besides: the requests of a correct client. */
const isClient = (path: string) => path.startsWith("src/client/");

/** The file that adds other products to the servers of tests. It is replaced by {@link defaultsAlone}. */
const defaultsFile = "tests/default_options.ts";

/** A module that leaves out the extensions that a test does not need. */
const defaultsAlone = `import { extensions, type LatchkeyOptions } from "../src/mod.ts";
const suite = globalThis as unknown as { readonly neededExtensions: readonly string[] };
export const withDefaults = (options: LatchkeyOptions): LatchkeyOptions => ({
  extensions: extensions.filter(({ name }) => suite.neededExtensions.includes(name)),
  ...options,
});
`;

/** A folder that has the server and nothing else. Disposal removes it. */
export interface AloneFolder extends AsyncDisposable {
  readonly path: string;
  /** The number of files of the server. */
  readonly sourceCount: number;
  /** The number of test files of the server. */
  readonly testCount: number;
  /** The test files that import nothing else, each with the extensions that its servers have. */
  readonly extensionsOf: ReadonlyMap<string, readonly string[]>;
}

/** Whether a test file is one of the server. */
export const isServerTest = (path: string): boolean => /^tests\/server\/.*_test\.ts$/.test(path);

/**
 * Copies `src/core`, `src/server`, `src/platform` and their entries into an empty folder, with the tests that import
 * nothing else.
 *
 * @throws {CommandError} When a file of the server imports another, or a test names an unknown extension.
 */
export async function createAloneFolder(): Promise<AloneFolder> {
  const sources = globSync("src/**/*.{ts,tsx}").filter(isOwn);
  const tests = globSync("tests/**/*.ts").filter((path) => !/^tests\/(?:binary|browser|release)\//.test(path));
  const edges = await readImportGraph(".", [...sources, ...globSync("src/client/*.ts"), ...tests]);
  const foreign = edges.find(({ from, to }) => isOwn(from) && to !== undefined && !isOwn(to));
  if (foreign !== undefined) {
    throw new CommandError(`${foreign.from} imports ${foreign.to}, which the server does not have alone.`);
  }
  const imports = Map.groupBy(
    edges.filter(({ from, to }) => to !== undefined && from !== defaultsFile),
    ({ from }) => from,
  );

  /** The files that a file needs, itself included. */
  function closureOf(path: string, found = new Set<string>()): Set<string> {
    if (found.has(path)) return found;
    found.add(path);
    for (const { to } of imports.get(path) ?? []) closureOf(to!, found);
    return found;
  }

  const candidates = tests.filter(isServerTest);
  const closures = candidates.map((path) => [...closureOf(path)])
    .filter((closure) => closure.every((path) => isOwn(path) || isClient(path) || path.startsWith("tests/")));
  const extensionsOf = new Map(closures.map(([path]) => [path!, findNeededExtensions(path!)]));
  const texts = [
    "tests/std_assert.d.ts",
    "dev.lock",
    "LICENSE",
    "README.md",
    ...globSync("{src,tests}/{core,server}/**/{README.md,*.mjs}"),
  ];

  const folder = await mkdtemp(join(tmpdir(), "latchkey-alone-"));
  for (const path of new Set([...sources, ...closures.flat(), ...texts])) await cp(path, join(folder, path));
  const exports = Object.fromEntries(Object.entries(manifest.exports).filter(([, path]) => isOwn(path.slice(2))));
  await writeFile(join(folder, "deno.json"), JSON.stringify({ ...manifest, exports, tasks: {}, lint: {} }));
  await writeFile(join(folder, defaultsFile), defaultsAlone);
  return {
    path: folder,
    sourceCount: sources.length,
    testCount: candidates.length,
    extensionsOf,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** The names of all extensions. */
const getExtensionNames = () =>
  globSync("src/server/extensions/*/mod.ts").map((path) => path.split("/").at(-2)!).sort();

/** The extensions that a test file needs: that of its folder, and those that the comment at its top names. */
function findNeededExtensions(path: string): readonly string[] {
  const [, own] = /\/extensions\/(\w+)\//.exec(path) ?? [];
  const [, list = ""] = /^\/\*\*(?:(?!\*\/)[^])*? @extensions ([\w, ]+)/.exec(Deno.readTextFileSync(path)) ?? [];
  const extensionNames = getExtensionNames();
  const names = list.trim() === "all" ? extensionNames : list.split(",").map((name) => name.trim()).filter(Boolean);
  const unknown = names.find((name) => !extensionNames.includes(name));
  if (unknown !== undefined) {
    throw new CommandError(
      `${path}: @extensions: expected all, or some of ${extensionNames.join(", ")}; found ${unknown}.`,
    );
  }
  return [...new Set([...own === undefined ? [] : [own], ...names])].sort();
}
