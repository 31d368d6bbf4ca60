/** Installs the packages of the project into node_modules/, where esbuild and some tests find them. */

import { run } from "./run.ts";

/**
 * Runs `deno install` only if a package is absent, or not the version of dev.lock: it replaces every link, so that the
 * tests of another process would not find a package for a moment. `deno run` installs only what the script imports.
 */
export async function installModules(): Promise<void> {
  const lock: { readonly specifiers: Readonly<Record<string, string>> } | undefined = await readJson("dev.lock");
  const installed = await Promise.all(Object.entries(lock?.specifiers ?? {}).map(isInstalled));
  if (lock !== undefined && installed.every(Boolean)) return;
  console.error("Installing the packages of dev.lock in node_modules/, which takes up to a minute …");
  await run([Deno.execPath(), "install", "--quiet", "--lock=dev.lock", "--node-modules-dir"]);
}

/**
 * Whether a package of the lock is installed: `npm:@scope/name@^1.2.3` and `1.2.4`, perhaps with its peers. Deno has a
 * folder for each version of a package.
 */
async function isInstalled([specifier, locked]: [string, string]): Promise<boolean> {
  const name = specifier.slice("npm:".length, specifier.lastIndexOf("@"));
  const folder = `node_modules/.deno/${name.replace("/", "+")}@${locked.split("_")[0]}`;
  return await readJson(`${folder}/node_modules/${name}/package.json`) !== undefined;
}

async function readJson(path: string) {
  return await Deno.readTextFile(path).then(JSON.parse, () => undefined);
}
