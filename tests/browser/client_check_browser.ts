/** The check of a client of a running server, by clicks in a real Chromium, with scripts and without. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { after, test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { latchkey } from "./server.ts";
import { checkPages } from "../../src/check/check_pages.ts";
import { clientCheck } from "../../src/check/client_check.ts";
import { startWebApplication } from "../check/small_web_application.ts";
import { until } from "../until.ts";
import { closeBrowser, executablePath, type OpenOptions, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const check = clientCheck();
const as = await latchkey({ alg: "RS256", plugins: [check.plugin, inspector(), checkPages(check)] });
const { url } = await as.listen({ port: 0 });
const application = await startWebApplication(() => ({
  ...{ issuer: as.issuer, clientId: "shop", mistake: "does not verify the ID token" },
}));
await as.clients.set({ client_id: "shop", redirect_uris: [`${application.url}/callback`] });
after(async () => {
  await closeBrowser();
  await application[Symbol.asyncDispose]();
  await as.close();
});

const variants: readonly (readonly [name: string, options: OpenOptions])[] = [
  ["390", { viewport: { width: 390, height: 800 } }],
  ["390-bare", { viewport: { width: 390, height: 800 }, javaScriptEnabled: false }],
  ["1280", { viewport: { width: 1280, height: 800 } }],
];

test("[CO-07] the check of a client takes two clicks from its page, and nothing typed", { skip }, async () => {
  await using opened = await openPage(`${url}/clients/shop`);
  const { page, problems } = opened;
  const clicked = [
    page.getByRole("link", { name: "Check how this client responds to attacks" }),
    page.getByRole("button", { name: "Start the check" }),
  ];
  for (const target of clicked) await target.click();
  await page.locator("progress").waitFor();
  await page.getByRole("button", { name: "Stop and show the report" }).click();
  await page.waitForURL(`${url}/flows/check`);
  assertEquals(await page.locator("h1").innerText(), `Check of ${application.url}`);
  assertEquals(problems, []);
});

for (const [name, options] of variants) {
  test(`[CO-07] a client is checked from its page: ${name}`, { skip }, async () => {
    await using opened = await openPage(`${url}/clients/shop`, options);
    const { page } = opened;
    const hasScripts = options.javaScriptEnabled !== false;
    const assertNoProblems = async () => {
      if (hasScripts) assertEquals(await findPageProblems(opened), [], page.url());
      else assertEquals(opened.problems, []);
    };
    await page.getByRole("link", { name: "Check how this client responds to attacks" }).click();
    await assertNoProblems();
    await takeScreenshot(opened, `client-check-form-${name}`);
    await page.getByLabel("Login URL").fill("https://app.example.com/login");
    await page.getByRole("button", { name: "Start the check" }).click();
    assertStringIncludes(await page.getByRole("alert").innerText(), "No check was started.");
    await assertNoProblems();
    await page.getByLabel("Login URL").fill(`${application.url}/login`);
    await page.getByLabel("Page of the user").fill(`${application.url}/me`);
    // Unfolded already where an earlier check had values for it.
    for (const folded of await page.locator("main details:not([open]) > summary").all()) await folded.click();
    await page.getByLabel("Only these attacks").fill("id-token/signed-by-stranger");
    await page.getByRole("button", { name: "Start the check" }).click();
    await takeScreenshot(opened, `client-check-running-${name}`);
    if (!hasScripts) {
      await until(() => check.state().status !== "running");
      await page.getByRole("link", { name: "Reload" }).click();
    }
    await page.waitForURL(`${url}/flows/check`);
    assertEquals(await page.evaluate(() => document.querySelector("h1")?.textContent), `Check of ${application.url}`);
    await page.locator("main details.group > summary").click();
    assertMatch(await page.locator("main").innerText(), /id-token\/signed-by-stranger/);
    await page.getByRole("link", { name: "Back to the client" }).click();
    await page.waitForURL(`${url}/clients/shop`);
  });
}

test("[CO-07] a running check is accessible, and stops by a click", { skip }, async () => {
  await using opened = await openPage(`${url}/clients/shop/check`);
  const { page } = opened;
  await page.getByLabel("Only these attacks").fill("");
  await page.getByRole("button", { name: "Start the check" }).click();
  await page.locator("progress").waitFor();
  assertEquals(await findPageProblems(opened), []);
  await takeScreenshot(opened, "client-check-progress");
  await page.getByRole("button", { name: "Stop and show the report" }).click();
  await page.waitForURL(`${url}/flows/check`);
  assertEquals(check.state().status, "stopped");
  assert((await page.locator(".notice.bad").allInnerTexts()).some((text) => text.includes("stopped")));
});
