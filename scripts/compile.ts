/**
 * Makes one file that runs the server anywhere: `deno task compile [--with deno|bun|node] [--target OS-ARCH] [--output FILE]`.
 * Without `--with`: Deno where its base binary can be fetched, else Bun. `--target` cross-builds with Deno and Bun, such as
 * `linux-x64`, `linux-arm64`, `darwin-arm64`, `windows-x64`; Node builds for the machine it runs on.
 */

import * as esbuild from "esbuild";
import { parseArgs } from "node:util";
import manifest from "../deno.json" with { type: "json" };
import { licencesOf, packagesIn } from "./licences.ts";

const folder = "dist/compile";
const tools = ["deno", "bun", "node"] as const;
type Tool = typeof tools[number];

const targets = {
  "linux-x64": { deno: "x86_64-unknown-linux-gnu", bun: "bun-linux-x64" },
  "linux-arm64": { deno: "aarch64-unknown-linux-gnu", bun: "bun-linux-arm64" },
  "darwin-x64": { deno: "x86_64-apple-darwin", bun: "bun-darwin-x64" },
  "darwin-arm64": { deno: "aarch64-apple-darwin", bun: "bun-darwin-arm64" },
  "windows-x64": { deno: "x86_64-pc-windows-msvc", bun: "bun-windows-x64" },
} as const;
type Target = keyof typeof targets;

const { values } = parseArgs({
  args: Deno.args,
  options: { with: { type: "string" }, target: { type: "string" }, output: { type: "string" } },
});
const tool = choice("--with", values.with, tools);
const here = `${Deno.build.os}-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}` as Target;
const target = choice("--target", values.target, Object.keys(targets) as Target[]);
const output = values.output ?? `dist/latchkey${target === undefined ? "" : `-${target}`}`;
const file = (target ?? here).startsWith("windows") && !output.endsWith(".exe") ? `${output}.exe` : output;

await Deno.mkdir(folder, { recursive: true });
const licences = await writeBundles();
const used = tool ?? await firstThatWorks();
if (tool !== undefined) await compile(tool);
const { size } = await Deno.stat(file);
console.log(
  `${file}: ${(size / 2 ** 20).toFixed(1)} MiB, made with ${used}, licences of ${licences.length} packages inside`,
);

/** Deno's base binary comes from its own site, which not every machine reaches. */
async function firstThatWorks(): Promise<Tool> {
  try {
    await compile("deno");
    return "deno";
  } catch (error) {
    console.log(`Not with deno: ${error instanceof Error ? error.message.split("\n").at(-1) : error}`);
    await compile("bun");
    return "bun";
  }
}

async function compile(tool: Tool): Promise<void> {
  if (tool === "deno") return await compileWithDeno();
  if (tool === "bun") return await compileWithBun();
  await compileWithNode();
}

/** Permissions are baked in: the same as `deno task start` gives. */
async function compileWithDeno(): Promise<void> {
  const permissions = ["--allow-net", "--allow-env", "--allow-read", "--allow-write"];
  const platform = target === undefined ? [] : ["--target", targets[target].deno];
  await run(
    Deno.execPath(),
    "compile",
    "--no-config",
    ...permissions,
    ...platform,
    "--output",
    file,
    `${folder}/main.mjs`,
  );
}

/** Told to read nothing that lies about in the working directory. */
async function compileWithBun(): Promise<void> {
  const quiet = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"];
  const platform = target === undefined ? [] : [`--target=${targets[target].bun}`];
  await run(
    "npx",
    "-y",
    "bun@1.4.4",
    "build",
    "--compile",
    ...quiet,
    ...platform,
    `--outfile=${file}`,
    `${folder}/main.mjs`,
  );
}

/** A single executable application: Node itself, with the program in a note that it looks for. */
async function compileWithNode(): Promise<void> {
  if (target !== undefined && target !== here) {
    throw new Error(`Node builds for ${here} only; --with bun builds ${target}.`);
  }
  const config = { main: `${folder}/main.cjs`, output: `${folder}/main.blob`, disableExperimentalSEAWarning: true };
  await Deno.writeTextFile(`${folder}/sea.json`, JSON.stringify(config));
  const node = (await run("npx", "-y", "node@24", "-p", "process.execPath")).trim();
  await run(node, "--experimental-sea-config", `${folder}/sea.json`);
  await Deno.copyFile(node, file);
  await Deno.chmod(file, 0o755);
  // Only before the note is put in: afterwards it would be lost.
  if (here.startsWith("linux")) await run("strip", file).catch(() => console.log("Not stripped: strip is missing."));
  const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
  await run("npx", "-y", "postject@1", file, "NODE_SEA_BLOB", config.output, "--sentinel-fuse", fuse);
}

/** The program as one module, and as the one script that Node's executables want; gives back whose code is in it. */
async function writeBundles(): Promise<string[]> {
  const commit = (await run("git", "rev-parse", "--short", "HEAD").catch(() => "")).trim();
  const options: esbuild.BuildOptions = {
    entryPoints: ["src/main.ts"],
    bundle: true,
    platform: "node",
    target: "node22",
    minifySyntax: true,
    minifyWhitespace: true,
    jsx: "automatic",
    jsxImportSource: manifest.compilerOptions.jsxImportSource,
  };
  try {
    const { metafile } = await esbuild.build({ ...options, format: "esm", metafile: true, write: false });
    const paths = Object.keys(metafile.inputs);
    const about = JSON.stringify({
      commit: commit || undefined,
      licences: `${await Deno.readTextFile("LICENSE")}\n\n${await licencesOf(paths)}`,
    });
    const define = { LATCHKEY_ABOUT: about };
    // What some packages require at run time, as a module they cannot.
    const banner = {
      js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`,
    };
    await esbuild.build({ ...options, define, banner, format: "esm", outfile: `${folder}/main.mjs` });
    await esbuild.build({ ...options, define, format: "cjs", outfile: `${folder}/main.cjs` });
    return packagesIn(paths);
  } finally {
    await esbuild.stop();
  }
}

/** One of a few words, or nothing. */
function choice<Word extends string>(
  flag: string,
  value: string | undefined,
  words: readonly Word[],
): Word | undefined {
  const word = words.find((known) => known === value);
  if (value === undefined || word !== undefined) return word;
  console.error(`${flag}: expected ${words.join(" or ")}, found ${value}.`);
  Deno.exit(2);
}

/** Runs a command, and gives back what it printed. */
async function run(command: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args }).output();
  if (success) return new TextDecoder().decode(stdout);
  const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("").trim();
  throw new Error(`${command} ${args.slice(0, 3).join(" ")} … failed:\n${said}`);
}
