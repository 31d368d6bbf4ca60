/** Makes deno.lock from dev.lock: `deno task lock --help`. */

import { globSync } from "node:fs";
import { exitWithError, readCommand } from "./command.ts";
import { readImportGraph } from "./import_graph.ts";
import { getPackageName } from "./import_rules.ts";

/** A lock file (version 5), as far as needed here. */
interface Lock {
  readonly version: string;
  /** `npm:name@range` → version, with its peers. */
  readonly specifiers: Readonly<Record<string, string>>;
  /** `name@version` → its entry; a dependency is a name, with a version if there are several. */
  readonly npm: Readonly<Record<string, { readonly dependencies?: readonly string[] }>>;
  readonly workspace: { readonly dependencies: readonly string[] };
}

const { flags } = readCommand({
  call: "deno task lock",
  does:
    "Writes deno.lock from dev.lock. Deno downloads all of deno.lock before any task runs, so it has only what src/ " +
    "imports; tests and tools have dev.lock.",
  flags: { check: { does: "write nothing, and fail if it is out of date" } },
});

const devLock: Lock = JSON.parse(await Deno.readTextFile("dev.lock"));
const unlisted = Object.keys(devLock.specifiers).filter((name) => !devLock.workspace.dependencies.includes(name));
if (unlisted.length > 0) {
  exitWithError(
    `dev.lock holds ${unlisted.join(", ")}, which deno.json does not name, so every test run would download it.\n` +
      "Run the importing script with --no-lock, then fix the lock: rm dev.lock && deno task modules && deno task lock",
  );
}

const text = JSON.stringify(filterLock(await findServerPackages(), devLock), null, 2) + "\n";
if (!flags.check) await Deno.writeTextFile("deno.lock", text);
else if (text !== await Deno.readTextFile("deno.lock").catch(() => "")) {
  exitWithError("deno.lock does not match dev.lock. Run: deno task lock");
}

/** Packages that the server may load. */
async function findServerPackages(): Promise<Set<string>> {
  const edges = await readImportGraph(".", globSync("src/**/*.{ts,tsx}"));
  const external = edges.filter(({ specifier, kind }) => !/^\.|^node:/.test(specifier) && kind !== "type");
  return new Set(external.map(({ specifier }) => getPackageName(specifier)));
}

/** The same lock with only these packages and their dependencies. */
function filterLock(names: ReadonlySet<string>, { version, specifiers, npm, workspace }: Lock): Lock {
  const requested = Object.entries(specifiers).filter(([specifier]) =>
    names.has(stripVersion(specifier.slice("npm:".length)))
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
  return { version, specifiers: Object.fromEntries(requested), npm: Object.fromEntries(packages), workspace };
}

/** `@scope/name` of `@scope/name@^1.2.3`. */
function stripVersion(versioned: string): string {
  return versioned.slice(0, versioned.indexOf("@", 1));
}
