/** Licences of packages, and the package of Bun that is the runtime of a binary. */

import type { LockedPackage } from "./locked_packages.ts";
import { CommandError } from "../command.ts";
import { npm, run } from "../run.ts";
import type { Component } from "./sbom.ts";

/** These packages with their manifests, which are in node_modules after a build. */
export async function withLicenses(
  packages: readonly LockedPackage[],
  scope: Component["scope"],
): Promise<Component[]> {
  return await Promise.all(packages.map(async (lockedPackage) => {
    const { name, version } = lockedPackage;
    const home = `node_modules/.deno/${name.replace("/", "+")}@${version}/node_modules/${name}`;
    const { license } = JSON.parse(await Deno.readTextFile(`${home}/package.json`));
    if (typeof license !== "string") throw new CommandError(`${home}/package.json names no licence.`);
    return { ...lockedPackage, license, scope, type: "library" as const };
  }));
}

/** Bun's names of its targets. */
const bunPackages: Readonly<Record<string, string>> = {
  "linux-x64": "@oven/bun-linux-x64",
  "linux-arm64": "@oven/bun-linux-aarch64",
  "linux-x64-musl": "@oven/bun-linux-x64-musl",
  "linux-arm64-musl": "@oven/bun-linux-aarch64-musl",
  "macos-x64": "@oven/bun-darwin-x64",
  "macos-arm64": "@oven/bun-darwin-aarch64",
  "windows-x64": "@oven/bun-windows-x64",
};

/** Systems with released binaries. */
export const targets: readonly string[] = Object.keys(bunPackages);

/** The runtime inside the binary for a system, in the version of the binary's licence text. */
export async function getRuntimeComponent(target: string, licences: string): Promise<Component> {
  const [, version] = /^Bun (\d+\.\d+\.\d+)\r?$/m.exec(licences) ?? [];
  if (version === undefined) {
    throw new CommandError("The licences inside the binary do not say which Bun is its runtime.");
  }
  const name = bunPackages[target]!;
  const metadata = JSON.parse(await run([npm, "view", `${name}@${version}`, "license", "dist.integrity", "--json"]));
  return {
    name,
    version,
    license: metadata.license,
    integrity: metadata["dist.integrity"],
    scope: "required",
    type: "platform",
    needs: [],
    direct: true,
  };
}
