/** Packages of the project in `node_modules/`, for tests that read or bundle them. */

import { existsSync, readFileSync } from "node:fs";

/** Installs the packages if they are absent. On Node and Bun, where tests are bundles, they are there. */
export async function installPackages(): Promise<void> {
  if ("Deno" in globalThis) await (await import("../scripts/modules.ts")).installModules();
}

/** A file of a package: `jose/package.json`. The package may be one that another needs. */
export async function readPackageFile(path: string): Promise<string> {
  await installPackages();
  const direct = `node_modules/${path}`;
  return readFileSync(existsSync(direct) ? direct : `node_modules/.deno/node_modules/${path}`, "utf8");
}
