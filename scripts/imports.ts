/** Prints who imports whom in src/, and refuses what the list below does not allow: `deno task imports --help`. */

import { globSync } from "node:fs";
import { readCommand } from "./command.ts";
import { type House, judge, table } from "./import_rules.ts";

const house: House = {
  rooms: {
    "mod.ts": { may: { "": "anything" } },
    "main.ts": { may: { "": "anything" } },
    testing: {
      may: {
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
      may: {
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
      may: {
        "site/": "anything",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
        "recorder/": "anything",
        "ui/": "dynamic",
      },
    },
    operating: {
      may: {
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
      may: {
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
      may: {
        "admin/": "anything",
        "endpoints/": "anything",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
      },
    },
    admin: { may: { "http/": "anything", "app/": "anything", "oauth/": "anything" } },
    interaction: {
      may: {
        "endpoints/authorize.ts": "anything",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
        "store/": "types",
        "runtime/scrypt.ts": "dynamic",
      },
    },
    recorder: {
      may: {
        "http/": "anything",
        "app/": "types",
        "oauth/": "types",
        "oauth/rules/": "anything",
        "oauth/secret_names.ts": "anything",
      },
    },
    endpoints: { may: { "http/": "anything", "app/": "anything", "oauth/": "anything" } },
    // What the endpoints and the plugins share.
    app: { may: { "http/": "anything", "oauth/": "anything" } },
    ui: {
      may: { "app/pages.ts": "types", "recorder/": "types" },
      packages: ["preact", "preact-render-to-string"],
    },
    oauth: {
      may: {
        "store/": "types",
        "runtime/base64url.ts": "anything",
        "runtime/hash.ts": "anything",
        "runtime/signing.ts": "anything",
      },
      packages: ["jose"],
    },
    runtime: { may: { "http/message.ts": "anything" } },
    store: { may: {}, packages: ["postgres", "ioredis"] },
    http: { may: { "oauth/rules/": "types" } },
  },
  reserved: [
    {
      words: /\b(?:Deno|Bun)\b|(?<![.\w$])process(?=\s*\??\.|\[)|\bglobalThis\.process\b/,
      where: ["runtime/", "store/sql/sqlite.ts", "store/sql/postgres_sockets.ts"],
      why: "the rest runs unchanged everywhere",
    },
    {
      modules: /^node:/,
      where: ["runtime/", "store/sql/sqlite.ts", "store/sql/postgres_sockets.ts"],
      why: "the rest runs unchanged everywhere, workers included",
    },
    {
      words: /\bDate\.now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])/,
      where: ["server/latchkey.ts", "runtime/", "testing/clock.ts"],
      why: "everything else is handed a clock",
    },
    {
      words: /\bMath\.random\b|\bgetRandomValues\b|\brandomUUID\b/,
      where: ["server/latchkey.ts", "runtime/"],
      why: "everything else is handed dice",
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
console.log(table(sources, house));
console.log("Each row imports from the columns: values, t types alone, d loaded when needed.");
const breaches = judge(sources, house);
for (const breach of breaches) console.error(breach);
if (breaches.length) Deno.exit(1);
