/** Builds one executable file of the server: `deno task compile --help`. */

import * as esbuild from "esbuild";
import { dirname } from "node:path";
import manifest from "../deno.json" with { type: "json" };
import { CommandError, exitWithError, readCommand } from "./command.ts";
import { rulesPath } from "../src/devtools/rules/rules_file.ts";
import { getPackageNames, readLicenses } from "./licenses.ts";
import { installModules } from "./modules.ts";
import { npx, run, thisSystem } from "./run.ts";

const folder = "dist/compile";
/** Entry of both bundlers; the file with the program's own information is written next to it. */
const entry = `${folder}/entry.ts`;
const bundle = `${folder}/main.mjs`;

/** npm package of each tool. Deno runs this script and needs none. */
const packages = { bun: "bun@1.4.4", node: "node@26" } as const;
const programs = new Map<keyof typeof packages, string>();

/** Order of the tools, if none is requested. */
const tools = { deno: compileWithDeno, bun: compileWithBun, node: compileWithNode } as const;
type Tool = keyof typeof tools;

/** Names of the targets in Deno and Bun. Deno has no base for musl. */
const targets: Readonly<Record<Target, { readonly deno?: string; readonly bun: string }>> = {
  "linux-x64": { deno: "x86_64-unknown-linux-gnu", bun: "bun-linux-x64" },
  "linux-arm64": { deno: "aarch64-unknown-linux-gnu", bun: "bun-linux-arm64" },
  "linux-x64-musl": { bun: "bun-linux-x64-musl" },
  "linux-arm64-musl": { bun: "bun-linux-arm64-musl" },
  "macos-x64": { deno: "x86_64-apple-darwin", bun: "bun-darwin-x64" },
  "macos-arm64": { deno: "aarch64-apple-darwin", bun: "bun-darwin-arm64" },
  "windows-x64": { deno: "x86_64-pc-windows-msvc", bun: "bun-windows-x64" },
};
type Target =
  | `${"linux" | "macos"}-${"x64" | "arm64"}`
  | `linux-${"x64" | "arm64"}-musl`
  | "windows-x64";

/** Result of a build. */
interface BuildTarget {
  readonly target: Target;
  /** Temporary path of the build. */
  readonly draft: string;
  /** Packages whose licences are included. */
  readonly licensed: readonly string[];
}

const { flags: { with: chosen, target, output } } = readCommand({
  call: "deno task compile",
  does: "Builds one executable file of the server. The last printed line is its path. Its --version shows the " +
    "commit, its --licenses all licences.",
  flags: {
    with: {
      value: "TOOL",
      does:
        "the tool, which is also the runtime inside: deno, which downloads its base from dl.deno.land; bun, which " +
        "comes from npm and starts fastest; or node, which comes from npm and builds only for this system; " +
        "default: the first of these that works",
      oneOf: Object.keys(tools) as Tool[],
    },
    target: {
      value: "SYSTEM",
      does: `the target: ${Object.keys(targets).join(", ")}; default: this system`,
      oneOf: Object.keys(targets) as Target[],
    },
    output: {
      value: "FILE",
      does: "the path; default: dist/latchkey, or with --target dist/latchkey-SYSTEM; .exe is added for Windows",
    },
  },
});
await installModules().then(main).catch(exitWithError);

async function main(): Promise<void> {
  const name = output ?? `dist/latchkey${target === undefined ? "" : `-${target}`}`;
  const systemTarget = target ?? currentTarget();
  const ending = systemTarget.startsWith("windows") ? ".exe" : "";
  const file = name.endsWith(ending) ? name : name + ending;
  // Bun includes the file name: a fixed one makes the output reproducible.
  const draft = `${folder}/latchkey${ending}`;

  for (const path of [folder, dirname(file)]) await Deno.mkdir(path, { recursive: true });
  if (chosen === "node") assertNodeBuildsFor(systemTarget);
  const { inputs, licences } = await inspectBundle();
  const licensed = getPackageNames(inputs);
  const used = await useFirstTool(chosen === undefined ? Object.keys(tools) as Tool[] : [chosen], async (tool) => {
    await writeEntry(tool, licences);
    await tools[tool]({ target: systemTarget, draft, licensed });
  });
  // Renames, because a program may be running under that name.
  await Deno.copyFile(draft, `${file}.part`);
  await Deno.rename(`${file}.part`, file);
  await Deno.remove(draft);
  const { size } = await Deno.stat(file);
  const mebibytes = (size / 2 ** 20).toFixed(1);
  console.log(
    `${mebibytes} MiB for ${systemTarget}, made with ${used}, licences of ${licensed.length} packages inside:`,
  );
  console.log(file);
}

/** Tries one tool after the other, prints why each unavailable one is skipped, and returns the first that works. */
async function useFirstTool(candidates: readonly Tool[], make: (tool: Tool) => Promise<void>): Promise<Tool> {
  for (const tool of candidates) {
    try {
      await make(tool);
      return tool;
    } catch (error) {
      if (candidates.length === 1 || !(error instanceof CommandError)) throw error;
      console.log(`Not with ${tool}: ${error.message}`);
    }
  }
  throw new CommandError("None of the three tools works; see above.");
}

/** Permissions are compiled in: those of `deno task start`, but files may be written in every folder. */
async function compileWithDeno({ target, draft }: BuildTarget): Promise<void> {
  const base = targets[target].deno;
  if (base === undefined) throw new CommandError(`Deno builds nothing for ${target}; --with bun does.`);
  await writeBundle();
  const permissions = manifest.tasks.start.replace("--allow-write=.", "--allow-write").match(/--allow-\S+/g)!;
  const flags = ["--no-config", "--no-lock", ...permissions, "--target", base, "--output", draft];
  await run([Deno.execPath(), "compile", ...flags, bundle]).catch((error) => {
    if (!/Setting up base binary|dl\.deno\.land/.test(error.message)) throw error;
    throw new CommandError(
      `The base that Deno builds on for ${target} lies at dl.deno.land, which cannot be reached from here; ` +
        "--with bun needs npm alone.",
    );
  });
}

/**
 * Builds with Bun from the source: Bun separates what is loaded on demand, and stores all of it as bytecode, which
 * halves the time to the first response. Names stay readable in stack traces. The program reads no file of the working
 * directory.
 */
async function compileWithBun({ target, draft, licensed }: BuildTarget): Promise<void> {
  const noAutoload = ["dotenv", "bunfig", "tsconfig", "package-json"].map((name) => `--no-compile-autoload-${name}`);
  const fast = ["--splitting", "--bytecode", "--format=esm"];
  // Otherwise the path of this machine's package folder would be included.
  const withoutDirname = ["--define", `__dirname="/"`];
  const metafile = `${folder}/bun.json`;
  const flags = [
    ...noAutoload,
    ...fast,
    ...withoutDirname,
    `--metafile=${metafile}`,
    `--target=${targets[target].bun}`,
    `--outfile=${draft}`,
  ];
  await run([await findProgram("bun"), "build", "--compile", ...flags, entry]);
  const { inputs } = JSON.parse(await Deno.readTextFile(metafile));
  const unlicensed = getPackageNames(Object.keys(inputs)).filter((name) => !licensed.includes(name));
  if (unlicensed.length > 0) {
    throw new CommandError(`Bun put in ${unlicensed.join(", ")}, whose licences are not inside.`);
  }
  await sign(target, draft);
}

/** Apple silicon runs no program without a valid signature, and only a Mac has the program that signs. */
async function sign(target: Target, file: string): Promise<void> {
  if (!target.startsWith("macos")) return;
  if (Deno.build.os === "darwin") await run(["codesign", "--force", "--sign", "-", file]);
  else console.log("If macOS blocks the file, sign it there: codesign --force --sign - latchkey");
}

function assertNodeBuildsFor(target: Target): void {
  if (target === currentTarget()) return;
  throw new CommandError(`Node builds for ${currentTarget()} alone; --with bun builds for ${target}.`);
}

/** Builds a single executable application: a stripped Node with the program and its code cache in a section. */
async function compileWithNode({ target, draft }: BuildTarget): Promise<void> {
  assertNodeBuildsFor(target);
  await writeBundle();
  const node = await findProgram("node");
  const base = `${folder}/node`;
  await Deno.copyFile(node, base);
  await Deno.chmod(base, 0o755);
  // Strip before anything is injected, which would be lost.
  if (target.startsWith("linux")) {
    await run(["strip", base]).catch(() => console.log("Not stripped: strip is missing."));
  }
  const settings = {
    main: bundle,
    mainFormat: "module",
    executable: base,
    output: draft,
    useCodeCache: true,
    disableExperimentalSEAWarning: true,
    // NODE_OPTIONS is meant for other programs.
    execArgvExtension: "none",
  };
  await Deno.writeTextFile(`${folder}/sea.json`, JSON.stringify(settings));
  await run([node, "--build-sea", `${folder}/sea.json`]);
  await sign(target, draft);
}

/** Files of the program, and the licences of packages among them. */
async function inspectBundle(): Promise<{ inputs: string[]; licences: string }> {
  const { metafile } = await bundleWith({ entryPoints: ["src/main.ts"], metafile: true, write: false });
  const inputs = Object.keys(metafile!.inputs);
  return { inputs, licences: await readLicenses(inputs) };
}

/** Writes the program with its own information into a file: as a flag, licences are too long on some systems. */
async function writeEntry(tool: Tool, licences: string): Promise<void> {
  // Not a tag: the version number is next to it.
  const commit = await run(["git", "describe", "--always", "--dirty", "--exclude=*"]).catch(() => "");
  const about = {
    commit: commit.trim() || undefined,
    licences: [await Deno.readTextFile("LICENSE"), licences, await runtimeLicenseText(tool)].join("\n\n"),
  };
  await Deno.writeTextFile(
    `${folder}/about.ts`,
    `Object.assign(globalThis, { LATCHKEY_ABOUT: { ...${
      JSON.stringify(about)
    }, readRules: () => import("./rules.ts") } });`,
  );
  const text = await Deno.readTextFile(rulesPath);
  await Deno.writeTextFile(`${folder}/rules.ts`, `export const text = ${JSON.stringify(text)};`);
  await Deno.writeTextFile(entry, `import "./about.ts";\nimport "../../src/main.ts";\n`);
}

/** Licence of the included runtime; no runtime comes with a complete licence file. */
async function runtimeLicenseText(tool: Tool): Promise<string> {
  if (tool === "deno") {
    const { deno } = Deno.version;
    return `Deno ${deno}\n\nThe runtime inside. Licence: MIT, with V8 and other parts under licences of their own:
https://github.com/denoland/deno/blob/v${deno}/LICENSE.md\n`;
  }
  const version = (await run([await findProgram(tool), "--version"])).trim().replace(/^v/, "");
  if (tool === "node") {
    return `Node.js ${version}\n\nThe runtime inside. Licence: MIT, with V8, OpenSSL and other parts under licences of their own:
https://github.com/nodejs/node/blob/v${version}/LICENSE\n`;
  }
  return `Bun ${version}\n\nThe runtime inside. Licence: MIT, with JavaScriptCore and others under the LGPL and other licences, and with how
to relink them: https://github.com/oven-sh/bun/blob/bun-v${version}/LICENSE.md\n`;
}

/** The path of a tool; found once, since npx takes a second of CPU. */
async function findProgram(tool: keyof typeof packages): Promise<string> {
  const known = programs.get(tool) ?? (await run([npx, "-y", packages[tool], "-p", "process.execPath"])).trim();
  programs.set(tool, known);
  return known;
}

/** The program as one module, for Deno and Node. */
async function writeBundle(): Promise<void> {
  // Some packages use require(), which a module does not have.
  const banner = { js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);` };
  await bundleWith({ entryPoints: [entry], banner, outfile: bundle });
}

async function bundleWith(options: esbuild.BuildOptions): Promise<esbuild.BuildResult> {
  return await esbuild.build({
    bundle: true,
    platform: "node",
    target: "node22",
    format: "esm",
    // Some packages require computed paths in "main", which no bundler can follow.
    mainFields: ["module", "main"],
    minifySyntax: true,
    minifyWhitespace: true,
    jsx: "automatic",
    jsxImportSource: manifest.compilerOptions.jsxImportSource,
    ...options,
  }).finally(() => esbuild.stop());
}

/** This system, if it is a build target. */
function currentTarget(): Target {
  const target = Object.keys(targets).find((known): known is Target => known === thisSystem);
  if (target !== undefined) return target;
  throw new CommandError(`There is no file for ${thisSystem}; --target names one for another system.`);
}
