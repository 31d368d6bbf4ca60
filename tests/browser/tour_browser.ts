/** The tour in a real Chromium, page by page: `deno test -A tests/browser/tour_browser.ts`. */

import { assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { after, test } from "node:test";
import { latchkey } from "../../src/mod.ts";
import { inspector } from "../../src/devtools/requests/mod.ts";
import { browserVariants, closeBrowser, executablePath, openPage, takeScreenshot } from "./harness.ts";
import type { OpenedPage } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const as = await latchkey({ plugins: [inspector()] });
const { url } = await as.listen({ port: 0 });
const asking = await latchkey({ login: "interactive", plugins: [inspector()] });
const { url: askingUrl } = await asking.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await Promise.all([as.close(), asking.close()]);
});

/** What "Next" is called on each page, and the heading of the page it leads to. */
const tour = [
  ["Next: send this request", "The server sends you back with a code"],
  ["Next: check the response", "The client checks the response"],
  ["Next: exchange the code", "The client exchanges the code"],
  ["Next: send this request", "The client gets the tokens"],
  ["Next: call an API", "The client calls an API"],
  ["Next: a mistake, and how to read it", "A mistake, and how to read it"],
  ["Next: try a wrong redirect URI", "The client is about to send a wrong redirect URI"],
  ["Next: send the wrong request", "The server rejects the request"],
] as const;

/** Presses the only filled button of the page. */
async function next({ page }: OpenedPage, label: string): Promise<void> {
  const button = page.locator("main .button:not(.plain)");
  assertEquals((await button.allTextContents()).map((text) => text.trim()), [label]);
  await button.click();
}

/** The button is on the first screen, above the words that explain it. */
async function assertInView({ page }: OpenedPage): Promise<void> {
  const { y, height } = (await page.locator("main .button:not(.plain)").boundingBox())!;
  assertLess(y + height, page.viewportSize()!.height);
}

for (const { name, options } of browserVariants) {
  test(`[DM-18, UI-15, UI-17] the tour and a mistake, from page to page: ${name}`, { skip }, async () => {
    await using opened = await openPage(`${url}/tour`, options);
    const { page } = opened;
    for (const [i, [label, heading]] of tour.entries()) {
      assertEquals(await findPageProblems(opened), [], heading);
      await assertInView(opened);
      await takeScreenshot(opened, `tour-${i + 1}-${name}`);
      await next(opened, label);
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
    }
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `tour-${tour.length + 1}-${name}`);
    await next(opened, "Next: read the rejection in Flows");
    await page.waitForURL(/\/flows\/\d+$/);
    assertStringIncludes(await page.locator("main").innerText(), `${url}/authorized/`);
  });
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with script" : "without script";
  test(`[DM-18, UI-15] with login pages the user logs in and allows during the tour: ${how}`, { skip }, async () => {
    await using opened = await openPage(`${askingUrl}/tour`, { javaScriptEnabled });
    const { page } = opened;
    const heading = (name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();
    await next(opened, "Next: send this request");
    await page.getByRole("button", { name: /Alice/ }).click();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await heading("The server sends you back with a code");
    for (const [label, name] of tour.slice(1, 5)) {
      await next(opened, label);
      await heading(name);
    }
    assertStringIncludes(await page.locator("main").innerText(), "Alice Adams");
    assertEquals(opened.problems, []);
  });
}

test("[DM-18] a code that was exchanged is rejected, and the page says why", { skip }, async () => {
  await using opened = await openPage(`${url}/tour`);
  const { page } = opened;
  for (const [label] of tour.slice(0, 4)) await next(opened, label);
  await page.getByRole("heading", { name: "The client gets the tokens" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "The server rejects the code" }).waitFor();
  assertEquals(await findPageProblems(opened), []);
  await next(opened, "Start the tour again");
  await page.getByRole("heading", { name: "The client sends you to the server" }).waitFor();
});
