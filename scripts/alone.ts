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

/** What tests of the server may import besides. */
const isClient = (path: string) => path.startsWith("src/client/");

/** The file that adds other products to the servers of tests. */
const defaultsFile = "tests/default_options.ts";

/** Adds nothing, and leaves out the extensions that are not under test. */
const defaultsAlone = `import { extensions } from "../src/mod.ts";
import type { LatchkeyOptions } from "../src/mod.ts";
const tested = extensions.filter(({ name }) => (globalThis as { testedExtension?: string }).testedExtension === name);
export const withDefaults = (options: LatchkeyOptions): LatchkeyOptions => ({ extensions: tested, ...options });
`;

const { words: pathParts } = readCommand({
  call: "deno task alone",
  does:
    "Copies src/server, src/platform and their entries into an empty folder, type-checks them there, and runs the tests " +
    "of the server that import nothing else: those of an extension with this extension alone, all others without any.",
  words: { value: "PART", does: "only test files whose path contains this" },
});

const began = performance.now();
const sources = globSync("src/**/*.{ts,tsx}").filter(isOwn);
const tests = globSync("tests/**/*.ts").filter((path) => !/^tests\/(?:binary|browser|release)\//.test(path));
const imports = Map.groupBy(
  (await readImportGraph(".", [...globSync("src/**/*.{ts,tsx}").filter(isClient), ...sources, ...tests])
    .catch(exitWithError)).filter(({ from, to }) => to !== undefined && from !== defaultsFile),
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
const copied = new Set([...sources, ...closures.flat(), "tests/std_assert.d.ts", "dev.lock", "LICENSE", "README.md"]);

/** The files without an extension, in as many groups as there are processors, and those of each extension. */
const byExtension = Map.groupBy(selected, (path) => /\/extensions\/(\w+)\//.exec(path)?.[1]);
const groups = [...byExtension].flatMap(([extension, paths]) => {
  const count = extension === undefined ? availableParallelism() : 1;
  return [...Map.groupBy(paths, (path) => paths.indexOf(path) % count).values()].map((paths) => ({ extension, paths }));
});

const folder = await mkdtemp(join(tmpdir(), "latchkey-alone-"));
try {
  for (const path of copied) await cp(path, join(folder, path));
  const exports = Object.fromEntries(Object.entries(manifest.exports).filter(([, path]) => isOwn(path.slice(2))));
  await writeFile(join(folder, "deno.json"), JSON.stringify({ ...manifest, exports, tasks: {}, lint: {} }));
  await writeFile(join(folder, defaultsFile), defaultsAlone);
  const entries = await Promise.all(groups.map(async ({ extension, paths }, place) => {
    const load = (path: string) =>
      `await import("./${path}").catch((error) => void test("${path} loads", () => Promise.reject(error)));\n`;
    const name = `alone_${place}_${extension ?? "kernel"}_test.js`;
    await writeFile(
      join(folder, name),
      `import { test } from "node:test";\nglobalThis.testedExtension = ${JSON.stringify(extension)};\n` +
        paths.map(load).join(""),
    );
    return name;
  }));
  Deno.chdir(folder);
  if (!Deno.env.get("NOCHECK")) await run([Deno.execPath(), "check", "--quiet", "--lock=dev.lock", "src", ...selected]);
  await run([Deno.execPath(), "test", "-A", "--quiet", "--parallel", "--no-check", "--lock=dev.lock", ...entries])
    .catch(exitWithError);
} finally {
  await rm(folder, { recursive: true });
}
console.log(
  `${sources.length} files of the server are complete alone; ${selected.length} of its ${candidates.length} test files ` +
    `import nothing else and passed (${((performance.now() - began) / 1000).toFixed(1)} s).`,
);
