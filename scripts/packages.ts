/** Installs the packed npm package into empty projects, as a user would: `deno task test:packages --help`. */

import { globSync } from "node:fs";
import { extensions } from "../src/server/hosting/extensions.ts";
import { basename, dirname, resolve } from "node:path";
import { findChromium } from "../tests/browser/chromium.ts";
import { findFreePort } from "../tests/platform/runtime/free_port.ts";
import { exitWithError, readCommand } from "./command.ts";
import { installModules } from "./modules.ts";
import { serveRegistry } from "./registry.ts";
import { npx, run as runCommand } from "./run.ts";
import { bundleTests } from "./bundle_tests.ts";
import { formatCounts, runTests, runtimePackages } from "./test_run.ts";
import manifest from "../deno.json" with { type: "json" };

/** A project: packages besides Latchkey, and its test command, whose program may be a runtime of npm: `node@24`. */
interface Project {
  readonly name: string;
  readonly packages: readonly string[];
  /** Files besides the sample suite. */
  readonly files: readonly string[];
  /** Files whose text is in a guide: blocks that have the name of the file in their first line, or beside `json`. */
  readonly recipes?: readonly string[];
  readonly command: readonly string[];
  /** Whether the project and its sample suite are CommonJS. Default: ES modules. */
  readonly commonJs?: boolean;
}

/** Packages of several projects, which are installed once. */
const testRunners = [
  "vitest@5.1.1",
  "jest@30",
  "mocha@11",
  "ts-jest@29",
  "typescript@5",
  "@types/jest@30",
  "@types/node@24",
];
const tools = [
  // Cypress without its program, which npm does not have.
  ...[
    "typescript@6",
    "@types/node@24",
    "@playwright/test@1.65.1",
    "cypress@15",
    "express@5",
    "express-openid-connect@3",
  ],
  ...["axios@1.21.1", "got@16.1.0", "msw@3.0.5", "nock@15.0.6", "undici@8.12.4", "yaml@2.9.1"],
];

/** The compiler alone: it adds no package that Latchkey could need. */
const compiler = ["typescript@7"];

/** Milliseconds for one test: the defaults of test runners are short for a machine with other work. */
const timeoutMs = 120_000;

const playwright = (config: string) => ["node@24", "node_modules/@playwright/test/cli.js", "test", "--config", config];

/** Flags of the compiler for a project of Node alone: the types of browsers are absent. */
const strictWithoutBrowser = ["--ignoreConfig", "--noEmit", "--strict", "--lib", "es2022", "--types", "node"];

const node = (version: string, files: readonly string[]): Project => ({
  name: `node-${version}`,
  packages: compiler,
  files,
  command: [`node@${version}`, "--test", ...files],
});

const projects: readonly Project[] = [
  // What the package is made of: on the oldest version alone, since the test starts Node for each entry.
  node("22", ["node_test.js", "command_test.js", "package_test.js"]),
  node("24", ["node_test.js", "command_test.js"]),
  {
    name: "bun",
    packages: compiler,
    files: ["bun.test.js"],
    command: [runtimePackages.bun, "test", `--timeout=${timeoutMs}`],
  },
  {
    name: "deno",
    // With a package.json Deno checks types before it runs, and needs those of Node.
    packages: tools,
    files: ["deno_test.js"],
    command: [Deno.execPath(), "test", "--allow-net", "--allow-env", "--allow-read", "deno_test.js"],
  },
  {
    name: "vitest",
    packages: testRunners,
    files: ["vitest.test.js"],
    recipes: ["latchkey.js", "login.test.js", "vitest.config.js", "server.js", "tenant.test.js"],
    command: ["node@24", "node_modules/vitest/vitest.mjs", "run", `--testTimeout=${timeoutMs}`],
  },
  {
    name: "jest",
    packages: testRunners,
    files: ["jest.test.js"],
    command: ["node@24", "--experimental-vm-modules", "node_modules/jest/bin/jest.js", `--testTimeout=${timeoutMs}`],
  },
  {
    name: "playwright",
    packages: tools,
    files: ["playwright/app.js", "playwright/chromium.config.js"],
    recipes: ["playwright.config.js", "login.spec.js"],
    command: playwright("chromium.config.js"),
  },
  {
    name: "express-browser",
    packages: tools,
    files: ["recipes/application.config.js", "recipes/express_browser.config.js"],
    recipes: ["latchkey.json", "app.js", "login.spec.js"],
    command: playwright("express_browser.config.js"),
  },
  {
    name: "next-browser",
    packages: ["@playwright/test@1.65.1", "next@16", "react@19", "react-dom@19", "next-auth@5.0.0-beta.32"],
    files: ["recipes/application.config.js", "recipes/next_browser.config.js"],
    recipes: [
      ...["latchkey.json", ".env.local", "auth.js", "app/api/auth/[...nextauth]/route.js", "app/page.jsx"],
      ...["app/layout.jsx", "login.spec.js"],
    ],
    command: playwright("next_browser.config.js"),
  },
  {
    name: "cypress",
    packages: tools,
    files: ["recipes/cypress_test.js"],
    recipes: ["latchkey.json", "cypress.config.js", "cypress/e2e/login.cy.js"],
    command: ["node@24", "--test", "cypress_test.js"],
  },
  {
    name: "ci",
    packages: tools,
    files: ["recipes/ci_test.js"],
    recipes: ["latchkey.json", ".github/workflows/test.yml", ".gitlab-ci.yml"],
    command: ["node@24", "--test", "ci_test.js"],
  },
  {
    name: "interceptors",
    packages: tools,
    files: [],
    recipes: ["agent.test.js", "msw.test.js", "nock.test.js"],
    command: ["node@24", "--test", "agent.test.js", "msw.test.js", "nock.test.js"],
  },
  {
    name: "commonjs",
    packages: compiler,
    files: ["node_test.js", "commonjs/other_entries_test.js"],
    command: ["node@22", "--test", "node_test.js", "other_entries_test.js"],
    commonJs: true,
  },
  {
    // Its own module loader, with babel, which it uses by default.
    name: "jest-commonjs",
    packages: testRunners,
    files: ["commonjs/require.test.js"],
    command: ["node@24", "node_modules/jest/bin/jest.js", `--testTimeout=${timeoutMs}`],
    commonJs: true,
  },
  {
    name: "mocha",
    packages: testRunners,
    files: ["commonjs/require.test.js"],
    command: ["node@24", "node_modules/mocha/bin/mocha.js", "--timeout", String(timeoutMs), "require.test.js"],
    commonJs: true,
  },
  {
    // No types but those of the package, and no setting.
    name: "typescript-7",
    packages: compiler,
    files: ["bare_types.ts"],
    command: [
      ...["node@24", "node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--module", "nodenext"],
      "bare_types.ts",
    ],
  },
  {
    // The most common setup: CommonJS, and moduleResolution node10.
    name: "ts-jest",
    packages: testRunners,
    files: ["ts_jest/tsconfig.json", "ts_jest/jest.config.js", "ts_jest/login.test.ts", "sample.ts"],
    command: ["node@24", "node_modules/jest/bin/jest.js", "--ci", `--testTimeout=${timeoutMs}`],
    commonJs: true,
  },
];

/** Black-box tests that run on Node and Bun with the package: each endpoint, each extension, and the mock. */
const blackBoxTests = [
  ...["code", "form_post", "openid_request", "pkce"].map((name) => `server/authorize/${name}`),
  ...["client_auth", "client_credentials", "refresh", "token_request", "tokens"].map((name) => `server/token/${name}`),
  ...["introspection", "metadata", "revocation", "start", "userinfo"].map((name) => `server/endpoints/${name}`),
  ...["consent", "login", "logout", "password"].map((name) => `server/login/${name}`),
  ...["journeys", "keys", "profile", "providers"].map((name) => `server/${name}`),
  ...[
    ...["assertion_authentication/client_assertion", "assertion_grants/jwt_bearer", "authorization_details/details"],
    ...["ciba/ciba", "client_documents/client_documents", "client_logout/backchannel_logout", "device/device"],
    ...["client_logout/frontchannel_logout", "dpop/dpop", "encrypted_responses/encrypted_responses"],
    ...["mutual_tls/mutual_tls", "pairwise/pairwise", "par/par", "registration/registration"],
    ...["requested_claims/requested_claims", "response_types/response_types", "shared_signals/shared_signals"],
    ...["signed_requests/jar", "signed_responses/jarm", "step_up/step_up", "token_exchange/token_exchange"],
  ].map((name) => `server/extensions/${name}`),
  ...["control", "faults_socket", "flow_controls", "log_in", "mint", "oauth2_mock_server", "tenants"]
    .map((name) => `testing/${name}`),
  "resource/require_token",
].map((name) => `tests/${name}_test.ts`);
const untested = extensions.map(({ name }) => name)
  .filter((name) => !blackBoxTests.some((path) => path.includes(`/extensions/${name}/`)));
if (untested.length > 0) {
  exitWithError(`blackBoxTests: expected a test of each extension; ${untested.join(", ")}: none.`);
}

// Each file on one of the runtimes, in turn: `deno task test` runs them all.
const blackBoxSteps = (["node", "bun"] as const).map((runtime, turn) => ({
  runtime,
  name: `black-box-${runtime}`,
  tests: blackBoxTests.filter((_, index) => index % 2 === turn),
}));
const stepNames = [...projects, ...blackBoxSteps].map(({ name }) => name);

const { words: names } = readCommand({
  call: "deno task test:packages",
  does: "Installs the npm package of deno task build into empty projects, and runs the sample suite in " +
    "each. The suite is strictly type-checked first. Then runs black-box tests with the package, half of them on Node " +
    "and half on Bun.",
  words: { value: "PART", does: `only steps whose name contains this: ${stepNames.join(", ")}` },
});
const isSelected = ({ name }: { readonly name: string }) =>
  names.length === 0 || names.some((part) => name.includes(part));
const selectedProjects = projects.filter(isSelected);
if (!stepNames.some((name) => isSelected({ name }))) {
  exitWithError(`No step has ${names.join(" or ")} in its name: ${stepNames.join(", ")}.`);
}

const source = resolve("tests/packages");
const readmes = ["test-runners", "intercepted-requests", "recipes", "containers-and-ci"].map((name) =>
  `static/docs/${name}.md`
);
const [tarball] = globSync("dist/latchkey-latchkey-*.tgz").map((path) => resolve(path));
if (tarball === undefined) {
  exitWithError("There is no package: expected dist/latchkey-latchkey-*.tgz. Make it with: deno task build");
}
await installModules().catch(exitWithError);
await using registry = await serveRegistry(tarball);
const tempFolder = await Deno.makeTempDir({ prefix: "latchkey-packages-" });
const chromium = selectedProjects.some(isForBrowser) ? findChromium() : undefined;
const ports: Readonly<Record<string, number>> = { 9000: await findFreePort(), 3000: await findFreePort() };
/** For each selection of packages, the folder of the project that used it last, where its `node_modules` is. */
const installed = new Map<string, string>();
const programs = new Map<string, string>();
let passed = 0;
let failed = 0;
let skipped = 0;
try {
  // The compiler sees the same installed package, with the strictest settings.
  for (const commonJs of [false, true]) {
    await runStep(typesFolder(commonJs), async (home) => {
      const settings = commonJs ? "commonjs/tsconfig.json" : "tsconfig.json";
      await setUpProject(home, {
        packages: tools,
        files: [settings, "sample.ts"],
        commonJs,
      });
      await Deno.writeTextFile(`${home}/entries.ts`, importOfEachEntry());
      const tsc = ["node@24", "node_modules/typescript/bin/tsc"];
      return await run(home, ...tsc, "--project", "tsconfig.json") ??
        await run(home, ...tsc, ...strictWithoutBrowser, "--module", "node16", "entries.ts");
    });
  }
  for (const project of failed > 0 ? [] : selectedProjects) {
    if (isForBrowser(project) && chromium === undefined) {
      skipped++;
      continue;
    }
    await runStep(project.name, async (home) => {
      await setUpProject(home, project);
      // A project that compiles the suite has its source and needs no other file.
      if (!project.files.includes("sample.ts")) {
        await Deno.copyFile(`${tempFolder}/${typesFolder(project.commonJs)}/out/sample.js`, `${home}/sample.js`);
      }
      return await run(home, ...project.command);
    });
  }
  for (const { name, runtime, tests } of failed > 0 ? [] : blackBoxSteps.filter(isSelected)) {
    await runStep(name, async (home) => {
      await setUpProject(home, { packages: [...compiler, "ioredis@6", "postgres@3"], files: [] });
      const bundles = await bundleTests(tests, { folder: `${home}/tests`, packed: true });
      // In this folder, since some tests read files of the project.
      const { counts, output } = await runTests(runtime, bundles);
      console.log(`${name}: ${formatCounts(counts)}`);
      skipped += counts.skipped;
      return counts.passed > 0 && counts.failed === 0 ? undefined : output;
    });
  }
} finally {
  await Deno.remove(tempFolder, { recursive: true });
}
console.log(formatCounts({ passed, failed, skipped }));
Deno.exit(failed > 0 ? 1 : 0);

/** Runs an action in a new folder, and prints its error. */
async function runStep(name: string, action: (home: string) => Promise<string | undefined>): Promise<void> {
  const started = performance.now();
  const home = `${tempFolder}/${name}`;
  await Deno.mkdir(home);
  const problem = await action(home);
  if (problem === undefined) passed++;
  else failed++;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${`${name}:`.padEnd(16)}${problem === undefined ? "ok" : "FAILED"}, ${seconds} s`);
  if (problem !== undefined) console.log(problem);
}

/** Type-checks and compiles the sample suite. */
function typesFolder(commonJs = false): string {
  return commonJs ? "types-commonjs" : "types";
}

/** Imports the types of each entry, also of those that need a further package to run. */
function importOfEachEntry(): string {
  return Object.keys(manifest.exports)
    .map((path, i) => `export type * as entry${i} from "${manifest.name}${path.slice(1)}";\n`).join("");
}

/** A user's project: a manifest, the installed packages, and test files. */
async function setUpProject(
  home: string,
  { packages, files, recipes = [], commonJs = false }: Pick<Project, "packages" | "files" | "recipes" | "commonJs">,
): Promise<void> {
  const key = packages.join(" ");
  const former = installed.has(key) ? JSON.parse(await Deno.readTextFile(`${installed.get(key)}/package.json`)) : {};
  await Deno.writeTextFile(
    `${home}/package.json`,
    JSON.stringify({ ...former, private: true, type: commonJs ? undefined : "module" }),
  );
  if (installed.has(key)) {
    await Deno.rename(`${installed.get(key)}/node_modules`, `${home}/node_modules`);
  } else {
    const problem = await run(
      home,
      ...["npm", "install", "--save-dev", "--silent", "--no-audit", "--no-fund"],
      ...[registry.flag, manifest.name, ...packages],
    );
    if (problem !== undefined) throw new Error(problem);
  }
  installed.set(key, home);
  for (const file of files) await Deno.copyFile(`${source}/${file}`, `${home}/${basename(file)}`);
  for (const file of recipes) {
    await Deno.mkdir(dirname(`${home}/${file}`), { recursive: true });
    await Deno.writeTextFile(`${home}/${file}`, await readRecipe(file));
  }
}

/** The text of a file in a guide, with free ports. */
async function readRecipe(file: string): Promise<string> {
  const texts = await Promise.all(readmes.map((path) => Deno.readTextFile(path)));
  const isNamed = (lines: readonly string[]) =>
    lines[0] === `json ${file}` || / ignore$/.test(lines[0]!) && /^(?:\/\/|#) (.*)$/.exec(lines[1]!)?.[1] === file;
  const block = texts.flatMap((text) => text.split("```").map((block) => block.split("\n"))).find(isNamed);
  if (block === undefined) throw new Error(`${readmes.join(" and ")} have no block with the name "${file}".`);
  return block.slice(1).join("\n").replace(/\b(?:9000|3000)\b/g, (port) => String(ports[port]));
}

function isForBrowser({ command }: Project): boolean {
  return command.some((word) => word.includes("@playwright/test"));
}

/** The path of a runtime of npm, such as `node@24`; found once, since npx takes a second of CPU. */
async function findProgram(name: string): Promise<string> {
  const known = programs.get(name) ?? (await runCommand([npx, "-y", name, "-p", "process.execPath"])).trim();
  programs.set(name, known);
  return known;
}

/** Runs a command in a folder; the programs that it starts run on the same Node. Returns its output if it failed. */
async function run(cwd: string, ...[command, ...args]: string[]): Promise<string | undefined> {
  const program = /^(?:node|bun)@/.test(command!) ? await findProgram(command!) : command!;
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd,
    env: {
      NO_COLOR: "1",
      CI: "true",
      CYPRESS_INSTALL_BINARY: "0",
      ...program !== command && { PATH: `${dirname(program)}:${Deno.env.get("PATH")}` },
      ...chromium !== undefined && { LATCHKEY_CHROMIUM: chromium },
    },
    stdin: "null",
  }).output();
  if (success) return undefined;
  return [command, ...args].join(" ") + "\n" +
    [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
}
