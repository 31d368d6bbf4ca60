/** A part of a lock file. */

/** A lock file (version 5), as far as needed here. */
export interface Lock {
  readonly version: string;
  /** `npm:name@range` → version, with its peers. */
  readonly specifiers: Readonly<Record<string, string>>;
  /** `name@version` → its entry; a dependency is a name, with a version if there are several. */
  readonly npm: Readonly<Record<string, { readonly dependencies?: readonly string[] }>>;
  readonly workspace: { readonly dependencies: readonly string[] };
}

/** The same lock with only these packages and their dependencies. */
export function filterLock<Kind extends Lock>(names: readonly string[], lock: Kind): Kind {
  const { specifiers, npm } = lock;
  const requested = Object.entries(specifiers).filter(([specifier]) =>
    names.includes(stripVersion(specifier.slice("npm:".length)))
  );
  const included = requested.map(([specifier, version]) =>
    `${stripVersion(specifier.slice("npm:".length))}@${version}`
  );
  for (const key of included) {
    for (const dependency of npm[key]!.dependencies ?? []) {
      const found = Object.keys(npm).filter((key) => key === dependency || stripVersion(key) === dependency);
      included.push(...found.filter((key) => !included.includes(key)));
    }
  }
  const packages = Object.entries(npm).filter(([key]) => included.includes(key));
  return { ...lock, specifiers: Object.fromEntries(requested), npm: Object.fromEntries(packages) };
}

/** `@scope/name` of `@scope/name@^1.2.3`. */
function stripVersion(versioned: string): string {
  return versioned.slice(0, versioned.indexOf("@", 1));
}
