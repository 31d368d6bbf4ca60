/** Builds the CommonJS bundle, for the module loader of jest: one minified file. */

import * as esbuild from "esbuild";
import { dirname, relative } from "node:path/posix";
import manifest from "../deno.json" with { type: "json" };
import type { Bundle, PackageFile } from "./bundle_package.ts";

/** Its folder in the package; every file in it is CommonJS. */
export const commonJsFolder = "cjs";

const bundlePath = `${commonJsFolder}/latchkey.js`;

/**
 * Bundles these entries with all ES modules that they import. Each entry is a file that re-exports from the one bundle,
 * so shared modules exist once. The bundle contains no import(), because jest rejects it.
 *
 * @param external Packages that are not bundled; they can be required.
 */
export async function bundleCommonJs(entries: readonly string[], external: readonly string[]): Promise<Bundle> {
  const loaders = entries.map((entry) => `${JSON.stringify(outputName(entry))}: () => require("./${entry}")`);
  const { outputFiles, metafile } = await esbuild.build({
    stdin: { contents: `module.exports = {\n${loaders.join(",\n")}\n};`, resolveDir: ".", sourcefile: bundlePath },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node22",
    supported: { "dynamic-import": false },
    mainFields: ["module", "main"],
    external: [...external],
    jsx: "automatic",
    jsxImportSource: manifest.compilerOptions.jsxImportSource,
    legalComments: "none",
    // The chunks beside it are the readable form; functions keep their names, for stack traces.
    minify: true,
    keepNames: true,
    metafile: true,
    write: false,
    outfile: bundlePath,
  });
  await esbuild.stop();
  const bundled = outputFiles.map(({ path, text }) => ({ path: relative(Deno.cwd(), path), text }));
  const stubs = entries.map((entry): PackageFile => {
    const path = `${commonJsFolder}/${outputName(entry)}`;
    const from = relative(dirname(path), bundlePath);
    return { path, text: `module.exports = require("./${from}")[${JSON.stringify(outputName(entry))}]();\n` };
  });
  return {
    files: [...bundled, ...stubs, {
      path: `${commonJsFolder}/package.json`,
      text: JSON.stringify({ type: "commonjs" }) + "\n",
    }],
    imports: Object.values(metafile.outputs).flatMap(({ imports }) => imports).map(({ path }) => path),
    sources: Object.keys(metafile.inputs),
  };
}

/** `src/testing/mod.ts` → `testing/mod.js`. */
function outputName(entry: string): string {
  return entry.replace(/^src\//, "").replace(/\.tsx?$/, ".js");
}
