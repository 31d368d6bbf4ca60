/** Prints the figures of the minimal server, and fails when one has grown: `deno task core --help`. */

import { globSync } from "node:fs";
import { exitWithError, readCommand } from "./command.ts";
import { readImportGraph } from "./import_graph.ts";
import { findFolderCircles, folderEdges } from "./import_rules.ts";
import { run } from "./run.ts";

/**
 * The most that each figure may be. A change that lowers a figure lowers its limit. The limit of lines is a little
 * higher than their number, which almost every change alters.
 */
const limits = {
  "files of the core": 110,
  "lines of these files": 11800,
  "imports of the core from elsewhere": 0,
  "pairs of folders in src/server that import each other": 0,
  "folders in circles": 0,
  "members of extensions and plugins": 20,
  "of them, with fewer than two users": 0,
  "types that are forms of a setting": 4,
  "calls that fill in settings": 1,
  "members of Server": 30,
};

/** The interfaces of extensions and plugins: where they are, and in which files their values can be. */
const seams = [
  { path: "core/extension.ts", name: "CoreExtension", users: /^server\/extensions\// },
  { path: "server/hosting/extension.ts", name: "Extension", users: /^server\/extensions\// },
  { path: "server/config/extension_settings.ts", name: "SettingsExtension", users: /^server\/extensions\// },
  { path: "server/config/server_policy.ts", name: "ClientExtension", users: /^server\/extensions\// },
  { path: "server/hosting/options.ts", name: "Plugin", users: /^(?!core\/|server\/(?:hosting|extensions)\/)/ },
];

/** The file that fills in settings. Its steps are in other files, and only it calls them. */
const settingsFile = "server/config/resolve_settings.ts";

readCommand({
  call: "deno task core",
  does:
    "Prints how much the minimal server consists of, counted from the code. Fails if a figure of scripts/core.ts has " +
    "grown.",
});
const files = globSync("src/**/*.{ts,tsx}").map((path) => path.slice("src/".length)).sort();
const texts = new Map(files.map((path) => [path, Deno.readTextFileSync(`src/${path}`)]));
const edges = (await readImportGraph("src", files).catch(exitWithError)).filter(({ to }) => texts.has(to ?? ""));

const core = files.filter((path) => path.startsWith("core/"));
const leaving = new Set(
  edges.filter(({ from, to }) => from.startsWith("core/") && !to!.startsWith("core/")).map(({ from, to }) =>
    `${from} → ${to}`
  ),
);
const pairs = findMutualImports();
const circles = findFolderCircles(edges, ["core/", "server/"]);
const members = await findSeamMembers();
const rare = members.filter(({ users }) => users.length < 2);
const forms = findForms();
const figures: Readonly<Record<keyof typeof limits, number>> = {
  "files of the core": core.length,
  "lines of these files": core.reduce((sum, path) => sum + texts.get(path)!.split("\n").length - 1, 0),
  "imports of the core from elsewhere": leaving.size,
  "pairs of folders in src/server that import each other": pairs.length,
  "folders in circles": circles.flat().length,
  "members of extensions and plugins": members.length,
  "of them, with fewer than two users": rare.length,
  "types that are forms of a setting": forms.length,
  "calls that fill in settings": countCalls(settingsFile, ["resolveSettings", "fillSettings", "withProviders"]),
  "members of Server": (await readMembers("core/server.ts", "Server")).length,
};
for (const [name, figure] of Object.entries(figures)) console.log(`${String(figure).padStart(6)}  ${name}`);
console.log(`\nFolders that import each other: ${pairs.join(", ") || "none"}.`);
console.log(
  `Members with fewer than two users: ${
    rare.map(({ name, users }) => `${name} (${users[0] ?? "no user"})`).join(", ") || "none"
  }.`,
);
console.log(`Forms of a setting: ${forms.join(", ")}.`);

const grown = Object.entries(limits).filter(([name, limit]) => figures[name as keyof typeof limits] > limit);
for (const [name, limit] of grown) {
  const found = figures[name as keyof typeof limits];
  console.error(
    `${name}: expected at most ${limit}, found ${found}. Make it smaller, or raise the limit in scripts/core.ts.`,
  );
}
if (grown.length) Deno.exit(1);

/** The folders directly below `src/server` that import values of each other. */
function findMutualImports(): string[] {
  const part = (path: string) => path.split("/")[1]!;
  const counts = new Map<string, number>();
  for (const { from, to } of folderEdges(edges, "server/")) {
    const name = [part(from), part(to!)].sort().join(" and ");
    const direction = part(from) < part(to!) ? 1 : 2;
    if (part(from) !== part(to!)) counts.set(name, (counts.get(name) ?? 0) | direction);
  }
  return [...counts].filter(([, directions]) => directions === 3).map(([name]) => name).sort();
}

/** The names of the members of an interface. */
async function readMembers(path: string, type: string): Promise<string[]> {
  const text = await run([Deno.execPath(), "doc", "--json", "--private", `src/${path}`]).catch(exitWithError);
  const documents: readonly { symbols: readonly DocumentedSymbol[] }[] = Object.values(JSON.parse(text).nodes);
  return documents.flatMap(({ symbols }) => symbols).filter(({ name }) => name === type)
    .flatMap(({ declarations }) => declarations)
    .flatMap(({ def }) => [...def.properties ?? [], ...def.methods ?? []]).map(({ name }) => name);
}

interface DocumentedSymbol {
  readonly name: string;
  readonly declarations: readonly { readonly def: Partial<Record<"properties" | "methods", { name: string }[]>> }[];
}

/** The members of extensions and plugins, each with the files of the values that have it. */
async function findSeamMembers(): Promise<{ name: string; users: string[] }[]> {
  const members = await Promise.all(seams.map(async ({ path, name, users }) => {
    const type = new RegExp(`\\b${name.replace(/^(?:Core|Settings|Client)/, "")}\\b`);
    const values = files.filter((file) => users.test(file) && type.test(texts.get(file)!));
    return (await readMembers(path, name)).map((member) => {
      const definition = new RegExp(`^ {2,6}(?:async )?${member}\\b *(?:[:(,]|$)`, "m");
      return { name: member, users: values.filter((file) => definition.test(texts.get(file)!)) };
    });
  }));
  return [...new Map(members.flat().map((member) => [member.name, member])).values()];
}

/** The exported types that are made of `Settings`. */
function findForms(): string[] {
  const declarations = files.flatMap((path) =>
    [...texts.get(path)!.matchAll(/^export (?:interface (\w+)[^{]*?extends ([^{]+)\{|type (\w+)[^=]*= ([^;]+);)/gm)]
      .map(([, name, parents, alias, target]) => ({ name: name ?? alias!, made: parents ?? target! }))
  );
  const forms = new Set(["Settings"]);
  for (let size = 0; size < forms.size;) {
    size = forms.size;
    for (const { name, made } of declarations) {
      const parts = made.match(/\b[A-Z]\w*(?!\w)(?!\[)/g) ?? [];
      if (!/=>|keyof/.test(made) && parts.some((part) => forms.has(part))) forms.add(name);
    }
  }
  return [...forms];
}

/** The number of calls of these functions in other files. */
function countCalls(file: string, names: readonly string[]): number {
  const call = new RegExp(`(?<!function )\\b(?:${names.join("|")})\\(`, "g");
  return [...texts].reduce((sum, [path, text]) => path === file ? sum : sum + (text.match(call)?.length ?? 0), 0);
}
