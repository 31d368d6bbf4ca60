/** Prints the figures of the minimal server: `deno task core --help`. */

import { globSync } from "node:fs";
import { core } from "../src/core/mod.ts";
import { exitWithError, readCommand } from "./command.ts";
import { readImportGraph } from "./import_graph.ts";
import { findFolderCircles } from "./import_rules.ts";

readCommand({
  call: "deno task core",
  does: "Prints how much the minimal server consists of, counted from the code. Fails if the core imports a file of " +
    "another folder, or if folders of the core or the server import values of each other in a circle.",
});
const files = globSync("src/**/*.{ts,tsx}").map((path) => path.slice("src/".length)).sort();
const edges = await readImportGraph("src", files).catch(exitWithError);

const coreFiles = files.filter((path) => path.startsWith("core/"));
const lines = coreFiles.map((path) => Deno.readTextFileSync(`src/${path}`).split("\n").length - 1);
const leaving = edges.filter(({ from, to }) => from.startsWith("core/") && to !== undefined && !to.startsWith("core/"));
const circles = findFolderCircles(edges, ["core/", "server/"]);

const { server } = await core({ issuer: "http://localhost:9000", clients: [], users: [] });

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
for (const { from, to, line } of leaving) console.error(`src/${from}:${line} imports src/${to}.`);
for (const circle of circles) console.error(`These folders import each other in a circle: ${circle.join(", ")}.`);
if (leaving.length + circles.length > 0) Deno.exit(1);
