/** The runtimes a server is measured on, and how its program is started there. */

import * as esbuild from "esbuild";
import type { RuntimeName } from "./options.ts";
import { capture } from "./processes.ts";

/** The programs that are started, by their files in this folder. */
export type Program = "server" | "load" | "embedded/child";

/** One runtime, ready to start programs. */
export interface Runtime {
  readonly key: RuntimeName;
  readonly name: string;
  readonly version: string;
  /** The words that start any program; its file follows. */
  readonly words: readonly string[];
  /** The words that start a program of the bench; arguments follow. */
  command(program: Program): readonly string[];
}

/** Runtimes beside Deno, as npm packages. */
const runtimePackages = { bun: "bun@1.4.4", node: "node@24" };

const defaultFolder = "dist/bench";

/**
 * Finds the program behind a name; Bun and Node are fetched by npx where they are not yet.
 *
 * @param folder Where programs are bundled to: what they import is looked for from there. Default: Deno runs the source,
 * and for the others it is a folder from which our own packages are found.
 */
export async function findRuntime(name: RuntimeName, folder?: string): Promise<Runtime> {
  if (name === "deno") {
    if (folder !== undefined) await bundleOnce(folder);
    // Without our manifest, but with the packages of the folder.
    const foreign = ["--no-config", "--node-modules-dir=manual"];
    return {
      key: name,
      name: "Deno",
      version: Deno.version.deno,
      words: [Deno.execPath(), "run", "-A"],
      command: (program) => [
        ...[Deno.execPath(), "run", "-A", "--no-check", "--no-lock"],
        ...folder === undefined ? [`scripts/bench/${program}.ts`] : [...foreign, `${folder}/${program}.mjs`],
      ],
    };
  }
  const { path, version } = await fetchRuntime(name);
  await bundleOnce(folder ?? defaultFolder);
  return {
    key: name,
    name: name === "bun" ? "Bun" : "Node",
    version,
    words: [path],
    command: (program) => [path, `${folder ?? defaultFolder}/${program}.mjs`],
  };
}

const foundRuntimes = new Map<string, Promise<{ readonly path: string; readonly version: string }>>();

function fetchRuntime(
  name: keyof typeof runtimePackages,
): Promise<{ readonly path: string; readonly version: string }> {
  const code =
    "console.log(JSON.stringify({ path: process.execPath, version: process.versions.bun ?? process.versions.node }))";
  const known = foundRuntimes.get(name) ??
    capture("npx", "-y", runtimePackages[name], "-e", code).then((text) => JSON.parse(text));
  foundRuntimes.set(name, known);
  return known;
}

const bundled = new Map<string, Promise<unknown>>();

/** Bundles the servers for runtimes that cannot read an import map; packages come from node_modules. */
function bundleOnce(folder: string): Promise<unknown> {
  let done = bundled.get(folder);
  if (done === undefined) bundled.set(folder, done = bundleServers(folder));
  return done;
}

async function bundleServers(folder: string): Promise<void> {
  await esbuild.build({
    entryPoints: ["scripts/bench/server.ts", "scripts/bench/embedded/child.ts"],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    packages: "external",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
  }).finally(() => esbuild.stop());
}
