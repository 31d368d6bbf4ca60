/**
 * The core runs where there is neither Node, Deno nor Bun: it is bundled as for a worker, and the bundle is searched.
 */

import { assert, assertEquals } from "@std/assert";
import { build, type Metafile, type OutputFile, stop } from "esbuild";
import { test } from "node:test";
import { relative } from "node:path";
import { installPackages } from "../../installed.ts";

/** The output file that holds the entry, and those it imports before it runs; not those it may load later. */
function loadedImmediately({ outputs }: Metafile, entry: string): string[] {
  const found = Object.keys(outputs).filter((path) => outputs[path].entryPoint === entry);
  for (const path of found) {
    const imports = outputs[path].imports.filter(({ kind, external }) => kind === "import-statement" && !external);
    for (const imported of imports) if (!found.includes(imported.path)) found.push(imported.path);
  }
  return found;
}

test("the core bundles for a worker and loads nothing of Node, Deno or Bun until it listens", async () => {
  await installPackages();
  const { metafile, outputFiles } = await build({
    entryPoints: ["src/mod.ts"],
    outdir: "dist/neutral",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["worker", "browser"],
    external: ["node:*"],
    metafile: true,
    write: false,
  }).finally(() => stop());
  const paths = loadedImmediately(metafile, "src/mod.ts");
  assert(paths.length > 0, "the bundle has no file made from src/mod.ts");
  const external = paths.flatMap((path) => metafile.outputs[path].imports.filter((imported) => imported.external));
  assertEquals(external.map(({ path }) => path), []);
  const text = (path: string): string =>
    outputFiles.find((file: OutputFile) => relative(".", file.path).replaceAll("\\", "/") === path)!.text;
  const mentions = paths.flatMap((path) => text(path).match(/.*\b(?:Deno|Bun)\..*|.*\bnode:.*/g) ?? []);
  assertEquals(mentions, []);
});
