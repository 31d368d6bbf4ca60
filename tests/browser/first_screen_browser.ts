/** The primary action of each page is on the first screen: `deno test -A tests/browser/first_screen_browser.ts`. */

import { assertLess } from "@std/assert";
import { after, test } from "node:test";
import { latchkey } from "../../src/mod.ts";
import { closeBrowser, executablePath, openPage } from "./harness.ts";

const skip = executablePath === undefined;
const as = await latchkey();
const { url } = await as.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await as.close();
});

/** Bottom of the primary button in pixels, and the words of the main part before it. */
const primaryAction = `(() => {
  const button = document.querySelector("main .button");
  const range = document.createRange();
  range.setStart(document.querySelector("main"), 0);
  range.setEndBefore(button);
  return [button.getBoundingClientRect().bottom + scrollY, range.toString().split(/\\s+/).filter(Boolean).length];
})()`;

for (const [width, height] of [[1280, 800], [320, 640]] as const) {
  test(`the primary action is on the first screen, after few words: ${width} by ${height}`, { skip }, async () => {
    await using opened = await openPage(url, { viewport: { width, height } });
    const { page } = opened;
    const measure = async (name: string) => {
      const [bottom, words] = await page.evaluate(primaryAction) as [number, number];
      assertLess(bottom, height, name);
      assertLess(words, 60, name);
    };
    await measure("home");
    await page.goto(`${url}/start`);
    await measure("callback page");
    for (const name of ["Send a wrong verifier", "Exchange the code", "Call userinfo"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await page.waitForLoadState("load");
      await measure(name);
    }
    await page.goto(`${url}/authorized?error=access_denied&error_description=Alice+denied+it`);
    await measure("failure");
  });
}
