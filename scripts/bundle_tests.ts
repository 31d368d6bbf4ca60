/** Bundles the tests for Node and Bun into dist/tests/, where they meet the packages as an npm user would. */

import * as esbuild from "esbuild";
import { dirname, relative } from "node:path";
import { globSync } from "node:fs";
import manifest from "../deno.json" with { type: "json" };

const folder = "dist/tests";

/** Milliseconds. No run of the tests takes longer, so a file written before then is in nobody's use. */
const maxRunMs = 60 * 60_000;

/** Specifier → `npm:` target, as an import map writes it. */
type Imports = Readonly<Record<string, string>>;

/**
 * Bundles these tests, and every `_child.ts` that tests start as a process of its own, and gives back where each test
 * now lies. Files are replaced in one step, and old ones are kept for a while, so that two runs may go on side by side.
 *
 * @param plugins Further esbuild plugins.
 */
export async function bundleTests(
  tests: readonly string[],
  plugins: readonly esbuild.Plugin[] = [],
): Promise<string[]> {
  const children = globSync("tests/**/*_child.{ts,tsx}");
  const result = await esbuild.build({
    entryPoints: [...tests, ...children],
    outbase: "tests",
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunks/[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    sourcemap: true,
    packages: "external",
    plugins: [importMap, ...plugins],
    jsx: "automatic",
    jsxImportSource: manifest.compilerOptions.jsxImportSource,
    write: false,
    logLevel: "silent",
  }).finally(() => esbuild.stop());
  for (const file of result.outputFiles) await replaceFile(relative(Deno.cwd(), file.path), file.text);
  await removeOldFiles();
  return tests.map((test) => test.replace(/^tests/, `./${folder}`).replace(/\.tsx?$/, ".mjs"));
}

/** Resolves bare names as `imports` and `scopes` in deno.json say, for runtimes that cannot read an import map. */
const importMap: esbuild.Plugin = {
  name: "import map of deno.json",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
      const target = resolveImport(path, relative(Deno.cwd(), importer));
      return target === undefined ? undefined : { path: target, external: true };
    });
  },
};

/** The npm path behind a bare name as this file may say it; undefined when the import map does not know the name. */
function resolveImport(name: string, importer: string): string | undefined {
  const scopes: [string, Imports][] = Object.entries(manifest.scopes);
  const maps = scopes.filter(([scope]) => `./${importer}`.startsWith(scope)).map(([, imports]) => imports);
  for (const imports of [...maps, manifest.imports as Imports]) {
    const key = Object.keys(imports).find((key) => name === key || name.startsWith(`${key}/`));
    // `npm:@scope/name@^1.2.3/path` is `@scope/name/path` inside node_modules.
    if (key) return imports[key].replace(/^npm:\/?((?:@[^/]+\/)?[^@/]+)(?:@[^/]+)?/, "$1") + name.slice(key.length);
  }
}

/** Writes a file beside its place and moves it there, so that nobody ever reads half of it. */
async function replaceFile(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${Deno.pid}`;
  await Deno.writeTextFile(draft, text);
  await Deno.rename(draft, path);
}

/** Removes what was written before the longest run that may still be going on. */
async function removeOldFiles(): Promise<void> {
  for (const path of globSync(`${folder}/**/*.{mjs,map}`)) {
    const { mtime } = await Deno.stat(path);
    if (mtime && Date.now() - mtime.getTime() > maxRunMs) await Deno.remove(path);
  }
}
