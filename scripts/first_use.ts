/** Runs the commands of the README as on a new machine: `deno task test:first --help`. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { CommandError, exitWithError, readCommand } from "./command.ts";
import { findFreePort } from "../tests/platform/runtime/free_port.ts";
import { npm, run, succeeds } from "./run.ts";
import { formatCounts } from "./test_run.ts";

const { words: parts } = readCommand({
  call: "deno task test:first",
  does: "Runs every command of README.md, one after the other as a reader would, in a home folder that is empty at " +
    "first. Each has a new clone of the last commit. The cache of npm is the usual one.",
  words: { value: "PART", does: "only commands that contain this" },
});

/** A clone in a folder of its own. */
interface Place {
  readonly clone: string;
  /** A folder beside the clone. */
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What a command must do. A command that none of these describes fails. */
const expectations:
  readonly (readonly [command: RegExp, run: (command: string, place: Place) => Promise<string | void>])[] = [
    [/^git clone \S+latchkey$|^cd latchkey$/, () => Promise.resolve("done for each command")],
    [/^alias latchkey=/, () => Promise.resolve("done for each command of it")],
    [/^npx -y deno task start$|^latchkey --profile [\w:.]+$/, expectServer],
    [/^latchkey (?:--help|explain "jwt expired")$/, async (command, place) => await shell(command, place)],
    [/^latchkey init$/, expectFile],
    [/^latchkey check /, expectCheck],
    [/^latchkey exec (?:--scenario [\w-]+ )?-- npm test$/, expectSuite],
    [/^npx -y deno task build$/, expectPackage],
    [/^npx -y deno task build && npm install --global /, expectProgram],
    [/^npx -y deno task image$/, expectImage],
    [/^npx -y deno task docs --port 9080$/, expectDocs],
  ];

const readme = readFileSync("README.md", "utf8");
const [alias] = /(?<=`)alias latchkey=[^`]+/.exec(readme) ?? [];
const commands = readCommands(readme)
  .filter((command) => parts.length === 0 || parts.some((part) => command.includes(part)));
if (commands.length === 0) exitWithError(`No command contains ${parts.join(" or ")}.`);
const folder = await Deno.makeTempDir({ prefix: "latchkey-first-" });
const cache = (await run([npm, "config", "get", "cache"])).trim();
const failures: string[] = [];
const started = performance.now();
try {
  for (const [number, command] of commands.entries()) await tryCommand(number, command);
} finally {
  await Deno.remove(folder, { recursive: true });
}
console.log(`${seconds(started)} s`);
console.log(formatCounts({ passed: commands.length - failures.length, failed: failures.length, skipped: 0 }));
Deno.exit(failures.length > 0 ? 1 : 0);

/** The commands of a README, in its order: the lines of its shell blocks, and those in the text. */
function readCommands(text: string): readonly string[] {
  const block = /^```sh\n([^]*?)^```/gm;
  const inBlocks = [...text.matchAll(block)].flatMap(([, lines]) =>
    lines!.replaceAll(/\\\n\s*/g, "").split("\n").map((line) => line.replace(/ +#.*/, "")).filter(Boolean)
  );
  const isCommand = (code: string) => /^(?:npx|docker|alias|latchkey) /.test(code);
  const inText = [...text.replaceAll(/^```[^]*?^```/gm, "").matchAll(/`([^`]+)`/g)].map(([, code]) => code!)
    .filter(isCommand);
  if (inBlocks.length < 4 || inText.length < 5 || alias === undefined) {
    throw new CommandError("README.md: expected the commands of the quick start, and others in the text.");
  }
  return [...new Set([...inBlocks, ...inText])];
}

async function tryCommand(number: number, command: string): Promise<void> {
  const before = performance.now();
  try {
    const [, expect] = expectations.find(([pattern]) => pattern.test(command)) ?? [];
    if (expect === undefined) throw new Error(`scripts/first_use.ts does not say what this command must do`);
    const place = await createPlace(`${folder}/${number}`);
    const remark = await expect(command, place);
    const changed = (await run(["git", "-C", place.clone, "status", "--porcelain"])).trim();
    if (changed !== "") throw new Error(`it changed files of the clone:\n${changed}`);
    console.log(`ok ${seconds(before)} s: ${command}${remark === undefined ? "" : ` (${remark})`}`);
  } catch (error) {
    failures.push(command);
    console.log(`FAILED: ${command}: ${(error as Error).message}`);
  }
}

/** A new clone, and an empty folder of a project. */
async function createPlace(parent: string): Promise<Place> {
  const [clone, home, project] = [join(parent, "latchkey"), join(folder, "home"), join(parent, "shop")];
  for (const path of [home, project]) await Deno.mkdir(path, { recursive: true });
  await run(["git", "clone", "--quiet", resolve("."), clone]);
  const isOwn = (name: string) => /^(?:LATCHKEY_|DENO_|npm_)|^INIT_CWD$/.test(name);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOwn(name))) as Record<
    string,
    string
  >;
  return { clone, project, env: { ...env, HOME: home, USERPROFILE: home, npm_config_cache: cache, NO_COLOR: "1" } };
}

/** Runs a command line; rejects with its output if it fails. */
async function shell(command: string, { clone, env }: Place, cwd = clone): Promise<void> {
  const child = start(command, cwd, env, clone);
  const [code] = await new Promise<[number]>((resolve) => child.once("close", (code) => resolve([code ?? 1])));
  if (code !== 0) throw new Error(`exit code ${code}\n${child.output().trim().split("\n").slice(-20).join("\n")}`);
}

/** Starts a command line in a process group of its own; `latchkey` is the alias that the README makes in the clone. */
function start(
  line: string,
  cwd: string,
  env: Place["env"],
  clone: string,
): ChildProcess & { output(): string } {
  // A shell that is not interactive has no aliases.
  const program = /^alias latchkey="(.*)"$/.exec(alias!)![1]!.replace("$PWD", clone);
  const command = line.replace(/^latchkey /, `${program} `);
  const child = spawn(command, { cwd, env, shell: true, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (bytes) => output += bytes);
  return Object.assign(child, { output: () => output });
}

/** It serves metadata and the home page, and downloads no package of a store, nor any once it is ready. */
async function expectServer(command: string, { clone, env }: Place): Promise<string> {
  const child = start(command, clone, { ...env, LATCHKEY_PORT: "0" }, clone);
  try {
    const issuer = await new Promise<string>((resolve, reject) => {
      const read = () => {
        const [, issuer] = /, ready in .*, issuer (\S+)[^]*^Ctrl-C/m.exec(child.output()) ?? [];
        if (issuer !== undefined) resolve(issuer);
      };
      for (const stream of [child.stdout!, child.stderr!]) stream.on("data", read);
      child.once("close", () => reject(new Error(`it ended:\n${child.output()}`)));
    });
    const suffix = new URL(issuer).pathname.replace(/^\/$/, "");
    const candidates = [
      `${issuer}/.well-known/openid-configuration`,
      `${issuer}/.well-known/oauth-authorization-server`,
    ];
    const origin = new URL(issuer).origin;
    candidates.push(`${origin}/.well-known/oauth-authorization-server${suffix}`);
    const statuses = await Promise.all(candidates.map(async (url) => (await fetch(url)).status));
    if (!statuses.includes(200)) throw new Error(`no metadata at ${candidates.join(", ")}`);
    const home = await fetch(origin);
    if (!(await home.text()).includes("</html>")) throw new Error(`the home page has status ${home.status}`);
    const [archive] = /^Download .*(?:ioredis|postgres).*/m.exec(child.output()) ?? [];
    if (archive !== undefined) throw new Error(`the start downloads what it does not use: ${archive}`);
    return issuer;
  } finally {
    process.kill(-child.pid!, "SIGKILL");
  }
}

async function expectFile(command: string, place: Place): Promise<void> {
  const flags = "--library oauth4webapi --public --redirect-uri http://localhost:3000/callback";
  await shell(`${command} ${flags}`, place, place.project);
  if (!existsSync(join(place.project, "latchkey.json"))) throw new Error("there is no latchkey.json");
}

/** The package, installed in a project, is the mock. */
async function expectPackage(command: string, place: Place): Promise<void> {
  await shell(command, place);
  const [archive] = globSync(join(place.clone, "dist/*.tgz"));
  if (archive === undefined) throw new Error("there is no dist/*.tgz");
  await Deno.writeTextFile(join(place.project, "package.json"), "{}");
  await shell(`npm install --save-dev ${archive}`, place, place.project);
  await Deno.writeTextFile(
    join(place.project, "login.mjs"),
    `import { testLatchkey } from "@latchkey/latchkey/testing";
const as = await testLatchkey();
const { claims } = await as.logIn(as.client());
if (claims.sub !== "alice") throw new Error(claims.sub);
`,
  );
  await shell("npx -y node@24 login.mjs", place, place.project);
}

/** The installed program runs. Its place is a folder beside the project. */
async function expectProgram(command: string, { env, ...place }: Place): Promise<void> {
  const prefix = join(place.project, "global");
  await shell(command, { ...place, env: { ...env, npm_config_prefix: prefix } });
  await shell(`npx -y node@24 ${join(prefix, "bin/latchkey")} explain TK-15`, { ...place, env });
}

async function expectImage(command: string, place: Place): Promise<string | void> {
  const engines = ["docker", "podman", "buildah"];
  const works = await Promise.all(engines.map((engine) => succeeds([engine, "info"])));
  if (!works.includes(true)) return "not tried: neither docker, podman nor buildah works here";
  await shell(command, place);
}

/** The site of the guides, at a free port. */
async function expectDocs(command: string, { clone, env }: Place): Promise<string> {
  const child = start(command.replace("9080", "0"), clone, env, clone);
  try {
    const url = await new Promise<string>((resolve, reject) => {
      const read = () => {
        const [url] = /http:\/\/localhost:\d+\//.exec(child.output()) ?? [];
        if (url !== undefined) resolve(url);
      };
      for (const stream of [child.stdout!, child.stderr!]) stream.on("data", read);
      child.once("close", () => reject(new Error(`it ended:\n${child.output()}`)));
    });
    const page = await (await fetch(url)).text();
    if (!page.includes('type="search"')) throw new Error(`no search at ${url}`);
    return url;
  } finally {
    process.kill(-child.pid!, "SIGKILL");
  }
}

/** The suite logs in, and the exit code is that of the suite. */
async function expectSuite(command: string, place: Place): Promise<void> {
  if (existsSync(join(place.project, "package.json"))) throw new Error("the folder of the project is not empty");
  await Deno.writeTextFile(
    join(place.project, "suite.mjs"),
    `import { createHash } from "node:crypto";
const { LATCHKEY_DISCOVERY_URL: url, LATCHKEY_CLIENT_ID: client_id, LATCHKEY_CLIENT_SECRET: secret } = process.env;
const { authorization_endpoint, token_endpoint } = await (await fetch(url)).json();
const redirect_uri = "http://localhost:3000/callback";
const code_verifier = "v".repeat(43);
const code_challenge = createHash("sha256").update(code_verifier).digest("base64url");
const query = { response_type: "code", client_id, redirect_uri, code_challenge, code_challenge_method: "S256" };
const login = await fetch(\`\${authorization_endpoint}?\${new URLSearchParams(query)}\`, { redirect: "manual" });
const code = new URL(login.headers.get("location")).searchParams.get("code");
const body = new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri, code_verifier });
const headers = { authorization: \`Basic \${btoa(\`\${client_id}:\${secret}\`)}\` };
process.exit((await fetch(token_endpoint, { method: "POST", body, headers })).status === 200 ? 0 : 1);
`,
  );
  await Deno.writeTextFile(join(place.project, "package.json"), `{ "scripts": { "test": "node suite.mjs" } }`);
  await shell(command, place, place.project);
}

/** It starts an application with that client, logs in there, and attacks it: here with one attack only. */
async function expectCheck(command: string, place: Place): Promise<void> {
  const recipes = readFileSync("static/docs/recipes.md", "utf8");
  const [, application] = /^```js ignore\n\/\/ app\.js\n([^]*?)^```/m.exec(recipes) ?? [];
  if (application === undefined) throw new Error("the recipes have no app.js");
  const [server, own] = [await findFreePort(), await findFreePort()];
  const move = (text: string) => text.replaceAll(/\b9000\b/g, `${server}`).replaceAll(/\b3000\b/g, `${own}`);
  await Deno.writeTextFile(
    join(place.project, "package.json"),
    `{ "type": "module", "scripts": { "dev": "npx -y node@24 app.js" } }`,
  );
  await Deno.writeTextFile(join(place.project, "app.js"), move(application));
  await shell("npm install express express-openid-connect", place, place.project);
  await shell(`${move(command)} --only response/state-wrong`, place, place.project);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
