/** The documentation in a real Chromium: layout, accessibility, and the search by keyboard. */

import { assertEquals, assertMatch } from "@std/assert";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { documentation } from "../../src/docs/mod.ts";
import { latchkey } from "../../src/mod.ts";
import { browserVariants, closeBrowser, executablePath, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const as = await latchkey({ plugins: [documentation((path) => readFile(path, "utf8"))], alg: "ES256" });
const { url } = await as.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await as.close();
});

/** A page of each kind: lists, tables, examples, members of a setting. */
const paths = [
  "/docs",
  "/docs/rules",
  "/docs/rules/PK",
  "/docs/rules/PK-09",
  "/docs/settings/clients",
  "/docs/attacks/token",
  "/docs/guides/latchkey",
  "/docs/guides/testing/in-your-test-runner",
  "/docs/guides/testing/faults-what-your-client-must-survive",
  "/docs/guides/moving",
];

for (const { name, options } of browserVariants) {
  test(`[DC-02, UI-17] the documentation has no errors and is accessible: ${name}`, { skip }, async () => {
    await using opened = await openPage(url, options);
    for (const path of paths) {
      assertEquals((await opened.page.goto(url + path))?.status(), 200);
      assertEquals(await findPageProblems(opened), [], path);
      if (!options.bare) await takeScreenshot(opened, `${path.slice(1).replaceAll("/", "-")}-${name}`);
    }
  });
}

test(
  "[DC-06] the search finds a rule by its ID and a setting by its text, by keyboard alone, without a request per text",
  { skip },
  async () => {
    await using opened = await openPage(`${url}/docs`);
    const { page } = opened;
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.keyboard.press("/");
    await page.keyboard.type("pk-09");
    const results = page.locator("#found a");
    await results.first().waitFor();
    assertEquals(await results.first().textContent(), "PK-09");
    await page.keyboard.press("Escape");
    assertEquals([await results.count(), await page.locator("#search").inputValue()], [0, ""]);
    await page.keyboard.type("rotated keys");
    await results.first().waitFor();
    assertMatch((await page.locator("#count").textContent())!, /^20 of \d+ pages; another word narrows the search$/);
    assertEquals(await results.count(), 20);
    assertEquals(await findPageProblems(opened, { shifts: false }), []);
    assertEquals(requests, ["/docs/search.json"]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    assertEquals(await results.first().evaluate((link) => link === document.activeElement), true);
    const target = (await results.first().getAttribute("href"))!;
    await page.keyboard.press("Enter");
    await page.waitForURL(url + target);
  },
);

test(
  "[DC-06] the search finds a page by the words on it, titles first, and says when it finds nothing",
  { skip },
  async () => {
    await using opened = await openPage(`${url}/docs`);
    const { page } = opened;
    const found = { "code used twice": "CI-06", "code replay": "CI-06", "grant_types": "clients.grant_types" };
    for (const [text, title] of Object.entries(found)) {
      await page.locator("#search").fill(text);
      await page.locator("#found li:first-child a", { hasText: title }).waitFor();
    }
    for (const text of ["reuse", "code reuse", "already used", "replayed codes"]) {
      await page.locator("#search").fill(text);
      await page.locator("#found a", { hasText: "CI-06" }).waitFor();
      assertMatch((await page.locator("#count").textContent())!, /^(?:1 page|\d+ pages)$/);
    }
    await page.locator("#search").fill("xyzzy");
    await page.locator("#count:visible", { hasText: "Nothing found" }).waitFor();
    assertEquals(await page.locator("#found a").count(), 0);
    await page.locator("#search").fill("xyzzy pkce");
    await page.locator("#count", { hasText: "No page has all of these words. " }).waitFor();
    await page.locator("#found a").first().waitFor();
  },
);

test("[DC-06] without script the start is a list of links, and the field is hidden", { skip }, async () => {
  await using opened = await openPage(`${url}/docs`, { javaScriptEnabled: false });
  assertEquals(await opened.page.locator("#search:visible").count(), 0);
  assertEquals(await opened.page.getByRole("link", { name: "Rules", exact: true }).count(), 1);
});
