/** The inspector's pages in a real Chromium, while logins come in: `deno test -A tests/browser/`. */

import { assert, assertEquals, assertLess, assertMatch } from "@std/assert";
import { after, test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { latchkey } from "./server.ts";
import { challenge, encode, type Fields, verifier } from "../kit.ts";
import { browserVariants, closeBrowser, executablePath, type OpenedPage, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const watching = inspector();
const as = await latchkey({ plugins: [watching], alg: "ES256" });
const { url } = await as.listen({ port: 0 });
const callback = `${url}/authorized`;
after(async () => {
  await closeBrowser();
  await as.close();
});

/** Asks for a code as a client would. */
async function code(changes: Fields = {}): Promise<string> {
  const request = {
    response_type: "code",
    client_id: "demo-public",
    redirect_uri: callback,
    scope: "openid profile read",
    state: "af0ifjsldkj",
    nonce: "n-0S6_WzA2Mj",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...changes,
  };
  const response = await fetch(`${url}/oauth2/authorize?${encode(request)}`, { redirect: "manual" });
  await response.body?.cancel();
  return new URL(response.headers.get("location") ?? "none:").searchParams.get("code") ?? "";
}

/** Sends a token request, and returns the response. */
async function token(changes: Fields): Promise<Record<string, string>> {
  const body = encode({ client_id: "demo-public", ...changes });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return await (await fetch(`${url}/oauth2/token`, { method: "POST", body, headers })).json();
}

function exchangeCode(of: string, changes: Fields = {}): Promise<Record<string, string>> {
  const grant_type = "authorization_code";
  return token({ grant_type, code: of, redirect_uri: callback, code_verifier: verifier, ...changes });
}

/** Opens a page, and waits until it receives events. */
async function openListening(path: string): Promise<OpenedPage> {
  const opened = await openPage("about:blank");
  const listening = opened.page.waitForResponse((response) => response.url().includes("/flows/events"));
  await opened.page.goto(url + path);
  await listening;
  return opened;
}

/** Presses twice: the first click explains the deletion, the second confirms it. */
async function deleteAfterAsking(
  page: OpenedPage["page"],
  first: string,
  second: string,
  about: RegExp,
): Promise<void> {
  const before = watching.recorder.flows().length;
  const confirm = page.getByRole("button", { name: second });
  assertEquals(await confirm.isVisible(), false);
  await page.locator("summary", { hasText: first }).click();
  assertMatch(await page.locator("details:has(> summary.button) > p").innerText(), about);
  assertEquals(watching.recorder.flows().length, before);
  await confirm.click();
}

/** Forgets everything, and lets happen what happens on a day. */
async function fillADay(): Promise<Readonly<Record<"good" | "failed" | "ended", string>>> {
  const newest = () => watching.recorder.flows().at(-1)!.id;
  watching.recorder.clear();
  await exchangeCode(await code());
  const good = newest();
  await exchangeCode(await code(), { redirect_uri: `${callback}/` });
  const failed = newest();
  const { access_token, refresh_token } = await exchangeCode(await code({ login_hint: "bob" }));
  const ended = newest();
  await (await fetch(`${url}/oauth2/userinfo`, { headers: { authorization: `Bearer ${access_token}` } })).text();
  for (let i = 0; i < 2; i++) await token({ grant_type: "refresh_token", refresh_token });
  await code({ redirect_uri: `${callback}${"/very-long".repeat(20)}` });
  await code({ scope: `openid <b>${"x".repeat(200)}</b>` });
  await code();
  return { good, failed, ended };
}

for (const { name, options } of browserVariants) {
  test(
    `[FL-01, FL-02, UI-15] the list and its flows have no errors and are accessible: ${name}`,
    { skip },
    async () => {
      watching.recorder.clear();
      await using opened = await openPage(`${url}/flows`, options);
      const { page } = opened;
      assertEquals(await findPageProblems(opened), []);
      await takeScreenshot(opened, `flows-empty-${name}`);

      const day = await fillADay();
      const paths = [["list", "/flows?outcome="], ["none", "/flows?client=x"], [
        "secrets",
        `/flows/${day.good}?show=secrets`,
      ]];
      for (const [kind, id] of Object.entries(day)) paths.push([kind, `/flows/${id}`]);
      for (const [what, path] of paths) {
        await page.goto(url + path);
        assertEquals(await findPageProblems(opened), [], path);
        await takeScreenshot(opened, `flows-${what}-${name}`);
      }
      // What is folded is to fit, too.
      await page.evaluate(`document.querySelectorAll("details").forEach((details) => details.open = true)`);
      assertEquals(await findPageProblems(opened, { shifts: false, runsAxe: false }), []);
      await takeScreenshot(opened, `flows-unfolded-${name}`);
    },
  );
}

test(
  "[FL-02] the page of a failed flow shows the reason without scrolling or a click",
  { skip },
  async () => {
    const { failed } = await fillADay();
    for (const width of [320, 1280]) {
      await using opened = await openPage(`${url}/flows`, { viewport: { width, height: 640 } });
      const { page } = opened;
      await page.locator(`#flow-${failed} a`).press("Enter");
      assertMatch(await page.locator("h1").innerText(), /^redirect_uri does not match the authorization request$/);
      const comparison = page.locator(".comparison").first();
      for (const part of [comparison, page.getByText("How to fix it:").first()]) {
        const { y, height } = (await part.boundingBox())!;
        assertLess(y + height, 640);
      }
      // The mark in the expected value is empty: nothing is there.
      assertEquals(await comparison.locator("mark").allTextContents(), ["", "/"]);
      assertMatch(await comparison.innerText(), /Difference\s+There is one extra slash at the end\./);
    }
  },
);

test(
  "[FL-01] a login appears automatically in the open list, and its line follows the flow",
  { skip },
  async () => {
    await fillADay();
    await using opened = await openListening("/flows");
    const { page } = opened;
    const first = page.locator("#flows li").first();
    const before = await page.locator("#flows li").count();
    const fresh = await code();
    await page.locator("#flows li").nth(before).waitFor();
    assertMatch(await first.innerText(), /code not exchanged yet/);
    assertEquals(await page.getByRole("status").textContent(), "1 new flow");
    const beside = page.getByRole("complementary");
    await beside.getByRole("heading", { name: "Code not exchanged yet" }).waitFor();
    await exchangeCode(fresh);
    await first.getByText("tokens issued").waitFor();
    await beside.getByRole("link", { name: "Code exchange" }).waitFor();
    assertEquals((await beside.boundingBox())!.y, (await page.locator("#results").boundingBox())!.y);
    await page.setViewportSize({ width: 1099, height: 800 });
    assertEquals(await beside.isVisible(), false);
    await page.setViewportSize({ width: 1100, height: 800 });
    assertEquals(await findPageProblems(opened, { shifts: false, runsAxe: false }), []);
  },
);

test(
  "[FL-01] the controls above the list take one line of equal height, the others are behind one of them",
  { skip },
  async () => {
    await fillADay();
    await using opened = await openListening("/flows");
    const { page } = opened;
    const controls = page.locator(".toolbar").locator("input, select, a, button, summary");
    const shown = await controls.evaluateAll((all) =>
      all.filter((control) => control.checkVisibility()).map((control) => {
        const { top, height } = control.getBoundingClientRect();
        const name = control.matches("input, select") ? (control as HTMLInputElement).name : control.textContent;
        return [name, Math.round(top + height / 2), control.matches(".toolbar > a:not(.button)") ? 28 : height];
      })
    );
    const middle = shown[0]![1];
    assertEquals(
      shown,
      ["q", "client", "outcome", "● Live", "More", "Check a token"].map((name) => [name, middle, 28]),
    );
    await page.locator(".toolbar summary", { hasText: "More" }).click();
    for (const name of ["Shortcuts", "Stop recording"]) await page.getByRole("button", { name }).waitFor();
    await page.locator("summary", { hasText: "Delete all flows" }).waitFor();
    assertEquals(await findPageProblems(opened, { shifts: false, runsAxe: false }), []);
  },
);

test("[FL-15] beside a flow that the list does not show, no row looks selected", { skip }, async () => {
  await code();
  const { id } = watching.recorder.flows().at(-1)!;
  for (let i = 0; i < 20; i++) await code({ redirect_uri: `${callback}/${i}` });
  await using opened = await openPage(`${url}/flows/${id}`);
  const rows = opened.page.locator("#beside #flows li");
  await rows.first().waitFor();
  const grounds = await rows.evaluateAll((all) => all.map((row) => getComputedStyle(row).backgroundColor));
  assertEquals(new Set(grounds), new Set(["rgba(0, 0, 0, 0)"]));
});

test("[FL-02] a decoded token has the width of its message", { skip }, async () => {
  const { good } = await fillADay();
  for (const width of [390, 1280]) {
    await using opened = await openPage(`${url}/flows/${good}`, { viewport: { width, height: 800 } });
    const { page } = opened;
    await page.locator(".step > summary").nth(1).click();
    await page.locator(".sent .claims").first().waitFor();
    const [decoded, message] = await page.evaluate(`(() => {
      const token = document.querySelector(".sent .claims");
      return [token, token.closest(".sent")].map((e) => e.getBoundingClientRect()).map(({ left, right }) => [left, right]);
    })()`) as [number[], number[]];
    assertEquals(decoded, message);
    assertEquals(await findPageProblems(opened, { shifts: false }), []);
  }
});

test("[FL-01] nothing moves while the user reads: new logins wait behind a link", { skip }, async () => {
  await fillADay();
  await using opened = await openListening("/flows");
  const { page } = opened;
  const row = page.locator("#flows li").nth(2);
  const place = async () => (await row.boundingBox())!.y;
  const link = page.locator("#again");
  for (
    const read of [
      () => row.hover(),
      () => row.locator("a").focus(),
      () => page.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))"),
    ]
  ) {
    await page.mouse.move(0, 0);
    await page.evaluate("document.activeElement.blur(); getSelection().empty()");
    await read();
    const before = await place();
    await code();
    await link.getByText(/^Show \d new flows?$/).waitFor();
    await page.getByRole("status").getByText(/^\d new flows?$/).waitFor({ state: "attached" });
    assertEquals(await place(), before);
  }
  await link.click();
  assertEquals(await page.locator("#flows li").count(), watching.recorder.flows().length);
});

test(
  "[FL-01] equal logins fold as they come in, and a fold that the user has opened stays open",
  { skip },
  async () => {
    watching.recorder.clear();
    const codes: string[] = [];
    // Repeated values are a warning.
    const addCode = async () => {
      const number = 100 + codes.length;
      codes.push(
        await code({ code_challenge: number + challenge.slice(3), nonce: `n-${number}`, state: `s-${number}` }),
      );
    };
    await addCode();
    await addCode();
    await using opened = await openListening("/flows");
    const { page } = opened;
    const rows = page.locator("#flows > li");
    const folds = page.locator("#flows summary");
    assertEquals([await rows.count(), await folds.allTextContents()], [1, ["2 times"]]);
    await folds.click();
    await page.mouse.move(0, 0);
    await page.evaluate("document.activeElement.blur()");
    await addCode();
    await folds.getByText("3 times").waitFor();
    assertEquals(await page.getByRole("status").textContent(), "1 new flow");
    assertEquals([await rows.count(), await page.locator("#flows li li:visible").count()], [1, 2]);
    assertEquals(await findPageProblems(opened, { shifts: false, runsAxe: false }), []);
    await takeScreenshot(opened, "flows-folded");
    // The middle one fails: three rows, in order, although nothing is above the new ones.
    await exchangeCode(codes[1]!, { redirect_uri: `${callback}/` });
    await rows.nth(2).waitFor();
    const ids = await rows.evaluateAll((all) => all.map(({ id }) => id));
    assertEquals(ids, watching.recorder.flows().map(({ id }) => `flow-${id}`).toReversed());
    assertEquals(await folds.count(), 0);
    // While the user reads, a row that others would leave stays as it is.
    await addCode();
    await folds.getByText("2 times").waitFor();
    await rows.first().hover();
    await exchangeCode(codes[3]!);
    await addCode();
    await page.getByRole("link", { name: "Show 1 new flow" }).waitFor();
    assertEquals(await page.locator("#flows li").count(), 4);
    await page.getByRole("link", { name: "Show 1 new flow" }).click();
    assertEquals(await page.locator("#flows li").count(), 5);
  },
);

test("[FL-02] the page of a flow reports new steps, and does not change otherwise", { skip }, async () => {
  const { refresh_token } = await exchangeCode(await code());
  const id = watching.recorder.flows().at(-1)!.id;
  await using opened = await openListening(`/flows/${id}`);
  const { page } = opened;
  await code();
  // The list beside it announces the other flow.
  await page.locator(`#flow-${watching.recorder.flows().at(-1)!.id}`).waitFor();
  assertEquals(await page.getByRole("link", { name: "New steps in this flow" }).count(), 0);
  await token({ grant_type: "refresh_token", refresh_token });
  await page.getByRole("link", { name: "New steps in this flow" }).waitFor();
  assertEquals(await page.getByRole("status").textContent(), "New steps in this flow");
  assertEquals(await page.locator(".sequence > li").count(), 2);
  assertEquals(await findPageProblems(opened), []);
  await page.getByRole("link", { name: "New steps in this flow" }).click();
  assertEquals(await page.locator(".sequence > li").count(), 3);
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with script" : "without script";
  test(`[FL-03, FL-04, FL-09] filtered, unfolded, unmasked, deleted: ${how}`, { skip }, async () => {
    const { good } = await fillADay();
    await using opened = await openPage(`${url}/flows`, { javaScriptEnabled });
    const { page, problems } = opened;
    await page.getByLabel("Outcome").selectOption("rejected");
    const filter = page.getByRole("button", { name: "Filter" });
    // With script, the filter applies immediately.
    if (javaScriptEnabled) assertEquals(await filter.isVisible(), false);
    else await filter.click();
    const all = page.getByRole("link", { name: "Show all flows" });
    await all.waitFor();
    assert(await page.locator("#flows li").count() < watching.recorder.flows().length);
    await all.click();
    await page.getByLabel("Search").fill("TK-15");
    if (!javaScriptEnabled) await filter.click();
    await all.waitFor();
    assertEquals(await page.locator("#flows li").count(), 1);
    assertMatch(page.url(), /\/flows\?q=TK-15/);
    await all.click();
    await page.locator(`#flow-${good} a`).press("Enter");

    const verifierShown = page.locator("#step-2 dd").getByText(verifier, { exact: true });
    await page.locator("summary").filter({ hasText: "Code exchange" }).click();
    assertEquals(await verifierShown.count(), 0);
    await page.getByRole("link", { name: "Show all secrets" }).click();
    await page.locator("summary").filter({ hasText: "Code exchange" }).click();
    await verifierShown.waitFor();
    await page.getByRole("link", { name: "Hide all secrets" }).click();
    await page.locator("h1").waitFor();
    assertEquals(await verifierShown.count(), 0);

    const missing = `client_id=demo-public&redirect_uri=${encodeURIComponent(`${callback}/elsewhere`)}`;
    await page.goto(`${url}/oauth2/authorize?${missing}`);
    await page.locator("a[href*='/flows/of/']").click();
    await page.waitForURL(/\/flows\/\d+$/);
    assert(await page.locator("#step-1").isVisible());
    assertEquals(await page.evaluate("scrollY"), 0);

    const [, number] = /\/flows\/(\d+)$/.exec(page.url())!;
    await page.locator("main summary").filter({ hasText: "More" }).click();
    await deleteAfterAsking(page, "Delete this flow", "Yes, delete it", new RegExp(`^Delete flow ${number}\\? `));
    await page.locator("#flows").waitFor();
    assertEquals(watching.recorder.flow(number!), undefined);
    await page.locator(".toolbar summary", { hasText: "More" }).click();
    await deleteAfterAsking(page, "Delete all flows", "Yes, delete all", /^Delete every flow, .*\? /);
    await page.getByText("No requests yet").waitFor();
    assertEquals(watching.recorder.flows(), []);
    assertEquals(problems, []);
  });
}

test("in print everything is unfolded, and folded again afterwards", { skip }, async () => {
  const { good } = await fillADay();
  await using opened = await openPage(`${url}/flows/${good}`, { colorScheme: "dark" });
  const { page } = opened;
  await page.evaluate(`dispatchEvent(new Event("beforeprint"))`);
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 794, height: 1123 });
  assertEquals(await page.locator("details:not([open])").count(), 0);
  assert(await page.locator("#step-2 dd").first().isVisible());
  assertEquals(await page.locator("button:visible").count(), 0);
  await takeScreenshot(opened, "flows-print");
  await page.evaluate(`dispatchEvent(new Event("afterprint"))`);
  assert(await page.locator("details:not([open])").count() > 2);
});

/** A flow of six steps: login, userinfo, refresh, userinfo, revocation. Returns its ID. */
async function longFlow(): Promise<string> {
  let { access_token, refresh_token } = await exchangeCode(await code());
  const id = watching.recorder.flows().at(-1)!.id;
  const userinfo = async () =>
    await (await fetch(`${url}/oauth2/userinfo`, { headers: { authorization: `Bearer ${access_token}` } })).text();
  await userinfo();
  ({ access_token, refresh_token } = await token({ grant_type: "refresh_token", refresh_token }));
  await userinfo();
  const body = encode({ client_id: "demo-public", token: refresh_token });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  await (await fetch(`${url}/oauth2/revoke`, { method: "POST", body, headers })).text();
  return id;
}

test("[FL-02] a step of a long flow is in short, and in full on request", { skip }, async () => {
  await using opened = await openPage(`${url}/flows/${await longFlow()}`);
  const { page } = opened;
  assertEquals(await page.locator(".sequence > li").count(), 6);
  const step = page.locator(".sequence .step").nth(1);
  await step.locator("summary").click();
  assertEquals(await step.locator(".sent .claims").count(), 0);
  assertMatch(await step.innerText(), /12 of 12 checks passed[^]*code_verifier/);
  assertEquals(await findPageProblems(opened), []);
  await takeScreenshot(opened, "flows-long");
  await step.getByRole("link", { name: "Show step 2 in full" }).click();
  await step.locator(".sent .claims").first().waitFor();
  assertEquals(await step.locator(".checks li").count(), 12);
  assertEquals(await findPageProblems(opened), []);
  await takeScreenshot(opened, "flows-long-step");
});

test("[UI-18] a page has less than 100 kB with everything it loads", { skip }, async () => {
  const { good, failed, ended } = await fillADay();
  const long = await longFlow();
  // A full page of the list.
  for (let i = 0; i < 20; i++) await code({ redirect_uri: `${callback}/${i}` });
  for (const path of ["/flows", ...[good, failed, ended, long].map((id) => `/flows/${id}`)]) {
    // The list beside an open flow is loaded after the page, in wide windows.
    await using opened = await openPage("about:blank", { viewport: { width: 1099, height: 800 } });
    const { page } = opened;
    const bodies: Promise<{ readonly length: number }>[] = [];
    page.on("response", (response) => {
      const type = response.headers()["content-type"] ?? "";
      // What arrives later is not counted, and the page may close before it is read.
      if (/^text\/(html|css|javascript)/.test(type)) bodies.push(response.body().catch(() => ({ length: Infinity })));
    });
    await page.goto(url + path);
    const sizes = (await Promise.all(bodies)).map(({ length }) => length);
    // The list has values to copy, and its script.
    assertEquals(sizes.length, path === "/flows" ? 5 : 4, path);
    const weight = sizes.reduce((sum, size) => sum + size, 0);
    assertLess(weight, 100_000, `${path}: ${sizes.join(" + ")}`);
  }
});

test("[FL-02] values and requests are copied by pointer and by keyboard", { skip }, async () => {
  const { failed } = await fillADay();
  const permissions = ["clipboard-read", "clipboard-write"];
  await using opened = await openPage(`${url}/flows/${failed}`, { permissions });
  const { page, problems } = opened;
  const clipboard = () => page.evaluate("navigator.clipboard.readText()");
  const step = page.locator("#step-2");
  const value = step.locator(".sent dd", { hasText: callback }).first();
  await value.hover();
  const button = value.getByRole("button", { name: /^Copy redirect_uri, Request of step-/ });
  // An icon, until the pointer is on it.
  assertEquals((await button.boundingBox())!.width, 28);
  await button.hover();
  assert((await button.boundingBox())!.width > 60);
  await button.click();
  assertEquals(await clipboard(), await value.locator("bdi").textContent());
  // The button of the value before it is reached backwards, and shows with the focus.
  await page.keyboard.press("Shift+Tab");
  const focused = page.locator(":focus");
  assertEquals(await page.evaluate("getComputedStyle(document.activeElement).opacity"), "1");
  await page.keyboard.press("Enter");
  await page.getByText("Copied", { exact: true }).first().waitFor();
  assertEquals(await clipboard(), await focused.locator("xpath=../bdi").textContent());
  await page.getByRole("link", { name: "Copy step 2 as curl" }).click();
  await page.getByText("Copied as curl").waitFor();
  assertMatch(await clipboard() as string, /^# Set first: .*CODE=….*\ncurl -i 'http/);
  assertEquals(problems, []);
  assertEquals(await findPageProblems(opened), []);
  await takeScreenshot(opened, "flows-copy");
});
