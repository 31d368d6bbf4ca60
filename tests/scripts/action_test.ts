/** The shell steps of `action.yml`, in bash, with programs instead of `gh` and of the release. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

// A release whose program writes its arguments and, like exec, runs the command and writes a summary.
writeProgram(
  "gh",
  `
echo "gh $*" >> "$RUNNER_TEMP/calls"
if [ "$1" = attestation ]; then exit "\${ATTESTED:-0}"; fi
for ((i = 1; i <= $#; i++)); do if [ "\${!i}" = --dir ]; then next=$((i + 1)); to=\${!next}; fi; done
mkdir -p "$RUNNER_TEMP/packed/latchkey-1"; echo "#!/bin/bash" > "$RUNNER_TEMP/packed/latchkey-1/latchkey"
tar -czf "$to/latchkey-1.2.3-linux-x64.tar.gz" -C "$RUNNER_TEMP/packed" latchkey-1`,
);
writeProgram(
  "latchkey",
  `
printf '<%s>' "$@" >> "$RUNNER_TEMP/calls"
if [ "$1" = exec ]; then mkdir -p "$3"; echo "## failed" > "$3/summary.md"; while [ "$1" != -- ]; do shift; done; shift; exec "$@"; fi
echo '{"event":"listening","issuer":"http://localhost:9000"}'`,
);

/** Runs a step, and returns its code and what it wrote. */
function run(name: string, env: Readonly<Record<string, string>> = {}) {
  const temp = mkdtempSync(join(folder, "run-"));
  const files = { GITHUB_PATH: join(temp, "path"), GITHUB_OUTPUT: join(temp, "output") };
  const summary = join(temp, "summary");
  const { script } = steps.find((step) => step.name === name)!;
  const { status, stdout } = spawnSync("bash", ["-e", "-c", script!], {
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

test("the release is downloaded, verified and put into the PATH; without an attestation nothing is", () => {
  const { status, calls, path, temp } = run("Download and verify");
  const archive = `${temp}/latchkey/latchkey-1.2.3-linux-x64.tar.gz`;
  assertEquals(status, 0);
  assertEquals(calls.trim().split("\n"), [
    `gh release download v1.2.3 --repo owner/latchkey --pattern latchkey-1.2.3-linux-x64.tar.gz --dir ${temp}/latchkey --clobber`,
    `gh attestation verify ${archive} --repo owner/latchkey --signer-workflow owner/latchkey/.github/workflows/attest.yml`,
  ]);
  assertEquals(path, `${temp}/latchkey\n`);
  const unverified = run("Download and verify", { ATTESTED: "1" });
  assertEquals([unverified.status, unverified.path], [1, ""]);
  const windows = run("Download and verify", { RUNNER_OS: "Windows" });
  assertEquals([windows.status, windows.calls], [1, ""]);
  assertStringIncludes(windows.stdout, "::error::");
});

test("the command runs by exec with the flags, and its code and the summary are those of the step", () => {
  const command = 'echo "a  b"; false; echo unreached';
  const { status, stdout, calls, summary, temp } = run("Run the command", {
    COMMAND: command,
    FLAGS: "--env A=issuer",
  });
  assertEquals([status, stdout, summary], [1, "a  b\n", "## failed\n"]);
  const words = ["exec", "--report", `${temp}/latchkey-report`, "--env", "A=issuer", "--", "bash", "-euo", "pipefail"];
  assertEquals(calls, [...words, "-c", command].map((word) => `<${word}>`).join(""));
  assertEquals(run("Run the command", { COMMAND: "true" }).status, 0);
});

test("without a command the server starts, and the issuer is an output", () => {
  const { status, output } = run("Start the server");
  assertEquals([status, output], [0, "issuer=http://localhost:9000\n"]);
});

test("each target is one of a release", () => {
  const targets = [...action.matchAll(/target=(\S+) ;;/g)].map(([, target]) => target!);
  const compiled = readFileSync("scripts/compile.ts", "utf8");
  assertEquals(targets.length, 4);
  for (const target of targets) assertStringIncludes(compiled, `"${target}": {`);
});
