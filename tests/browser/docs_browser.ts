/** The site of the documents in a real Chromium: its search, its pages. Screenshots go to LATCHKEY_SHOTS. */

import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { questions } from "../../scripts/docs/questions.ts";
import { serveSite } from "../../scripts/docs/serve.ts";
import { sample } from "../sample.ts";
import { browserVariants, closeBrowser, executablePath, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;

const folder = mkdtempSync(join(tmpdir(), "latchkey-docs-"));
if (!skip) execFileSync(Deno.execPath(), ["task", "--quiet", "docs", "--output", folder], { stdio: "inherit" });

const { origin, close } = serveSite(folder, 0);
after(async () => {
  await closeBrowser();
  await close();
  rmSync(folder, { recursive: true });
});

test("the search has the right page first for at least 38 of the questions of users", { skip }, async () => {
  await using opened = await openPage(`${origin}/`);
  const { page, problems } = opened;
  const requested: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  await page.keyboard.press("/");
  const wrong: string[] = [];
  for (const { asks, sections } of questions) {
    await page.getByRole("searchbox").fill(asks);
    const first = page.locator("form[role=search] li a").first();
    await first.waitFor();
    const found = new URL(await first.getAttribute("href") ?? "", `${origin}/`).pathname;
    if (!sections.some((section) => found === `/${section.split("#")[0]}.html`)) wrong.push(`${asks}: ${found}`);
  }
  assert(questions.length >= 40 && wrong.length <= questions.length - 38, wrong.join("\n"));
  await takeScreenshot(opened, "docs-search");
  assertEquals(await findPageProblems(opened, { shifts: false }), []);
  const first = await page.locator("form[role=search] li a").first().getAttribute("href");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(new URL(first!, `${origin}/`).href);
  assertEquals([problems, requested.filter((url) => !url.startsWith(`${origin}/`))], [[], []]);
});

test("the search shows pages only for the newest query, and Escape ends it", { skip }, async () => {
  await using opened = await openPage(`${origin}/rules/PK-09.html`);
  const { page } = opened;
  const box = page.getByRole("searchbox");
  await box.fill("TK-15");
  await page.locator("form[role=search] a[href*='rules/TK-15.html']").waitFor();
  await box.fill("qqqq");
  await page.getByText("No page found").waitFor({ state: "attached" });
  assertEquals(await page.locator("form[role=search] li").count(), 0);
  await box.press("Escape");
  assertEquals([await box.inputValue(), await page.locator("form[role=search] [role=status]").textContent()], ["", ""]);
});

const paths = ["index", "rules/PK-09", "rules/PK", "do/troubleshooting", "look-up/glossary", "look-up/settings"];
for (const [place, { name, options }] of browserVariants.entries()) {
  test(`the site has no errors and is accessible: ${name}`, { skip }, async () => {
    await using opened = await openPage(`${origin}/`, options);
    for (const path of sample(paths, 2, place)) {
      await opened.page.goto(`${origin}/${path}.html`);
      assertEquals(await findPageProblems(opened), [], path);
      if (!options.bare) await takeScreenshot(opened, `docs-${path.replaceAll("/", "-")}-${name}`);
    }
  });
}

test("the first page takes less than 30 kB", { skip }, async () => {
  await using opened = await openPage("about:blank");
  const loaded: string[] = [];
  opened.page.on("response", (response) => loaded.push(new URL(response.url()).pathname.replace(/\/$/, "/index.html")));
  await opened.page.goto(`${origin}/`, { waitUntil: "load" });
  assertLess(loaded.map((path) => statSync(join(folder, path)).size).reduce((sum, size) => sum + size), 30_000);
});

test("the page of a rule has the request that the server rejected, and stands beside its Markdown", { skip }, () => {
  const text = readFileSync(join(folder, "rules/TK-15.md"), "utf8");
  assertStringIncludes(text, '"error_description": "redirect_uri does not match the authorization request [TK-15]"');
  assertStringIncludes(readFileSync(join(folder, "rules/TK-15.html"), "utf8"), 'href="../rules/TK-15.md"');
});
