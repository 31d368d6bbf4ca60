/** Prints and checks the imports of src/: see `deno task imports --help`. */

import { globSync } from "node:fs";
import { findExtensionNames } from "./extension_names.ts";
import { mergedTypes } from "./merged_types.ts";
import { exitWithError, readCommand } from "./command.ts";
import { readImportGraph } from "./import_graph.ts";
import { checkImports, findCircles, formatImportTable, type ImportRules } from "./import_rules.ts";

/** What renders pages. */
const pagePackages = ["preact", "preact-render-to-string"];

/** Every import from these folders is allowed. */
const below = (...folders: string[]) =>
  Object.fromEntries(folders.map((folder) => [`${folder}/`, "anything"] as const));

const importRules: ImportRules = {
  folders: {
    "mod.ts": { allowed: { "server/": "anything", "platform/": "anything" } },
    "main.ts": { allowed: { "": "anything" } },
    // Products. Arrows point downward only.
    cli: {
      allowed: { "": "anything" },
      packages: ["jsonc-parser"],
    },
    check: {
      allowed: below("testing", "devtools", "resource", "recorder", "client", "server", "platform"),
      packages: pagePackages,
    },
    testing: {
      allowed: {
        ...below("devtools", "resource", "recorder", "client", "server", "platform"),
        "../static/control.openapi.json": "dynamic",
      },
      packages: ["jose", ...pagePackages],
    },
    devtools: {
      allowed: {
        ...below("recorder", "client", "server", "platform"),
        "../static/config.schema.json": "dynamic",
      },
      packages: ["jose", ...pagePackages],
    },
    resource: { allowed: below("client", "server", "platform"), packages: ["jose", ...pagePackages] },
    recorder: { allowed: below("server", "platform") },
    // The requests of a correct client: for the mock, the pages that demonstrate a flow, resource servers and tests.
    client: { allowed: below("platform") },
    // The authorization server. Only the list of extensions and the assembly import an extension.
    server: { allowed: below("server", "platform") },
    "server/assembly": {
      allowed: {
        ...below("platform", "server/oauth", "server/config", "server/endpoints", "server/login", "server/extensions"),
        "server/pages/": "anything",
        "server/profiles/load_providers.ts": "dynamic",
        "server/explain/": "anything",
      },
    },
    // The texts of rejections: nothing that handles a request needs them.
    "server/explain": {
      allowed: below("platform", "server/oauth", "server/config"),
      // Reads what an invalid access token says.
      packages: ["jose"],
    },
    "server/extensions": {
      allowed: {
        ...below("platform", "server/oauth", "server/config", "server/endpoints", "server/login", "server/pages"),
        "server/assembly/": "anything",
        "server/explain/": "types",
        // A text that the rules of several extensions share; their explain.ts imports it.
        "server/explain/missing_token.ts": "anything",
      },
      packages: ["jose", "@cfworker/json-schema", ...pagePackages],
    },
    "server/login": {
      allowed: {
        ...below("platform", "server/oauth", "server/config", "server/endpoints", "server/pages"),
        "server/assembly/": "anything",
      },
      packages: pagePackages,
    },
    "server/endpoints": {
      allowed: {
        ...below("platform", "server/oauth", "server/config", "server/pages"),
        "server/assembly/": "anything",
        "server/explain/": "dynamic",
      },
      packages: pagePackages,
    },
    "server/pages": {
      allowed: { ...below("server/login", "server/endpoints"), "server/oauth/": "types", "platform/": "types" },
      packages: pagePackages,
    },
    // The protocol: values in, values or an OAuthError out. It sees neither requests nor the clock.
    "server/oauth": {
      allowed: {
        "platform/in_turn.ts": "anything",
        "platform/json_value.ts": "anything",
        "platform/maybe_promise.ts": "types",
        "platform/store/": "types",
        "platform/store/expiry_heap.ts": "anything",
        "platform/runtime/crypto.ts": "anything",
        "platform/runtime/jwk.ts": "anything",
        "platform/runtime/ip_address.ts": "anything",
      },
      packages: ["jose"],
    },
    "server/config": {
      allowed: {
        ...below("server/oauth"),
        "server/profiles/providers.ts": "anything",
        "server/profiles/provider_functions.ts": "types",
        "server/profiles/provider_profile.ts": "types",
        "platform/json_value.ts": "anything",
        "platform/maybe_promise.ts": "types",
        "platform/http/message.ts": "types",
      },
    },
    "server/profiles": {
      allowed: {
        ...below("platform", "server/oauth", "server/endpoints", "server/pages"),
        "server/assembly/": "anything",
      },
    },
    // What has no OAuth in it.
    platform: { allowed: {} },
    "platform/runtime": { allowed: { "platform/http/message.ts": "anything" } },
    "platform/store": { allowed: { "platform/runtime/timers.ts": "anything" }, packages: ["postgres", "ioredis"] },
    "platform/http": {
      allowed: {
        "platform/json_value.ts": "anything",
        "platform/runtime/ip_address.ts": "anything",
        "platform/runtime/timers.ts": "anything",
      },
    },
  },
  texts: ["server/pages/", "server/login/pages/scope_labels.ts"],
  importers: {
    // What a test host allows is decided once. All other code reads `settings.allows`.
    "server/oauth/allowances.ts": [
      "server/config/fill_settings.ts",
      // Before there is a server.
      "cli/open_server.ts",
      "cli/check/check_application.ts",
      "testing/test_latchkey.ts",
    ],
  },
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
  // Grant types that no server supports.
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
    "does not allow, an import circle (types included), a name of an extension in the kernel, generated types that are " +
    "out of date, and a file of too many lines.",
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
const longest = files.filter((path) => !path.endsWith(".gen.ts")).sort((a, b) => lines.get(b)! - lines.get(a)!).slice(
  0,
  5,
);
console.log(`Longest files: ${longest.map((path) => `src/${path} (${lines.get(path)})`).join(", ")}.`);

const stale = mergedTypes().filter(([path, text]) => Deno.readTextFileSync(path) !== text);
const violations = [
  ...stale.map(([path]) => `${path} is out of date: run deno task schema.`),
  ...await findExtensionNames(),
  ...checkImports(files, edges, importRules),
  ...findCircles(edges).map((circle) => `These files import each other in a circle: ${circle.join(", ")}.`),
  ...named.map((path) => `src/${path} names a grant type; expected its name only in the value of its extension.`),
  ...files.filter((path) => !path.endsWith(".gen.ts") && lines.get(path)! > maxFileLines)
    .map((path) => `src/${path} has ${lines.get(path)} lines; expected at most ${maxFileLines}.`),
];
for (const violation of violations) console.error(violation);
if (violations.length) Deno.exit(1);
