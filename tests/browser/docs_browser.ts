/** The site of the documents in a real Chromium: its search, its pages. Screenshots go to LATCHKEY_SHOTS. */

import { assert, assertEquals, assertLess } from "@std/assert";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
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

test(
  "the search is used by keyboard, shows a line of each section, and asks only its own origin",
  { skip },
  async () => {
    await using opened = await openPage(`${origin}/`);
    const { page, problems } = opened;
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    await page.keyboard.press("/");
    await page.getByRole("searchbox").fill("refresh token rotation");
    const first = page.locator("form[role=search] li a").first();
    await first.waitFor();
    assert(await page.locator("form[role=search] li").count() > 2);
    assert((await first.locator("span").textContent())!.length > 20);
    await takeScreenshot(opened, "docs-search");
    assertEquals(await findPageProblems(opened, { shifts: false }), []);
    const link = new URL(await first.getAttribute("href") ?? "", `${origin}/`).href;
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(link);
    assertEquals([problems, requested.filter((url) => !url.startsWith(`${origin}/`))], [[], []]);
  },
);

test("the search shows pages only for the newest query, and Escape ends it", { skip }, async () => {
  await using opened = await openPage(`${origin}/reference/rules.html`);
  const { page } = opened;
  const box = page.getByRole("searchbox");
  await box.fill("TK-15");
  await page.locator("form[role=search] a[href*='rules.html#tk-15']").waitFor();
  await box.fill("qqqq");
  await page.getByText("Nothing found").waitFor({ state: "attached" });
  assertEquals(await page.locator("form[role=search] li").count(), 0);
  await box.press("Escape");
  assertEquals([await box.inputValue(), await page.locator("form[role=search] [role=status]").textContent()], ["", ""]);
});

const paths = [
  ...["index", "code/src/cli", "reference/commands", "reference/control", "reference/faults"],
  ...["reference/mock-options", "reference/settings-clients", "reference/settings-tokens"],
  ...readdirSync("static/docs").filter((file) => file.endsWith(".md")).map((file) => `guides/${file.slice(0, -3)}`),
];
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

test("the first page takes less than 40 kB besides its pictures", { skip }, async () => {
  await using opened = await openPage("about:blank");
  const loaded: string[] = [];
  opened.page.on("response", (response) => loaded.push(new URL(response.url()).pathname.replace(/\/$/, "/index.html")));
  await opened.page.goto(`${origin}/`, { waitUntil: "load" });
  assertLess(
    loaded.filter((path) => !path.endsWith(".png")).map((path) => statSync(join(folder, path)).size).reduce((
      sum,
      size,
    ) => sum + size),
    40_000,
  );
});
