/** Prints and checks the imports of src/: see `deno task imports --help`. */

import { globSync } from "node:fs";
import { mergedTypes } from "./merged_types.ts";
import { exitWithError, readCommand } from "./command.ts";
import { readImportGraph } from "./import_graph.ts";
import { checkImports, findCircles, findFolderCircles, formatImportTable, type ImportRules } from "./import_rules.ts";

/** What renders pages. */
const pagePackages = ["preact", "preact-render-to-string"];

/** Every import from these folders is allowed. */
const below = (...folders: string[]) =>
  Object.fromEntries(folders.map((folder) => [`${folder}/`, "anything"] as const));

/** The types of the whole server, and its warnings, which its parts share. */
const sharedFiles = {
  "server/": "types",
  "server/trace.ts": "anything",
} as const;

const importRules: ImportRules = {
  folders: {
    "mod.ts": { allowed: below("server", "platform", "core") },
    "main.ts": { allowed: { "": "anything" } },
    // Products. Arrows point downward only.
    cli: {
      allowed: { "": "anything" },
      packages: ["jsonc-parser"],
    },
    check: {
      allowed: below("testing", "devtools", "resource", "recorder", "client", "server", "platform", "core"),
      packages: pagePackages,
    },
    testing: {
      allowed: {
        ...below("devtools", "resource", "recorder", "client", "server", "platform", "core"),
        "../static/control.openapi.json": "dynamic",
        // The attacks that change a response are faults too.
        "check/fault.ts": "dynamic",
      },
      packages: ["jose", ...pagePackages],
    },
    devtools: {
      allowed: {
        ...below("recorder", "client", "server", "platform", "core"),
        "../static/config.schema.json": "dynamic",
      },
      packages: ["jose", ...pagePackages],
    },
    resource: { allowed: below("client", "server", "platform", "core"), packages: ["jose", ...pagePackages] },
    recorder: { allowed: below("server", "platform", "core") },
    // The requests of a correct client: for the mock, the pages that demonstrate a flow, resource servers and tests.
    client: { allowed: below("platform", "core") },
    // The whole server, from the top down.
    server: { allowed: below("server", "platform", "core") },
    // Puts the whole server together. Only its list of extensions imports an extension.
    "server/hosting": {
      allowed: {
        ...below("platform", "core", "server"),
        "server/profiles/": "types",
        "server/profiles/load_providers.ts": "dynamic",
      },
    },
    // The responses to requests that were rejected.
    "server/errors": {
      allowed: {
        ...below("platform", "core", "server/explain", "server/pages", "server/config", "server/stored"),
        "server/app.ts": "anything",
        "server/rules.ts": "anything",
        "server/": "types",
      },
    },
    // Request and response formats of providers.
    "server/profiles": {
      allowed: {
        ...below(
          "platform",
          "core",
          "server/login",
          "server/fetching",
          "server/config",
          "server/stored",
          "server/rules",
        ),
        "server/clients/login_hint.ts": "anything",
        "server/token/refresh_lifetimes.ts": "anything",
        ...sharedFiles,
      },
    },
    "server/extensions": {
      allowed: {
        ...below(
          "platform",
          "core",
          "server/clients",
          "server/stored",
          "server/token",
          "server/config",
          "server/pages",
          "server/fetching",
          "server/redaction",
        ),
        "server/login/pages/": "anything",
        // Texts that the rules of several extensions share; their explain.ts imports them.
        "server/explain/missing_token.ts": "anything",
        ...sharedFiles,
      },
      packages: ["jose", "@cfworker/json-schema", ...pagePackages],
    },
    "server/login": {
      allowed: {
        ...below("platform", "core", "server/clients", "server/stored", "server/token", "server/config"),
        ...below("server/pages", "server/rules"),
        "server/rules.ts": "dynamic",
        ...sharedFiles,
      },
      packages: pagePackages,
    },
    // The texts of rejections: nothing that handles a request needs them.
    "server/explain": {
      allowed: {
        ...below(
          "platform",
          "core",
          "server/clients",
          "server/stored",
          "server/token",
          "server/config",
          "server/redaction",
          "server/rules",
        ),
        ...sharedFiles,
        // The difference of two values, which pages and terminal describe alike.
        "server/pages/compare_texts.ts": "anything",
      },
      // Reads what an invalid access token says.
      packages: ["jose"],
    },
    // Clients and users that change at run time.
    "server/clients": {
      allowed: {
        ...below("platform", "core", "server/stored", "server/token", "server/config", "server/rules"),
        ...sharedFiles,
      },
    },
    // Requests, and other records, that the whole server stores.
    "server/stored": { allowed: { ...below("platform", "core", "server/config", "server/rules"), "server/": "types" } },
    // What grants and tokens of the whole server contain.
    "server/token": { allowed: { ...below("platform", "core", "server/config", "server/stored"), ...sharedFiles } },
    "server/config": {
      // Describes syntax errors of JSON; loaded with the first one, or after the start of the program.
      packages: ["jsonc-parser"],
      allowed: {
        ...below("core", "server/redaction", "server/config/provider_settings"),
        "platform/http/absolute_uri.ts": "anything",
        "platform/http/ip_address.ts": "anything",
        "server/": "types",
      },
    },
    // The settings of providers: data alone.
    "server/config/provider_settings": { allowed: { "server/": "types" } },
    "server/pages": {
      allowed: {
        ...below("core", "server/rules"),
        "server/redaction/issued_secrets.ts": "anything",
        "server/": "types",
      },
      packages: pagePackages,
    },
    // What clients name by URLs.
    "server/fetching": {
      allowed: { ...below("platform", "core"), "server/config/server_policy.ts": "anything" },
      packages: ["jose"],
    },
    // What no output may show.
    "server/redaction": {
      allowed: {
        ...below("core"),
        "platform/bounded_cache.ts": "anything",
        "server/": "types",
      },
    },
    // The rules of the whole server, without those of extensions.
    "server/rules": { allowed: { ...below("core"), "server/config/": "types" } },
    // What has no OAuth in it, and is not needed by the core: runtimes, stores, addresses, caches.
    platform: { allowed: below("core") },
    "platform/runtime": { allowed: below("core", "platform/http") },
    "platform/store": { allowed: below("core"), packages: ["postgres", "ioredis"] },
    "platform/http": { allowed: below("core") },
    // JWTs of others.
    "platform/jwt": { allowed: below("core"), packages: ["jose"] },
    // The minimal server. It imports nothing but itself.
    core: { allowed: {}, packages: ["jose", ...pagePackages] },
  },
  texts: ["core/pages/", "server/pages/", "server/login/pages/scope_labels.ts"],
  importers: {
    // Settings become a policy in one place.
    "server/config/with_profiles.ts": ["server/config/resolve_settings.ts"],
  },
  builtins: [
    "platform/runtime/",
    "core/keys/node_crypto.ts",
    "core/store/sqlite.ts",
    "platform/store/sqlite.ts",
    "platform/store/sql/postgres_sockets.ts",
    "core/http/timers.ts",
    "testing/oauth2_mock_server/",
    "testing/node/",
  ],
};

readCommand({
  call: "deno task imports",
  does:
    "Prints the imports between the folders of src/ and the longest files. Fails on an import that scripts/imports.ts " +
    "does not allow, a circle of files (types included) or of the folders in core/ and server/ (values alone), and " +
    "generated types that are out of date.",
});
const files = globSync("src/**/*.{ts,tsx}").map((path) => path.slice("src/".length)).sort();
const edges = await readImportGraph("src", files).catch(exitWithError);
const lines = new Map<string, number>();
for (const path of files) {
  const text = await Deno.readTextFile(`src/${path}`);
  lines.set(path, text.replace(/^import [^;]*;\n/gm, "").split("\n").length - 1);
}
console.log(formatImportTable(files, edges, importRules));
/** The rooms of the core and of the server, from the bottom up. */
const rooms = [
  ...["rules", "http", "keys", "policy", "store", "clients", "pages", "sessions", "responses", "authorize", "demo"].map(
    (room) => `core/${room}`,
  ),
  ...["core/token", "core/options"],
  ...["rules", "redaction", "config", "fetching", "pages", "token", "stored", "clients", "explain", "errors"].map(
    (room) => `server/${room}`,
  ),
  ...["server/login", "server/extensions", "server/profiles", "server/hosting"],
];
const roomOf = (path: string) => rooms.findIndex((room) => path.startsWith(`${room}/`));
const up = edges.filter(({ from, to = "" }) => {
  const inOne = from.split("/")[0] === to.split("/")[0];
  return inOne && roomOf(from) >= 0 && roomOf(from) < roomOf(to);
});
console.log(`${up.length} imports between the rooms of the core, and of the server, run up:`);
for (const { from, to } of up) console.log(`  src/${from} imports src/${to}`);
console.log("Each row imports from the columns: values, t types alone, d loaded by import().\n");
const longest = files.filter((path) => !path.endsWith(".gen.ts")).sort((a, b) => lines.get(b)! - lines.get(a)!).slice(
  0,
  5,
);
console.log(`Longest files: ${longest.map((path) => `src/${path} (${lines.get(path)})`).join(", ")}.`);

const stale = mergedTypes().filter(([path, text]) => Deno.readTextFileSync(path) !== text);
const violations = [
  ...stale.map(([path]) => `${path} is out of date: run deno task schema.`),
  ...checkImports(files, edges, importRules),
  // The mock loads the attacks on request, which are written with its types: both are loaded by then.
  ...findCircles(edges.filter(({ to }) => to !== "check/fault.ts")).map((circle) =>
    `These files import each other in a circle: ${circle.join(", ")}.`
  ),
  ...findFolderCircles(edges, ["core/", "server/"]).map((circle) =>
    `These folders import values of each other in a circle: ${circle.join(", ")}.`
  ),
];
for (const violation of violations) console.error(violation);
if (violations.length) Deno.exit(1);
