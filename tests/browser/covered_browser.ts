/**
 * No control is covered by another element, at the heights of usual windows:
 * `deno test -A tests/browser/covered_browser.ts`.
 */

import { assertEquals } from "@std/assert";
import { after, test } from "node:test";
import { checkPages } from "../../src/check/check_pages.ts";
import { clientCheck } from "../../src/check/client_check.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { latchkey } from "./server.ts";
import { faultPages } from "../../src/testing/fault_pages/mod.ts";
import { sample } from "../sample.ts";
import { closeBrowser, executablePath, openPage, serveSamples } from "./harness.ts";
import { samples } from "./samples.ts";

const skip = executablePath === undefined;

const { url, close } = serveSamples();
const watching = inspector();
const check = clientCheck();
const as = await latchkey({
  plugins: [check.plugin, watching, faultPages(), checkPages(check)],
});
const { url: serverUrl } = await as.listen({ port: 0 });
// A flow with tokens, and one that failed.
await (await fetch(`${serverUrl}/start`)).text();
await (await fetch(`${serverUrl}/oauth2/authorize?client_id=demo-public`)).text();
after(async () => {
  await closeBrowser();
  await close();
  await as.close();
});

const serverPaths = [
  "/",
  "/clients",
  "/clients/demo-confidential",
  "/clients/demo-public?edit",
  "/clients/demo-public/check",
  "/faults",
  "/users",
  "/users/alice",
  "/flows",
  "/flows/1",
  "/flows/2",
];

const urls = [
  ...Object.keys(samples).filter((path) => !samples[path]!.leaves).map((path) => url + path),
  ...serverPaths.map((path) => serverUrl + path),
];

/**
 * The controls that something else lies on: at the middle of the part that is in the window, the browser finds neither
 * the control nor a part or the label of it. First as the page opens, then where each has the focus.
 */
const coveredControls = `(() => {
  const controls = [...document.querySelectorAll("a, button, summary, select, textarea, input:not([type=hidden])")]
    .filter((control) => control.checkVisibility({ visibilityProperty: true }));
  const findCover = (control) => {
    const box = control.getClientRects()[0];
    const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    if (right - left < 2 || bottom - top < 2) return [];
    const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (found === null || control.contains(found) || found.closest("label")?.control === control) return [];
    return [control.outerHTML.slice(0, 80) + " under " + found.outerHTML.slice(0, 60)];
  };
  document.activeElement?.blur();
  scrollTo(0, 0);
  return [
    ...controls.flatMap(findCover),
    ...controls.flatMap((control) => {
      control.focus();
      return findCover(control).map((text) => "focused " + text);
    }),
  ];
})()`;

const windows = [[1440, 900], [1280, 720], [1920, 1080], [768, 1024], [390, 844], [320, 568]] as const;

test("[UI-17] no control is covered by another element, whatever the size of the window", { skip }, async () => {
  await using opened = await openPage(url);
  const { page } = opened;
  const covered: string[] = [];
  for (const [place, address] of urls.entries()) {
    await page.goto(address);
    for (const [width, height] of sample(windows, 2, place)) {
      await page.setViewportSize({ width, height });
      const found = await page.evaluate(coveredControls) as string[];
      const where = `${address.replace(/^.*?:\d+/, "")}, ${width} by ${height}`;
      covered.push(...found.map((text) => `${where}: ${text}`));
    }
  }
  assertEquals(covered, []);
});
