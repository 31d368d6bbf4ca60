/** Proves that the server needs none of the other products: `deno task alone --help`. */

import { globSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../deno.json" with { type: "json" };
import { exitWithError, readCommand } from "./command.ts";
import { readImportGraph } from "./import_graph.ts";
import { run } from "./run.ts";

/** The server, and what it stands on. */
const isOwn = (path: string) => /^src\/(?:server|platform)\/|^src\/mod\.ts$/.test(path);

/** What tests of the server may import besides: the requests of a correct client. */
const isClient = (path: string) => path.startsWith("src/client/");

/** The file that adds other products to the servers of tests. It is replaced by {@link defaultsAlone}. */
const defaultsFile = "tests/default_options.ts";

/** A module that leaves out the extensions that a test does not need. */
const defaultsAlone = `import { extensions, type LatchkeyOptions } from "../src/mod.ts";
const { neededExtensions } = globalThis as unknown as { neededExtensions: readonly string[] };
const needed = extensions.filter(({ name }) => neededExtensions.includes(name));
export const withDefaults = (options: LatchkeyOptions): LatchkeyOptions => ({ extensions: needed, ...options });
`;

const { words: pathParts } = readCommand({
  call: "deno task alone",
  does:
    "Copies src/server, src/platform and their entries into an empty folder, type-checks them there, and runs the tests " +
    "of the server that import nothing else. Servers there have the extension in whose folder the test is, those that " +
    "the comment at the top of the test names after @extensions, and no others.",
  words: { value: "PART", does: "only test files whose path contains this" },
});

const began = performance.now();
const sources = globSync("src/**/*.{ts,tsx}").filter(isOwn);
const tests = globSync("tests/**/*.ts").filter((path) => !/^tests\/(?:binary|browser|release)\//.test(path));
const edges = await readImportGraph(".", [...sources, ...globSync("src/client/*.ts"), ...tests]).catch(exitWithError);
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

const candidates = tests.filter((path) => /^tests\/server\/.*_test\.ts$/.test(path));
const closures = candidates.map((path) => [...closureOf(path)])
  .filter((closure) => closure.every((path) => isOwn(path) || isClient(path) || path.startsWith("tests/")));
const selected = closures.map(([path]) => path!)
  .filter((path) => pathParts.length === 0 || pathParts.some((part) => path.includes(part)));
const texts = ["tests/std_assert.d.ts", "dev.lock", "LICENSE", "README.md", ...globSync("src/server/**/README.md")];
const copied = new Set([...sources, ...closures.flat(), ...texts]);

/** The names of all extensions. */
const extensionNames = globSync("src/server/extensions/*/mod.ts").map((path) => path.split("/").at(-2)!).sort();

/** The extensions that a test file needs: that of its folder, and those that the comment at its top names. */
function findNeededExtensions(path: string): readonly string[] {
  const [, own] = /\/extensions\/(\w+)\//.exec(path) ?? [];
  const [, list = ""] = /^\/\*\*(?:(?!\*\/)[^])*? @extensions ([\w, ]+)/.exec(Deno.readTextFileSync(path)) ?? [];
  const names = list.trim() === "all" ? extensionNames : list.split(",").map((name) => name.trim()).filter(Boolean);
  const unknown = names.find((name) => !extensionNames.includes(name));
  if (unknown !== undefined) {
    exitWithError(`${path}: @extensions: expected all, or some of ${extensionNames.join(", ")}; found ${unknown}.`);
  }
  return [...new Set([...own === undefined ? [] : [own], ...names])].sort();
}

/** Test files by the extensions that they need. The many without any are in as many parts as there are processors. */
const groups = Map.groupBy(selected, (path) => {
  const needed = findNeededExtensions(path);
  return JSON.stringify(needed) + (needed.length === 0 ? selected.indexOf(path) % availableParallelism() : "");
});

/** The source of a module that loads test files. Deno would overlook a file that it cannot load after others. */
const formatGroup = (paths: readonly string[]) =>
  `import { test } from "node:test";\n` +
  `globalThis.neededExtensions = ${JSON.stringify(findNeededExtensions(paths[0]!))};\n` +
  paths.map((path) => `await import("./${path}").catch((error) => test("${path} loads", () => { throw error; }));\n`)
    .join("");

const folder = await mkdtemp(join(tmpdir(), "latchkey-alone-"));
let failure: unknown;
try {
  for (const path of copied) await cp(path, join(folder, path));
  const exports = Object.fromEntries(Object.entries(manifest.exports).filter(([, path]) => isOwn(path.slice(2))));
  await writeFile(join(folder, "deno.json"), JSON.stringify({ ...manifest, exports, tasks: {}, lint: {} }));
  await writeFile(join(folder, defaultsFile), defaultsAlone);
  const entries = [...groups.values()].map((paths, place) => ({
    name: `${place}_test.js`,
    source: formatGroup(paths),
  }));
  for (const { name, source } of entries) await writeFile(join(folder, name), source);
  Deno.chdir(folder);
  const flags = ["--quiet", "--lock=dev.lock"];
  await run([Deno.execPath(), "check", ...flags, "src"]);
  await run([Deno.execPath(), "test", "-A", "--parallel", "--no-check", ...flags, ...entries.map(({ name }) => name)]);
} catch (error) {
  failure = error;
} finally {
  await rm(folder, { recursive: true });
}
if (failure !== undefined) exitWithError(failure);
console.log(
  `${sources.length} files of the server are complete alone; ${selected.length} of its ${candidates.length} test files ` +
    `import nothing else and passed (${((performance.now() - began) / 1000).toFixed(1)} s).`,
);
