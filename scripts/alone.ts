/** Proves that the server needs none of the other products: `deno task alone --help`. */

import { globSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../deno.json" with { type: "json" };
import { exitWithError, readCommand } from "./command.ts";
import { readImportGraph } from "./import_graph.ts";
import { run } from "./run.ts";

/** The server, and what it stands on. */
const isOwn = (path: string) => /^src\/(?:server|platform)\/|^src\/mod\.ts$/.test(path);

readCommand({
  call: "deno task alone",
  does:
    "Copies src/server, src/platform and their entries into an empty folder, type-checks them there, and runs those " +
    "tests of the server that import nothing else, a whole login among them.",
});

const began = performance.now();
const sources = globSync("src/**/*.{ts,tsx}").filter(isOwn);
const tests = globSync("tests/**/*.ts").filter((path) => !/^tests\/(?:binary|browser|release)\//.test(path));
const imports = Map.groupBy(
  (await readImportGraph(".", [...sources, ...tests]).catch(exitWithError)).filter(({ to }) => to !== undefined),
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
  .filter((closure) => closure.every((path) => isOwn(path) || path.startsWith("tests/")));
const selected = closures.map(([path]) => path!);
const copied = new Set([...sources, ...closures.flat(), "tests/std_assert.d.ts", "dev.lock", "LICENSE", "README.md"]);

const folder = await mkdtemp(join(tmpdir(), "latchkey-alone-"));
try {
  for (const path of copied) await cp(path, join(folder, path));
  const exports = Object.fromEntries(Object.entries(manifest.exports).filter(([, path]) => isOwn(path.slice(2))));
  await writeFile(join(folder, "deno.json"), JSON.stringify({ ...manifest, exports, tasks: {}, lint: {} }));
  Deno.chdir(folder);
  await run([Deno.execPath(), "check", "--quiet", "--lock=dev.lock", "src", ...selected]);
  await run([Deno.execPath(), "test", "-A", "--quiet", "--no-check", "--lock=dev.lock", ...selected]);
} finally {
  await rm(folder, { recursive: true });
}
console.log(
  `${sources.length} files of the server are complete alone; ${selected.length} of its ${candidates.length} test files ` +
    `import nothing else and passed (${((performance.now() - began) / 1000).toFixed(1)} s).`,
);
