/** Prints and checks the imports of src/: see `deno task imports --help`. */

import { globSync } from "node:fs";
import { exitWithError, readCommand } from "./command.ts";
import { readImportGraph } from "./import_graph.ts";
import { checkImports, findCircles, formatImportTable, type ImportRules } from "./import_rules.ts";

const knownPackages = [
  "@cfworker/json-schema",
  "ioredis",
  "jose",
  "jsonc-parser",
  "postgres",
  "preact",
  "preact-render-to-string",
];

const importRules: ImportRules = {
  // Every folder may import every other one while files move.
  folders: Object.fromEntries(
    globSync("src/*").map((
      path,
    ) => [path.slice("src/".length), { allowed: { "": "anything" }, packages: knownPackages }]),
  ),
  exceptions: {},
  texts: [""],
  importers: {},
  builtins: [
    "platform/runtime/",
    "platform/store/sql/sqlite.ts",
    "platform/store/sql/postgres_sockets.ts",
    "testing/oauth2_mock_server/",
    "testing/node/",
  ],
};

/** Folders that name no grant type of an extension: the value of the extension declares its names and titles. */
const foldersWithoutNames = [
  "oauth/",
  "server/oauth/",
  "server/config/",
  "server/endpoints/",
  "server/login/",
  "server/assembly/",
  "platform/",
  "recorder/",
  "devtools/requests/",
  "cli/operating/",
];

/** The files in them that do. */
const filesWithNames = [
  // The playground, the habits and the mock share the name.
  "oauth/clients/standing.ts",
  "server/oauth/clients/standing.ts",
  // Grant types that no server supports.
  "oauth/config/validate_settings.ts",
  "server/config/validate_settings.ts",
];

/** The name of a grant type that is no grant type of OAuth 2.1, in quotes. */
const grantTypeName = /"urn:[\w:-]+:grant-type:/;

/** Maximum number of lines of a file, without its imports: a longer path is no more code. */
const maxFileLines = 350;

readCommand({
  call: "deno task imports",
  does:
    "Prints the imports between the folders of src/ and the longest files. Fails on an import that scripts/imports.ts " +
    "does not allow, an import circle (types included), a name of a grant type outside of its extension, and a file of " +
    "too many lines.",
});
const files = globSync("src/**/*.{ts,tsx}").map((path) => path.slice("src/".length)).sort();
const edges = await readImportGraph("src", files).catch(exitWithError);
const lines = new Map<string, number>();
const named: string[] = [];
for (const path of files) {
  const text = await Deno.readTextFile(`src/${path}`);
  lines.set(path, text.replace(/^import [^;]*;\n/gm, "").split("\n").length - 1);
  if (
    foldersWithoutNames.some((folder) => path.startsWith(folder)) && !filesWithNames.includes(path) &&
    grantTypeName.test(text)
  ) {
    named.push(path);
  }
}
console.log(formatImportTable(files, edges, importRules));
console.log("Each row imports from the columns: values, t types alone, d loaded by import().\n");
const longest = files.toSorted((a, b) => lines.get(b)! - lines.get(a)!).slice(0, 5);
console.log(`Longest files: ${longest.map((path) => `src/${path} (${lines.get(path)})`).join(", ")}.`);

const violations = [
  ...checkImports(files, edges, importRules),
  ...findCircles(edges).map((circle) => `These files import each other in a circle: ${circle.join(", ")}.`),
  ...named.map((path) => `src/${path} names a grant type; expected its name only in the value of its extension.`),
  ...files.filter((path) => lines.get(path)! > maxFileLines)
    .map((path) => `src/${path} has ${lines.get(path)} lines; expected at most ${maxFileLines}.`),
];
for (const violation of violations) console.error(violation);
if (violations.length) Deno.exit(1);
