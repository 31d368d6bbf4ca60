/** Prints who imports whom in src/, and refuses what the list below does not allow: `deno task imports --help`. */

import { globSync } from "node:fs";
import { readCommand } from "./command.ts";
import { checkImports, formatImportTable, type ImportRules } from "./import_rules.ts";

const importRules: ImportRules = {
  folders: {
    "mod.ts": { allowed: { "": "anything" } },
    "main.ts": { allowed: { "": "anything" } },
    testing: {
      allowed: {
        "mod.ts": "anything",
        "server/": "anything",
        "endpoints/": "anything",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
        "store/": "anything",
        "recorder/": "anything",
        "runtime/base64url.ts": "anything",
      },
      packages: ["jose"],
    },
    server: {
      allowed: {
        "http/": "anything",
        "app/": "anything",
        "endpoints/": "anything",
        "site/": "dynamic",
        "admin/": "dynamic",
        "interaction/": "dynamic",
        "oauth/": "anything",
        "store/": "anything",
        "runtime/serve.ts": "dynamic",
        "ui/mod.ts": "dynamic",
      },
    },
    // Plugins: they wrap the server, and are loaded only where they are wanted.
    inspector: {
      allowed: {
        "site/": "anything",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
        "recorder/": "anything",
        "ui/": "dynamic",
      },
    },
    operating: {
      allowed: {
        "http/": "anything",
        "app/": "types",
        "oauth/": "types",
        "oauth/trace.ts": "anything",
        "oauth/client_network.ts": "anything",
        "store/": "types",
        "recorder/endpoint_name.ts": "anything",
        "cli/show.ts": "anything",
      },
    },
    cli: {
      allowed: {
        "oauth/": "types",
        "oauth/test_hosts.ts": "anything",
        "oauth/secret_names.ts": "anything",
        "oauth/config/configuration_error.ts": "anything",
        "../deno.json": "anything",
        "../static/config.schema.json": "anything",
      },
      packages: ["valibot", "jsonc-parser", "fastest-levenshtein"],
    },
    site: {
      allowed: {
        "admin/": "anything",
        "endpoints/": "anything",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
      },
    },
    admin: { allowed: { "http/": "anything", "app/": "anything", "oauth/": "anything" } },
    interaction: {
      allowed: {
        "endpoints/authorize.ts": "anything",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
        "store/": "types",
        "runtime/scrypt.ts": "dynamic",
      },
    },
    recorder: {
      allowed: {
        "http/": "anything",
        "app/": "types",
        "oauth/": "types",
        "oauth/rules/": "anything",
        "oauth/secret_names.ts": "anything",
      },
    },
    endpoints: { allowed: { "http/": "anything", "app/": "anything", "oauth/": "anything" } },
    // What the endpoints and the plugins share.
    app: { allowed: { "http/": "anything", "oauth/": "anything" } },
    ui: {
      allowed: { "app/pages.ts": "types", "recorder/": "types" },
      packages: ["preact", "preact-render-to-string"],
    },
    oauth: {
      allowed: {
        "store/": "types",
        "runtime/base64url.ts": "anything",
        "runtime/hash.ts": "anything",
        "runtime/signing.ts": "anything",
      },
      packages: ["jose"],
    },
    runtime: { allowed: { "http/message.ts": "anything" } },
    store: { allowed: {}, packages: ["postgres", "ioredis"] },
    http: { allowed: { "oauth/rules/": "types" } },
  },
  reserved: [
    {
      identifiers: /\b(?:Deno|Bun)\b|(?<![.\w$])process(?=\s*\??\.|\[)|\bglobalThis\.process\b/,
      allowedIn: ["runtime/", "store/sql/sqlite.ts", "store/sql/postgres_sockets.ts"],
      reason: "the rest runs unchanged everywhere",
    },
    {
      modules: /^node:/,
      allowedIn: ["runtime/", "store/sql/sqlite.ts", "store/sql/postgres_sockets.ts"],
      reason: "the rest runs unchanged everywhere, workers included",
    },
    {
      identifiers: /\bDate\.now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])/,
      allowedIn: ["server/latchkey.ts", "runtime/", "testing/clock.ts"],
      reason: "everything else is handed a clock",
    },
    {
      identifiers: /\bMath\.random\b|\bgetRandomValues\b|\brandomUUID\b/,
      allowedIn: ["server/latchkey.ts", "runtime/"],
      reason: "everything else is handed dice",
    },
  ],
};

readCommand({
  call: "deno task imports",
  does:
    "Prints who imports whom in src/, room by room, and fails where one does what scripts/imports.ts does not allow it.",
});
const sources = new Map<string, string>();
for (const path of globSync("src/**/*.{ts,tsx}").sort()) {
  sources.set(path.slice("src/".length), await Deno.readTextFile(path));
}
console.log(formatImportTable(sources, importRules));
console.log("Each row imports from the columns: values, t types alone, d loaded when needed.");
const violations = checkImports(sources, importRules);
for (const breach of violations) console.error(breach);
if (violations.length) Deno.exit(1);
