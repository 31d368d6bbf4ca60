/** The report of a check, as a page and as a document, and the page of faults, in a real Chromium. */

import { assert, assertEquals, assertLessOrEqual, assertMatch, assertStringIncludes } from "@std/assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { inspector } from "../../src/devtools/mod.ts";
import { latchkey } from "./server.ts";
import { faultPages } from "../../src/testing/fault_pages/mod.ts";
import { checkClientWithEdDsa } from "../check/patient_check.ts";
import { reportPages } from "../check/report_pages.ts";
import { smallClient } from "../check/small_client.ts";
import { browserVariants, closeBrowser, executablePath, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const folder = mkdtempSync(join(tmpdir(), "latchkey-report-"));
const client = smallClient("checks nothing");
let report = await checkClientWithEdDsa(client, { only: ["response", "transport/hang"] });
const file = join(folder, "report.html");
writeFileSync(file, await report.toHTML());
const flows = inspector();
const as = await latchkey({
  alg: "ES256",
  plugins: [flows, faultPages(), reportPages(() => report)],
});
const { url } = await as.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await as.close();
  rmSync(folder, { recursive: true });
});

for (const { name, options } of browserVariants) {
  test(`the report and the faults have no errors and are accessible: ${name}`, { skip }, async () => {
    const pages = [
      ["report", `${url}/flows/check`],
      ["warnings", `${url}/flows/check?show=warning`],
      ["attack", `${url}/flows/check/1`],
      ["faults", `${url}/faults`],
      ["fault", `${url}/faults?client=demo-public&fault=error`],
      ["document", pathToFileURL(file).href],
    ] as const;
    await using opened = await openPage(pages[0][1], options);
    for (const [what, address] of pages) {
      await opened.page.goto(address);
      // A document without scripts announces nothing.
      const problems = (await findPageProblems(opened))
        .filter((problem) => what !== "document" || !problem.startsWith("0 of [role=status]"));
      assertEquals(problems, [], address);
      await takeScreenshot(opened, `check-${what}-${name}`);
    }
  });
}

test("the report of a client that fails many attacks has four screens, and all of it on paper", { skip }, async () => {
  report = await checkClientWithEdDsa(client);
  await using opened = await openPage(`${url}/flows/check`, { viewport: { width: 1280, height: 900 } });
  const { page } = opened;
  assertLessOrEqual(await page.evaluate(() => document.documentElement.scrollHeight), 4 * 900);
  const isCut = "({ clientWidth, scrollWidth }) => scrollWidth > clientWidth";
  assertEquals(await page.evaluate(`[...document.querySelectorAll("summary")].filter(${isCut}).length`), 0);
  const repeat = page.locator("#warning dd .wire").last();
  assert(!await repeat.isVisible());
  await page.emulateMedia({ media: "print" });
  assert(await repeat.isVisible());
});

test("from the score to the flow of an attack: three clicks", { skip }, async () => {
  await using opened = await openPage(`${url}/flows/check`);
  const { page } = opened;
  await page.getByRole("link", { name: /Warnings$/ }).click();
  const row = page.locator(".attack").first();
  await row.locator("summary").click();
  await row.getByRole("link", { name: /^Flow/ }).first().click();
  await page.waitForURL(/\/\d+$/);
  const { attack: { id } } = report.results[Number(page.url().split("/").at(-1)) - 1]!;
  assertStringIncludes(await page.locator(".facts-line").innerText(), id);
});

test("a fault is chosen on the page of a client, added and removed by clicks", { skip }, async () => {
  await using opened = await openPage(`${url}/clients/demo-public`);
  const { page } = opened;
  await page.getByRole("link", { name: "Choose a fault for the next request of this client" }).click();
  await page.locator("summary", { hasText: "By what they change" }).click();
  await page.locator("summary", { hasText: "Whole response" }).click();
  await page.getByRole("link", { name: "Connection is dropped" }).click();
  await page.getByRole("button", { name: "Add the fault" }).click();
  assertMatch(await page.locator("#rules").innerText(), /drop at token, for the next request of demo-public: fired 0/);
  await page.getByRole("button", { name: /^Remove/ }).click();
  await page.getByText("Fault removed: drop at token").waitFor();
  assertEquals(await page.locator("#rules").count(), 0);
});
