/** Prints who imports whom in src/, and refuses what the list below does not allow: `deno task rooms --help`. */

import { globSync } from "node:fs";
import { readCommand } from "./command.ts";
import { type House, judge, table } from "./house.ts";

const house: House = {
  rooms: {
    // The doors, then the plan of the house, where everything meets.
    "mod.ts": { may: { "": "anything" } },
    "main.ts": { may: { "": "anything" } },
    "latchkey.ts": {
      may: {
        "http/": "anything",
        "endpoints/": "anything",
        "oauth/": "anything",
        "store/": "anything",
        "runtime/serve.ts": "dynamic",
        "ui/mod.ts": "dynamic",
        "interaction/mod.ts": "dynamic",
      },
    },
    // The rooms, each of which knows only rooms deeper in.
    endpoints: { may: { "http/": "anything", "oauth/": "anything" } },
    oauth: {
      may: {
        "store/": "types",
        "runtime/base64url.ts": "anything",
        "runtime/hash.ts": "anything",
        "runtime/signing.ts": "anything",
      },
      packages: ["jose"],
    },
    store: { may: {}, packages: ["postgres", "ioredis"] },
    http: { may: { "oauth/rules/": "types" } },
    config: {
      may: {
        "oauth/": "types",
        "oauth/hosts.ts": "anything",
        "oauth/secret_names.ts": "anything",
        "oauth/settings_error.ts": "anything",
        "../deno.json": "anything",
        "../static/config.schema.json": "anything",
      },
      packages: ["valibot", "jsonc-parser", "fastest-levenshtein"],
    },
    ui: {
      may: { "endpoints/pages.ts": "types", "recorder/": "types" },
      packages: ["preact", "preact-render-to-string"],
    },
    // What wraps the core from outside, and is loaded by those alone who want it.
    recorder: {
      may: {
        "http/": "anything",
        "endpoints/": "types",
        "oauth/": "types",
        "oauth/rules/": "anything",
        "oauth/secret_names.ts": "anything",
      },
    },
    inspector: {
      may: {
        "http/": "anything",
        "endpoints/": "anything",
        "oauth/": "anything",
        "recorder/": "anything",
        "ui/": "dynamic",
      },
    },
    operating: {
      may: {
        "http/": "anything",
        "endpoints/": "types",
        "oauth/": "types",
        "oauth/trace.ts": "anything",
        "oauth/network.ts": "anything",
        "store/": "types",
        "recorder/endpoint_name.ts": "anything",
        "config/show.ts": "anything",
      },
    },
    interaction: {
      may: {
        "http/": "anything",
        "endpoints/": "anything",
        "oauth/": "anything",
        "store/": "types",
        "runtime/scrypt.ts": "dynamic",
      },
    },
    testing: {
      may: {
        "mod.ts": "anything",
        "latchkey.ts": "anything",
        "http/": "anything",
        "endpoints/": "anything",
        "oauth/": "anything",
        "store/": "anything",
        "recorder/": "anything",
        "runtime/base64url.ts": "anything",
      },
      packages: ["jose"],
    },
    runtime: { may: { "http/reply.ts": "anything" } },
  },
  reserved: [
    {
      words: /\b(?:Deno|Bun)\b|(?<![.\w$])process(?=\s*\??\.|\[)|\bglobalThis\.process\b/,
      where: ["runtime/", "store/sqlite.ts", "store/postgres_sockets.ts"],
      why: "the rest runs unchanged everywhere",
    },
    {
      modules: /^node:/,
      where: ["runtime/", "store/sqlite.ts", "store/postgres_sockets.ts"],
      why: "the rest runs unchanged everywhere, workers included",
    },
    {
      words: /\bDate\.now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])/,
      where: ["latchkey.ts", "runtime/", "testing/clock.ts"],
      why: "everything else is handed a clock",
    },
    {
      words: /\bMath\.random\b|\bgetRandomValues\b|\brandomUUID\b/,
      where: ["latchkey.ts", "runtime/"],
      why: "everything else is handed dice",
    },
  ],
};

readCommand({
  call: "deno task rooms",
  does:
    "Prints who imports whom in src/, room by room, and fails where one does what scripts/rooms.ts does not allow it.",
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
