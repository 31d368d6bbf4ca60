/** What packages say of themselves: under which licence they stand, and which of Bun's is the runtime of a binary. */

import type { Locked } from "./locked.ts";
import { Refusal } from "../command.ts";
import { npm, run } from "../run.ts";
import type { Part } from "./sbom.ts";

/** These packages with what their manifests say, which lie in node_modules since something was built. */
export async function described(packages: readonly Locked[], scope: Part["scope"]): Promise<Part[]> {
  return await Promise.all(packages.map(async (found) => {
    const { name, version } = found;
    const home = `node_modules/.deno/${name.replace("/", "+")}@${version}/node_modules/${name}`;
    const { license } = JSON.parse(await Deno.readTextFile(`${home}/package.json`));
    if (typeof license !== "string") throw new Refusal(`${home}/package.json names no licence.`);
    return { ...found, license, scope, type: "library" as const };
  }));
}

/** Bun's names of the systems that it is published for. */
const bunPackages: Readonly<Record<string, string>> = {
  "linux-x64": "@oven/bun-linux-x64",
  "linux-arm64": "@oven/bun-linux-aarch64",
  "macos-x64": "@oven/bun-darwin-x64",
  "macos-arm64": "@oven/bun-darwin-aarch64",
  "windows-x64": "@oven/bun-windows-x64",
};

/** The systems that binaries are released for. */
export const targets: readonly string[] = Object.keys(bunPackages);

/** The runtime inside the binary for that system, in the version whose licence the binary brings. */
export async function runtimeOf(target: string, licences: string): Promise<Part> {
  const [, version] = /^Bun (\d+\.\d+\.\d+)\r?$/m.exec(licences) ?? [];
  if (version === undefined) throw new Refusal("The licences inside the binary do not say which Bun is its runtime.");
  const name = bunPackages[target]!;
  const facts = JSON.parse(await run([npm, "view", `${name}@${version}`, "license", "dist.integrity", "--json"]));
  return {
    name,
    version,
    license: facts.license,
    integrity: facts["dist.integrity"],
    scope: "required",
    type: "platform",
    needs: [],
    direct: true,
  };
}
