/** Makes everything that a release consists of, into dist/release/: `deno task release --help`. */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import manifest from "../deno.json" with { type: "json" };
import { readCommand, Refusal, refuse } from "./command.ts";
import { type Packed, tarGz, zip } from "./release/archive.ts";
import { objections, readChanges } from "./release/changes.ts";
import { architectures, librariesIn, makeImage } from "./release/image.ts";
import { licensedIn, type Locked, packagesOf } from "./release/locked.ts";
import { described, runtimeOf, targets } from "./release/parts.ts";
import { billOfMaterials, purlOf } from "./release/sbom.ts";
import { tryProgram } from "./release/trial.ts";
import { run, thisSystem } from "./run.ts";

const folder = "dist/release";
const { name, version, license } = manifest;

/** Libraries that are on every Linux with glibc, and in the base of the image. */
const everywhere = /^(?:libc|libm|libdl|libpthread|librt|ld-linux[\w-]*)\.so\.\d+$/;

const { flags } = readCommand({
  call: "deno task release",
  does:
    `Makes what a release consists of, into ${folder}/, and prints what there is. It publishes nothing. Pushing the ` +
    "tag does: then .github/workflows/release.yml makes the same files once more, and publishes those.",
  flags: {
    "dry-run": {
      does:
        "what would keep the version from being released is a remark here, and the rest is made and tried all the same",
    },
    targets: {
      value: "LIST",
      does: `binaries for these systems alone, with commas between them: ${targets.join(", ")}`,
      someOf: targets,
    },
    tag: { value: "NAME", does: "the tag that is to be released; it must be that of the version" },
    "but-checks": { does: "without deno task ok --but-tests before, where it has just run" },
    try: { does: "makes nothing, but tries what was made for this system" },
  },
});
await (flags.try ? tryArchive() : make()).catch(refuse);

async function make(): Promise<void> {
  const wanted = flags.targets ?? targets;
  const dry = flags["dry-run"];
  const remarks: string[] = [];
  const object = (sentences: readonly string[]) => {
    if (sentences.length > 0 && !dry) throw new Refusal(sentences.join("\n"));
    remarks.push(...sentences);
  };
  object(await judge(flags.tag));
  if (!flags["but-checks"]) await step("deno task ok --but-tests", () => deno("task", "ok", "--but-tests"));
  await step("checks of the release", () => judgeWith("tests/release/files_release.ts"));
  await step("JSR, dry", () => deno("publish", "--dry-run", ...dry ? ["--allow-dirty"] : []));

  const commit = (await git("rev-parse", "HEAD")).trim();
  const seconds = Number(await git("log", "-1", "--format=%ct"));
  await Deno.remove(folder, { recursive: true }).catch(ignoreMissing);
  await Deno.mkdir(folder, { recursive: true });
  const locked = packagesOf(JSON.parse(await Deno.readTextFile("deno.lock")));
  object(await makePackage(locked, seconds));
  const { licences, faults } = await step("binary, twice", () => tryHere());
  object(faults);
  for (const target of wanted) await step(target, () => makeBinary(target, licences, locked, seconds));
  const here = hereIn(wanted);
  if (here !== undefined && Object.hasOwn(architectures, here)) {
    const label = { version, revision: commit, seconds };
    const image = await step("image", () => makeImage(here, binaryOf(here), label));
    if (image === undefined) remarks.push("No image was made: neither docker, podman nor buildah works here.");
    else console.log(image);
  }
  const entry = readChanges(await Deno.readTextFile("static/changes.md")).find((entry) => entry.version === version);
  await Deno.writeTextFile(`${folder}/NOTES.md`, `${entry?.notes ?? ""}\n`);
  await sumUp();
  await step("checks of what was made", () => judgeWith("tests/release/made_release.ts"));
  for (const remark of remarks) console.log(`Remark: ${remark}`);
  console.log(
    dry
      ? "That was all, and nothing was published."
      : `Nothing was published. To do that: git tag v${version} && git push origin v${version}`,
  );
}

/** What keeps this version from being released as it stands here. */
async function judge(tag?: string): Promise<string[]> {
  return objections({
    version,
    changes: await Deno.readTextFile("static/changes.md"),
    changed: (await git("status", "--porcelain")).split("\n").filter(Boolean).map((line) => line.slice(3)),
    head: (await git("rev-parse", "HEAD")).trim(),
    tagged: (await git(
      "tag",
      "--list",
      `v${version}`,
      "--format=%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)",
    )).trim() || undefined,
    tag,
  });
}

/** The npm package, made twice, because it must be the same; gives back what it lacks. */
async function makePackage(locked: readonly Locked[], seconds: number): Promise<string[]> {
  const file = `${name.slice(1).replace("/", "-")}-${version}.tgz`;
  const make = async () => {
    await deno("task", "build");
    return await Deno.readFile(`dist/${file}`);
  };
  const bytes = await step("npm package", make);
  const again = await step("npm package again", make);
  if (sumOf(bytes) !== sumOf(again)) throw new Refusal(`dist/${file} is not the same when it is built again.`);
  await Deno.writeFile(`${folder}/${file}`, bytes);

  const built = JSON.parse(await Deno.readTextFile("dist/npm/package.json"));
  if (built.version !== version) {
    throw new Refusal(`dist/npm/package.json says ${built.version} instead of ${version}.`);
  }
  const pick = (names: object) => locked.filter(({ name }) => Object.hasOwn(names, name));
  const inside = licensedIn(await Deno.readTextFile("dist/npm/THIRD_PARTY_LICENSES"), locked);
  const parts = [
    // The CommonJS bundle contains the installed dependencies as well.
    ...await described([...new Set([...inside, ...pick(built.dependencies)])], "required"),
    ...await described(pick(built.peerDependencies), "optional"),
  ];
  const subject = { name, version, license, type: "library", purl: purlOf({ name, version }), bytes } as const;
  await Deno.writeTextFile(`${folder}/latchkey-${version}-npm.cdx.json`, billOfMaterials(subject, parts, seconds));
  const listing = (await run(["tar", "-tzf", `dist/${file}`])).split("\n");
  return listing.includes("package/CHANGELOG.md")
    ? []
    : ["The npm package has no CHANGELOG.md: scripts/build.ts must copy static/changes.md there."];
}

/** Makes the binary for this system twice, tries it, and gives back the licences that it brings, and what is wrong. */
async function tryHere(): Promise<{ licences: string; faults: string[] }> {
  const here = hereIn(targets);
  if (here === undefined) throw new Refusal("Binaries are tried before they are released, which this system cannot.");
  const file = await compile(here);
  const bytes = await Deno.readFile(file);
  await compile(here);
  if (sumOf(bytes) !== sumOf(await Deno.readFile(file))) throw new Refusal(`${file} is not the same when built again.`);
  if (here.startsWith("linux")) {
    const strangers = librariesIn(await run(["ldd", file])).map((path) => path.split("/").at(-1)!)
      .filter((library) => !everywhere.test(library));
    if (strangers.length > 0) {
      throw new Refusal(`${file} wants ${strangers.join(", ")}, which the image does not have.`);
    }
  }
  await tryProgram([file], version, Deno.build.os !== "windows");
  const stray = `${Deno.cwd()}/node_modules`;
  return {
    licences: await run([file, "--licenses"]),
    faults: Buffer.from(bytes).includes(stray)
      ? [`${file} holds the path ${stray}, so elsewhere it is not the same.`]
      : [],
  };
}

/** The archive for one system, and its bill of materials. */
async function makeBinary(target: string, licences: string, locked: readonly Locked[], seconds: number): Promise<void> {
  const file = target === hereIn(targets) ? binaryOf(target) : await compile(target);
  const bytes = await Deno.readFile(file);
  const title = `latchkey-${version}-${target}`;
  const inside: Packed[] = [
    { path: `${title}/${file.split("/").at(-1)}`, bytes, mode: 0o755 },
    ...await Promise.all(
      [["CHANGELOG.md", "static/changes.md"], ["LICENSE", "LICENSE"], [
        "config.schema.json",
        "static/config.schema.json",
      ]]
        .map(async ([path, from]) => ({ path: `${title}/${path}`, bytes: await Deno.readFile(from!), mode: 0o644 })),
    ),
  ];
  await Deno.writeFile(archiveOf(target), target.startsWith("windows") ? zip(inside, seconds) : tarGz(inside, seconds));
  const parts = [
    ...await described(licensedIn(licences, locked), "required"),
    await runtimeOf(target, licences),
  ];
  const purl = `pkg:generic/latchkey@${version}?platform=${target}`;
  const subject = { name: "latchkey", version, license, type: "application", purl, bytes } as const;
  await Deno.writeTextFile(`${folder}/${title}.cdx.json`, billOfMaterials(subject, parts, seconds));
}

/** By Bun, which builds for every system on any. Always into the same place: its name is inside. */
async function compile(target: string): Promise<string> {
  const file = binaryOf(target);
  await deno("task", "compile", "--with", "bun", "--target", target, "--output", file);
  return file;
}

function binaryOf(target: string): string {
  return `dist/binaries/${target}/latchkey${target.startsWith("windows") ? ".exe" : ""}`;
}

function archiveOf(target: string): string {
  return `${folder}/latchkey-${version}-${target}${target.startsWith("windows") ? ".zip" : ".tar.gz"}`;
}

/** Unpacks the archive for this system as its user would, and runs what is inside. */
async function tryArchive(): Promise<void> {
  const here = hereIn(targets);
  if (here === undefined) throw new Refusal(`There is no archive for this system: ${targets.join(", ")} have one.`);
  const away = await Deno.makeTempDir();
  try {
    await run(["tar", "-xf", archiveOf(here), "-C", away]);
    const program = `${away}/latchkey-${version}-${here}/${binaryOf(here).split("/").at(-1)}`;
    await tryProgram([program], version, Deno.build.os !== "windows");
    console.log(`${archiveOf(here)} holds a latchkey that runs.`);
  } finally {
    await Deno.remove(away, { recursive: true });
  }
}

/** Which of these systems is this one. */
function hereIn(wanted: readonly string[]): string | undefined {
  return wanted.find((target) => target === thisSystem);
}

/** Writes the sums as `sha256sum --check` reads them, and prints what there is now. */
async function sumUp(): Promise<void> {
  const made = await filesIn(folder);
  // The notes are not downloaded: they stand beside the files.
  const sums = made.filter(({ name }) => name !== "NOTES.md").map(({ name, sum }) => `${sum}  ${name}\n`);
  await Deno.writeTextFile(`${folder}/SHA256SUMS`, sums.join(""));
  const files = await filesIn(folder);
  const width = Math.max(...files.map(({ name }) => name.length));
  console.log(`\n${folder}/`);
  for (const { name, size, sum } of files) {
    console.log(`  ${name.padEnd(width)} ${Math.ceil(size / 1024).toString().padStart(8)} KiB  ${sum.slice(0, 16)}`);
  }
}

/** The files of a folder, by their names. */
async function filesIn(folder: string): Promise<{ name: string; size: number; sum: string }[]> {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  return await Promise.all(names.map(async (name) => {
    const bytes = await Deno.readFile(`${folder}/${name}`);
    return { name, size: bytes.length, sum: sumOf(bytes) };
  }));
}

function sumOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function step<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  const result = await work();
  console.log(`${what}: ok (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return result;
}

async function deno(...args: string[]): Promise<string> {
  return await run([Deno.execPath(), ...args]);
}

/** Without the lock: it is for what everybody needs, and these judges are not. */
async function judgeWith(test: string): Promise<string> {
  return await deno("test", "--no-lock", "--quiet", "-A", test);
}

async function git(...args: string[]): Promise<string> {
  return await run(["git", ...args]);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
