/** The page `/faults` in a browser: `deno test -A tests/browser/faults_browser.ts`. */

import { assertEquals, assertLess } from "@std/assert";
import { test } from "node:test";
import { latchkey } from "./server.ts";
import { faultPages } from "../../src/testing/fault_pages/mod.ts";
import { allFaults } from "../../src/check/fault.ts";
import { executablePath, listen, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const as = await latchkey({ plugins: [faultPages()] });
const url = await listen(as);

/** The fault with the longest form. */
const { id: longest } = allFaults.toSorted((a, b) => b.parameters.length - a.parameters.length)[0]!;

test("on a phone the page takes three screens, and the longest form a little more", { skip }, async () => {
  await using opened = await openPage(`${url}/faults`, { viewport: { width: 390, height: 844 } });
  const { page } = opened;
  for (const query of ["", `?fault=${longest}`, "?q=nonce"]) {
    await page.goto(`${url}/faults${query}`);
    const height: number = await page.evaluate("document.documentElement.scrollHeight");
    assertLess(height, query === `?fault=${longest}` ? 2700 : 2532, `${query}: ${height}`);
    assertEquals(await findPageProblems(opened), [], query);
  }
});

test("the search filters while one types, and a link opens the form of a fault", { skip }, async () => {
  await using opened = await openPage(`${url}/faults`);
  const { page } = opened;
  const link = page.locator('[data-text*="idtoken.missingnonce"] a');
  assertEquals(await link.isVisible(), false);
  await page.getByLabel("Find a fault").pressSequentially("missingnonce");
  await page.getByRole("heading", { name: "1 fault with “missingnonce”" }).waitFor();
  assertEquals(await link.isVisible(), true);
  await page.getByLabel("Find a fault").fill("");
  await page.getByRole("heading", { name: `All ${allFaults.length} faults` }).waitFor();
  assertEquals(await link.isVisible(), false);
  await page.getByLabel("Find a fault").fill("nonce");
  await link.click();
  await page.getByRole("button", { name: "Add the fault" }).waitFor();
  await page.getByText("What expires, and other times").click();
  await page.getByLabel("Seconds", { exact: true }).fill("-60");
  await page.getByRole("button", { name: "Move the clock" }).click();
  await page.getByText("Clock set back by 1 minute").waitFor();
});

test("clock and common faults are on the first screen", { skip }, async () => {
  await using opened = await openPage(`${url}/faults`, { viewport: { width: 1280, height: 900 } });
  const { page } = opened;
  for (const button of await page.locator("#common button, #clock button:visible, #keys button:visible").all()) {
    const box = await button.boundingBox();
    assertLess(box!.y + box!.height, 900);
  }
  assertEquals(await page.locator("#common button").count(), 6);
  await takeScreenshot(opened, "faults");
  await page.goto(`${url}/faults?fault=status`);
  await takeScreenshot(opened, "faults-status");
});
