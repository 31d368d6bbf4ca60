/** Finds a Chromium for the tests that need a browser. */

import { existsSync } from "node:fs";
import process from "node:process";

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
