/** Bundles the tests for Node and Bun, which neither read deno.json nor, in the case of Node, compile JSX. */

import * as esbuild from "esbuild";
import { relative, resolve } from "node:path";
import { globSync } from "node:fs";
import manifest from "../deno.json" with { type: "json" };

/** Specifier → `npm:` target, as in an import map. */
type Imports = Readonly<Record<string, string>>;

/** Options of {@link bundleTests}. */
export interface BundleOptions {
  /** Where the bundles are written. Default: `dist/tests`. */
  readonly folder?: string;
  /**
   * Whether the tests import the entries of this project from its npm package, which is installed where they are
   * written, and have all other packages inside. Default: false.
   */
  readonly packed?: boolean;
  /** Further esbuild plugins. */
  readonly plugins?: readonly esbuild.Plugin[];
}

/**
 * Bundles these tests, and every `_child.ts` that tests start as a process, unless they test the package. Returns the
 * path of each bundled test.
 */
export async function bundleTests(
  tests: readonly string[],
  { folder = "dist/tests", packed = false, plugins = [] }: BundleOptions = {},
): Promise<string[]> {
  const children = packed ? [] : globSync("tests/**/*_child.{ts,tsx}");
  await esbuild.build({
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
    ...packed ? { external: [`${manifest.name}*`] } : { packages: "external" },
    plugins: [packed ? entriesOfPackage : importMap, ...plugins],
    jsx: "automatic",
    jsxImportSource: manifest.compilerOptions.jsxImportSource,
    logLevel: "silent",
  }).finally(() => esbuild.stop());
  return tests.map((test) => resolve(folder, relative("tests", test)).replace(/\.tsx?$/, ".mjs"));
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

/** Imports what tests import from an entry of this project from its package, and bundles the other packages. */
const entriesOfPackage: esbuild.Plugin = {
  name: "entries of the package",
  setup(build) {
    const entries = new Map(Object.entries(manifest.exports).map(([name, path]) => [resolve(path), name.slice(1)]));
    build.onResolve({ filter: /^\./ }, ({ path, resolveDir, importer }) => {
      const entry = entries.get(resolve(resolveDir, path));
      const isOfTest = !relative(Deno.cwd(), importer).startsWith("src");
      return entry !== undefined && isOfTest ? { path: manifest.name + entry, external: true } : undefined;
    });
    build.onResolve({ filter: /^[^./]/ }, ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === "resolved" || kind === "entry-point") return undefined;
      // Installed beside the package, which loads them too.
      if (path === "ioredis" || path === "postgres") return { path, external: true };
      const target = resolveImport(path, relative(Deno.cwd(), importer));
      return target === undefined ? undefined : build.resolve(target, { kind, resolveDir, pluginData: "resolved" });
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
