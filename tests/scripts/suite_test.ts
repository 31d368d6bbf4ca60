/** `deno task test`: what it says about tests that pass, fail and are skipped, on each runtime. */

import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { runtimePackages } from "../../scripts/runtime_versions.ts";
import { abridge, formatProgress } from "../../scripts/test_progress.ts";
import { until } from "../until.ts";
import { notEverywhere, runsOn, runtimesOf } from "../../scripts/test_places.ts";
import { runtimeNames } from "../../scripts/test_runtimes.ts";

const deno = "Deno" in globalThis ? [process.execPath] : ["npx", "-y", "deno"];

/** Finds Node and Bun once, since npm takes longer than the tests below. */
const programs = (["node", "bun"] as const).map((name) => {
  const variable = `LATCHKEY_TEST_${name.toUpperCase()}`;
  const find = () =>
    execFileSync("npx", ["-y", runtimePackages[name], "-p", "process.execPath"], { encoding: "utf8" }).trim();
  return [variable, process.env[variable] ?? find()];
});

/** A folder that has these files, and the scripts of this repository. */
class Project implements Disposable {
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), "latchkey-suite-")));
  /** The command `deno task test` there. */
  readonly command = [
    ...deno,
    ...["run", "-A", `--config=${resolve("deno.json")}`, "--no-lock", resolve("scripts/test.ts")],
  ];
  readonly options = {
    cwd: this.#folder,
    env: {
      ...process.env,
      ...Object.fromEntries(programs),
      LATCHKEY_TEST_POSTGRES: "postgres://localhost",
      LATCHKEY_TEST_REDIS: "",
      NO_COLOR: "1",
    },
  } as const;

  constructor(files: Readonly<Record<string, string>>) {
    for (const name of ["deno.json", "dev.lock"]) copyFileSync(name, join(this.#folder, name));
    for (const name of ["scripts", "node_modules"]) symlinkSync(resolve(name), join(this.#folder, name));
    this.write(files);
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, source] of Object.entries(files)) {
      mkdirSync(dirname(join(this.#folder, name)), { recursive: true });
      writeFileSync(
        join(this.#folder, name),
        name.endsWith("_test.ts") ? `import { test } from "node:test";\n${source}` : source,
      );
    }
  }

  /** Runs a command there. */
  run(...[command, ...args]: string[]): { readonly code: number | null; readonly output: string } {
    const { status, stdout } = spawnSync(command!, args, { ...this.options, encoding: "utf8" });
    return { code: status, output: stdout };
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true });
  }
}

/** Runs `deno task test` in a folder that has these files. */
function runTests(files: Readonly<Record<string, string>>, ...args: string[]): ReturnType<Project["run"]> {
  using project = new Project(files);
  return project.run(...project.command, ...args);
}

const findLines = (output: string, pattern: RegExp) => output.split("\n").filter((line) => pattern.test(line)).sort();

test("on each runtime a failure is printed with its error and the command that repeats it, and counts", () => {
  const { code, output } = runTests(
    {
      "tests/mixed_test.ts": `
        test("passes", () => {});
        test("[X-01] fails # with \\\\ signs", () => { throw new Error("expected 1"); });
        test("has parts", async (t) => { await t.test("inner", () => { throw new Error("expected 2"); }); });
        test("is left out", { skip: true }, () => {});
        // After many tests Bun repeats what failed and what was skipped.
        for (let i = 0; i < 97; i++) test(\`number \${i}\`, () => {});`,
      "tests/broken_test.ts": `test("passes", () => {});\nthrow new Error("expected 3");`,
      "tests/fine_test.ts": `test("passes", () => {});`,
    },
    "--all",
  );
  assertEquals(code, 1, output);
  const runtimes = ["bun", "deno", "node"];
  const titles = [
    "tests/broken_test.ts: tests/broken_test.ts loads",
    "tests/mixed_test.ts: [X-01] fails # with \\ signs",
    "tests/mixed_test.ts: has parts",
  ];
  // Each when it happens, and once more at the end.
  assertEquals(
    findLines(output, /^FAILED/),
    runtimes.flatMap((name) => titles.flatMap((title) => [title, title]).map((title) => `FAILED on ${name}: ${title}`)),
  );
  for (const [number, file] of [[1, "mixed"], [2, "mixed"], [3, "broken"]] as const) {
    assertEquals(findLines(output, new RegExp(`rror: expected ${number}$`)).length, 3, output);
    for (const name of runtimes) {
      assert(output.includes(`  Repeat it: npx -y deno task test --${name} ${file}_test.ts\n`), output);
    }
  }
  assertEquals(findLines(output, /^SKIPPED/), [
    "SKIPPED: every test that needs a Redis server, because LATCHKEY_TEST_REDIS names none.",
  ]);
  assertEquals(
    findLines(output, /^(?:deno|node|bun): /),
    runtimes.map((name) => `${`${name}:`.padEnd(6)}100 passed, 3 failed, 1 skipped in 3 files`),
  );
  assert(output.endsWith("\n300 passed, 9 failed, 3 skipped\n"), output);
});

test("a process that ends early fails, and names the files that it had to run", () => {
  const { code, output } = runTests(
    {
      "tests/a_test.ts":
        `import process from "node:process";\ntest("passes", () => {});\ntest("ends", () => process.exit(0));`,
      "tests/b_test.ts": `test("passes", () => {});`,
    },
    "--all",
  );
  assertEquals(code, 1, output);
  for (const name of ["deno", "node", "bun"]) {
    assert(output.includes(`FAILED on ${name}: tests/a_test.ts: the process runs to its end\n`), output);
  }
  assertEquals(findLines(output, /The process of tests\/a_test\.ts, tests\/b_test\.ts ended early\.$/).length, 3);
  // A process that exits may lose the lines before.
  const last = findLines(
    output,
    /The last test of tests\/a_test\.ts that ended: (?:passes|none)\. The next one did not/,
  );
  assertEquals(last.length, 3);
  assert(last.some((line) => line.includes("passes")), output);
  assertMatch(output, /\n[123] passed, 3 failed, 0 skipped\n$/);
});

test("a file without tests fails, and so does one with fewer tests on one of the runtimes", () => {
  const empty = runTests({ "tests/empty_test.ts": "void test;", "tests/fine_test.ts": `test("passes", () => {});` });
  assertEquals(empty.code, 1);
  assert(empty.output.endsWith("\n1 passed, 1 failed, 0 skipped\n"), empty.output);
  const { code, output } = runTests(
    { "tests/uneven_test.ts": `for (const name of "Bun" in globalThis ? ["a"] : ["a", "b"]) test(name, () => {});` },
    "--node",
    "--bun",
  );
  assertEquals(code, 1);
  const [line] = findLines(output, /^FAILED/);
  assertEquals(
    line,
    "FAILED: tests/uneven_test.ts: expected as many tests on each runtime, at least one; found 2, 1",
  );
});

test("what a file does after all tests comes after those of files that load slowly", () => {
  const { code, output } = runTests(
    {
      "tests/a_test.ts": `
        import { after } from "node:test";
        globalThis.isOpen = true;
        after(() => globalThis.isOpen = false);
        test("a", () => {});`,
      "tests/b_test.ts": `
        await new Promise((resolve) => setTimeout(resolve, 100));
        test("b", () => { if (!globalThis.isOpen) throw new Error("closed"); });`,
    },
    "--all",
  );
  assertEquals(code, 0, output);
});

test("tests that pass end with the counts, on Deno alone unless more is wanted", () => {
  const files = { "tests/a_test.ts": `test("a", () => {});`, "tests/scripts/b_test.ts": `test("b", () => {});` };
  const counted = /passed/;
  assertEquals(findLines(runTests(files).output, counted), [
    "2 passed, 0 failed, 0 skipped",
    "deno: 2 passed, 0 failed, 0 skipped in 2 files",
  ]);
  assertEquals(findLines(runTests(files, "--all").output, counted), [
    "4 passed, 0 failed, 0 skipped",
    "bun:  1 passed, 0 failed, 0 skipped in 1 file",
    "deno: 2 passed, 0 failed, 0 skipped in 2 files",
    "node: 1 passed, 0 failed, 0 skipped in 1 file",
  ]);
  assertEquals(findLines(runTests(files, "--bun", "scripts/").output, counted), [
    "1 passed, 0 failed, 0 skipped",
    "bun:  1 passed, 0 failed, 0 skipped in 1 file",
  ]);
});

test("the progress says how many files and tests have ended, and how long the rest takes", () => {
  const progress = { files: 190, filesDone: 38, tests: 700, failures: 2, share: 0.2, elapsedSeconds: 20 };
  assertEquals(formatProgress(progress), "38 of 190 files, 700 tests, 2 failed, about 80 s left");
  assertEquals(formatProgress({ ...progress, filesDone: 0, share: 0 }), "0 of 190 files, 700 tests, 2 failed");
});

test("a long difference is printed without what is equal", () => {
  const equal = Array.from({ length: 50 }, (_, i) => `    equal ${i}`);
  const text = ["AssertionError", ...equal, "-   a", "+   b", ...equal, "    at test"];
  const lines = abridge(text.join("\n")).split("\n");
  assertEquals(lines.filter((line) => line.endsWith("…")).length, 2);
  for (const line of ["AssertionError", "    equal 49", "-   a", "+   b", "    equal 7", "    at test"]) {
    assert(lines.includes(line), line);
  }
  assert(!lines.includes("    equal 20"));
  assertEquals(abridge(equal.join("\n")), equal.join("\n"));
});

test("each path of the list of what does not run everywhere has such tests", () => {
  const files = globSync("tests/**/*_test.{ts,tsx}").map((path) => path.replaceAll("\\", "/"));
  for (const { paths } of notEverywhere) {
    for (const path of paths) {
      const without = files.filter((file) => file.startsWith(path) && !runsOn("node", file));
      assert(without.length > 0, `${path} has no test that does not run on Node`);
    }
  }
  const everywhere = [
    "platform/runtime/socket",
    "platform/store/memory",
    "server/journeys",
    "server/keys",
    "server/http_surface",
  ];
  // The last one is in a listed folder, but its subject is a process.
  for (const name of [...everywhere, "cli/check_command"]) {
    for (const runtime of runtimeNames) assert(runsOn(runtime, `tests/${name}_test.ts`), name);
  }
});

test("in two weeks each file runs wherever it can differ; races, stores and the core do in each week", () => {
  const files = globSync("tests/**/*_test.{ts,tsx}").map((path) => path.replaceAll("\\", "/"));
  for (const file of files) {
    for (const isAlone of [false, true]) {
      const weeks = [2, 3].map((week) => runtimesOf(file, { isAlone, week }));
      const always = runtimesOf(file, { isAlone });
      assertEquals(new Set(weeks.flat()), new Set(always), file);
      if (!/^tests\/(?:core|platform)\/|race|store/.test(file)) continue;
      for (const week of weeks) assertEquals(week, always, file);
    }
  }
  const turns = files.filter((file) => runtimesOf(file, { isAlone: false, week: 2 }).length === 2);
  assert(turns.length > 20, `${turns.length} files take turns`);
});

test("--changed runs the tests that differ from a commit, or import or name what differs", () => {
  using project = new Project({
    ".gitignore": "dist/\n",
    "src/inner.ts": "export const inner = 1;\n",
    "src/outer.ts": `export const outer = () => import("./inner.ts");\n`,
    "src/kind.ts": "export type Kind = string;\n",
    "static/note.txt": "a\n",
    "tests/outer_test.ts": `import { outer } from "../src/outer.ts";\ntest("outer", outer);`,
    "tests/kind_test.ts": `import type { Kind } from "../src/kind.ts";\ntest("kind" satisfies Kind, () => {});`,
    "tests/read_note.ts": `export const path = "static/note.txt";\n`,
    "tests/note_test.ts": `import { path } from "./read_note.ts";\ntest(path, () => {});`,
    "tests/list_test.ts": `test("static/*.txt", () => {});`,
  });
  const git = (...args: string[]) =>
    assertEquals(project.run("git", "-c", "user.name=a", "-c", "user.email=a@example.com", ...args).code, 0);
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "all");
  const runChanged = (...parts: string[]) => {
    const { code, output } = project.run(...project.command, "--changed", "HEAD", ...parts);
    assertEquals(code, 0, output);
    return output.split("\n").at(-2);
  };
  assertEquals(runChanged(), "No test depends on what differs from HEAD.");
  project.write({ "src/kind.ts": "export type Kind = unknown;\n" });
  assertEquals(runChanged(), "No test depends on what differs from HEAD.");
  project.write({ "src/inner.ts": "export const inner = 2;\n" });
  assertEquals(runChanged(), "1 passed, 0 failed, 0 skipped");
  project.write({ "tests/new_test.ts": `test("new", () => {});`, "static/note.txt": "b\n" });
  assertEquals(runChanged(), "4 passed, 0 failed, 0 skipped");
  assertEquals(runChanged("new"), "1 passed, 0 failed, 0 skipped");
  const unknown = project.run(...project.command, "--changed", "no-such-commit");
  assertEquals(unknown.code, 1);
});

test("--watch runs the tests again when a file changes that they import", async () => {
  using project = new Project({
    "src/value.ts": "export const value = 1;\n",
    "tests/value_test.ts": `import { value } from "../src/value.ts";\ntest(\`has \${value}\`, () => {});`,
    "tests/other_test.ts": `test("other", () => {});`,
  });
  const [command, ...args] = project.command;
  const child = spawn(command!, [...args, "--watch", "value"], { ...project.options, detached: true });
  try {
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => output += bytes);
    await until(() => output.includes("has 1 ... ok") && output.includes("1 passed"));
    project.write({ "src/value.ts": "export const value = 2;\n" });
    await until(() => output.includes("has 2 ... ok"));
    assert(!output.includes("other"), output);
  } finally {
    process.kill(-child.pid!, "SIGKILL");
  }
});
