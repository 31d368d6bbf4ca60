/** Installs the packages of the project into node_modules/, where esbuild finds them. */

import manifest from "../deno.json" with { type: "json" };
import { run } from "./run.ts";

/**
 * Runs only if a package is absent: `deno install` replaces every link, so that the tests of another process would not
 * find a package for a moment. `deno run` has installed only what the script imports.
 */
export async function installModules(): Promise<void> {
  const installed = Object.keys(manifest.imports).map((name) => Deno.stat(`node_modules/${name}`));
  await Promise.all(installed).catch(() =>
    run([Deno.execPath(), "install", "--quiet", "--lock=dev.lock", "--node-modules-dir"])
  );
}
