/** Prints and checks the imports of src/: see `deno task imports --help`. */

import { globSync } from "node:fs";
import { CommandError, exitWithError, readCommand } from "./command.ts";
import { readImportGraph } from "./import_graph.ts";
import { checkImports, findCircles, formatImportTable, type ImportRules } from "./import_rules.ts";

const importRules: ImportRules = {
  folders: {
    "mod.ts": { allowed: { "": "anything" } },
    "extension.ts": { allowed: { "": "anything" } },
    "main.ts": { allowed: { "": "anything" } },
    testing: {
      allowed: {
        "ui/": "dynamic",
        "client/": "anything",
        // The option of the mock.
        "control/mod.ts": "dynamic",
        "server/": "anything",
        "endpoints/": "anything",
        "http/": "anything",
        "app/": "anything",
        "extensions/": "anything",
        "oauth/": "anything",
        "store/": "anything",
        "recorder/": "anything",
        "resource/": "anything",
        "runtime/crypto.ts": "anything",
      },
      packages: ["jose"],
    },
    // The attacks on clients.
    check: {
      allowed: {
        "testing/": "anything",
        "client/": "anything",
        "habits/": "anything",
        "recorder/": "anything",
        "extensions/settings.ts": "anything",
        "ui/": "dynamic",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
        "store/": "types",
        "runtime/crypto.ts": "anything",
        "runtime/node_version.ts": "anything",
        "runtime/serve.ts": "dynamic",
        "runtime/safe_fetch.ts": "dynamic",
        "runtime/uncaught_error.ts": "anything",
      },
    },
    // The verbs of the mock over HTTP.
    control: {
      allowed: {
        "check/": "dynamic",
        "testing/": "anything",
        "client/": "types",
        "admin/exclusive_change.ts": "anything",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
        "recorder/": "types",
        "../static/control.openapi.json": "dynamic",
      },
    },
    server: {
      allowed: {
        "http/": "anything",
        "app/": "anything",
        "endpoints/": "anything",
        "extensions/": "anything",
        "home/": "dynamic",
        "admin/": "dynamic",
        "interaction/": "dynamic",
        "operating/redact_cause.ts": "dynamic",
        "oauth/": "anything",
        "store/": "anything",
        "runtime/crypto.ts": "anything",
        "runtime/ip_address.ts": "anything",
        "runtime/serve.ts": "dynamic",
        "runtime/self_signed.ts": "dynamic",
        "runtime/safe_fetch.ts": "dynamic",
        "ui/": "types",
        "ui/mod.ts": "dynamic",
      },
    },
    // Plugins: they wrap the server, and are loaded only where they are wanted.
    inspector: {
      allowed: {
        "home/": "anything",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
        "recorder/": "anything",
        "habits/": "dynamic",
        "endpoints/jwks.ts": "anything",
        "runtime/crypto.ts": "anything",
        "ui/": "dynamic",
      },
      packages: ["jose"],
    },
    docs: {
      allowed: {
        "home/static_files.ts": "anything",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
        "server/": "dynamic",
        "cli/": "dynamic",
        "check/": "dynamic",
        "testing/": "dynamic",
        "habits/": "dynamic",
        "ui/": "dynamic",
        "../static/config.schema.json": "dynamic",
      },
    },
    // For resource servers of others, and a resource that the server hosts.
    resource: {
      // A resource server of its own has no server that gives it random bytes.
      allowed: {
        "client/": "anything",
        "extensions/dpop/": "anything",
        "http/": "anything",
        "app/": "types",
        "oauth/": "anything",
        "runtime/crypto.ts": "anything",
      },
      packages: ["jose"],
    },
    operating: {
      allowed: {
        "http/": "anything",
        "app/": "types",
        "app/client_change.ts": "dynamic",
        "oauth/": "types",
        "oauth/redact.ts": "anything",
        "oauth/rules/": "dynamic",
        "runtime/ip_address.ts": "anything",
        "store/": "types",
        "recorder/endpoint_name.ts": "anything",
        "oauth/config/config_issue.ts": "anything",
      },
    },
    cli: {
      allowed: {
        "oauth/": "types",
        "oauth/test_hosts.ts": "anything",
        // `latchkey init` asks again for an invalid one.
        "oauth/clients/redirect_uri.ts": "anything",
        "oauth/config/": "anything",
        "extensions/": "anything",
        "store/": "dynamic",
        "app/shell_quote.ts": "anything",
        // `latchkey check` and `latchkey faults`, which no other start loads.
        "check/": "dynamic",
        "testing/": "dynamic",
        "habits/": "dynamic",
        "inspector/": "dynamic",
        // For its error: a check cannot use another port.
        "runtime/serve.ts": "dynamic",
        "runtime/tools.ts": "dynamic",
        // `latchkey hash-password`.
        "runtime/secret_input.ts": "dynamic",
        "runtime/scrypt.ts": "dynamic",
        "oauth/users/password.ts": "dynamic",
        "runtime/process_environment.ts": "types",
        "runtime/terminal.ts": "types",
        "../deno.json": "anything",
      },
      packages: ["jsonc-parser"],
    },
    home: {
      allowed: {
        "client/": "anything",
        "runtime/crypto.ts": "anything",
        "ui/": "types",
        "ui/tour/mod.ts": "dynamic",
        "admin/": "anything",
        "endpoints/": "anything",
        "extensions/": "anything",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
      },
      // The playground checks ID tokens as a client does.
      packages: ["jose"],
    },
    admin: {
      allowed: {
        "extensions/": "anything",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
        "ui/": "types",
      },
    },
    interaction: {
      allowed: {
        "ui/": "types",
        "http/": "anything",
        "app/": "anything",
        "oauth/": "anything",
        "store/": "types",
        "runtime/ip_address.ts": "anything",
        "runtime/scrypt.ts": "dynamic",
      },
    },
    recorder: {
      allowed: {
        "http/": "anything",
        "app/": "types",
        "oauth/": "types",
        "oauth/rules/": "anything",
        "oauth/redact.ts": "anything",
        "oauth/secret_names.ts": "anything",
        "store/expiry_heap.ts": "anything",
      },
    },
    // Reads what the recorder keeps: for the pages of the inspector and the check of clients.
    habits: {
      allowed: {
        "http/": "anything",
        "oauth/": "anything",
        "recorder/": "anything",
        "runtime/crypto.ts": "anything",
      },
    },
    // What a server can be without. No part of the kernel, which is all folders below this line, imports an extension.
    extensions: {
      allowed: {
        "http/": "anything",
        "app/": "anything",
        "endpoints/": "anything",
        "oauth/": "anything",
        "runtime/crypto.ts": "anything",
        "runtime/ip_address.ts": "anything",
        "store/": "types",
        "ui/": "types",
      },
      packages: ["jose", "@cfworker/json-schema"],
    },
    endpoints: { allowed: { "http/": "anything", "app/": "anything", "oauth/": "anything" } },
    // The requests of a correct client: for the mock, the pages that demonstrate a flow, resource servers and tests.
    client: { allowed: { "http/": "anything", "runtime/": "anything" } },
    // What the endpoints and the plugins share.
    app: { allowed: { "http/": "anything", "oauth/": "anything", "ui/": "types" } },
    ui: {
      allowed: { "oauth/explanation.ts": "types" },
      packages: ["preact", "preact-render-to-string"],
    },
    oauth: {
      allowed: {
        "store/": "types",
        "store/expiry_heap.ts": "anything",
        "runtime/crypto.ts": "anything",
        "runtime/ip_address.ts": "anything",
      },
      packages: ["jose"],
    },
    runtime: { allowed: { "http/message.ts": "anything" } },
    store: { allowed: {}, packages: ["postgres", "ioredis"] },
    http: { allowed: { "oauth/rules/": "types", "runtime/ip_address.ts": "anything" } },
  },
  importers: {
    // What a test host allows is decided once. All other code reads `settings.allows`.
    "oauth/config/allowances.ts": [
      "oauth/config/resolve_settings.ts",
      // Before there is a server.
      "main.ts",
      "cli/check/check_application.ts",
      "testing/test_latchkey.ts",
    ],
  },
  builtins: [
    "runtime/",
    "store/sql/sqlite.ts",
    "store/sql/postgres_sockets.ts",
    "check/drivers/global_fetch.ts",
    "testing/oauth2_mock_server/",
    "testing/node/",
  ],
};

/** The folders of the kernel: what every server has. */
const kernelFolders = ["app", "endpoints", "http", "oauth", "runtime", "store"];

/** Folders that name no grant type of an extension: the value of the extension declares its names and titles. */
const foldersWithoutNames = [...kernelFolders, "server", "inspector", "recorder", "operating"];

/** The files in them that do. */
const filesWithNames = [
  // The playground, the habits and the mock share the name.
  "oauth/clients/standing.ts",
  // Grant types that no server supports.
  "oauth/config/validate_settings.ts",
];

/** The name of a grant type that is no grant type of OAuth 2.1, in quotes. */
const grantTypeName = /"urn:[\w:-]+:grant-type:/;

/**
 * Maximum number of lines of code of the kernel, without comments and empty lines. All files of `kernelFolders` count,
 * however they are loaded: code behind `import()` is code of the kernel too.
 */
const maxKernelCodeLines = 16_300;

/**
 * Maximum number of modules of `src/`, without extensions, that `scripts/first_login.ts` loads: one authorization code
 * flow of a server with default options and a memory store. Modules that it loads by `import()` count; modules of types
 * alone are never loaded.
 */
const maxFirstLoginModules = 84;

/** Maximum number of modules of one extension that the first login loads: its description. */
const maxExtensionModules = 3;

/** Maximum number of lines of a file. */
const maxFileLines = 350;

readCommand({
  call: "deno task imports",
  does:
    "Prints the imports between the folders of src/, the lines of code of the kernel, the modules that a first login " +
    "loads, and the longest files. Fails on an import that scripts/imports.ts does not allow, an import circle (types " +
    "included), on a name of a grant type outside of its extension, and above the limits of each of these numbers.",
});
const files = globSync("src/**/*.{ts,tsx}").map((path) => path.slice("src/".length)).sort();
const edges = await readImportGraph("src", files).catch(exitWithError);
const lines = new Map<string, number>();
const codeLines = new Map<string, number>();
const named: string[] = [];
for (const path of files) {
  const text = await Deno.readTextFile(`src/${path}`);
  lines.set(path, text.split("\n").length - 1);
  if (foldersWithoutNames.includes(path.split("/")[0]!) && !filesWithNames.includes(path) && grantTypeName.test(text)) {
    named.push(path);
  }
  codeLines.set(path, text.split("\n").filter((line) => /^\s*(?!\/\*\*|\*|\/\/)\S/.test(line)).length);
}
const kernelCodeLines = kernelFolders.map((folder) =>
  files.filter((path) => path.startsWith(`${folder}/`)).reduce((total, path) => total + codeLines.get(path)!, 0)
);
const kernelTotal = kernelCodeLines.reduce((total, count) => total + count, 0);
const firstLogin = await findFirstLoginModules().catch(exitWithError);

console.log(formatImportTable(files, edges, importRules));
console.log("Each row imports from the columns: values, t types alone, d loaded by import().\n");
const byFolder = kernelFolders.map((folder, i) => `${folder} ${kernelCodeLines[i]}`).join(", ");
console.log(`Kernel: ${kernelTotal} lines of code (${byFolder}).`);
const ofExtensions = Map.groupBy(
  firstLogin.filter((path) => path.startsWith("extensions/") && path.split("/").length > 2),
  (path) => path.split("/")[1]!,
);
const extensionModules = [...ofExtensions.values()].reduce((total, paths) => total + paths.length, 0);
const firstLoginModules = firstLogin.length - extensionModules;
console.log(`A first login loads ${firstLoginModules} modules, and ${extensionModules} of extensions.`);
const longest = files.toSorted((a, b) => lines.get(b)! - lines.get(a)!).slice(0, 5);
console.log(`Longest files: ${longest.map((path) => `src/${path} (${lines.get(path)})`).join(", ")}.`);

const violations = [
  ...checkImports(files, edges, importRules),
  ...findCircles(edges).map((circle) => `These files import each other in a circle: ${circle.join(", ")}.`),
  ...named.map((path) => `src/${path} names a grant type; expected its name only in the value of its extension.`),
  ...files.filter((path) => lines.get(path)! > maxFileLines)
    .map((path) => `src/${path} has ${lines.get(path)} lines; expected at most ${maxFileLines}.`),
  ...kernelTotal > maxKernelCodeLines
    ? [`The kernel has ${kernelTotal} lines of code; expected at most ${maxKernelCodeLines}.`]
    : [],
  ...firstLoginModules > maxFirstLoginModules
    ? [`A first login loads ${firstLoginModules} modules; expected at most ${maxFirstLoginModules}.`]
    : [],
  ...[...ofExtensions].filter(([, paths]) => paths.length > maxExtensionModules).map(([name, paths]) =>
    `A first login loads ${paths.length} modules of extensions/${name}; expected at most ${maxExtensionModules}.`
  ),
];
for (const violation of violations) console.error(violation);
if (violations.length) Deno.exit(1);

/** The modules of `src/` that a first login loads, by the coverage of a process that makes one. */
async function findFirstLoginModules(): Promise<readonly string[]> {
  const folder = await Deno.makeTempDir();
  try {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-lock", "--no-check", "-A", `--coverage=${folder}`, "scripts/first_login.ts"],
    }).output();
    if (!success) throw new CommandError(new TextDecoder().decode(stderr));
    const urls = await Promise.all(
      [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".json")).map(async ({ name }) =>
        JSON.parse(await Deno.readTextFile(`${folder}/${name}`)).url
      ),
    );
    const source = new URL("../src/", import.meta.url).href;
    return [...new Set(urls.filter((url) => url.startsWith(source)))].map((url) => url.slice(source.length));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
