/** The demo flow of the real server in a real Chromium, like a first-time user: `deno test -A tests/browser/`. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { latchkey } from "./server.ts";
import { executablePath, listen, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const as = await latchkey();
const url = await listen(as);

/** Runs copied text like a user: pasted into a shell. */
async function paste(command: string): Promise<Record<string, unknown>> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", `${command} --silent --show-error`] }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

for (const name of ["public", "confidential"]) {
  test(`[DM-05] from the start to a token as a ${name} client, with one paste`, { skip }, async () => {
    await using opened = await openPage(url, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page, problems } = opened;
    await takeScreenshot(opened, "real-home");
    if (name === "public") await page.getByRole("link", { name: "Start the demo flow", exact: true }).click();
    else await page.goto(`${url}/start?client_id=demo-confidential`);
    await page.getByRole("heading", { name: "Authorization Successful!", level: 1 }).waitFor();
    const { searchParams } = new URL(page.url());
    const values = page.locator(".opening .wire");
    assertEquals(await values.nth(0).textContent(), searchParams.get("code"));
    assertEquals(await values.nth(1).textContent(), searchParams.get("state"));
    await takeScreenshot(opened, `real-authorized-${name}`);
    assertStringIncludes(
      await page.locator("#examples .good").innerText(),
      `issued to demo-${name}: the request below works`,
    );

    await page.getByRole("button", { name: `Copy the request as a ${name} client` }).click();
    const command = await page.evaluate("navigator.clipboard.readText()") as string;
    const response = await paste(command);
    assertEquals(response.token_type, "Bearer", JSON.stringify(response));
    assertEquals((await paste(command)).error, "invalid_grant");

    await page.getByRole("link", { name: "Start New Authorization" }).first().click();
    await page.waitForURL((next) => next.searchParams.get("code") !== searchParams.get("code"));
    await page.getByRole("link", { name: "Back to Home" }).first().click();
    await page.waitForURL(({ pathname }) => pathname === "/");
    assertEquals(problems, []);
  });
}

test("[UI-15] the demo flow works without script", { skip }, async () => {
  await using opened = await openPage(url, { javaScriptEnabled: false });
  const { page } = opened;
  await page.getByRole("link", { name: "Start the demo flow" }).click();
  assertEquals(await page.locator("h1").textContent(), "Authorization Successful!");
  assertEquals(await page.locator("pre:visible").count(), 2);
});

test(
  "[DM-05] on a phone a line of the example requests does not wrap: its box scrolls, also by keyboard",
  { skip },
  async () => {
    await using opened = await openPage(`${url}/start`, { viewport: { width: 390, height: 844 } });
    const commands = opened.page.getByRole("region", { name: /^Request as / });
    assertEquals(await commands.count(), 2);
    for (const command of await commands.all()) {
      const [lines, shown, isWider] = await command.evaluate((box) => [
        box.textContent.split("\n").length,
        Math.round(box.clientHeight / parseFloat(getComputedStyle(box).lineHeight)),
        box.scrollWidth > box.clientWidth,
      ]);
      assertEquals([shown, isWider], [lines, true]);
      await command.focus();
      await opened.page.keyboard.press("ArrowRight");
      await command.evaluate((box) =>
        new Promise<void>((done) => {
          box.addEventListener("scroll", () => done());
          if (box.scrollLeft > 0) done();
        })
      );
    }
    assertEquals(await findPageProblems(opened), []);
  },
);

test("[DM-08] nothing in the URL of the callback page executes or loads", { skip }, async () => {
  const hostile = `"><img src=//evil.example onerror=alert(1)><script>alert(1)</script>';id;'`;
  for (const names of [["code", "state"], ["error", "error_description"], ["code", "code"]]) {
    const query = names.map((name) => `${name}=${encodeURIComponent(hostile)}`).join("&");
    await using opened = await openPage(`${url}/authorized?${query}`, { viewport: { width: 320, height: 640 } });
    const { page, problems } = opened;
    assertEquals([problems, await page.locator("img, script").count()], [[], 2]);
    assertEquals(await findPageProblems(opened), []);
  }
});

test("[DM-01] a failed authorization links home", { skip }, async () => {
  await using opened = await openPage(`${url}/authorized?error=access_denied&error_description=Alice+denied+it`);
  const { page } = opened;
  assertEquals(await page.locator("h1").textContent(), "Authorization Failed");
  assertMatch(await page.locator("[role=alert]").innerText(), /access_denied[^]*Alice denied it/);
  await page.getByRole("link", { name: "Back to Home" }).first().click();
  await page.waitForURL(({ pathname }) => pathname === "/");
});

test(
  "[UI-13] a redirect URI with one wrong character is rejected here, and the character is marked and named",
  { skip },
  async () => {
    const redirect = encodeURIComponent(`${as.issuer}/authorised`);
    await using opened = await openPage(
      `${url}/oauth2/authorize?response_type=code&client_id=demo-public&redirect_uri=${redirect}`,
    );
    const { page } = opened;
    assertEquals(await page.locator("h1").textContent(), "Request rejected");
    assertEquals(await page.locator("mark").allTextContents(), ["z", "s"]);
    assertMatch(
      await page.locator(".comparison").innerText(),
      /Difference\s+Expected "z", received "s" after "…\/authori"/,
    );
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, "real-rejected");
  },
);

test("an unknown URL has an error page", { skip }, async () => {
  await using opened = await openPage(`${url}/nowhere`);
  assertEquals(await opened.page.locator("h1").textContent(), "Not found");
});
