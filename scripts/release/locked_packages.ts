/** What the lock knows of packages, and which of them a text of licences names. */

import type { Component } from "./sbom.ts";

/** A lock of Deno (version 5), as far as it is read here. */
export interface Lock {
  /** `name@version`, and behind `_` its peers → what stands there; what it needs is a name, some with versions. */
  readonly npm: Readonly<
    Record<
      string,
      {
        readonly integrity: string;
        readonly dependencies?: readonly string[];
        /** Those of the dependencies that it can do without. */
        readonly optionalPeers?: readonly string[];
      }
    >
  >;
  /** What deno.json imports, as `npm:name@range`. */
  readonly workspace: { readonly dependencies: readonly string[] };
}

/** A package of the lock, and what it needs. */
export type LockedPackage = Pick<Component, "name" | "version" | "integrity" | "needs" | "direct">;

/** The packages of a lock. */
export function getLockedPackages({ npm, workspace }: Lock): LockedPackage[] {
  const imported = new Set(workspace.dependencies.map((specifier) => stripVersion(specifier.replace(/^npm:/, ""))));
  return Object.entries(npm).map(([key, { integrity, dependencies = [], optionalPeers = [] }]) => {
    const name = stripVersion(key);
    const [version] = key.slice(name.length + 1).split("_");
    const needs = dependencies.filter((needed) => !optionalPeers.includes(needed)).map(stripVersion);
    return { name, version: version!, integrity, needs, direct: imported.has(name) };
  });
}

/** Those that a text of licences has a part of, under a heading of name and version. */
export function findLicensedPackages(text: string, packages: readonly LockedPackage[]): LockedPackage[] {
  const lines = new Set(text.split(/\r?\n/));
  return packages.filter(({ name, version }) => lines.has(`${name} ${version}`));
}

/** `@scope/name` of `@scope/name@1.2.3`. */
function stripVersion(key: string): string {
  return /^@?[^@]+/.exec(key)![0];
}
