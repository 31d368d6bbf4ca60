/** Builds the npm package into dist/npm/: `deno task build --help`. */

import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundleCommonJs, commonJsFolder } from "./bundle_commonjs.ts";
import { bundlePackage, documentPaths } from "./bundle_package.ts";
import { exitWithError, readCommand } from "./command.ts";
import { readLicenses } from "./licenses.ts";
import { readImportGraph } from "./import_graph.ts";
import { installModules } from "./modules.ts";
import { getPackageName } from "./import_rules.ts";
import { serveRegistry } from "./registry.ts";
import { rulesPath } from "../src/devtools/rules/rules_file.ts";
import { findRule } from "../src/server/rules.ts";
import manifest from "../deno.json" with { type: "json" };

const folder = "dist/npm";

/** Parts of the manifest that deno.json does not have: node:sqlite needs no flag from this version on. */
const engines = { node: ">=22.13" };
const bin = { latchkey: "main.js" };

/**
 * The entries that test suites import. The module loader of jest loads no ES modules, so they are CommonJS too; Node
 * loads the others by `require()`.
 */
const commonJsEntries = [
  "src/mod.ts",
  "src/check/mod.ts",
  "src/platform/store/sqlite.ts",
  "src/resource/mod.ts",
  "src/testing/control/connect.ts",
  "src/testing/mod.ts",
  "src/testing/node/mod.ts",
  "src/testing/oauth2_mock_server/mod.ts",
];

/** Dependencies of users. Every other import is bundled. */
const dependencies = ["jose", "preact", "preact-render-to-string"];

/** Optional dependencies, one per store. */
const optional = ["ioredis", "postgres"];

/** Passages of READMEs that apply to the repository only, and their replacements in the package. */
const packageReadmeEdits: Readonly<Record<string, readonly (readonly [from: RegExp, to: string])[]>> = {
  "README.md": [
    [
      /^You need npm and Node 20 [^]*?\n\n```sh\n[^]*?```$/m,
      `You need npm and Node 22.13 or newer:\n\n\`\`\`sh\nnpx ${manifest.name}\n\`\`\``,
    ],
    [/^The commands below use `latchkey`\. [^]*?`latchkey --help`/m, "`latchkey --help`"],
    [/^`npx -y deno task build` builds the package to \[install\]\(.*?\)\.\n/m, ""],
    [/`npx -y deno task image` builds\n?\s*\[a container image\]/, "[A container image]"],
    [/^To search them, run `npx -y deno task docs --port 9080`\.\s+/m, ""],
    [/^\[Changes\][^]*$/m, "MIT licence\n"],
  ],
  "static/docs/test-in-javascript.md": [
    [/^After publication: /m, ""],
    [/^Before publication[^]*?^(?=The mock runs under )/m, ""],
  ],
  "static/docs/start.md": [
    [/^You need Node and npm, [^]*?```$/m, `\`\`\`sh\nnpx ${manifest.name}\n\`\`\``],
    [/^\| with .*\n(?:\|.*\n)+\n/m, ""],
    [/^If Deno is installed, leave out `npx -y`\. /m, ""],
    [/^## The command `latchkey`\n[^]*?(?=^## Windows)/m, ""],
    [/ In PowerShell, define the command once in each window, and set\s+variables/, " In PowerShell, set variables"],
    [/^function latchkey .*\n/m, ""],
  ],
};

/** Pictures and links that lead to files outside the package. */
const outsidePackage = {
  // A row of pictures is a table with two lines above it; a paragraph that ends in a colon introduces one.
  picture: /^(?:(?:.+\n)*.+:\n\n)?(?:\|.*\n\| ?-.*\n)?.*!\[[^\]]*\]\((?!https:).*\n\n?/gm,
  link: /\[([^\]]*)\]\((?!https:|#)([^)#]*)[^)]*\)/g,
};

readCommand({
  call: "deno task build",
  does: `Builds the npm package into ${folder}/: bundles by esbuild, declarations by deno pack, a manifest made from ` +
    "deno.json. Then packs it, installs the tarball into an empty folder, and prints the sizes.",
});
const node = (await run("node", "--version").catch(() => "none")).trim();
const [major = 0, minor = 0] = node.slice(1).split(".").map(Number);
if (!(major > 22 || major === 22 && minor >= 13)) {
  console.error(`The program that is built needs Node ${engines.node}. The node of this shell is ${node}.`);
}
await installModules().catch(exitWithError);
await Deno.remove(folder, { recursive: true }).catch(ignoreNotFound);
const entries = [...Object.values(manifest.exports), "src/main.ts"].map((path) => path.replace(/^\.\//, ""));
const modules = await bundlePackage(entries, "src/main.ts", [...dependencies, ...optional]);
const commonJs = await bundleCommonJs(commonJsEntries, optional);
for (const { path, text } of [...modules.files, ...commonJs.files]) {
  await write(path, text, path === bin.latchkey ? 0o755 : 0o644);
}
assertKnownPackages([...modules.imports, ...commonJs.imports, ...await writeDeclarations(entries)]);
await write("package.json", JSON.stringify(packageJson(), null, 2) + "\n");
await write("THIRD_PARTY_LICENSES", await readLicenses([...modules.sources, ...commonJs.sources]));
await write("LICENSE", await Deno.readTextFile("LICENSE"));
const readmes = ["README.md", ...globSync(["src/**/README.md", "static/docs/*.md"])];
for (const path of readmes) await write(path, await readmeForUsers(path));
await write("CHANGELOG.md", await Deno.readTextFile("static/changes.md"));
await write(rulesPath, await readRulesOfProgram());
for (const path of documentPaths) await write(path, JSON.stringify(JSON.parse(await Deno.readTextFile(path))));
const tarball = await pack();
const { packages, total, own } = await install(tarball);
const packed = Math.ceil((await Deno.stat(tarball)).size / 1024);
console.log(`${folder}/ is ready, packed as ${tarball}; run: node ${folder}/${bin.latchkey}`);
console.log(
  `installed: ${packages.length} packages, ${total} KiB: ${
    packages.join(", ")
  }; ${own} KiB are its own, ${packed} packed`,
);
const surplus = packages.filter((name) => name !== manifest.name && !dependencies.includes(name));
if (surplus.length > 0) throw new Error(`Installation adds unexpected packages: ${surplus.join(", ")}.`);

/**
 * A README without passages that need the repository, without pictures and links to files outside the package, and
 * without the spaces that align the cells of tables: packed, they take 7 KiB.
 */
async function readmeForUsers(path: string): Promise<string> {
  let text = await Deno.readTextFile(path);
  for (const [from, to] of packageReadmeEdits[path] ?? []) {
    const before = text;
    text = text.replace(from, to);
    if (text === before) {
      throw new Error(`${path}: found no text that matches ${from}. Update packageReadmeEdits in scripts/build.ts.`);
    }
  }
  text = text.replace(outsidePackage.picture, "").replace(outsidePackage.link, (link, words, target) => {
    return readmes.includes(join(dirname(path), target)) ? link : words;
  });
  const cut = /.*:\n\n+#+ .*/.exec(text)?.[0];
  if (cut !== undefined) {
    throw new Error(`${path} in the package would end a passage with a colon and nothing after it:\n${cut}`);
  }
  return text.replace(/^\|.*/gm, (row) => row.replace(/ {2,}/g, " ").replace(/-{4,}/g, "---"));
}

/** The descriptions of the rules that the program has, for their pages and `latchkey explain`. */
async function readRulesOfProgram(): Promise<string> {
  const isKept = (line: string) => !line.startsWith("- **") || findRule(line.slice(4, 9)) !== undefined;
  return (await Deno.readTextFile(rulesPath)).split("\n").filter(isKept).join("\n");
}

/** Packs the build, and returns the path. */
async function pack(): Promise<string> {
  const output = await run("npm", "pack", `./${folder}`, "--pack-destination", "dist", "--json", "--silent");
  return `dist/${JSON.parse(output)[0].filename}`;
}

/** Installs the tarball into an empty folder and measures it. Sizes in KiB. */
async function install(tarball: string): Promise<{ packages: string[]; total: number; own: number }> {
  const tempFolder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${tempFolder}/package.json`, `{ "private": true }`);
    await using registry = await serveRegistry(tarball);
    const flags = ["--prefix", tempFolder, "--silent", "--no-audit", "--no-fund", registry.flag];
    await run("npm", "install", ...flags, manifest.name);
    const home = `${tempFolder}/node_modules`;
    const packages = globSync("{*,@*/*}/package.json", { cwd: home }).map(dirname).sort();
    return { packages, total: await measureSize(home), own: await measureSize(`${home}/${manifest.name}`) };
  } finally {
    await Deno.remove(tempFolder, { recursive: true });
  }
}

async function measureSize(path: string): Promise<number> {
  const bytes = globSync("**", { cwd: path, withFileTypes: true }).filter((entry) => entry.isFile())
    .map(async (entry) => (await Deno.stat(`${entry.parentPath}/${entry.name}`)).size);
  return Math.ceil((await Promise.all(bytes)).reduce((sum, size) => sum + size, 0) / 1024);
}

/** Unpacks the declarations of the exports into types/, and returns their external imports. */
async function writeDeclarations(entryPoints: readonly string[]): Promise<string[]> {
  const tempFolder = await Deno.makeTempDir();
  try {
    await run(
      Deno.execPath(),
      "pack",
      "--quiet",
      "--allow-dirty",
      "--no-source-maps",
      "--output",
      `${tempFolder}/it.tgz`,
    );
    await run("tar", "-xzf", `${tempFolder}/it.tgz`, "-C", tempFolder);
    const paths = globSync("**/*.d.ts", { cwd: `${tempFolder}/package/src` });
    for (const path of paths) {
      await write(`types/${path}`, withDisposable(await Deno.readTextFile(`${tempFolder}/package/src/${path}`)));
    }
    // Both kinds of modules may import declarations of CommonJS; with type "module" only ES modules may.
    await write("types/package.json", JSON.stringify({ type: "commonjs" }) + "\n");
    const exported = entryPoints.filter((entry) => entry !== "src/main.ts").map(declaration);
    const missing = exported.find((path) => !paths.includes(path.slice("types/".length)));
    if (missing) throw new Error(`deno pack wrote no ${missing}: look for slow types with deno publish --dry-run`);
    const edges = await readImportGraph(`${tempFolder}/package/src`, paths);
    return edges.map(({ specifier }) => specifier).filter((specifier) => !specifier.startsWith("."));
  } finally {
    await Deno.remove(tempFolder, { recursive: true });
  }
}

/** Declares what `await using` needs where it is named: without types of Node, the default `lib` lacks it. */
function withDisposable(declarations: string): string {
  const isNamed = /\b(?:Async)?Disposable\b|\bSymbol\.(?:asyncD|d)ispose\b/.test(declarations);
  return isNamed ? `/// <reference lib="esnext.disposable" />\n${declarations}` : declarations;
}

/** Asserts that every imported package is a dependency. */
function assertKnownPackages(specifiers: readonly string[]): void {
  for (const name of new Set(specifiers.map(getPackageName))) {
    if (name.startsWith("node:") || [...dependencies, ...optional].includes(name)) continue;
    throw new Error(`The package imports ${name}, which is neither bundled nor a dependency.`);
  }
}

/** Range of a dependency in deno.json. */
function getRange(name: string): string {
  const imports: Readonly<Record<string, string>> = {
    ...manifest.imports,
    ...manifest.scopes["./src/platform/store/"],
  };
  const target = imports[name] ?? "";
  const range = /^npm:(?:@[^/]+\/)?[^/@]+@([^/]+)$/.exec(target)?.[1];
  if (range === undefined) throw new Error(`deno.json imports no npm:${name}@range.`);
  return range;
}

/** The manifest. The repository is that of the workflow: npm compares the two for provenance. */
function packageJson(): unknown {
  const { name, version, license, exports } = manifest;
  const repository = Deno.env.get("GITHUB_REPOSITORY");
  const paths = Object.entries(exports).map(([subpath, entry]) => {
    const path = entry.replace(/^\.\/src\//, "");
    const types = `./${declaration(path)}`;
    const file = path.replace(/\.tsx?$/, ".js");
    const required = commonJsEntries.includes(`src/${path}`) && { require: `./${commonJsFolder}/${file}` };
    return [subpath, { types, ...required, default: `./${file}` }] as const;
  });
  // For moduleResolution node10, which ignores "exports".
  const typesVersions = Object.fromEntries(
    paths.flatMap(([subpath, { types }]) => subpath === "." ? [] : [[subpath.slice(2), [types.slice(2)]]]),
  );
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
    main: `./${commonJsFolder}/mod.js`,
    types: "./types/mod.d.ts",
    typesVersions: { "*": typesVersions },
    bin,
    dependencies: Object.fromEntries(dependencies.map((name) => [name, getRange(name)])),
    peerDependencies: Object.fromEntries(optional.map((name) => [name, getRange(name)])),
    peerDependenciesMeta: Object.fromEntries(optional.map((name) => [name, { optional: true }])),
    sideEffects: false,
    publishConfig: { access: "public", provenance: true },
    ...repository && { repository: { type: "git", url: `git+https://github.com/${repository}.git` } },
  };
}

/** `src/core/store/sqlite.ts` → types/core/store/sqlite.d.ts. */
function declaration(entry: string): string {
  return `types/${entry.replace(/^src\//, "").replace(/\.tsx?$/, ".d.ts")}`;
}

async function write(path: string, text: string, mode = 0o644): Promise<void> {
  await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
  await Deno.writeTextFile(`${folder}/${path}`, text, { mode });
}

/** Runs a command, and returns its output. */
async function run(command: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args }).output();
  if (success) return new TextDecoder().decode(stdout);
  const output = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  throw new Error(`${[command, ...args].join(" ")} failed:\n${output}`);
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
