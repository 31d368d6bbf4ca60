/** The whole round trip from the callback page in a real Chromium, step by step: `deno test -A tests/browser/`. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { after, test } from "node:test";
import { latchkey } from "../../src/mod.ts";
import { browserVariants, closeBrowser, executablePath, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const as = await latchkey();
const { url } = await as.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await as.close();
});

/** Buttons, and the text after pressing each. */
const journey = [
  ["Send a wrong verifier", "Wrong verifier rejected"],
  ["Exchange the code", "Code exchanged"],
  ["Call userinfo", "Userinfo returned the claims of the user"],
  ["Introspect", "The access token is active"],
  ["Refresh tokens", "Tokens refreshed"],
  ["Revoke tokens", "Tokens revoked"],
  ["Call userinfo", "Access token rejected"],
  ["Replay the code", "Second use of the code rejected"],
] as const;

// Without script nothing looks different, so one such walk is enough.
const walks = browserVariants.filter(({ name, options }) => !options.bare || name === "320-bare");

for (const { name, options } of walks) {
  test(`[DM-12, UI-15] a code through all steps, one button at a time: ${name}`, { skip }, async () => {
    await using opened = await openPage(`${url}/start`, options);
    const { page } = opened;
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `playground-0-arrived-${name}`);
    for (const [i, [button, heading]] of journey.entries()) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      assertEquals(new URL(page.url()).search, "");
      assertEquals(await findPageProblems(opened), [], heading);
      await takeScreenshot(opened, `playground-${i + 1}-${button.toLowerCase().replaceAll(" ", "-")}-${name}`);
    }
    assertEquals(await page.locator(".past li").count(), journey.length - 1);
    assertEquals(await page.locator(".past textarea:visible").count(), 0);
    for (const summary of await page.locator(".past summary").all()) await summary.click();
    // The texts of the oldest steps give way, so that the page stays small.
    const unfolded = await page.locator(".past summary").count();
    assert(unfolded >= journey.length - 3);
    assertEquals(await page.locator(".past textarea:visible").count(), unfolded);
    // Each is as high as what it holds.
    assertEquals(
      await page.locator(".past textarea").evaluateAll((texts) =>
        // deno-lint-ignore no-explicit-any
        (texts as any[]).filter((text) => text.scrollHeight > text.clientHeight + 1).length
      ),
      0,
    );
    // To unfold is a shift.
    assertEquals(await findPageProblems(opened, { shifts: false }), []);
    await takeScreenshot(opened, `playground-past-${name}`);
  });
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with script" : "without script";
  test(
    `[DM-13] a secret is masked, revealed by mouse or key, and masked again: ${how}`,
    { skip },
    async () => {
      await using opened = await openPage(`${url}/start`, { javaScriptEnabled });
      const { page } = opened;
      const show = page.getByRole("checkbox", { name: "Show the code verifier", exact: true }).first();
      const value = page.locator(".message .masked span").first();
      await page.getByRole("checkbox", { name: "Show all secrets" }).uncheck();
      assert(await value.isHidden());
      await show.click();
      assertMatch(await value.innerText(), /^[\w-]{43}$/);
      await show.press("Space");
      assert(await value.isHidden());
      const headers = page.locator(".fold").first();
      assertEquals(await headers.locator("span").first().isVisible(), false);
      await headers.locator("summary").press("Enter");
      assert(await headers.locator("span").first().isVisible());
    },
  );
}

test(
  "[DM-13] the tokens of a demo client are shown in parts until the user hides them, for the tab",
  { skip },
  async () => {
    await using opened = await openPage(`${url}/start`);
    const { page } = opened;
    const step = async (button: string) => {
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.locator("#exchange").waitFor();
    };
    const showAll = page.getByRole("checkbox", { name: "Show all secrets" });
    assert(await showAll.isChecked());
    assertEquals(await page.getByText("demo-secret").filter({ visible: true }).count(), 1);
    await step("Exchange the code");
    assert(await showAll.isChecked());
    assertMatch(await page.locator(".message .part-header:visible").first().innerText(), /^ey/);
    await showAll.uncheck();
    await step("Introspect");
    assertEquals(await showAll.isChecked(), false);
    assertEquals(await page.locator(".message .part-header:visible").count(), 0);
    await page.goto(`${url}/start`);
    assertEquals(await showAll.isChecked(), false);
    assertEquals(await page.locator(".masked span:visible").count(), 0);
    assertEquals(await page.getByText("demo-secret").filter({ visible: true }).count(), 0);
    await showAll.check();
    await step("Exchange the code");
    assert(await showAll.isChecked());
  },
);

test("[DM-13] a request is copied completely, with folded and masked parts", { skip }, async () => {
  await using opened = await openPage(`${url}/start`, { permissions: ["clipboard-read", "clipboard-write"] });
  const { page } = opened;
  await page.getByRole("button", { name: "Copy the token request", exact: true }).click();
  await page.getByRole("button", { name: "Copied the token request", exact: true }).waitFor();
  const copied = await page.evaluate("navigator.clipboard.readText()") as string;
  assertMatch(
    copied,
    /^POST \/oauth2\/token HTTP\/1\.1\nHost: localhost:\d+\nContent-Type: [^\n]+\nContent-Length: \d+\n\n/,
  );
  const [, body] = copied.split("\n\n");
  assertMatch(new URLSearchParams(body).get("code_verifier") ?? "", /^[\w-]{43}$/);
  assert(!body!.includes("\n"));
});

test("[DM-13] going back and forth shows the steps again, and sends nothing", { skip }, async () => {
  await using opened = await openPage(`${url}/start`);
  const { page } = opened;
  await page.getByRole("button", { name: "Exchange the code" }).click();
  await page.getByRole("heading", { name: "Code exchanged" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Authorization Successful!" }).waitFor();
  assertMatch(await page.locator("#examples").innerText(), /has been exchanged/);
  await page.getByRole("button", { name: "Replay the code" }).click();
  await page.getByRole("heading", { name: "Second use of the code rejected" }).waitFor();
});

test("[DM-12] a form on another site cannot send a step in this browser", { skip }, async () => {
  await using opened = await openPage(`${url}/start`);
  const { page } = opened;
  const fields = await page.locator("form.playground input").evaluateAll((inputs) =>
    // deno-lint-ignore no-explicit-any
    (inputs as any[]).map(({ name, value }) => [name, value])
  ) as [string, string][];
  const inputs = fields.map(([name, value]) => `<input name="${name}" value="${value}">`).join("");
  await page.route("https://evil.example/", (route) =>
    route.fulfill({
      contentType: "text/html",
      body:
        `<form method="post" action="${url}/authorized/try">${inputs}<button name="step" value="exchange">Win</button></form>`,
    }));
  await page.goto("https://evil.example/");
  const responded = page.waitForResponse(`${url}/authorized/try`);
  await page.getByRole("button", { name: "Win" }).click();
  assertEquals((await responded).status(), 403);
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with script" : "without script";
  test(
    `[DM-17, UI-15] the form of the start page sends each extension, and a device logs in: ${how}`,
    { skip },
    async () => {
      const strict = await latchkey({
        login: "interactive",
        responseModes: ["query", "form_post", "jwt", "form_post.jwt"],
        acrValues: [{ value: "urn:example:high" }],
      });
      const { url } = await strict.listen({ port: 0 });
      await using opened = await openPage(url, { javaScriptEnabled });
      const { page } = opened;
      const heading = (name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();
      const press = (name: string | RegExp) => page.getByRole("button", { name }).first().click();
      try {
        await page.getByRole("link", { name: "Start with extensions, or on a device" }).click();
        await heading("Try an authorization request");
        for (const name of [/^Push the request/, /^Bind code and tokens/]) {
          await page.getByRole("checkbox", { name }).check();
        }
        await page.getByRole("radio", { name: "form_post.jwt" }).check();
        await page.getByLabel("Levels of authentication").fill("urn:example:high");
        await press("Send the request");
        await press(/Alice/);
        await press("Allow");
        // Without script the response waits for a click.
        if (!javaScriptEnabled) await press(/Continue/);
        await heading("Authorization Successful!");
        await press("Exchange the code");
        await heading("Code exchanged");
        assertEquals(await page.locator(".verdict.off").count(), 0);
        await page.goto(`${url}/authorized/try`);
        await press("Log in on a device");
        await heading("Device authorization started");
        const tab = await page.context().newPage();
        await tab.goto(url + await page.getByRole("link", { name: "enter the code" }).getAttribute("href"));
        await tab.getByRole("button", { name: "Continue" }).click();
        await tab.getByRole("button", { name: "Allow" }).click();
        await tab.getByRole("heading", { name: "The device is connected" }).waitFor();
        await press("Poll for tokens");
        await heading("Tokens issued to the device");
        assertEquals(opened.problems, []);
      } finally {
        await strict.close();
      }
    },
  );
}
