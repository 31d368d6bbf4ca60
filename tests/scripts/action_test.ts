/**
 * The shell steps of `action.yml`, in bash, on what `release.yml` uploads: with the program that `task test:binary` has
 * built, or one in its place.
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "latchkey-action-"));
after(() => rmSync(folder, { recursive: true }));

const action = readFileSync("action.yml", "utf8");

/** The steps with their scripts. */
const steps = action.split("\n    - name: ").slice(1).map((text) => ({
  name: text.split("\n")[0]!,
  script: /^ {6}run: \|\n((?: {8}.*\n|\n)*)/m.exec(text)?.[1]?.replaceAll(/^ {8}/gm, ""),
}));

const programs = join(folder, "programs");
mkdirSync(programs);

function writeProgram(name: string, script: string): void {
  writeFileSync(join(programs, name), `#!/bin/bash\n${script}`);
  chmodSync(join(programs, name), 0o755);
}

/** What the release workflow attests and uploads, by its matrix: the names of the files of a release. */
const release = readFileSync(".github/workflows/release.yml", "utf8");
const [attested, uploaded] = [/subject-path: (.*)/, /^ {10}path: (.*matrix.*)/m].map((path) => path.exec(release)![1]!);
const released = [...release.matchAll(/\{ system: ([\w-]+), machine: .*?(?:, ending: (\S+) )?\}/g)].map(
  ([, system, ending = ""]) =>
    attested!.replace("${{ matrix.system }}", system!).replace("${{ matrix.ending }}", ending),
);

/** The program that the release would have: the built one, or one that writes what it is called with. */
const builtProgram = process.env.LATCHKEY_TEST_BINARY;
const releaseFolder = join(folder, "release");
mkdirSync(releaseFolder);
for (const path of released) {
  const file = join(releaseFolder, basename(path));
  if (builtProgram !== undefined) copyFileSync(builtProgram, file);
  else {
    writeFileSync(
      file,
      `#!/bin/bash
printf '<%s>' "$@" >> "$RUNNER_TEMP/calls"
if [ "$1" = exec ]; then mkdir -p "$3"; echo "## failed" > "$3/summary.md"; while [ "$1" != -- ]; do shift; done; shift; exec "$@"; fi
echo '{"event":"listening","issuer":"http://localhost:9000"}'`,
    );
  }
  // A download is not executable.
  chmodSync(file, 0o644);
}

// Downloads and verifies what the release has, and nothing else.
writeProgram(
  "gh",
  `
echo "gh $*" >> "$RUNNER_TEMP/calls"
if [ "$1" = attestation ]; then exit "\${ATTESTED:-0}"; fi
while [ $# -gt 0 ]; do case "$1" in --pattern) name=$2 ;; --dir) to=$2 ;; esac; shift; done
cp "${releaseFolder}/$name" "$to/"`,
);

/** Runs a step, ends what it leaves running, and returns its code and what it wrote. */
function run(name: string, env: Readonly<Record<string, string>> = {}, temp = mkdtempSync(join(folder, "run-"))) {
  const files = { GITHUB_PATH: join(temp, "path"), GITHUB_OUTPUT: join(temp, "output") };
  const summary = join(temp, "summary");
  const { script } = steps.find((step) => step.name === name)!;
  const { status, stdout } = spawnSync("bash", [
    "-e",
    "-c",
    `trap 'kill "\${!:-}" 2> /dev/null || true' EXIT\n${script}`,
  ], {
    encoding: "utf8",
    env: {
      ...{ PATH: `${programs}:${process.env.PATH}`, RUNNER_TEMP: temp, RUNNER_OS: "Linux", RUNNER_ARCH: "X64" },
      ...{ ...files, GITHUB_STEP_SUMMARY: summary, REPOSITORY: "owner/latchkey", VERSION: "1.2.3", FLAGS: "", ...env },
    },
  });
  const read = (path: string) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return "";
    }
  };
  return {
    ...{ status, stdout, temp, calls: read(join(temp, "calls")), path: read(files.GITHUB_PATH) },
    ...{ output: read(files.GITHUB_OUTPUT), summary: read(summary) },
  };
}

test("what is uploaded is what is attested, and each system of the action is one of the release", () => {
  assertEquals(uploaded, attested);
  const targets = [...action.matchAll(/target=(\S+) ;;/g)].map(([, target]) => `dist/latchkey-${target}`);
  assertEquals(targets, released.filter((path) => !path.includes("windows")));
  assertEquals(released.length, 5);
});

test("the program of the release is downloaded, verified and started; without an attestation nothing is", () => {
  const { status, calls, path, temp } = run("Download and verify");
  assertEquals(status, 0);
  assertEquals(calls.trim().split("\n"), [
    `gh release download v1.2.3 --repo owner/latchkey --pattern latchkey-linux-x64 --dir ${temp}/latchkey --clobber`,
    `gh attestation verify ${temp}/latchkey/latchkey-linux-x64 --repo owner/latchkey --signer-workflow owner/latchkey/.github/workflows/release.yml`,
  ]);
  assertEquals(path, `${temp}/latchkey\n`);
  const found = { PATH: `${path.trim()}:${programs}:${process.env.PATH}` };
  const command = 'echo "a  b"; false; echo unreached';
  const failed = run("Run the command", { ...found, COMMAND: command, FLAGS: "--env A=issuer" }, temp);
  assertEquals([failed.status, failed.stdout], [1, "a  b\n"]);
  assertEquals(run("Run the command", { ...found, COMMAND: "true" }, temp).status, 0);
  if (builtProgram === undefined) {
    const words = [
      "exec",
      "--report",
      `${temp}/latchkey-report`,
      "--env",
      "A=issuer",
      "--",
      "bash",
      "-euo",
      "pipefail",
    ];
    assertStringIncludes(failed.calls, [...words, "-c", command].map((word) => `<${word}>`).join(""));
    assertEquals(failed.summary, "## failed\n");
  }
  const served = run("Start the server", { ...found, FLAGS: builtProgram === undefined ? "" : "--port 0" }, temp);
  assertEquals(served.status, 0, served.stdout);
  assertMatch(served.output, /^issuer=http:\/\/localhost:\d+\n$/);

  const unverified = run("Download and verify", { ATTESTED: "1" });
  assertEquals([unverified.status, unverified.path], [1, ""]);
  const windows = run("Download and verify", { RUNNER_OS: "Windows" });
  assertEquals([windows.status, windows.calls], [1, ""]);
  assertStringIncludes(windows.stdout, "::error::");
});
