/** Makes deno.lock from dev.lock: `deno task lock --help`. */

import { globSync } from "node:fs";
import { readCommand, refuse } from "./command.ts";
import { packageOf, readImports } from "./read_source.ts";

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

const whole: Lock = JSON.parse(await Deno.readTextFile("dev.lock"));
const strangers = Object.keys(whole.specifiers).filter((name) => !whole.workspace.dependencies.includes(name));
if (strangers.length > 0) {
  refuse(
    `dev.lock holds ${strangers.join(", ")}, which deno.json does not name, so every test run would download it.\n` +
      "Run what imports it with --no-lock, then mend the lock: rm dev.lock && deno task modules && deno task lock",
  );
}

const text = JSON.stringify(partFor(await packagesOfServer(), whole), null, 2) + "\n";
if (!flags.check) await Deno.writeTextFile("deno.lock", text);
else if (text !== await Deno.readTextFile("deno.lock").catch(() => "")) {
  refuse("deno.lock is not what src/ needs of dev.lock. Write it anew: deno task lock");
}

/** The packages that the server may load. */
async function packagesOfServer(): Promise<Set<string>> {
  const names = new Set<string>();
  for (const path of globSync("src/**/*.{ts,tsx}")) {
    for (const { specifier = ".", kind } of readImports(path, await Deno.readTextFile(path))) {
      if (!/^\.|^node:/.test(specifier) && kind !== "type") names.add(packageOf(specifier));
    }
  }
  return names;
}

/** The same lock with these packages alone, and what they depend on. */
function partFor(names: ReadonlySet<string>, { version, specifiers, npm, workspace }: Lock): Lock {
  const asked = Object.entries(specifiers).filter(([specifier]) => names.has(nameOf(specifier.slice("npm:".length))));
  const kept = asked.map(([specifier, version]) => `${nameOf(specifier.slice("npm:".length))}@${version}`);
  for (const key of kept) {
    for (const dependency of npm[key]!.dependencies ?? []) {
      const found = Object.keys(npm).filter((key) => key === dependency || nameOf(key) === dependency);
      kept.push(...found.filter((key) => !kept.includes(key)));
    }
  }
  const packages = Object.entries(npm).filter(([key]) => kept.includes(key));
  return { version, specifiers: Object.fromEntries(asked), npm: Object.fromEntries(packages), workspace };
}

/** `@scope/name` of `@scope/name@^1.2.3`. */
function nameOf(versioned: string): string {
  return versioned.slice(0, versioned.indexOf("@", 1));
}
