/** Writes every file of a release into dist/release/: `deno task release --help`. */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import manifest from "../deno.json" with { type: "json" };
import { copySource } from "./bench/versions.ts";
import { CommandError, exitWithError, readCommand } from "./command.ts";
import { type ArchiveEntry, tarGz, zip } from "./release/archive.ts";
import { findReleaseBlockers, parseChangelog } from "./release/changelog.ts";
import { architectures, makeImage, parseLddOutput } from "./release/image.ts";
import { findLicensedPackages, getLockedPackages, type LockedPackage } from "./release/locked_packages.ts";
import { getRuntimeComponent, targets, withLicenses } from "./release/components.ts";
import { fillPackagers, namedTargets } from "./release/packagers.ts";
import { billOfMaterials, getPackageUrl } from "./release/sbom.ts";
import { filterLock } from "./part_of_lock.ts";
import { smokeTest } from "./release/smoke_test.ts";
import { run, thisSystem } from "./run.ts";

const folder = "dist/release";
const { name, version, license } = manifest;

/** The packages that the program may load. */
const programPackages = [...Object.keys(manifest.imports), ...Object.keys(manifest.scopes["./src/platform/store/"])];

/** Libraries of every Linux with glibc, and of the image's base. */
const standardLibraries = /^(?:libc|libm|libdl|libpthread|librt|ld-linux[\w-]*)\.so\.\d+$/;

const { flags } = readCommand({
  call: "deno task release",
  does: `Writes every file of a release into ${folder}/, and prints the list. Pushing the tag (--push) publishes: ` +
    ".github/workflows/release.yml builds the same files again and publishes them.",
  flags: {
    "dry-run": {
      does: "print reasons against the release as remarks, and build and test everything, the package once",
    },
    push: { does: "at the end, set the tag v and the version, and push it, which publishes the release" },
    targets: {
      value: "LIST",
      does: `binaries for these systems only, comma-separated: ${targets.join(", ")}; default: with --tag or --push ` +
        "all, else all but those for musl",
      someOf: targets,
    },
    tag: { value: "NAME", does: "the tag to release; it must match the version" },
    "but-checks": { does: "skip deno task ok --but-tests, if it has just run" },
    try: { does: "build nothing, and test the existing file for this system" },
  },
});
await (flags.try ? tryArchive() : makeRelease()).catch(exitWithError);

async function makeRelease(): Promise<void> {
  const isDryRun = flags["dry-run"];
  if (flags.push && (isDryRun || flags.targets !== undefined)) {
    throw new CommandError("--push releases everything: leave out --dry-run and --targets.");
  }
  const isWhole = flags.push || flags.tag !== undefined;
  const selectedTargets = flags.targets ?? targets.filter((target) => isWhole || !target.endsWith("-musl"));
  const remarks: string[] = [];
  const report = (sentences: readonly string[]) => {
    if (sentences.length > 0 && !isDryRun) throw new CommandError(sentences.join("\n"));
    remarks.push(...sentences);
  };
  report(await checkRelease(flags.tag));
  if (!flags["but-checks"]) await runStep("deno task ok --but-tests", () => deno("task", "ok", "--but-tests"));
  await runStep("checks of the release", () => runReleaseTest("tests/release/files_release.ts"));

  const commit = (await git("rev-parse", "HEAD")).trim();
  const seconds = Number(await git("log", "-1", "--format=%ct"));
  await Deno.remove(folder, { recursive: true }).catch(ignoreNotFound);
  await Deno.mkdir(folder, { recursive: true });
  const locked = getLockedPackages(filterLock(programPackages, JSON.parse(await Deno.readTextFile("dev.lock"))));
  report(await makePackage(locked, seconds, isDryRun));
  const { licences, problems } = await runStep("binary", () => buildAndTryBinary());
  report(problems);
  for (const target of selectedTargets) await runStep(target, () => makeBinary(target, licences, locked, seconds));
  const currentTarget = findCurrentTarget(selectedTargets);
  if (currentTarget !== undefined && Object.hasOwn(architectures, currentTarget)) {
    const label = { version, revision: commit, seconds };
    const image = await runStep("image", () => makeImage(currentTarget, binaryPath(currentTarget), label));
    const missing = "No image was made: neither docker, podman nor buildah works here.";
    if (image !== undefined) console.log(image);
    else if (Deno.env.get("CI") === "true") throw new CommandError(missing);
    else remarks.push(missing);
  }
  const entry = parseChangelog(await Deno.readTextFile("static/changes.md")).find((entry) => entry.version === version);
  await Deno.writeTextFile(`${folder}/NOTES.md`, `${entry?.notes ?? ""}\n`);
  const withoutPackagers = await makePackagers(seconds);
  if (flags.targets === undefined) report(withoutPackagers);
  else remarks.push(...withoutPackagers);
  await writeChecksums();
  await runStep("checks of what was made", () => runReleaseTest("tests/release/made_release.ts"));
  for (const remark of remarks) console.log(`Remark: ${remark}`);
  if (flags.push) {
    await printSpeed();
    await git("tag", `v${version}`);
    await git("push", "origin", `v${version}`);
    console.log(`Pushed v${version}. The workflow waits for an approval in the environment "release".`);
  } else {
    console.log(isDryRun ? "Done. Nothing was published." : "Nothing was published. To do that: add --push.");
  }
}

/** Compares the speed with the last release, if there is one. */
async function printSpeed(): Promise<void> {
  const tags = await git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname");
  const last = tags.split("\n").find((tag) => tag !== "" && tag !== `v${version}`);
  if (last !== undefined) console.log(await runStep("speed", () => deno("task", "bench", "--against", last)));
}

/** Reasons why this version cannot be released. */
async function checkRelease(tag?: string): Promise<string[]> {
  return findReleaseBlockers({
    version,
    changelog: await Deno.readTextFile("static/changes.md"),
    uncommittedFiles: (await git("status", "--porcelain")).split("\n").filter(Boolean).map((line) => line.slice(3)),
    head: (await git("rev-parse", "HEAD")).trim(),
    taggedCommit: (await git(
      "tag",
      "--list",
      `v${version}`,
      "--format=%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)",
    )).trim() || undefined,
    requestedTag: tag,
  });
}

/** Builds the npm package and, except in a dry run, compares it with one of a fresh clone. Returns the problems. */
async function makePackage(locked: readonly LockedPackage[], seconds: number, isDryRun: boolean): Promise<string[]> {
  const file = `${name.slice(1).replace("/", "-")}-${version}.tgz`;
  await runStep("npm package", () => deno("task", "build", "--limits"));
  const bytes = await Deno.readFile(`dist/${file}`);
  if (!isDryRun) {
    const again = await runStep("npm package, in a fresh clone", () => buildInClone(`dist/${file}`));
    if (sha256Hex(bytes) !== sha256Hex(again)) {
      throw new CommandError(`dist/${file} is not the same when it is built in a fresh clone.`);
    }
  }
  await Deno.writeFile(`${folder}/${file}`, bytes);

  const built = JSON.parse(await Deno.readTextFile("dist/npm/package.json"));
  if (built.version !== version) {
    throw new CommandError(`dist/npm/package.json says ${built.version} instead of ${version}.`);
  }
  const pick = (names: object) => locked.filter(({ name }) => Object.hasOwn(names, name));
  const inside = findLicensedPackages(await Deno.readTextFile("dist/npm/THIRD_PARTY_LICENSES"), locked);
  const parts = [
    // The CommonJS bundle contains the installed dependencies as well.
    ...await withLicenses([...new Set([...inside, ...pick(built.dependencies)])], "required"),
    ...await withLicenses(pick(built.peerDependencies), "optional"),
  ];
  const subject = { name, version, license, type: "library", purl: getPackageUrl({ name, version }), bytes } as const;
  await Deno.writeTextFile(`${folder}/latchkey-${version}-npm.cdx.json`, billOfMaterials(subject, parts, seconds));
  const listing = (await run(["tar", "-tzf", `dist/${file}`])).split("\n");
  return listing.includes("package/CHANGELOG.md")
    ? []
    : ["The npm package has no CHANGELOG.md: scripts/build.ts must copy static/changes.md there."];
}

/** Builds the npm package in a folder with nothing but the files of the repository, and returns the tarball. */
async function buildInClone(tarball: string): Promise<Uint8Array> {
  const clone = await Deno.makeTempDir({ prefix: "latchkey-release-" });
  try {
    await copySource(clone);
    await deno("task", "--config", `${clone}/deno.json`, "build");
    return await Deno.readFile(`${clone}/${tarball}`);
  } finally {
    await Deno.remove(clone, { recursive: true });
  }
}

/** Builds the binary for this system and tests it. Returns the included licences, and the problems. */
async function buildAndTryBinary(): Promise<{ licences: string; problems: string[] }> {
  const currentTarget = findCurrentTarget(targets);
  if (currentTarget === undefined) {
    throw new CommandError("Binaries are tried before they are released, which this system cannot.");
  }
  const file = await compile(currentTarget);
  const bytes = await Deno.readFile(file);
  if (currentTarget.startsWith("linux")) {
    const unexpectedLibraries = parseLddOutput(await run(["ldd", file])).map((path) => path.split("/").at(-1)!)
      .filter((library) => !standardLibraries.test(library));
    if (unexpectedLibraries.length > 0) {
      throw new CommandError(`${file} wants ${unexpectedLibraries.join(", ")}, which the image does not have.`);
    }
  }
  await smokeTest([file], version, Deno.build.os !== "windows");
  const absolutePath = `${Deno.cwd()}/node_modules`;
  return {
    licences: await run([file, "--licenses"]),
    problems: Buffer.from(bytes).includes(absolutePath)
      ? [`${file} holds the path ${absolutePath}, so elsewhere it is not the same.`]
      : [],
  };
}

/** Archive for one system, and its bill of materials. */
async function makeBinary(
  target: string,
  licences: string,
  locked: readonly LockedPackage[],
  seconds: number,
): Promise<void> {
  const file = target === findCurrentTarget(targets) ? binaryPath(target) : await compile(target);
  const bytes = await Deno.readFile(file);
  const title = `latchkey-${version}-${target}`;
  const inside: ArchiveEntry[] = [
    { path: `${title}/${file.split("/").at(-1)}`, bytes, mode: 0o755 },
    ...await Promise.all(
      [["CHANGELOG.md", "static/changes.md"], ["LICENSE", "LICENSE"], [
        "config.schema.json",
        "static/config.schema.json",
      ]]
        .map(async ([path, from]) => ({ path: `${title}/${path}`, bytes: await Deno.readFile(from!), mode: 0o644 })),
    ),
  ];
  await Deno.writeFile(
    archivePath(target),
    target.startsWith("windows") ? zip(inside, seconds) : tarGz(inside, seconds),
  );
  const parts = [
    ...await withLicenses(findLicensedPackages(licences, locked), "required"),
    await getRuntimeComponent(target, licences),
  ];
  const purl = `pkg:generic/latchkey@${version}?platform=${target}`;
  const subject = { name: "latchkey", version, license, type: "application", purl, bytes } as const;
  await Deno.writeTextFile(`${folder}/${title}.cdx.json`, billOfMaterials(subject, parts, seconds));
}

/** Files for package managers. Returns why there are none. */
async function makePackagers(seconds: number): Promise<string[]> {
  const sums = formatSums(await listFiles(folder));
  const missing = (await namedTargets()).filter((target) => !sums.includes(`-${target}.`));
  if (missing.length > 0) return [`No files for package managers: without ${missing.join(", ")} sums are missing.`];
  const repository = Deno.env.get("GITHUB_REPOSITORY") ?? "OWNER/latchkey";
  const files = await fillPackagers({ version, repository, sums });
  await Deno.writeFile(`${folder}/latchkey-${version}-packagers.tar.gz`, tarGz(files, seconds));
  return [];
}

/** Builds with Bun, which supports every target. The path is fixed, because the binary includes it. */
async function compile(target: string): Promise<string> {
  const file = binaryPath(target);
  await deno("task", "compile", "--with", "bun", "--target", target, "--output", file);
  return file;
}

function binaryPath(target: string): string {
  return `dist/binaries/${target}/latchkey${target.startsWith("windows") ? ".exe" : ""}`;
}

function archivePath(target: string): string {
  return `${folder}/latchkey-${version}-${target}${target.startsWith("windows") ? ".zip" : ".tar.gz"}`;
}

/** Unpacks the archive for this system and runs its program. */
async function tryArchive(): Promise<void> {
  const currentTarget = findCurrentTarget(targets);
  if (currentTarget === undefined) {
    throw new CommandError(`There is no archive for this system: ${targets.join(", ")} have one.`);
  }
  const tempFolder = await Deno.makeTempDir();
  try {
    await run(["tar", "-xf", archivePath(currentTarget), "-C", tempFolder]);
    const program = `${tempFolder}/latchkey-${version}-${currentTarget}/${binaryPath(currentTarget).split("/").at(-1)}`;
    await smokeTest([program], version, Deno.build.os !== "windows");
    console.log(`${archivePath(currentTarget)} holds a latchkey that runs.`);
  } finally {
    await Deno.remove(tempFolder, { recursive: true });
  }
}

/** The target that is this system. */
function findCurrentTarget(candidates: readonly string[]): string | undefined {
  return candidates.find((target) => target === thisSystem);
}

/** Writes the checksums in the format of `sha256sum --check`, and prints the list of files. */
async function writeChecksums(): Promise<void> {
  const made = await listFiles(folder);
  await Deno.writeTextFile(`${folder}/SHA256SUMS`, formatSums(made));
  const files = await listFiles(folder);
  const width = Math.max(...files.map(({ name }) => name.length));
  console.log(`\n${folder}/`);
  for (const { name, size, sum } of files) {
    console.log(`  ${name.padEnd(width)} ${Math.ceil(size / 1024).toString().padStart(8)} KiB  ${sum.slice(0, 16)}`);
  }
}

function formatSums(files: readonly { readonly name: string; readonly sum: string }[]): string {
  // The release notes are not downloaded.
  return files.filter(({ name }) => name !== "NOTES.md").map(({ name, sum }) => `${sum}  ${name}\n`).join("");
}

/** Names of the files in a folder. */
async function listFiles(folder: string): Promise<{ name: string; size: number; sum: string }[]> {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  return await Promise.all(names.map(async (name) => {
    const bytes = await Deno.readFile(`${folder}/${name}`);
    return { name, size: bytes.length, sum: sha256Hex(bytes) };
  }));
}

function sha256Hex(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function runStep<Result>(label: string, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  const result = await work();
  console.log(`${label}: ok (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return result;
}

async function deno(...args: string[]): Promise<string> {
  return await run([Deno.execPath(), ...args]);
}

/** Without a lock: these tests name packages of their own, which Deno would add to it. */
async function runReleaseTest(test: string): Promise<string> {
  return await deno("test", "--no-check", "--no-lock", "--quiet", "-A", test);
}

async function git(...args: string[]): Promise<string> {
  return await run(["git", ...args]);
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
