/** A part of a lock file. */

/** A lock file (version 5), as far as needed here. */
export interface Lock {
  readonly version: string;
  /** `npm:name@range` → version, with its peers. */
  readonly specifiers: Readonly<Record<string, string>>;
  /** `name@version` → its entry; a dependency is a name, with a version if there are several. */
  readonly npm: Readonly<Record<string, LockedEntry>>;
  readonly workspace: { readonly dependencies: readonly string[] };
}

/** The members of an entry that are lists of packages. */
const lists = ["dependencies", "optionalDependencies", "optionalPeers"] as const;

type LockedEntry = Readonly<Partial<Record<typeof lists[number], readonly string[]>>>;

/** The same lock with only these packages and their dependencies, as Deno itself writes it. */
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
  const isOnly = (name: string) => included.filter((key) => stripVersion(key) === name).length === 1;
  // Deno writes the version only if the lock has several of a package.
  const shorten = (dependency: string) => isOnly(stripVersion(dependency)) ? stripVersion(dependency) : dependency;
  const packages = Object.entries(npm).filter(([key]) => included.includes(key)).map(([key, entry]) => {
    const shortened = lists.flatMap((name) => entry[name] === undefined ? [] : [[name, entry[name].map(shorten)]]);
    return [key, { ...entry, ...Object.fromEntries(shortened) }];
  });
  return { ...lock, specifiers: Object.fromEntries(requested), npm: Object.fromEntries(packages) };
}

/** The name without its version, if it has one: `@scope/name` of `@scope/name@^1.2.3`. */
function stripVersion(versioned: string): string {
  return /^@?[^@]+/.exec(versioned)![0];
}
