/** The list of flows beside a flow, by keyboard and mouse: `deno test -A tests/browser/flow_keys_browser.ts`. */

import { assertEquals, assertLess, assertMatch } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { latchkey } from "./server.ts";
import { faultPages } from "../../src/testing/fault_pages/mod.ts";
import { challenge, encode, verifier } from "../kit.ts";
import { executablePath, listen, type OpenedPage, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const watching = inspector();
const as = await latchkey({
  plugins: [watching, faultPages()],
  alg: "ES256",
});
const url = await listen(as);

/** Sends an authorization request. Returns the ID of its flow. */
async function authorize(redirect_uri = `${url}/authorized`): Promise<string> {
  const request = {
    response_type: "code",
    client_id: "demo-public",
    redirect_uri,
    scope: "openid",
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
  await (await fetch(`${url}/oauth2/authorize?${encode(request)}`, { redirect: "manual" })).body?.cancel();
  return watching.recorder.flows().at(-1)!.id;
}

/** Three flows: accepted, rejected with a change of the client that would help, accepted. Newest first. */
async function record(): Promise<readonly [newest: string, failed: string, oldest: string]> {
  watching.recorder.clear();
  const oldest = await authorize();
  const failed = await authorize(`${url}/elsewhere`);
  return [await authorize(), failed, oldest];
}

/** The `id` of the row that is selected, and the heading of the pane. */
async function selection({ page }: OpenedPage, heading: RegExp): Promise<string | null> {
  await page.locator("#pane h2", { hasText: heading }).waitFor();
  return await page.locator("#flows li:has([aria-current])").getAttribute("id");
}

const reason = "redirect_uri is not registered for this client";

test("[FL-15] the keyboard alone selects, opens, leaves and finds flows", { skip }, async () => {
  const [newest, failed, oldest] = await record();
  await using opened = await openPage(`${url}/flows`, { viewport: { width: 1280, height: 800 } });
  const { page, problems } = opened;
  const press = (key: string) => page.keyboard.press(key);
  const pane = page.locator("#pane");
  assertEquals(await page.locator("#flows [aria-current]").count(), 0);
  await press("j");
  assertEquals(await selection(opened, /Code not exchanged yet/), `flow-${newest}`);
  await press("ArrowDown");
  assertEquals(await selection(opened, new RegExp(reason)), `flow-${failed}`);
  const text = await pane.innerText();
  assertMatch(text, /Expected[^]*\/authorized[^]*Received[^]*\/elsewhere[^]*How to fix it:[^]*Authorization request/);
  assertMatch(
    (await pane.getByRole("link", { name: /add it to demo-public/ }).getAttribute("href"))!,
    /^\/clients\/demo-public\?edit/,
  );
  assertEquals(await findPageProblems(opened, { shifts: false }), []);
  await takeScreenshot(opened, "flow-keys-pane-1280");
  await press("j");
  assertEquals(await selection(opened, /Code not/), `flow-${oldest}`);
  await press("ArrowUp");
  await selection(opened, new RegExp(reason));
  await press("Enter");
  await page.waitForURL(`${url}/flows/${failed}`);

  const list = page.getByRole("navigation", { name: "Flows" });
  await list.getByLabel("Search").waitFor();
  assertEquals(await list.locator("#flows li").count(), 3);
  assertEquals(await list.locator("[aria-current]").getAttribute("href"), `/flows/${failed}`);
  assertEquals(await findPageProblems(opened, { shifts: false }), []);
  await takeScreenshot(opened, "flow-keys-open-1280");
  await press("k");
  await page.waitForURL(`${url}/flows/${newest}`);
  await page.locator("#flows").waitFor();
  await press("j");
  await page.waitForURL(`${url}/flows/${failed}`);
  await page.locator("#flows").waitFor();
  await press("Escape");
  await page.waitForURL(`${url}/flows?flow=${failed}`);
  assertEquals(await selection(opened, new RegExp(reason)), `flow-${failed}`);
  await press("Escape");
  await pane.getByText("the newest").waitFor();
  assertEquals(page.url(), `${url}/flows`);

  await press("/");
  await page.keyboard.type("elsewhere no");
  await page.getByText("No flow matches").waitFor();
  await press("Escape");
  await page.locator("#flows li").nth(2).waitFor();
  await press("Escape");
  const dialog = page.getByRole("dialog", { name: "Shortcuts" });
  await press("?");
  await dialog.waitFor();
  assertEquals(await findPageProblems(opened, { shifts: false }), []);
  await takeScreenshot(opened, "flow-keys-dialog");
  await press("j");
  assertEquals(await page.locator("#flows [aria-current]").count(), 0);
  await page.keyboard.press("Tab");
  await dialog.getByRole("checkbox").focus();
  await press("Space");
  await press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await press("?");
  assertEquals(await dialog.isVisible(), false);
  assertEquals(problems, []);
});

test("[FL-15] a click fills the pane, a second one opens the flow with the filter beside it", { skip }, async () => {
  const [newest, failed] = await record();
  await using opened = await openPage(`${url}/flows`, { viewport: { width: 1100, height: 800 } });
  const { page } = opened;
  await page.getByLabel("Client").selectOption("demo-public");
  await page.getByRole("link", { name: "Show all flows" }).waitFor();
  const row = page.locator(`#flow-${failed} a`);
  await row.click();
  assertEquals(await selection(opened, new RegExp(reason)), `flow-${failed}`);
  assertMatch(page.url(), /\/flows\?client=demo-public&flow=\d+$/);
  await page.reload();
  assertEquals(await selection(opened, new RegExp(reason)), `flow-${failed}`);
  for (const line of await page.locator("#flows li").all()) assertLess((await line.boundingBox())!.height, 40);
  await row.click();
  await page.waitForURL(`${url}/flows/${failed}`);
  assertEquals(await page.getByLabel("Client").inputValue(), "demo-public");
  await page.getByLabel("Search").fill("no such flow");
  await page.getByText("No flow matches").waitFor();
  assertEquals(page.url(), `${url}/flows/${failed}`);
  await page.getByLabel("Search").fill("");
  await page.locator(`#flow-${newest} a`).click();
  await page.waitForURL(`${url}/flows/${newest}`);
  assertEquals(opened.problems, []);
});

for (
  const [name, options] of Object.entries({
    phone: { viewport: { width: 390, height: 844 } },
    "phone without script": { viewport: { width: 390, height: 844 }, javaScriptEnabled: false },
    "desktop without script": { viewport: { width: 1280, height: 800 }, javaScriptEnabled: false },
  })
) {
  test(`[FL-15] a click opens the flow: ${name}`, { skip }, async () => {
    const [, failed] = await record();
    await using opened = await openPage(`${url}/flows`, options);
    const { page, problems } = opened;
    await takeScreenshot(opened, `flow-keys-list-${name}`);
    await page.locator(`#flow-${failed} a`).click();
    await page.getByRole("heading", { level: 1, name: reason }).waitFor();
    assertEquals(await page.locator("#flows").count(), 0);
    assertEquals(await findPageProblems(opened), []);
    // From there, without the mouse.
    await page.goBack();
    await page.locator(`#flow-${failed} a`).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: reason }).waitFor();
    assertEquals(problems, []);
  });
}

test("[FL-16] the title of a tab in the background counts new errors, and its icon has a dot", { skip }, async () => {
  await record();
  await using opened = await openPage("about:blank");
  const { page } = opened;
  const listening = page.waitForResponse((response) => response.url().includes("/flows/events"));
  await page.goto(`${url}/flows`);
  await listening;
  const hide = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"))`);
  const icon = () => page.locator("link[rel=icon]").getAttribute("href");
  await hide(true);
  assertEquals([await page.title(), await icon()], ["Requests · Latchkey", "/static/icon.svg"]);
  for (let i = 1; i <= 2; i++) {
    await authorize(`${url}/elsewhere`);
    await authorize();
    await page.locator("#flows li").nth(2 * i + 2).waitFor();
    assertEquals(await page.title(), `(${i}) Requests · Latchkey`);
    const dotted = (await icon())!;
    assertMatch(dotted, /\/static\/devtools\/unseen\.svg$/);
    const response = await fetch(dotted);
    assertEquals([response.status, response.headers.get("content-type")], [200, "image/svg+xml"]);
    await response.body?.cancel();
  }
  await hide(false);
  assertEquals([await page.title(), await icon()], ["Requests · Latchkey", `${url}/static/icon.svg`]);
});

test("[FL-15] times are those of the reader, with UTC on hover", { skip }, async () => {
  const [newest] = await record();
  for (const path of ["/flows", `/flows/${newest}`]) {
    for (const timezoneId of ["Asia/Kolkata", "America/New_York"]) {
      await using opened = await openPage(url + path, { timezoneId });
      const time = opened.page.locator("main time[title]").first();
      await time.waitFor();
      const instant = (await time.getAttribute("datetime"))!;
      const local = new Date(instant).toLocaleTimeString("en-GB", { timeZone: timezoneId });
      assertMatch((await time.textContent())!, new RegExp(local));
      assertEquals(await time.getAttribute("title"), `${instant.slice(0, -1).replace("T", " ")} UTC`);
    }
  }
});

/** A login up to its tokens. Returns the ID of its flow and the access token. */
async function logIn(): Promise<{ readonly flow: string; readonly token: string }> {
  const redirect_uri = `${url}/authorized`;
  const request = { response_type: "code", client_id: "demo-public", redirect_uri, scope: "openid profile" };
  const query = encode({ ...request, code_challenge: challenge, code_challenge_method: "S256" });
  const { headers } = await fetch(`${url}/oauth2/authorize?${query}`, { redirect: "manual" });
  const code = new URL(headers.get("location")!).searchParams.get("code")!;
  const body = encode({
    ...{ grant_type: "authorization_code", client_id: "demo-public", redirect_uri, code },
    code_verifier: verifier,
  });
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const response = await fetch(`${url}/oauth2/token`, { method: "POST", body, headers: form });
  const { access_token: token } = await response.json();
  return { flow: watching.recorder.flows().at(-1)!.id, token };
}

for (
  const [name, clicks, options] of [
    ["desktop", 3, { viewport: { width: 1440, height: 900 } }],
    ["desktop without script", 2, { viewport: { width: 1440, height: 900 }, javaScriptEnabled: false }],
    ["phone", 2, { viewport: { width: 390, height: 844 } }],
  ] as const
) {
  test(`[FL-17] from the list, ${clicks} clicks check a token of a flow: ${name}`, { skip }, async () => {
    watching.recorder.clear();
    const { flow } = await logIn();
    await using opened = await openPage(`${url}/flows`, options);
    const { page, problems } = opened;
    let count = 0;
    const row = page.locator(`#flow-${flow} a`);
    const click = async (target: typeof row) => {
      await target.click();
      count++;
    };
    const check = page.getByRole("button", { name: "Check access token of step 2" });
    await click(row);
    // The first click fills the pane.
    if (clicks === 3) {
      await page.locator("#flows [aria-current]").waitFor();
      await click(row);
    }
    await check.waitFor();
    assertEquals(await findPageProblems(opened, { shifts: false }), []);
    await takeScreenshot(opened, `flow-keys-issued-${name}`);
    await click(check);
    await page.getByText("Valid access token").first().waitFor();
    assertEquals([count, problems], [clicks, []]);
  });
}
