/** Prints the figures of the minimal server: `deno task core --help`. */

import { globSync } from "node:fs";
import { core } from "../src/core/mod.ts";
import { assembleServer } from "../src/core/create_server.ts";
import type { Server } from "../src/core/server.ts";
import { extensions } from "../src/server/hosting/extensions.ts";
import { latchkey } from "../src/server/hosting/latchkey.ts";
import { builtInAfter, builtInBefore } from "../src/server/hosting/built_in_extensions.ts";
import { exitWithError, readCommand } from "./command.ts";
import { readImportGraph } from "./import_graph.ts";
import { findFolderCircles } from "./import_rules.ts";

readCommand({
  call: "deno task core",
  does:
    "Prints how much the minimal server consists of, counted from the code, and who replaces what in the whole server. Fails if the core imports a file of " +
    "another folder, or if folders of the core or the server import values of each other in a circle.",
});
const files = globSync("src/**/*.{ts,tsx}").map((path) => path.slice("src/".length)).sort();
const edges = await readImportGraph("src", files).catch(exitWithError);

const coreFiles = files.filter((path) => path.startsWith("core/"));
const lines = coreFiles.map((path) => Deno.readTextFileSync(`src/${path}`).split("\n").length - 1);
const leaving = edges.filter(({ from, to }) => from.startsWith("core/") && to !== undefined && !to.startsWith("core/"));
const circles = findFolderCircles(edges, ["core/", "server/"]);

const { server } = await core({ issuer: "http://localhost:9000", clients: [], users: [] });
let whole: Server = server;
await using _whole = await latchkey({ plugins: [{ setup: (app) => void (whole = app.server) }] });

/** The functions that a value has, at any depth. */
function countFunctions(value: unknown, seen = new Set<unknown>()): number {
  if (typeof value === "function") return 1;
  if (typeof value !== "object" || value === null || seen.has(value)) return 0;
  seen.add(value);
  const members = value instanceof Map ? [...value.values()] : Object.values(value);
  return members.reduce<number>((sum, member) => sum + countFunctions(member, seen), 0);
}

const figures = {
  "files of the core": coreFiles.length,
  "lines of these files": lines.reduce((sum, count) => sum + count, 0),
  "members of its server": Object.keys(server).length,
  "functions of its server, also in members of members, which an extension can replace": countFunctions(server),
  "imports of the core from elsewhere": leaving.length,
  "circles of folders in the core and the server": circles.length,
};
for (const [name, figure] of Object.entries(figures)) console.log(`${String(figure).padStart(6)}  ${name}`);
const secrets = { addClients() {} };
const all = [
  ...builtInBefore({ loginPage: "mock-oauth2-server", secrets, hosting: {} } as never),
  ...extensions,
  ...builtInAfter,
];
console.log(`\nThe extensions of the whole server, in order: ${all.map(({ name }) => name).join(", ")}.`);

/** The extension whose function has this name; `undefined` for one of the core. */
function ownerOf(call: unknown): string | undefined {
  return (call as { readonly name: string }).name.split(" of the extension ")[1];
}

/** The functions of a server, also in its members and lists, by name. */
function functionsOf(value: object, path = ""): (readonly [name: string, call: unknown])[] {
  return Object.entries(value).flatMap(([key, member]) => {
    const { type, method, name, rule } = Object(member);
    const inner = path + (Array.isArray(value) ? type ?? method ?? name ?? rule ?? key : key);
    if (typeof member === "function") return [[inner, member] as const];
    const isWalked = typeof member === "object" && member !== null && path.split(".").length < 4;
    return isWalked ? functionsOf(member, `${inner}.`) : [];
  });
}

// Without replacements at first; then what differs after each extension is what it replaces.
const { issuer, policy, store, now, randomBytes, trace, passed, observe, clients, users } = whole;
let extended = await assembleServer({
  given: { issuer, policy, store, now, randomBytes, trace, passed, observe, clients, users },
  keys: whole.keys as never,
  extensions: all.map(({ extend: _, ...others }) => others) as never,
});
const owners = new Map<string, string[]>();
// Rows that stand instead of one of the core have its name.
const present = new Map(functionsOf(extended).map(([name, call]) => [call, name]));
for (const [name, call] of functionsOf(server)) {
  if (present.has(call)) continue;
  const row = [...present].find(([other, itsName]) => itsName === name && ownerOf(other) !== undefined);
  if (row !== undefined) owners.set(name, [ownerOf(row[0])!]);
}
for (const { name: owner, extend } of all) {
  const former = new Map(functionsOf(extended));
  extended = { ...extended, ...await extend?.(extended as never) };
  for (const [name, call] of new Map(functionsOf(extended))) {
    if (former.has(name) && former.get(name) !== call) owners.set(name, [owner, ...owners.get(name) ?? []]);
  }
}
const nested = [...owners.values()].reduce((sum, { length }) => sum + length, 0);
console.log(`\n${owners.size} functions of it are replaced, ${nested} times in all; the last one first:`);
for (const [name, by] of owners) console.log(`  ${name.padEnd(44)}  ${by.join(" > ")}`);
for (const { from, to, line } of leaving) console.error(`src/${from}:${line} imports src/${to}.`);
for (const circle of circles) console.error(`These folders import each other in a circle: ${circle.join(", ")}.`);
if (leaving.length + circles.length > 0) Deno.exit(1);
