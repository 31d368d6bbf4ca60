/** Packages in a new clone: a script or a test that needs `node_modules/` installs it. */

import { assert, assertEquals } from "@std/assert";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const { tasks }: { readonly tasks: Readonly<Record<string, string>> } = JSON.parse(readFileSync("deno.json", "utf8"));

/** A script and the scripts that it imports. */
function readAll(path: string, read = new Map<string, string>()): Map<string, string> {
  if (read.has(path) || !existsSync(path)) return read;
  const text = readFileSync(path, "utf8");
  read.set(path, text);
  for (const [, name] of text.matchAll(/^(?:import|export) [^"]*from "(\.[^"]+\.ts)"/gm)) {
    readAll(join(dirname(path), name!).replaceAll("\\", "/"), read);
  }
  return read;
}

test("each task with node_modules installs all packages: Deno installs what the script imports", () => {
  const scripts = Object.values(tasks).flatMap((command) =>
    /--node-modules-dir (scripts\/\S+)/.exec(command)?.[1] ?? []
  );
  assert(scripts.includes("scripts/test_runtimes.ts"));
  for (const script of scripts) {
    const texts = [...readAll(script).values()];
    assert(texts.some((text) => /^ *(?:await )?installModules\(\)/m.test(text)), `${script} does not install them`);
  }
});

test("each test that reads a package installs it first", () => {
  const readers = globSync("tests/**/*.ts").map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /[`"/]node_modules\/[^`"]+[`"]/.test(readFileSync(path, "utf8")));
  // The others have such paths in texts.
  assertEquals(readers.sort(), [
    "tests/binary/traps_binary.ts",
    "tests/cli/check_application_test.ts",
    "tests/cli/explain_test.ts",
    "tests/devtools/messages/find_messages_test.ts",
    "tests/installed.ts",
  ]);
});
