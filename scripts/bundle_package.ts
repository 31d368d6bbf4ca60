/** Bundles the modules of the npm package: modules that are always loaded together become one file. */

import * as esbuild from "esbuild";
import { basename, dirname, relative, resolve } from "node:path/posix";
import manifest from "../deno.json" with { type: "json" };

const folder = "dist/npm";

/** The entry whose static imports every start loads. */
const mainEntry = "src/mod.ts";

/** What the program loads at its start on the machine of a developer, besides its static imports. */
const startImports = [
  "src/platform/runtime/node.ts",
  "src/platform/runtime/process.ts",
];

/** Keeps the code readable for debuggers: formatted like the source, with its names. */
const readable = { target: "node22", legalComments: "none" } as const;

/** Name of the chunk that every login runs. No entry has this name: its own chunk would replace this one. */
const corePath = "chunks/server.js";

/** Marks the file as translated, so that Bun does not transpile it. */
const bunHeader = "// @bun";

/** Makes the program executable. */
const shebang = "#!/usr/bin/env node";

/** Documents that are in the package for editors and generators, and are loaded from there instead of bundled. */
export const documentPaths = ["static/config.schema.json", "static/control.openapi.json"] as const;

/** One file, by its path in the package. */
export interface PackageFile {
  readonly path: string;
  readonly text: string;
}

/** Result of bundling. */
export interface Bundle {
  readonly files: readonly PackageFile[];
  /** Packages and modules that the files import. */
  readonly imports: readonly string[];
  /** Sources that the files contain. */
  readonly sources: readonly string[];
}

/** Modules bundled into one file, because the same entries load them. */
interface Chunk {
  readonly path: string;
  readonly modules: readonly string[];
}

/** Module graph before bundling. Sources are named by their paths below the project. */
interface ModuleGraph {
  /** Static and dynamic imports of each module. */
  readonly imports: Readonly<Record<string, { readonly loads: readonly string[]; readonly later: readonly string[] }>>;
  /** Exports of each module. */
  readonly exportNames: ReadonlyMap<string, readonly string[]>;
  /** Chunks in dependency order: independent ones last. */
  readonly chunks: readonly Chunk[];
}

/**
 * Bundles these entries. esbuild alone would split shared modules into a file for each combination of entries and
 * dynamic imports, and every start would open dozens. So each chunk is bundled separately, and its shared names are
 * exported with the number of their module, such as `m12_resolve`.
 *
 * @param entries Users can import all of them except the program.
 * @param program Runs when it is loaded, and is therefore part of no chunk.
 * @param external Packages that are not bundled.
 */
export async function bundlePackage(
  entries: readonly string[],
  program: string,
  external: readonly string[],
): Promise<Bundle> {
  const options: esbuild.BuildOptions = {
    bundle: true,
    format: "esm",
    platform: "node",
    // Prefer ES module builds of packages to CommonJS ones, which cannot be required in a module.
    mainFields: ["module", "main"],
    external: [...external],
    jsx: "automatic",
    jsxImportSource: manifest.compilerOptions.jsxImportSource,
    ...readable,
    metafile: true,
    write: false,
    outdir: folder,
  };
  try {
    const moduleGraph = await analyzeModules(
      { ...options, plugins: [slimManifest, externalDocuments] },
      entries,
      program,
    );
    const { chunks, imports: graph } = moduleGraph;
    const chunkedModules = chunks.flatMap(({ modules }) => modules);
    const later = chunkedModules.flatMap((path) => graph[path]!.later);
    const build = async (input: esbuild.BuildOptions, ownModules: readonly string[]) =>
      await esbuild.build({
        ...options,
        ...input,
        plugins: [slimManifest, externalDocuments, externalizeChunks(moduleGraph, ownModules)],
      });
    const results = [
      await build({
        entryPoints: [...new Set([...entries, ...later])].map((path) => ({
          in: path,
          out: outputPath(path).slice(0, -3),
        })),
        chunkNames: "chunks/[name]-[hash]",
        splitting: true,
      }, []),
    ];
    const files = await toFiles(results[0]!);
    for (const { path, modules } of chunks) {
      const usedAliases = new Set(files.flatMap(({ text }) => text.match(/\bm\d+_\w+/g) ?? []));
      const contents = modules.flatMap((module) => {
        const names = moduleGraph.exportNames.get(module)!.filter((name) =>
          usedAliases.has(exportAlias(moduleGraph, module, name))
        );
        const list = names.map((name) => `${name} as ${exportAlias(moduleGraph, module, name)}`);
        return list.length === 0 ? [] : `export { ${list.join(", ")} } from "./${module}";`;
      });
      const stdin = { contents: contents.join("\n"), resolveDir: ".", sourcefile: basename(path) };
      const result = await build({ stdin }, modules);
      results.push(result);
      files.push({ ...(await toFiles(result))[0]!, path });
    }
    const twice = files.find(({ path }, i) => files.findIndex((other) => other.path === path) < i);
    if (twice !== undefined) throw new Error(`Two parts of the package have the path ${twice.path}.`);
    const outputs = results.flatMap(({ metafile }) => Object.values(metafile!.outputs));
    const imports = outputs.flatMap((output) => output.imports.filter(({ external }) => external));
    return {
      files: files.map(({ path, text }) => ({
        path,
        text: [...path === outputPath(program) ? [shebang] : [], bunHeader, resolvePackagePaths(path, text)].join("\n"),
      })),
      imports: imports.map(({ path }) => path).filter((path) => !path.startsWith(packagePathPrefix)),
      sources: results.flatMap(({ metafile }) => Object.keys(metafile!.inputs)),
    };
  } finally {
    await esbuild.stop();
  }
}

/** Groups modules into chunks: the core, which the main entry loads, and modules loaded by the same entries. */
async function analyzeModules(
  options: esbuild.BuildOptions,
  entries: readonly string[],
  program: string,
): Promise<ModuleGraph> {
  const { metafile } = await esbuild.build({ ...options, entryPoints: [...entries], splitting: true });
  const { inputs } = metafile!;
  const graph = Object.fromEntries(
    Object.entries(inputs).map(([path, { imports }]) => {
      const inside = imports.filter(({ external, path }) => !external && path.startsWith("src/"));
      const of = (wanted: string) => inside.filter(({ kind }) => kind === wanted).map(({ path }) => path);
      return [path, { loads: of("import-statement"), later: of("dynamic-import") }];
    }),
  );
  const core = new Set(findReachable(mainEntry, graph));
  const beyond = entries.filter((entry) => entry !== program)
    .flatMap((entry) => findReachable(entry, graph)).filter((path) => !core.has(path));
  const laterBeyond = beyond.flatMap((path) => graph[path]!.later);
  const laterInProgram = findReachable(program, graph).flatMap((path) => graph[path]!.later);
  const outsideCore = new Set(
    [...entries, ...laterBeyond, ...laterInProgram].flatMap((entry) => findReachable(entry, graph))
      .filter((path) => !core.has(path)),
  );
  // A module that the core imports lazily, at any depth, or its imports, must not share a chunk with the program or the
  // mock, which load them together with their own modules. The same applies between entries: the inspector's pages must
  // not load the mock and its test keys. What the program imports lazily at its start must not load the attacks.
  const chunkEntries = new Set([
    ...entries,
    ...[...findLater(core, graph), ...laterInProgram]
      .filter((path) => findReachable(path, graph).some((reached) => outsideCore.has(reached))),
    ...laterBeyond,
  ]);
  const loadedBy = new Map<string, string[]>();
  for (const chunkEntry of chunkEntries) {
    for (const path of findReachable(chunkEntry, graph)) loadedBy.set(path, [...loadedBy.get(path) ?? [], chunkEntry]);
  }
  const shared = [...loadedBy.keys()].filter((path) => path !== program && !core.has(path));
  const started = new Set([program, ...startImports].flatMap((path) => findReachable(path, graph)));
  const laterElsewhere = new Set([...findLater(core, graph), ...laterBeyond]);
  // A start opens few files: what else loads a part of them is in the package, or loaded after it.
  const getUsers = (path: string) => {
    const users = loadedBy.get(path)!;
    if (!started.has(path)) return users;
    const isElsewhere = users.some((user) => laterElsewhere.has(user));
    return [
      program,
      ...users.filter((user) => user !== program && entries.includes(user)),
      ...isElsewhere ? [mainEntry] : [],
    ];
  };
  const groups = [...Map.groupBy(shared, (path) => `${started.has(path)} ${getUsers(path)}`).values()];
  const chunks: Chunk[] = [];
  // Chunks with most users first, because they import none with fewer; what a start loads imports nothing else.
  const rank = ([path]: readonly string[]) => getUsers(path!).length + (started.has(path!) ? chunkEntries.size : 0);
  for (const modules of groups.sort((a, b) => rank(b) - rank(a))) {
    chunks.unshift({ path: chunkName(getUsers(modules[0]!), chunks.length + 1), modules });
  }
  chunks.push({ path: corePath, modules: [...core] });
  const exportNames = await getExports(options, chunks.flatMap(({ modules }) => modules));
  return { imports: graph, exportNames, chunks };
}

/** Name of a chunk in stack traces: the entries that load it, or a number where there are many. */
function chunkName(entries: readonly string[], number: number): string {
  const names = entries.map((entry) => outputPath(entry).replace(/(?:\/mod)?\.js$/, "").replaceAll("/", "-"));
  return `chunks/${names.length > 2 ? `shared-${number}` : names.join("-and-")}.js`;
}

/** A module and its static imports. */
function findReachable(entry: string, graph: ModuleGraph["imports"]): readonly string[] {
  const reached = new Set([entry]);
  for (const path of reached) for (const loaded of graph[path]!.loads) reached.add(loaded);
  return [...reached];
}

/** The modules that these modules import lazily, that those import lazily, and so on. */
function findLater(modules: Iterable<string>, graph: ModuleGraph["imports"]): readonly string[] {
  const found = new Set([...modules].flatMap((path) => graph[path]!.later));
  for (const entry of found) {
    for (const path of findReachable(entry, graph)) for (const later of graph[path]!.later) found.add(later);
  }
  return [...found];
}

/** Exports of each of these modules. */
async function getExports(
  options: esbuild.BuildOptions,
  paths: readonly string[],
): Promise<ModuleGraph["exportNames"]> {
  const { metafile } = await esbuild.build({ ...options, entryPoints: [...paths], splitting: true });
  const outputs = Object.values(metafile!.outputs).filter(({ entryPoint }) => entryPoint !== undefined);
  return new Map(outputs.map(({ entryPoint, exports }) => [entryPoint!, exports]));
}

/** Name of an export in the file of its chunk. */
function exportAlias({ exportNames }: ModuleGraph, module: string, name: string): string {
  return `m${[...exportNames.keys()].indexOf(module)}_${name}`;
}

/** Prefix of a path from the package root, until the importing file is known. */
const packagePathPrefix = "latchkey-file:";

/** Excludes modules of other chunks, and dynamic imports of a chunk, from a bundle. */
function externalizeChunks(moduleGraph: ModuleGraph, ownModules: readonly string[]): esbuild.Plugin {
  const findChunk = (path: string) => moduleGraph.chunks.find(({ modules }) => modules.includes(path));
  return {
    name: "pieces",
    setup(build) {
      build.onResolve({ filter: /^(?:\.\.?|src)\// }, ({ path, resolveDir, kind, importer }) => {
        const found = relative(Deno.cwd(), resolve(resolveDir, path));
        if (ownModules.includes(found)) return undefined;
        if (kind === "dynamic-import" && ownModules.length > 0) {
          return { path: packagePathPrefix + outputPath(found), external: true };
        }
        // One stub per importer: shared ones would become separate files.
        return findChunk(found) &&
          { path: found, namespace: "piece", suffix: `?${relative(Deno.cwd(), importer)}`, sideEffects: false };
      });
      build.onResolve({ filter: new RegExp(`^${packagePathPrefix}`) }, ({ path }) => ({ path, external: true }));
      build.onLoad({ filter: /./, namespace: "piece" }, ({ path }) => {
        const list = moduleGraph.exportNames.get(path)!.map((name) =>
          `${exportAlias(moduleGraph, path, name)} as ${name}`
        );
        return { contents: `export { ${list.join(", ")} } from "${packagePathPrefix}${findChunk(path)!.path}";` };
      });
    },
  };
}

/** Of deno.json the program includes only the version. */
const slimManifest: esbuild.Plugin = {
  name: "version of deno.json",
  setup(build) {
    const contents = `export default ${JSON.stringify({ version: manifest.version })};`;
    build.onLoad({ filter: /\/deno\.json$/ }, () => ({ contents, loader: "js" }));
  },
};

/** Does not bundle the documents. */
const externalDocuments: esbuild.Plugin = {
  name: "documents apart",
  setup(build) {
    for (const path of documentPaths) {
      build.onResolve(
        { filter: new RegExp(`/${path.replaceAll(".", "\\.")}$`) },
        () => ({ path: packagePathPrefix + path, external: true }),
      );
    }
  },
};

/** `src/server/pages.ts` → `server/pages.js`. */
function outputPath(source: string): string {
  return source.replace(/^src\//, "").replace(/\.tsx?$/, ".js");
}

async function toFiles({ outputFiles }: esbuild.BuildResult): Promise<PackageFile[]> {
  return await Promise.all(outputFiles!.map(async ({ path, text }) => {
    // Parsed as TypeScript, so that esbuild drops unused imports; otherwise a chunk includes whole modules.
    const { code } = await esbuild.transform(text, { ...readable, loader: "ts" });
    return { path: relative(resolve(folder), path), text: code };
  }));
}

/** Rewrites paths of other files relative to this one. */
function resolvePackagePaths(path: string, text: string): string {
  return text.replace(new RegExp(`"${packagePathPrefix}([^"]+)"`, "g"), (_, other: string) => {
    const found = relative(dirname(path), other);
    return `"${found.startsWith(".") ? found : `./${found}`}"`;
  });
}
