/** Builds the container image: `deno task image --help`. */

import { dirname } from "node:path";
import manifest from "../deno.json" with { type: "json" };
import { CommandError, exitWithError, readCommand } from "./command.ts";
import { run, succeeds } from "./run.ts";
import { tryContainer, tryProgram } from "./try_program.ts";

const containerfile = "static/team/Containerfile";
const folder = "dist/image";
const fallbackBase = "localhost/latchkey-base";

/** Labels of the image. */
interface Label {
  readonly version: string;
  readonly revision: string;
  readonly seconds: number;
}

/** An engine that builds images and runs a program in one. */
interface Engine {
  readonly name: string;
  readonly probe: readonly string[];
  readonly build: readonly string[];
  /** Command before the program's own flags; `done` is run afterwards. */
  readonly start: (
    image: string,
  ) => Promise<{ readonly command: readonly string[]; readonly done?: readonly string[] }>;
  /** Prints the image as JSON. */
  readonly inspect: readonly string[];
}

const healthCheck = ["CMD", "/usr/local/bin/latchkey", "health"];

/** With the network of this machine, and a read-only file system. */
const runArguments = ["run", "--rm", "--network", "host", "--read-only", "--cap-drop", "ALL"];

const engines: readonly Engine[] = [
  {
    name: "docker",
    probe: ["docker", "info"],
    build: ["docker", "build", "--quiet"],
    start: (image) => Promise.resolve({ command: ["docker", ...runArguments, image] }),
    inspect: ["docker", "image", "inspect"],
  },
  {
    name: "podman",
    probe: ["podman", "info"],
    // The OCI format has no health check.
    build: ["podman", "build", "--format", "docker", "--quiet"],
    start: (image) => Promise.resolve({ command: ["podman", ...runArguments, image] }),
    inspect: ["podman", "image", "inspect"],
  },
  {
    // For environments without further isolation, such as a container.
    name: "buildah",
    probe: ["buildah", "info"],
    build: ["buildah", "build", "--format", "docker", "--isolation", "chroot", "--quiet"],
    async start(image) {
      const container = (await run(["buildah", "from", "--pull-never", image])).trim();
      const { OCIv1 } = JSON.parse(await run(["buildah", "inspect", container]));
      return {
        command: ["buildah", "run", "--isolation", "chroot", container, "--", ...OCIv1.config.Entrypoint],
        done: ["buildah", "rm", container],
      };
    },
    inspect: ["buildah", "inspect", "--type", "image"],
  },
];

const { flags } = readCommand({
  call: "deno task image",
  does: "Compiles the program for Linux on the processor of this machine, and builds the image latchkey of it with " +
    "docker, podman or buildah.",
  flags: { try: { does: "start a container of it, and log a user in" } },
});

const [architecture, target] = Deno.build.arch === "aarch64" ? ["arm64", "linux-arm64"] : ["amd64", "linux-x64"];
await main().catch(exitWithError);

async function main(): Promise<void> {
  const [revision, seconds] = (await run(["git", "log", "-1", "--format=%H %ct"])).trim().split(" ");
  const label = { version: manifest.version, revision: revision!, seconds: Number(seconds) };
  const binary = `${folder}/${architecture}/latchkey`; // where the Containerfile expects it
  await run([Deno.execPath(), "task", "compile", "--with", "bun", "--target", target!, "--output", binary]);
  const made = await withEngine((engine) => build(engine, binary, label));
  if (made === undefined) throw new CommandError("Building an image needs docker, podman or buildah; none works here.");
  console.log(`The image latchkey is ready, made with ${made}`);
}

/** What the first engine that works makes, with the failures of those before; undefined if there is none. */
async function withEngine(make: (engine: Engine) => Promise<string>): Promise<string | undefined> {
  const failures: string[] = [];
  for (const engine of engines) {
    if (!await succeeds(engine.probe)) continue;
    try {
      return [await make(engine), ...failures].join("\n");
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      failures.push(`Not with ${engine.name}: ${error.message}`);
    }
  }
  if (failures.length > 0) throw new CommandError(failures.join("\n"));
  return undefined;
}

/** Builds the image `latchkey`, and tries it if asked to; returns the name of the engine with remarks. */
async function build(engine: Engine, binary: string, label: Label): Promise<string> {
  const base = await resolveBase(engine, binary);
  const args = { ...base.args, VERSION: label.version, REVISION: label.revision, SOURCE: "" };
  await run([
    ...engine.build,
    ...["--platform", `linux/${architecture}`, "--file", containerfile, "--tag", "latchkey"],
    ...Object.entries(args).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]),
    folder,
  ], { SOURCE_DATE_EPOCH: String(label.seconds) });
  if (!flags.try) return engine.name + base.remark;
  if (!JSON.stringify(JSON.parse(await run([...engine.inspect, "latchkey"]))).includes(JSON.stringify(healthCheck))) {
    throw new CommandError(`The image has no health check ${healthCheck.join(" ")}.`);
  }
  const { command, done } = await engine.start("latchkey");
  try {
    await tryProgram(command, label.version);
    await tryContainer(command);
  } finally {
    if (done !== undefined) await run(done);
  }
  return `${engine.name}${base.remark}; it starts, is healthy and logs users in`;
}

/** The base of the Containerfile. If it cannot be fetched, libraries of this machine replace it. */
async function resolveBase(
  engine: Engine,
  binary: string,
): Promise<{ args: Readonly<Record<string, string>>; remark: string }> {
  const [, base] = /^ARG BASE=(\S+)$/m.exec(await Deno.readTextFile(containerfile)) ?? [];
  if (base === undefined) throw new CommandError(`${containerfile} names no base: expected a line ARG BASE=…`);
  if (await succeeds([engine.name, "pull", "--platform", `linux/${architecture}`, base])) {
    return { args: {}, remark: "" };
  }
  const context = `${folder}/base`;
  for (const path of parseLddOutput(await run(["ldd", binary]))) await copyExecutable(path, `${context}${path}`);
  await Deno.writeTextFile(`${folder}/base.Containerfile`, "FROM scratch\nCOPY . /\n");
  await run([...engine.build, "--file", `${folder}/base.Containerfile`, "--tag", fallbackBase, context]);
  return {
    args: { BASE: fallbackBase },
    remark: `; ${base} cannot be fetched from here, so it stands on the C library of this machine instead`,
  };
}

/** Files that a program loads, by `ldd`. */
function parseLddOutput(listing: string): string[] {
  return [...listing.matchAll(/(?:=> |^\s+)(\/\S+)/gm)].map(([, path]) => path!);
}

async function copyExecutable(from: string, to: string): Promise<void> {
  await Deno.mkdir(dirname(to), { recursive: true });
  await Deno.copyFile(from, to);
  await Deno.chmod(to, 0o755);
}
