/** Bundles the tests for Node and Bun into dist/tests/, with the packages as an npm user has them. */

import * as esbuild from "esbuild";
import { dirname, relative, resolve } from "node:path";
import { globSync } from "node:fs";
import manifest from "../deno.json" with { type: "json" };

const folder = "dist/tests";

/** Milliseconds. A test run is shorter, so that older files are unused. */
const maxRunMs = 60 * 60_000;

/** Specifier → `npm:` target, as in an import map. */
type Imports = Readonly<Record<string, string>>;

/**
 * Bundles these tests, and every `_child.ts` that tests start as a process. Returns the path of each bundled test.
 * Replaces files atomically and keeps old ones for a while, so that two runs can overlap.
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
  // Chunks first: a run that starts one of the other files meanwhile finds all that it imports.
  const isChunk = ({ path }: esbuild.OutputFile) => path.startsWith(resolve(folder, "chunks"));
  const files = [...result.outputFiles.filter(isChunk), ...result.outputFiles.filter((file) => !isChunk(file))];
  for (const file of files) await replaceFile(relative(Deno.cwd(), file.path), file.text);
  await removeOldFiles();
  return tests.map((test) => test.replace(/^tests/, `./${folder}`).replace(/\.tsx?$/, ".mjs"));
}

/** Resolves bare specifiers by `imports` and `scopes` in deno.json, for runtimes without import maps. */
const importMap: esbuild.Plugin = {
  name: "import map of deno.json",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
      const target = resolveImport(path, relative(Deno.cwd(), importer));
      return target === undefined ? undefined : { path: target, external: true };
    });
  },
};

/** The npm path of a bare specifier in this file; undefined if the import map has no entry. */
function resolveImport(name: string, importer: string): string | undefined {
  const scopes: [string, Imports][] = Object.entries(manifest.scopes);
  const maps = scopes.filter(([scope]) => `./${importer}`.startsWith(scope)).map(([, imports]) => imports);
  for (const imports of [...maps, manifest.imports as Imports]) {
    const key = Object.keys(imports).find((key) => name === key || name.startsWith(`${key}/`));
    // `npm:@scope/name@^1.2.3/path` is `@scope/name/path` inside node_modules.
    if (key) return imports[key].replace(/^npm:\/?((?:@[^/]+\/)?[^@/]+)(?:@[^/]+)?/, "$1") + name.slice(key.length);
  }
}

/** Writes a temporary file and renames it, so that readers never see half a file. */
async function replaceFile(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${Deno.pid}`;
  await Deno.writeTextFile(draft, text);
  await Deno.rename(draft, path);
}

/** Removes files older than the longest run. */
async function removeOldFiles(): Promise<void> {
  for (const path of globSync(`${folder}/**/*.{mjs,map}`)) {
    const { mtime } = await Deno.stat(path);
    if (mtime && Date.now() - mtime.getTime() > maxRunMs) await Deno.remove(path);
  }
}
