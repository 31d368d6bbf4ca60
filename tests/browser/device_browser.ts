/** The page for the code of a device, of the real server in a real Chromium. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { after, test } from "node:test";
import type { Started } from "../server/extensions/device/device_server.ts";
import { latchkey } from "./server.ts";
import { closeBrowser, executablePath, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const grantType = "urn:ietf:params:oauth:grant-type:device_code";
const clients = [{ client_id: "tv", client_name: "Home cinema", grant_types: [grantType] }];
const as = await latchkey({ login: "interactive", clients });
const { url } = await as.listen({ port: 0 });
const auto = await latchkey({
  clients,
  // Leaves the decision to the page.
  approver: async (request, { users, context, now }) =>
    context.endpoint?.name === "device"
      ? { user: (await users.list({ limit: 1 }))[0]!, scope: request.scope, authTime: now() }
      : new Response(null),
});
const { url: autoUrl } = await auto.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await as.close();
  await auto.close();
});

async function start(server: string): Promise<Started> {
  const body = new URLSearchParams({ client_id: "tv", scope: "openid email read" });
  return await (await fetch(`${server}/oauth2/device_authorization`, { method: "POST", body })).json();
}

async function poll(server: string, device_code: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: grantType, client_id: "tv", device_code });
  const response = await fetch(`${server}/oauth2/token`, { method: "POST", body });
  const { error } = await response.json();
  return error ?? String(response.status);
}

for (
  const [how, options] of [
    ["wide, with script", { viewport: { width: 1280, height: 800 } }],
    ["320 px, without script", { javaScriptEnabled: false, viewport: { width: 320, height: 640 } }],
  ] as const
) {
  const picture = how.split(/[ ,]/, 1)[0];
  test(`[DV-06, DV-07] type the code, log in, allow: ${how}`, { skip }, async () => {
    const { device_code, user_code, verification_uri } = await start(url);
    await using opened = await openPage(verification_uri, options);
    const { page } = opened;
    const heading = () => page.locator("h1").textContent();
    assertEquals(await heading(), "Connect a device");
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `device-code-${picture}`);
    await page.getByLabel("Code").fill("BCDF-GHJK");
    await page.keyboard.press("Enter");
    await page.waitForLoadState();
    assertStringIncludes(await page.getByRole("alert").innerText(), "This server does not know the code.");
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `device-wrong-${picture}`);
    await page.getByLabel("Code").fill(user_code.toLowerCase());
    await page.getByRole("button", { name: "Continue" }).click();
    assertEquals(await heading(), "Log in to Home cinema");
    await page.locator(".person").first().click();
    assertEquals(await heading(), "Allow Home cinema to access your account?");
    assertStringIncludes(await page.locator(".facts").innerText(), user_code);
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `device-consent-${picture}`);
    assertEquals(await poll(url, device_code), "authorization_pending");
    await page.getByRole("button", { name: "Allow" }).click();
    assertEquals(await heading(), "The device is connected");
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `device-connected-${picture}`);
    assertEquals(await poll(url, device_code), "200");
  });

  test(`[DV-06] the link fills in the code; the page asks where no other page does: ${how}`, { skip }, async () => {
    const { device_code, user_code, verification_uri_complete } = await start(autoUrl);
    await using opened = await openPage(verification_uri_complete, options);
    const { page } = opened;
    assertEquals(await page.getByLabel("Code").inputValue(), user_code);
    await page.getByRole("button", { name: "Continue" }).click();
    assertEquals(await page.locator("h1").textContent(), "Connect Home cinema on a device?");
    assertStringIncludes(await page.locator("main").innerText(), "the network of this browser");
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `device-confirm-${picture}`);
    assertEquals(await poll(autoUrl, device_code), "authorization_pending");
    await page.getByRole("button", { name: "Deny" }).click();
    assertEquals(await page.locator("h1").textContent(), "You denied the device");
    assertEquals(await findPageProblems(opened), []);
    assertEquals(await poll(autoUrl, device_code), "access_denied");
  });
}
