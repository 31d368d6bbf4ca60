/** Proves that the core is closed and runs everywhere: `deno task test:core --help`. */

import * as esbuild from "esbuild";
import { globSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import manifest from "../deno.json" with { type: "json" };
import { exitWithError, readCommand } from "./command.ts";
import { installModules } from "./modules.ts";
import { run } from "./run.ts";
import { formatCounts, runTests, type RuntimeName, runtimeNames, sumCounts, type TestCounts } from "./test_run.ts";
import { runInWorkerd } from "./workerd.ts";

readCommand({
  call: "deno task test:core",
  does:
    "Copies src/core and tests/core into an empty folder, type-checks them there, and runs the tests on Deno, Node, Bun " +
    "and workerd. Prints the size of the bundle of the core.",
});

const began = performance.now();
const counts: TestCounts[] = [];
try {
  await installModules();
  const folder = await mkdtemp(join(tmpdir(), "latchkey-core-"));
  try {
    await copyCore(folder);
    await run([
      Deno.execPath(),
      "check",
      "--quiet",
      `--config=${folder}/deno.json`,
      `${folder}/src`,
      `${folder}/tests`,
    ]);
    const bytes = await measureBundle(folder);
    console.log(`The bundle of src/core/mod.ts with its packages: ${bytes.join(", ")}.`);
    const tests = globSync("tests/core/*_test.ts").sort();
    for (const name of runtimeNames) await runOn(name, folder, tests);
    const needNode = globSync("src/core/**/*.ts").filter((path) => importsBuiltins(Deno.readTextFileSync(path)));
    const everywhere = tests.filter((path) => {
      const text = Deno.readTextFileSync(path);
      return !needNode.some((needed) => text.includes(`/${needed}"`));
    });
    const results = await runInWorkerd(await bundle(folder, everywhere, "workerd"));
    const failed = results.filter(({ error }) => error !== undefined);
    for (const { name, error } of failed) console.log(`${name}\n${error}`);
    note("workerd", { passed: results.length - failed.length, failed: failed.length, skipped: 0 });
  } finally {
    await esbuild.stop();
    await rm(folder, { recursive: true });
  }
} catch (error) {
  exitWithError(error);
}
const total = sumCounts(counts);
console.log(`${formatCounts(total)} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
Deno.exit(total.failed > 0 ? 1 : 0);

/** Whether a file imports values of a module that only Node, Deno and Bun have. */
function importsBuiltins(text: string): boolean {
  return /^(?:import(?! type )|export) [^;]*?from "node:/m.test(text);
}

/** Copies the core with its tests, and writes a configuration that knows no other package. */
async function copyCore(folder: string): Promise<void> {
  const paths = [
    ...globSync("src/core/**/*.{ts,tsx}"),
    ...globSync("tests/core/**/*.ts"),
    "tests/std_assert.d.ts",
    "dev.lock",
  ];
  for (const path of paths) await cp(path, join(folder, path));
  const { jose, preact, "preact-render-to-string": render } = manifest.imports;
  await writeFile(
    join(folder, "deno.json"),
    JSON.stringify({
      nodeModulesDir: "none",
      imports: {
        jose,
        preact,
        "preact-render-to-string": render,
        "@std/assert": manifest.scopes["./tests/"]["@std/assert"],
      },
      compilerOptions: manifest.compilerOptions,
    }),
  );
}

/** Bundles modules of the folder; their packages are those of this project. */
async function bundle(
  folder: string,
  entries: readonly string[],
  target: "node" | "workerd" | "browser",
): Promise<string> {
  const runner = target === "workerd"
    ? `import { run } from ${JSON.stringify(resolve("scripts/workerd_test_list.ts"))};\n`
    : "";
  const { outputFiles } = await esbuild.build({
    stdin: {
      contents: runner + entries.map((path) => `export * from ${JSON.stringify(join(folder, path))};\n`).join("") +
        (runner && "export default { fetch: async () => Response.json(await run()) };\n"),
      resolveDir: folder,
    },
    bundle: true,
    format: "esm",
    platform: target === "node" ? "node" : "neutral",
    mainFields: ["module", "main"],
    conditions: target === "node" ? ["node", "import"] : ["workerd", "worker", "browser", "import"],
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: manifest.compilerOptions.jsxImportSource,
    minify: target === "browser",
    write: false,
    plugins: [{
      name: "packages of the project",
      setup(build) {
        build.onResolve({ filter: /^[^./]/ }, ({ path, pluginData }) => {
          if (pluginData === "resolved") return;
          if (path === "node:test" && target === "workerd") return { path: resolve("scripts/workerd_test_list.ts") };
          if (path.startsWith("node:")) return { path, external: true };
          const name = path === "@std/assert" ? "deno-std/assert/mod.js" : path;
          return build.resolve(name.startsWith("deno-std") ? `./node_modules/${name}` : name, {
            kind: "import-statement",
            resolveDir: Deno.cwd(),
            pluginData: "resolved",
          });
        });
      },
    }],
    logLevel: "silent",
  });
  return outputFiles![0]!.text;
}

/** The size of the minified core with its packages: bytes as they are, and compressed. */
async function measureBundle(folder: string): Promise<string[]> {
  const text = await bundle(folder, ["src/core/mod.ts"], "browser");
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`;
  const [zipped, small] = await Promise.all([promisify(gzip)(text), promisify(brotliCompress)(text)]);
  return [
    kilobytes(new TextEncoder().encode(text).length),
    `${kilobytes(zipped!.length)} with gzip`,
    `${kilobytes(small!.length)} with brotli`,
  ];
}

/** Runs the tests on a runtime, in the folder, and prints the output of those that failed. */
async function runOn(name: RuntimeName, folder: string, tests: readonly string[]): Promise<void> {
  const file = name === "deno" ? "all_test.ts" : "all_test.mjs";
  const text = name === "deno"
    ? tests.map((test) => `import "./${test}";\n`).join("")
    : await bundle(folder, tests, "node");
  await writeFile(join(folder, file), text);
  const { counts, output } = await runTests(name, [join(folder, file)], { cwd: folder });
  if (counts.failed > 0) console.log(output);
  note(name, counts);
}

/** Keeps and prints the counts of a runtime; one without a test fails. */
function note(name: string, found: TestCounts): void {
  counts.push(found.passed > 0 ? found : { ...found, failed: Math.max(1, found.failed) });
  console.log(`${name}: ${formatCounts(counts.at(-1)!)}`);
}
