/** What a start loads, read off a bundle: neither packages nor pages, and on Node nothing that takes long by itself. */

import { assert, assertEquals } from "@std/assert";
import { build, type Metafile, stop } from "esbuild";
import { readFileSync } from "node:fs";
import { test } from "node:test";

/** The part of jose for base64url; verification loads the others. */
const partsOfJose = ["jose/base64url"];

/** What these entries load, packages and built-in modules left as they are. */
async function bundled(...entryPoints: string[]): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints,
    outdir: "dist/start",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    packages: "external",
    jsx: "automatic",
    jsxImportSource: "preact",
    metafile: true,
    write: false,
  }).finally(() => stop());
  return metafile;
}

/** The sources that are loaded before this one runs, itself among them, and what they import from elsewhere. */
function loadedWith(entry: string, { inputs }: Metafile): { sources: string[]; packages: string[] } {
  const sources = new Set([entry]);
  const packages = new Set<string>();
  for (const source of sources) {
    for (const { path, kind, external } of inputs[source]!.imports) {
      if (kind === "import-statement") (external ? packages : sources).add(path);
    }
  }
  return { sources: [...sources].sort(), packages: [...packages].sort() };
}

test("the first flow loads no package but jose, and no tools", async () => {
  const { sources, packages } = loadedWith("src/mod.ts", await bundled("src/mod.ts"));
  assertEquals(packages, partsOfJose);
  const folders = new Set(sources.map((path) => path.split("/")[1]));
  assertEquals([...folders].sort(), ["core", "mod.ts", "platform", "server"]);
});

test("the mock loads no package but jose", async () => {
  const { packages } = loadedWith("src/testing/mod.ts", await bundled("src/testing/mod.ts"));
  assertEquals(packages, partsOfJose);
});

test("the command line loads a package besides jose only if its input needs one", async () => {
  const { packages } = loadedWith("src/main.ts", await bundled("src/main.ts"));
  assertEquals(packages, partsOfJose);
});

test("nothing up to the first flow makes Node load all of fetch", async () => {
  const entries = ["src/main.ts", "src/devtools/mod.ts", "src/platform/runtime/serve.ts"];
  const neighbours = ["src/platform/runtime/process.ts", "src/platform/runtime/node.ts"];
  const graph = await bundled(...entries, ...neighbours);
  for (const entry of [...entries, ...neighbours]) {
    const { sources, packages } = loadedWith(entry, graph);
    // A module that lists what it has, as an import makes it do, also opens what else is reached by a name.
    assertEquals(packages.filter((name) => /^node:(?:https?|process)$/.test(name)), [], entry);
    for (const source of sources.filter((path) => !path.endsWith("/bun.ts"))) {
      assert(!/\binstanceof (?:Request|Response|Headers)\b/.test(readFileSync(source, "utf8")), source);
    }
  }
});
