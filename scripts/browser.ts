/** Runs the tests that need a real browser: `deno task test:browser --help`. */

import { existsSync, globSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { exitWithError, readCommand } from "./command.ts";
import { formatTestImport } from "./test_import.ts";

const chromiumPaths = [
  // Without windows: a page takes less than half the CPU time.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/**
 * Path of a Chromium on this machine: `LATCHKEY_CHROMIUM` if set, else the first of the usual paths that exists.
 *
 * @throws If none is found and `CI` is `true`, so that skipped browser tests do not go unnoticed.
 */
export function findChromium(): string | undefined {
  const path = [process.env.LATCHKEY_CHROMIUM, ...chromiumPaths].find((candidate) =>
    candidate && existsSync(candidate)
  );
  if (path) return path;
  const advice =
    "No Chromium was found. Install one (Debian: apt-get install chromium-headless-shell), or set LATCHKEY_CHROMIUM.";
  if (process.env.CI === "true") throw new Error(advice);
  console.error(`\n*** BROWSER TESTS SKIPPED *** ${advice}\n`);
  return undefined;
}

if (import.meta.main) {
  const { flags: { shots, pictures }, words: pathParts } = readCommand({
    call: "deno task test:browser",
    does: "Runs the tests that need a real browser: a Chromium at a usual path or at LATCHKEY_CHROMIUM. " +
      "Without one they are skipped, or fail if CI is true.",
    flags: {
      shots: { value: "FOLDER", does: "save a screenshot of each page there" },
      pictures: { value: "FOLDER", does: "save the pictures of the READMEs there; needs port 9000" },
    },
    words: { value: "PART", does: "only files whose path contains this" },
  });
  const files = globSync("tests/browser/*_browser.ts").sort()
    .filter((path) => pathParts.length === 0 || pathParts.some((name) => path.includes(name)));
  if (files.length === 0) {
    exitWithError(`No file tests/browser/*_browser.ts has ${pathParts.join(" or ")} in its path.`);
  }
  // A browser and a process for each processor, and the longest files first.
  const bySize = files.toSorted((a, b) => statSync(b).size - statSync(a).size);
  const parts = Map.groupBy(bySize, (file) => bySize.indexOf(file) % availableParallelism());
  const folder = await Deno.makeTempDir({ prefix: "latchkey-browser-" });
  const modules = await Promise.all([...parts].map(async ([place, files]) => {
    const imports = files.map((file) => formatTestImport(file, pathToFileURL(resolve(file)).href));
    const path = `${folder}/${place}_test.js`;
    await Deno.writeTextFile(path, `import { test } from "node:test";\n${imports.join("")}`);
    return path;
  }));
  // Without a lock: these tests name packages of their own, which Deno would add to it.
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--no-check", "--config=deno.json", "--no-lock", "-A", "--parallel", ...modules],
    env: {
      ...shots !== undefined && { LATCHKEY_SHOTS: shots },
      ...pictures !== undefined && { LATCHKEY_PICTURES: pictures },
    },
  }).spawn().status;
  await Deno.remove(folder, { recursive: true });
  process.exit(code);
}
