/** The measured runtimes, and how they start the server's program. */

import * as esbuild from "esbuild";
import { installModules } from "../modules.ts";
import { npx, run } from "../run.ts";
import { runtimePackages } from "../test_run.ts";

/** Programs, by their files in this folder. */
type Program = "server" | "load";

/** Measured runtimes. */
export const runtimeNames = ["deno", "bun", "node"] as const;

/** A measured runtime. */
export type RuntimeName = typeof runtimeNames[number];

/** One runtime, ready to start programs. */
export interface Runtime {
  readonly key: RuntimeName;
  readonly name: string;
  readonly version: string;
  /** Command that starts any program; followed by its file. */
  readonly words: readonly string[];
  /**
   * Command that starts a program of the bench; followed by arguments.
   *
   * @param folder A version of Latchkey, whose packages Deno uses. Default: those of this project.
   */
  command(program: Program, folder?: string): readonly string[];
}

const defaultFolder = "dist/bench";

/**
 * Finds the runtime of that name. npx downloads Bun and Node if needed.
 *
 * @param folder Folder of bundled programs, from which imports are resolved. Default: Deno runs the source; for the
 * others a folder that resolves this project's packages.
 */
export async function findRuntime(name: RuntimeName, folder?: string): Promise<Runtime> {
  if (name === "deno") {
    if (folder !== undefined) await bundleOnce(folder);
    // Without deno.json, but with the packages of the folder.
    const foreign = ["--no-config", "--node-modules-dir=manual"];
    return {
      key: name,
      name: "Deno",
      version: Deno.version.deno,
      words: [Deno.execPath(), "run", "-A"],
      command: (program, version = ".") => [
        ...[Deno.execPath(), "run", "-A", "--no-check", "--no-lock"],
        ...folder === undefined
          ? ["--config", `${version}/deno.json`, `scripts/bench/${program}.ts`]
          : [...foreign, `${folder}/${program}.mjs`],
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
    run([npx, "-y", runtimePackages[name], "-e", code]).then((text) => JSON.parse(text));
  foundRuntimes.set(name, known);
  return known;
}

const bundled = new Map<string, Promise<unknown>>();

/** Bundles the servers for runtimes without import maps; packages come from node_modules. */
function bundleOnce(folder: string): Promise<unknown> {
  let done = bundled.get(folder);
  if (done === undefined) bundled.set(folder, done = bundleServers(folder));
  return done;
}

async function bundleServers(folder: string): Promise<void> {
  await installModules();
  await esbuild.build({
    entryPoints: ["scripts/bench/server.ts"],
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
