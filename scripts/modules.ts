/** Installs the packages of the project into node_modules/, where esbuild and some tests find them. */

import { resolve } from "node:path";
import manifest from "../deno.json" with { type: "json" };
import { run } from "./run.ts";

/**
 * Runs `deno install` only if a package is absent, or not the version of dev.lock: it replaces every link, so that the
 * tests of another process would not find a package for a moment. `deno run` installs only what the script imports.
 */
export async function installModules(): Promise<void> {
  const lock: { readonly specifiers: Readonly<Record<string, string>> } | undefined = await readJson("dev.lock");
  const specifiers = Object.entries(lock?.specifiers ?? {});
  const installed = await Promise.all(specifiers.map(isInstalled));
  if (lock === undefined || !installed.every(Boolean)) {
    console.error("Installing the packages of dev.lock in node_modules/, which can take three minutes …");
    await run([Deno.execPath(), "install", "--quiet", "--lock=dev.lock", "--node-modules-dir"]);
  }
  await linkOtherVersions(new Map(specifiers));
}

/**
 * Links a second version of a package under the name that tests import, such as `openid-client-5`. Deno knows it from
 * deno.json; Node and Bun look for a folder.
 */
async function linkOtherVersions(locked: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, target] of Object.entries(manifest.scopes["./tests/"])) {
    const [, original] = /^npm:([\w-]+)@[^/]+$/.exec(target) ?? [];
    if (original === undefined || original === name) continue;
    const version = locked.get(target)?.split("_")[0];
    const folder = resolve(`node_modules/.deno/${original}@${version}/node_modules/${original}`);
    const path = `node_modules/${name}`;
    if (await Deno.readLink(path).catch(() => undefined) === folder) continue;
    await Deno.remove(path).catch(() => {});
    await Deno.symlink(folder, path);
  }
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
