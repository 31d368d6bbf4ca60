/** The page `/faults` in a browser: `deno test -A tests/browser/faults_browser.ts`. */

import { assert, assertEquals, assertLess } from "@std/assert";
import { after, test } from "node:test";
import { latchkey } from "../../src/mod.ts";
import { faultPages } from "../../src/testing/fault_pages/mod.ts";
import { faultDefinitions } from "../../src/testing/faults/mod.ts";
import { closeBrowser, executablePath, openPage } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const as = await latchkey({ plugins: [faultPages()] });
const { url } = await as.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await as.close();
});

/** The fault with the longest form. */
const { id: longest } = faultDefinitions.toSorted((a, b) => b.parameters.length - a.parameters.length)[0]!;

test("on a phone the page takes three screens, also with the longest form", { skip }, async () => {
  await using opened = await openPage(`${url}/faults`, { viewport: { width: 390, height: 844 } });
  const { page } = opened;
  for (const query of ["", `?fault=${longest}`, "?q=nonce"]) {
    await page.goto(`${url}/faults${query}`);
    assertLess(await page.evaluate("document.documentElement.scrollHeight"), 2500, query);
    assertEquals(await findPageProblems(opened), [], query);
  }
});

test(
  "an unfolded group has the whole width, and its links open the form of a fault",
  { skip },
  async () => {
    await using opened = await openPage(`${url}/faults`);
    const { page } = opened;
    const link = page.getByRole("link", { name: "ID token has the wrong nonce" });
    assertEquals(await link.isVisible(), false);
    await page.getByText("ID token (13)").click();
    assert(
      await page.evaluate(`(({ offsetWidth, parentElement }) => offsetWidth === parentElement.offsetWidth)
      (document.querySelector("details[open]"))`),
    );
    await link.click();
    await page.getByRole("textbox", { name: "Nonce" }).waitFor();
    const move = page.getByRole("button", { name: "Move the clock" });
    assertEquals(await move.isVisible(), false);
    await page.getByText("Clock and keys").click();
    await page.getByLabel("Move the clock by, in seconds").fill("-60");
    await move.click();
    await page.getByText("Clock set back by 1 minute").waitFor();
  },
);
