/** The steps after `/authorized` in a real Chromium: `deno test -A tests/browser/steps_browser.ts`. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { latchkey } from "./server.ts";
import { browserVariants, executablePath, listen, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const as = await latchkey();
const url = await listen(as);

/** Buttons, and the text after pressing each. */
const journey = [
  ["Exchange the code", "Code exchanged"],
  ["Call userinfo", "Userinfo returned the claims of the user"],
  ["Introspect", "The access token is active"],
  ["Refresh tokens", "Tokens refreshed"],
  ["Replay the code", "Second use of the code rejected"],
  ["Revoke tokens", "Tokens revoked"],
  ["Call userinfo", "Access token rejected"],
] as const;

for (const { name, options } of browserVariants) {
  test(`[DM-12, UI-15] a code through all steps, one button at a time: ${name}`, { skip }, async () => {
    await using opened = await openPage(`${url}/start`, options);
    const { page } = opened;
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `step-0-arrived-${name}`);
    await page.locator("summary", { hasText: "Edit and send" }).click();
    await page.getByLabel("redirect_uri").fill(`${url}/authorized/`);
    // To unfold is a shift.
    assertEquals(await findPageProblems(opened, { shifts: false }), []);
    await page.getByRole("button", { name: "Send the edited request" }).click();
    await page.getByRole("heading", { name: "Code not exchanged", level: 1 }).waitFor();
    assertMatch(await page.locator("[role=alert]").innerText(), /redirect_uri does not match[^]*\[TK-15\]/);
    assertEquals(await findPageProblems(opened), []);
    const tops = new Set<number>();
    for (const [i, [button, heading]] of journey.entries()) {
      const primary = page.locator(".next-step .button:not(.plain)");
      const next = page.getByRole("button", { name: button, exact: true });
      if (i < 6) assertEquals(await primary.innerText(), button);
      // In one call: the page may still be scrolling.
      if (i < 6) tops.add(await next.evaluate("(button) => button.getBoundingClientRect().top + scrollY"));
      await next.click();
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      assertEquals(new URL(page.url()).search, "");
      assertEquals(await findPageProblems(opened), [], heading);
      await takeScreenshot(opened, `step-${i + 1}-${button.toLowerCase().replaceAll(" ", "-")}-${name}`);
      assertEquals(await page.locator(".stepper [aria-current] b").innerText(), i === 4 || i === 6 ? "✗" : "✓");
      await page.mouse.wheel(0, 10_000);
      assert(await page.locator(".stepper").isVisible());
    }
    if (!options.bare) assertEquals(tops.size, 1, "the primary button has one place");
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
  assertMatch(await page.locator(".opening").innerText(), /This code is used up/);
  assertMatch(await page.locator("#examples").innerText(), /has been exchanged/);
  await page.getByRole("button", { name: "Replay the code" }).click();
  await page.getByRole("heading", { name: "Second use of the code rejected" }).waitFor();
});

test("[DM-12] a form on another site cannot send a step in this browser", { skip }, async () => {
  await using opened = await openPage(`${url}/start`);
  const { page } = opened;
  const fields = await page.locator("form.next-step").first().locator("input").evaluateAll((inputs) =>
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
