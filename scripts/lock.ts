/** Makes deno.lock from dev.lock: `deno task lock --help`. */

import { globSync } from "node:fs";
import { exitWithError, readCommand } from "./command.ts";
import { readImportGraph } from "./import_graph.ts";
import { getPackageName } from "./import_rules.ts";

/** A lock (version 5), as far as it is read here. */
interface Lock {
  readonly version: string;
  /** `npm:name@range` → version, with what its peers are. */
  readonly specifiers: Readonly<Record<string, string>>;
  /** `name@version` → what stands there; what it depends on is a name, with a version where there are several. */
  readonly npm: Readonly<Record<string, { readonly dependencies?: readonly string[] }>>;
  readonly workspace: { readonly dependencies: readonly string[] };
}

const { flags } = readCommand({
  call: "deno task lock",
  does: "Makes deno.lock from dev.lock. All of deno.lock is downloaded before any task runs, so it holds what src/ " +
    "imports and nothing else; tests and tools have dev.lock.",
  flags: { check: { does: "writes nothing, and only tells if it is stale" } },
});

const devLock: Lock = JSON.parse(await Deno.readTextFile("dev.lock"));
const unlisted = Object.keys(devLock.specifiers).filter((name) => !devLock.workspace.dependencies.includes(name));
if (unlisted.length > 0) {
  exitWithError(
    `dev.lock holds ${unlisted.join(", ")}, which deno.json does not name, so every test run would download it.\n` +
      "Run what imports it with --no-lock, then mend the lock: rm dev.lock && deno task modules && deno task lock",
  );
}

const text = JSON.stringify(filterLock(await findServerPackages(), devLock), null, 2) + "\n";
if (!flags.check) await Deno.writeTextFile("deno.lock", text);
else if (text !== await Deno.readTextFile("deno.lock").catch(() => "")) {
  exitWithError("deno.lock is not what src/ needs of dev.lock. Write it anew: deno task lock");
}

/** The packages that the server may load. */
async function findServerPackages(): Promise<Set<string>> {
  const edges = await readImportGraph(".", globSync("src/**/*.{ts,tsx}"));
  const external = edges.filter(({ specifier, kind }) => !/^\.|^node:/.test(specifier) && kind !== "type");
  return new Set(external.map(({ specifier }) => getPackageName(specifier)));
}

/** The same lock with these packages alone, and what they depend on. */
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
