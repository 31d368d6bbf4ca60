/** The primary action of each page is on the first screen: `deno test -A tests/browser/first_screen_browser.ts`. */

import { assertEquals, assertLess } from "@std/assert";
import { after, test } from "node:test";
import { latchkey } from "./server.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { faultPages } from "../../src/testing/fault_pages/mod.ts";
import { closeBrowser, executablePath, openPage } from "./harness.ts";

const skip = executablePath === undefined;
const as = await latchkey({ plugins: [inspector()] });
const { url } = await as.listen({ port: 0 });
const asking = await latchkey({
  login: "interactive",
  plugins: [inspector(), faultPages()],
});
const { url: askingUrl } = await asking.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await as.close();
  await asking.close();
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
    // Home is a form: its button is on the first screen of a desktop, its first field on that of a phone.
    const first = page.locator(width < 1280 ? "#library" : "#connect .button").first();
    const { y, height: size } = (await first.boundingBox())!;
    assertLess(y + size, Math.min(height, 700), "home");
    await page.goto(`${url}/start`);
    await measure("callback page");
    await page.locator("summary", { hasText: "Edit and send" }).click();
    await page.getByLabel("redirect_uri").fill(`${url}/authorized/`);
    await page.getByRole("button", { name: "Send the edited request" }).click();
    await page.getByRole("heading", { name: "Code not exchanged" }).waitFor();
    await measure("rejected step");
    for (const name of ["Exchange the code", "Call userinfo"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await page.waitForLoadState("load");
      await measure(name);
    }
    await page.goto(`${url}/authorized?error=access_denied&error_description=Alice+denied+it`);
    await measure("failure");
    const redirectUri = encodeURIComponent(`${url}/authorised`);
    await page.goto(`${url}/oauth2/authorize?client_id=demo-public&redirect_uri=${redirectUri}`);
    await measure("rejection");
    await page.getByRole("link", { name: "See the whole flow" }).click();
    await page.waitForLoadState("load");
    await measure("rejected flow");
    await page.goto(`${url}/oauth2/token`);
    await measure("endpoint in a browser");
    await page.goto(`${url}/flows/1`);
    for (const text of ["Expected", "Received", "How to fix it:"]) {
      const { y, height: boxHeight } = (await page.getByText(text).first().boundingBox())!;
      assertLess(y + boxHeight, height, text);
    }
    if (width < 1280) return;
    // The rejected step is beside its fix.
    const step = (await page.locator("#step-2").boundingBox())!;
    const fix = (await page.locator(".reason").boundingBox())!;
    assertEquals([step.y === fix.y, step.x > fix.x + fix.width, step.y < 300], [true, true, true]);
  });
}

test("three places take one line of a phone", { skip }, async () => {
  await using opened = await openPage(`${askingUrl}/flows`, { viewport: { width: 390, height: 844 } });
  const { page } = opened;
  const links = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").all();
  assertEquals(links.length, 3);
  const boxes = await Promise.all(links.map((link) => link.boundingBox()));
  for (const box of boxes) assertLess(Math.abs(box!.y - boxes[0]!.y), 4);
});

for (const [width, height] of [[390, 844], [1280, 800]] as const) {
  test(`the primary action of every page is on the first screen: ${width} by ${height}`, { skip }, async () => {
    await using opened = await openPage(`${url}/start`, { viewport: { width, height } });
    const { page } = opened;
    const measure = async (name: string, selector = "main .button") => {
      const { y, height: size } = (await page.locator(selector).first().boundingBox())!;
      assertLess(y + size, height + 1, name);
    };
    for (const path of ["/", "/clients", "/clients/demo-public", "/users", "/tokens", "/authorized", "/device"]) {
      await page.goto(url + path);
      await measure(path);
    }
    await page.goto(`${url}/users/alice`);
    await measure("the form of a user", ".form .button");
    await page.goto(`${url}/flows`);
    await measure("flows", "#flows a");
    await page.locator("#flows a").first().click();
    await measure("flow", "main h1");
    const query = new URLSearchParams({
      ...{ client_id: "demo-public", redirect_uri: `${askingUrl}/authorized`, response_type: "code" },
      ...{ code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" },
      scope: "openid profile email read offline_access",
    });
    await page.goto(`${askingUrl}/oauth2/authorize?${query}`);
    await measure("login", "main .person");
    await page.locator("main .person").first().click();
    // The decision follows the permissions, which it must not cover.
    await measure("consent", ".grants legend");
    await page.getByRole("button", { name: "Allow" }).click();
    await measure("callback page");
    await page.goto(`${askingUrl}/account`);
    await measure("account");
  });
}
