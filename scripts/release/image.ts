/** Makes the container image of a Linux binary with whatever engine this machine has, and tries it. */

import { dirname } from "node:path";
import { CommandError } from "../command.ts";
import { run, succeeds } from "../run.ts";
import { smokeTest } from "./smoke_test.ts";

const containerfile = "static/team/Containerfile";
const folder = "dist/image";
const fallbackBase = "localhost/latchkey-base";

/** What is written on the image. */
export interface Label {
  readonly version: string;
  readonly revision: string;
  readonly seconds: number;
}

/** A way to make images, and to run a program of one. */
interface Engine {
  readonly name: string;
  readonly probe: readonly string[];
  readonly build: readonly string[];
  /** The command that the program's own flags follow; what `done` says is run afterwards. */
  readonly start: (
    image: string,
  ) => Promise<{ readonly command: readonly string[]; readonly done?: readonly string[] }>;
  readonly signals: boolean;
}

/** With the network of this machine, and nothing that the program could write to. */
const runArguments = ["run", "--rm", "--network", "host", "--read-only", "--cap-drop", "ALL"];

const engines: readonly Engine[] = [
  {
    name: "docker",
    probe: ["docker", "info"],
    build: ["docker", "build", "--quiet"],
    start: (image) => Promise.resolve({ command: ["docker", ...runArguments, image] }),
    signals: true,
  },
  {
    name: "podman",
    probe: ["podman", "info"],
    build: ["podman", "build", "--quiet"],
    start: (image) => Promise.resolve({ command: ["podman", ...runArguments, image] }),
    signals: true,
  },
  {
    // Where nothing may be isolated any further, such as inside of a container.
    name: "buildah",
    probe: ["buildah", "info"],
    build: ["buildah", "build", "--isolation", "chroot", "--quiet"],
    async start(image) {
      const container = (await run(["buildah", "from", "--pull-never", image])).trim();
      const { OCIv1 } = JSON.parse(await run(["buildah", "inspect", container]));
      return {
        command: ["buildah", "run", "--isolation", "chroot", container, "--", ...OCIv1.config.Entrypoint],
        done: ["buildah", "rm", container],
      };
    },
    // It kills what it runs.
    signals: false,
  },
];

/** What the tools name the processors that Linux binaries are for. */
export const architectures: Readonly<Record<string, string>> = { "linux-x64": "amd64", "linux-arm64": "arm64" };

/**
 * Makes the image of that binary, starts it, and says how it went, with the first engine that can; undefined where there
 * is none. That an engine is there does not mean that it may run anything, such as inside of a container.
 */
export async function makeImage(target: string, binary: string, label: Label): Promise<string | undefined> {
  const failures: string[] = [];
  for (const engine of engines) {
    if (!await succeeds(engine.probe)) continue;
    try {
      return [await buildAndTryImage(engine, target, binary, label), ...failures].join("\n");
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      failures.push(`Not with ${engine.name}: ${error.message}`);
    }
  }
  if (failures.length > 0) throw new CommandError(failures.join("\n"));
  return undefined;
}

async function buildAndTryImage(engine: Engine, target: string, binary: string, label: Label): Promise<string> {
  const architecture = architectures[target]!;
  await copyExecutable(binary, `${folder}/${architecture}/latchkey`);
  const image = `localhost/latchkey:${label.version}`;
  const base = await resolveBase(engine, architecture, binary);
  const args = { ...base.args, VERSION: label.version, REVISION: label.revision, SOURCE: "" };
  await run([
    ...engine.build,
    ...["--platform", `linux/${architecture}`, "--file", containerfile, "--tag", image],
    ...Object.entries(args).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]),
    folder,
  ], { SOURCE_DATE_EPOCH: String(label.seconds) });
  const { command, done } = await engine.start(image);
  try {
    await smokeTest(command, label.version, engine.signals);
  } finally {
    if (done !== undefined) await run(done);
  }
  return `${image}, made and tried with ${engine.name}${base.remark}`;
}

/** The base that the Containerfile names; where it cannot be fetched, the libraries of this machine stand in for it. */
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

/** The files that `ldd` says a program loads. */
export function parseLddOutput(listing: string): string[] {
  return [...listing.matchAll(/(?:=> |^\s+)(\/\S+)/gm)].map(([, path]) => path!);
}

async function copyExecutable(from: string, to: string): Promise<void> {
  await Deno.mkdir(dirname(to), { recursive: true });
  await Deno.copyFile(from, to);
  await Deno.chmod(to, 0o755);
}
