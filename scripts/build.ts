/** Builds the npm package into dist/npm/: bundles by esbuild, declarations by `deno pack`, a manifest made from deno.json. */

import * as esbuild from "esbuild";
import { globSync } from "node:fs";
import { dirname, relative } from "node:path";
import { packageOf, readImports } from "./read_source.ts";
import manifest from "../deno.json" with { type: "json" };

const folder = "dist/npm";

/** What the package says that deno.json cannot: node:sqlite needs no flag from this version on. */
const engines = { node: ">=22.13" };
const bin = { latchkey: "main.js" };

await Deno.remove(folder, { recursive: true }).catch(ignoreMissing);
const entries = [...Object.values(manifest.exports), "src/main.ts"].map((path) => path.replace(/^\.\//, ""));
const names = new Set([...await writeCode(entries), ...await writeDeclarations(entries)].map(packageOf));
await write("package.json", JSON.stringify(packageJson([...names].sort()), null, 2) + "\n");
await Deno.mkdir(`${folder}/static`, { recursive: true });
for (const file of ["README.md", "LICENSE", "static/config.schema.json"]) {
  await Deno.copyFile(file, `${folder}/${file}`);
}
console.log(`${folder}/ is ready: npm pack ./${folder}, or node ${folder}/${bin.latchkey}`);

/** Writes the modules, sharing what they share; gives back what they import from elsewhere. */
async function writeCode(entryPoints: string[]): Promise<string[]> {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints,
    outbase: "src",
    outdir: folder,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    packages: "external",
    jsx: "automatic",
    jsxImportSource: manifest.compilerOptions.jsxImportSource,
    metafile: true,
    write: false,
  }).finally(() => esbuild.stop());
  for (const file of outputFiles) {
    const path = relative(folder, relative(Deno.cwd(), file.path));
    const isCommand = path === bin.latchkey;
    await write(path, isCommand ? `#!/usr/bin/env node\n${file.text}` : file.text, isCommand ? 0o755 : 0o644);
  }
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return imports.filter(({ external }) => external).map(({ path }) => path);
}

/** Unpacks the declarations of what is exported into types/; gives back what they import from elsewhere. */
async function writeDeclarations(entryPoints: readonly string[]): Promise<string[]> {
  const away = await Deno.makeTempDir();
  try {
    await run(Deno.execPath(), "pack", "--quiet", "--allow-dirty", "--no-source-maps", "--output", `${away}/it.tgz`);
    await run("tar", "-xzf", `${away}/it.tgz`, "-C", away);
    const paths = globSync("**/*.d.ts", { cwd: `${away}/package/src` });
    const specifiers: string[] = [];
    for (const path of paths) {
      const text = await Deno.readTextFile(`${away}/package/src/${path}`);
      await write(`types/${path}`, text);
      specifiers.push(...readImports(path, text).map(({ specifier = "" }) => specifier));
    }
    const exported = entryPoints.filter((entry) => entry !== "src/main.ts").map(declaration);
    const missing = exported.find((path) => !paths.includes(path.slice("types/".length)));
    if (missing) throw new Error(`deno pack wrote no ${missing}: look for slow types with deno publish --dry-run`);
    return specifiers.filter((specifier) => !specifier.startsWith("."));
  } finally {
    await Deno.remove(away, { recursive: true });
  }
}

/** The manifest. Every package the output imports must be in deno.json's `imports`, which say the versions. */
function packageJson(names: readonly string[]): unknown {
  const { name, version, license, exports, imports } = manifest;
  const dependencies: Record<string, string> = {};
  for (const name of names.filter((name) => !name.startsWith("node:"))) {
    const [, range] = /^npm:(?:@[^/]+\/)?[^@/]+@([^/]+)$/.exec((imports as Record<string, string>)[name] ?? "") ?? [];
    if (!range) throw new Error(`The package would import ${name}, but imports in deno.json has no npm:${name}@range.`);
    dependencies[name] = range;
  }
  const paths = Object.entries(exports).map(([subpath, entry]) => {
    const path = entry.replace(/^\.\/src\//, "");
    return [subpath, { types: `./${declaration(path)}`, default: `./${path.replace(/\.tsx?$/, ".js")}` }];
  });
  const description = "An OAuth 2.1 and OpenID Connect authorization server for laptops, test suites and demos";
  const keywords = ["oauth", "oauth2", "openid-connect", "oidc", "authorization-server", "mock", "testing"];
  return {
    name,
    version,
    description,
    keywords,
    license,
    type: "module",
    engines,
    exports: Object.fromEntries(paths),
    bin,
    dependencies,
  };
}

/** `src/store/sqlite.ts` → `types/store/sqlite.d.ts`. */
function declaration(entry: string): string {
  return `types/${entry.replace(/^src\//, "").replace(/\.tsx?$/, ".d.ts")}`;
}

async function write(path: string, text: string, mode = 0o644): Promise<void> {
  await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
  await Deno.writeTextFile(`${folder}/${path}`, text, { mode });
}

async function run(command: string, ...args: string[]): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args }).output();
  if (success) return;
  const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  throw new Error(`${[command, ...args].join(" ")} failed:\n${said}`);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
