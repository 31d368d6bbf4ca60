/** Builds the container image of a Linux binary with any available engine, and tests it. */

import { dirname } from "node:path";
import { CommandError } from "../command.ts";
import { run, succeeds } from "../run.ts";
import { smokeTest } from "./smoke_test.ts";
import { tryContainer } from "./try_container.ts";

const containerfile = "static/team/Containerfile";
const folder = "dist/image";
const fallbackBase = "localhost/latchkey-base";

/** Labels of the image. */
export interface Label {
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
  readonly signals: boolean;
  /** Prints the image as JSON. */
  readonly inspect: readonly string[];
  /** Writes an image to a compressed OCI archive. Absent: the engine writes none. */
  readonly push?: readonly string[];
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
    signals: true,
    inspect: ["docker", "image", "inspect"],
  },
  {
    name: "podman",
    probe: ["podman", "info"],
    // The OCI format has no health check.
    build: ["podman", "build", "--format", "docker", "--quiet"],
    start: (image) => Promise.resolve({ command: ["podman", ...runArguments, image] }),
    signals: true,
    inspect: ["podman", "image", "inspect"],
    push: ["podman", "push", "--quiet"],
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
    // It kills the program.
    signals: false,
    inspect: ["buildah", "inspect", "--type", "image"],
    push: ["buildah", "push", "--quiet"],
  },
];

/** Names of the processors of Linux binaries. */
export const architectures: Readonly<Record<string, string>> = { "linux-x64": "amd64", "linux-arm64": "arm64" };

/**
 * Builds the image of a binary, starts it, and returns the result of the first engine that works; undefined if there is
 * none. An installed engine may be unable to run anything, for example inside a container.
 */
export async function makeImage(target: string, binary: string, label: Label): Promise<string | undefined> {
  const architecture = architectures[target]!;
  await copyExecutable(binary, programOfImage(architecture));
  return await withEngine((engine) => buildAndTryImage(engine, architecture, label));
}

/** Builds the image `latchkey` of the program there; returns the name of the engine, undefined if there is none. */
export async function buildImage(architecture: string, label: Label): Promise<string | undefined> {
  return await withEngine(async (engine) => {
    const { remark } = await build(engine, "latchkey", architecture, label);
    return engine.name + remark;
  });
}

/** Where the Containerfile expects the program. */
export const programOfImage = (architecture: string): string => `${folder}/${architecture}/latchkey`;

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

/** Builds the image of the program at {@link programOfImage}; returns a remark about its base. */
async function build(
  engine: Engine,
  image: string,
  architecture: string,
  label: Label,
): Promise<{ readonly remark: string }> {
  const base = await resolveBase(engine, architecture, programOfImage(architecture));
  const args = { ...base.args, VERSION: label.version, REVISION: label.revision, SOURCE: "" };
  await run([
    ...engine.build,
    ...["--platform", `linux/${architecture}`, "--file", containerfile, "--tag", image],
    ...Object.entries(args).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]),
    folder,
  ], { SOURCE_DATE_EPOCH: String(label.seconds) });
  return base;
}

async function buildAndTryImage(engine: Engine, architecture: string, label: Label): Promise<string> {
  const image = `localhost/latchkey:${label.version}`;
  const { remark } = await build(engine, image, architecture, label);
  if (!JSON.stringify(JSON.parse(await run([...engine.inspect, image]))).includes(JSON.stringify(healthCheck))) {
    throw new CommandError(`The image has no health check ${healthCheck.join(" ")}.`);
  }
  const { command, done } = await engine.start(image);
  try {
    await smokeTest(command, label.version, engine.signals);
    const { readyMs, versionMs } = await tryContainer(command);
    const times = `ready after ${readyMs.toFixed(0)} ms, while --version takes ${versionMs.toFixed(0)} ms`;
    const size = await measureArchive(engine, image);
    return `${image}, made and tried with ${engine.name}${remark}; ${[...size, times].join(", ")}`;
  } finally {
    if (done !== undefined) await run(done);
  }
}

/** The size of the compressed image, as text; empty if the engine writes no archive. */
async function measureArchive({ push }: Engine, image: string): Promise<string[]> {
  if (push === undefined) return [];
  const path = `${folder}/image.tar`;
  await Deno.remove(path).catch(() => {});
  await run([...push, image, `oci-archive:${path}`]);
  const { size } = await Deno.stat(path);
  await Deno.remove(path);
  return [`${(size / 1e6).toFixed(1)} MB compressed`];
}

/** The base of the Containerfile. If it cannot be fetched, libraries of this machine replace it. */
async function resolveBase(
  engine: Engine,
  architecture: string,
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
export function parseLddOutput(listing: string): string[] {
  return [...listing.matchAll(/(?:=> |^\s+)(\/\S+)/gm)].map(([, path]) => path!);
}

async function copyExecutable(from: string, to: string): Promise<void> {
  await Deno.mkdir(dirname(to), { recursive: true });
  await Deno.copyFile(from, to);
  await Deno.chmod(to, 0o755);
}
