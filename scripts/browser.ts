/** Runs the tests that need a real browser: `deno task test:browser --help`. */

import { existsSync, globSync } from "node:fs";
import process from "node:process";
import { exitWithError, readCommand } from "./command.ts";

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
  // Without the lock, which has only what users need. Each file starts a browser of its own.
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--no-check", "--no-lock", "-A", "--parallel", ...files],
    env: {
      ...shots !== undefined && { LATCHKEY_SHOTS: shots },
      ...pictures !== undefined && { LATCHKEY_PICTURES: pictures },
    },
  }).spawn().status;
  process.exit(code);
}
