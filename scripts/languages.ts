/** Runs the example suites in other languages against the program: `deno task test:languages --help`. */

import { existsSync, globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { readCommand } from "./command.ts";
import { capture, formatCounts } from "./test_run.ts";
import manifest from "../deno.json" with { type: "json" };

/** A language with an example in the folder of its name. */
interface Language {
  /** Debian packages with all that the commands need. */
  readonly packages: readonly string[];
  /** Succeeds if the machine has the language and the test runner. */
  readonly check: readonly string[];
  /** Files that must exist besides. */
  readonly files?: readonly string[];
  /** The commands in the folder of the example; the last one runs the tests. */
  readonly commands: (output: string) => readonly (readonly string[])[];
  /** The number of tests that passed, by the output of the runner. */
  readonly countPassed: (output: string) => number;
  /** The number of its tests. Default: that of an example. */
  readonly tests?: number;
}

/** Each example has the same tests. A runner that finds no test would succeed, too. */
const exampleTests = 4;
/** Seconds without output after which a command counts as hung. */
const silenceSeconds = 300;

const jars = [
  ...["junit-jupiter-api", "junit-jupiter-engine", "junit-platform-commons", "junit-platform-console"],
  ...["junit-platform-engine", "junit-platform-launcher", "junit-platform-reporting"],
  ...["apiguardian-api", "opentest4j", "picocli"],
].map((name) => `/usr/share/java/${name}.jar`);

const languages: Readonly<Record<string, Language>> = {
  go: {
    packages: ["golang-go"],
    check: ["go", "version"],
    commands: () => [["go", "test", "-count=1", "-v", "login_test.go"]],
    countPassed: (output) => output.match(/^--- PASS: /gm)?.length ?? 0,
  },
  java: {
    packages: ["default-jdk-headless", "junit5"],
    check: ["javac", "-version"],
    files: jars,
    commands: (output) => [
      ["javac", "-Xlint:all,-path", "-Werror", "-d", output, "-cp", jars.join(":"), "LoginTest.java"],
      [
        ...["java", "-cp", jars.join(":"), "org.junit.platform.console.ConsoleLauncher", "--disable-banner"],
        ...["--disable-ansi-colors", "--class-path", output, "--select-class", "LoginTest"],
      ],
    ],
    countPassed: readNumber(/(\d+) tests successful/),
  },
  php: {
    packages: ["phpunit"],
    check: ["phpunit", "--version"],
    commands: () => [["phpunit", "--do-not-cache-result", "--fail-on-warning", "LoginTest.php"]],
    countPassed: readNumber(/^OK \((\d+) tests/m),
  },
  python: {
    packages: ["python3-pytest"],
    check: ["python3", "-m", "pytest", "--version"],
    commands: () => [["python3", "-m", "pytest", "-p", "no:cacheprovider", "test_login.py"]],
    countPassed: readNumber(/(\d+) passed/),
  },
  // The interpreter that has the packages of Debian.
  "python-clients": {
    packages: [
      ...["python3-pytest", "python3-authlib", "python3-social-auth-core", "python3-jose", "python3-requests"],
      ...["python3-jwt", "python3-requests-oauthlib"],
    ],
    check: ["/usr/bin/python3", "-c", "import pytest, authlib, social_core, jose, requests, jwt, requests_oauthlib"],
    commands: () => [
      [
        ...["/usr/bin/python3", "-m", "pytest", "-p", "no:cacheprovider"],
        ...["test_providers.py", "test_messages.py", "test_guide.py"],
      ],
    ],
    countPassed: readNumber(/(\d+) passed/),
    tests: 43,
  },
  // What its libraries say of wrong settings and tokens, and lines of a guide; Debian has the sources, for GOPATH.
  "go-clients": {
    packages: ["golang-go", "golang-github-coreos-go-oidc-dev", "golang-golang-x-oauth2-dev"],
    check: ["go", "version"],
    files: ["/usr/share/gocode/src/github.com/coreos/go-oidc/oidc.go", "/usr/share/gocode/src/golang.org/x/oauth2"],
    commands: () => [
      [
        "env",
        "GOPATH=/usr/share/gocode",
        "GO111MODULE=off",
        "go",
        "test",
        "-count=1",
        "-v",
        "messages_test.go",
        "guide_test.go",
      ],
    ],
    countPassed: (output) => output.match(/^ +--- PASS: /gm)?.length ?? 0,
    tests: 15,
  },
  "ruby-clients": {
    packages: ["ruby", "ruby-minitest", "ruby-openid-connect", "ruby-jwt", "ruby-oauth2"],
    check: ["ruby", "-rminitest", "-ropenid_connect", "-rjwt", "-roauth2", "-e", "exit"],
    commands: () => [["ruby", "messages_test.rb"]],
    countPassed: readNumber(/(\d+) runs, \d+ assertions, 0 failures, 0 errors, 0 skips/),
    tests: 13,
  },
  ruby: {
    packages: ["ruby", "ruby-minitest"],
    check: ["ruby", "-rminitest", "-e", "exit"],
    commands: () => [["ruby", "-w", "login_test.rb"]],
    countPassed: readNumber(/(\d+) runs, \d+ assertions, 0 failures, 0 errors, 0 skips/),
  },
};

const { flags: { missing }, words: names } = readCommand({
  call: "deno task test:languages",
  does: "Runs the example suites in other languages, in tests/languages, against the program. A language that the " +
    "machine does not have is skipped, or fails if CI is true.",
  flags: { missing: { does: "only print the Debian packages that the machine needs" } },
  words: { value: "LANGUAGE", does: "only these", oneOf: Object.keys(languages) },
});

const selected = Object.entries(languages).filter(([name]) => names.length === 0 || names.includes(name));
const present = await Promise.all(selected.map(([, language]) => isPresent(language)));
if (missing) {
  console.log(selected.flatMap(([, { packages }], index) => present[index] ? [] : packages).join(" "));
  Deno.exit();
}

const tempFolder = await Deno.makeTempDir({ prefix: "latchkey-languages-" });
const counts = { passed: 0, failed: 0, skipped: 0 };
try {
  await writeProgram(`${tempFolder}/bin`);
  for (const [index, [name, language]] of selected.entries()) {
    if (present[index]) await runExample(name, language);
    else reportMissing(name, language);
  }
} finally {
  await Deno.remove(tempFolder, { recursive: true });
}
console.log(formatCounts(counts));
Deno.exit(counts.failed > 0 ? 1 : 0);

function readNumber(pattern: RegExp): (output: string) => number {
  return (output) => Number(pattern.exec(output)?.[1] ?? 0);
}

async function isPresent({ check: [command, ...args], files = [] }: Language): Promise<boolean> {
  if (!files.every((file) => existsSync(file))) return false;
  try {
    return (await new Deno.Command(command!, { args, stdout: "null", stderr: "null" }).output()).success;
  } catch {
    return false; // there is no such command
  }
}

/** Writes the command `latchkey`, which runs the program of this clone and, for `exec`, may start commands. */
async function writeProgram(folder: string): Promise<void> {
  const [, ...args] = manifest.tasks.start.replace("dev.lock", resolve("dev.lock")).split(" ");
  const main = resolve(args.pop()!);
  await Deno.mkdir(folder);
  const command = [Deno.execPath(), ...args, "--allow-run", "--quiet", "--config", resolve("deno.json"), main].map((
    word,
  ) => `'${word}'`);
  await Deno.writeTextFile(`${folder}/latchkey`, `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`, { mode: 0o755 });
}

async function runExample(name: string, { commands, countPassed, tests = exampleTests }: Language): Promise<void> {
  const started = performance.now();
  const output = `${tempFolder}/${name}`;
  let result = { output: "", success: true };
  for (const command of commands(output)) {
    if (result.success) {
      result = await capture(["env", "-C", `tests/languages/${name}`, ...command], {
        silenceSeconds,
        env: { PATH: `${tempFolder}/bin:${process.env.PATH}`, PYTHONDONTWRITEBYTECODE: "1" },
      });
    }
  }
  const passed = countPassed(result.output);
  const ok = result.success && passed === tests;
  counts.passed += passed;
  if (!ok) counts.failed += Math.max(1, tests - passed);
  const [file] = globSync(`tests/languages/${name}/*`);
  const lines = readFileSync(file!, "utf8").trimEnd().split("\n").length;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${`${name}:`.padEnd(16)}${ok ? "ok" : "FAILED"}, ${passed} tests, ${lines} lines, ${seconds} s`);
  if (!ok) console.log(result.output);
}

function reportMissing(name: string, { packages, tests = exampleTests }: Language): void {
  const advice = `This machine does not have it. Debian: apt-get install ${packages.join(" ")}`;
  if (process.env.CI === "true") counts.failed += tests;
  else counts.skipped += tests;
  console.log(`*** ${name.toUpperCase()} ${process.env.CI === "true" ? "FAILED" : "SKIPPED"} *** ${advice}`);
}
