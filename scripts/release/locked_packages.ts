/** Packages of the lock, and those named in a text of licences. */

import type { Component } from "./sbom.ts";

/** A lock file of Deno (version 5), as far as needed here. */
export interface Lock {
  /** `name@version`, with `_` and its peers → its entry; a dependency is a name, some with versions. */
  readonly npm: Readonly<
    Record<
      string,
      {
        readonly integrity: string;
        readonly dependencies?: readonly string[];
        /** Optional dependencies. */
        readonly optionalPeers?: readonly string[];
      }
    >
  >;
  /** Imports of deno.json, as `npm:name@range`. */
  readonly workspace: { readonly dependencies: readonly string[] };
}

/** A package of the lock, and its dependencies. */
export type LockedPackage = Pick<Component, "name" | "version" | "integrity" | "needs" | "direct">;

/** Packages of a lock. */
export function getLockedPackages({ npm, workspace }: Lock): LockedPackage[] {
  const imported = new Set(workspace.dependencies.map((specifier) => stripVersion(specifier.replace(/^npm:/, ""))));
  return Object.entries(npm).map(([key, { integrity, dependencies = [], optionalPeers = [] }]) => {
    const name = stripVersion(key);
    const [version] = key.slice(name.length + 1).split("_");
    const needs = dependencies.filter((needed) => !optionalPeers.includes(needed)).map(stripVersion);
    return { name, version: version!, integrity, needs, direct: imported.has(name) };
  });
}

/** Packages with a section in a text of licences, under name and version. */
export function findLicensedPackages(text: string, packages: readonly LockedPackage[]): LockedPackage[] {
  const lines = new Set(text.split(/\r?\n/));
  return packages.filter(({ name, version }) => lines.has(`${name} ${version}`));
}

/** `@scope/name` of `@scope/name@1.2.3`. */
function stripVersion(key: string): string {
  return /^@?[^@]+/.exec(key)![0];
}
