/** The pages in a real Chromium: `deno test -A tests/browser/pages_browser.ts`; screenshots go to LATCHKEY_SHOTS. */

import { assert, assertEquals } from "@std/assert";
import { after, test } from "node:test";
import { sample } from "../sample.ts";
import { browserVariants, closeBrowser, executablePath, openPage, serveSamples, takeScreenshot } from "./harness.ts";
import type { OpenedPage } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";
import { formPost, samples } from "./samples.ts";

const skip = executablePath === undefined;

const { url, close } = serveSamples();
after(async () => {
  await closeBrowser();
  await close();
});

const paths = Object.keys(samples);
const leaving = paths.filter((path) => samples[path]!.leaves);

/** Opens a sample and stays there: a page that redirects immediately is opened without its script. */
async function stay({ page }: OpenedPage, path: string): Promise<void> {
  if (!leaving.includes(path)) return void await page.goto(url + path);
  await page.route("**/continue.js", (route) => route.fulfill({ contentType: "text/javascript" }));
  await page.goto(url + path);
}

for (const [place, { name, options }] of browserVariants.entries()) {
  test(`[UI-02, UI-17] every page has no errors and is accessible: ${name}`, { skip }, async () => {
    await using opened = await openPage(url, options);
    for (const path of sample(paths, 2, place)) {
      await stay(opened, path);
      assertEquals(await findPageProblems(opened), [], path);
      if (!options.bare) await takeScreenshot(opened, `${path.slice(1).replaceAll("/", "-") || "home"}-${name}`);
    }
  });
}

test("[UI-15] every page is complete without script", { skip }, async () => {
  await using opened = await openPage(url, { javaScriptEnabled: false });
  const { page } = opened;
  for (const path of sample(paths, 2, 0)) {
    await page.goto(url + path);
    assertEquals(await page.locator("h1:visible").count(), 1, path);
    const forms = page.locator("form:visible");
    assertEquals(await forms.filter({ has: page.locator("button:visible") }).count(), await forms.count(), path);
    assertEquals(await page.locator("button.copy:visible").count(), 0, path);
    // What is folded opens without script, too.
    const open = page.locator(".wire:not(details:not([open]) *)");
    assertEquals(await page.locator(".wire:visible").count(), await open.count(), path);
  }
});

test("[UI-17] on a phone a URL breaks after a slash, and is copied unchanged", { skip }, async () => {
  await using opened = await openPage(url, { viewport: { width: 360, height: 800 } });
  const { page } = opened;
  await page.locator("#endpoints summary", { hasText: "endpoints and documents" }).click();
  // Every piece of an address stands on one line, and some addresses take more than one.
  const [broken, longest] = await page.evaluate(`(() => {
    const lines = (node) => { const range = new Range(); range.selectNodeContents(node); return range.getClientRects(); };
    const top = (node) => lines(node)[0].top;
    const wires = [...document.querySelectorAll("#endpoints dd .wire")].map(({ childNodes }) =>
      [...childNodes].filter((node) => node.nodeType === Node.TEXT_NODE));
    return [
      wires.flat().filter((piece) => lines(piece).length > 1).map(({ data }) => data),
      Math.max(...wires.map((pieces) => new Set(pieces.map(top)).size)),
    ];
  })()`) as [string[], number];
  assertEquals([broken, longest], [[], 2]);
  await page.evaluate("getSelection().removeAllRanges()");
  const box = page.locator("#endpoints dd > .wire").last();
  await box.click();
  assertEquals(await page.evaluate("getSelection().toString()"), await box.textContent());
});

const stops =
  "a, button, summary, select, textarea, input:not([type=hidden], :disabled, [type=radio]:not(:checked)), [tabindex='0']";

test("every control is reachable by Tab, with a visible focus", { skip }, async () => {
  await using opened = await openPage(url);
  const { page } = opened;
  for (const path of sample(paths, 2, 1)) {
    await stay(opened, path);
    // The page notes what gets the focus, so that the presses need no questions between them.
    await page.evaluate(`(() => {
      for (const one of document.querySelectorAll("details")) one.open = true;
      globalThis.unmarked = [];
      document.addEventListener("focusin", ({ target }) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(target);
        target.dataset.seen = "";
        if (outlineStyle !== "solid" || parseFloat(outlineWidth) < 2) unmarked.push(target.outerHTML);
      });
    })()`);
    // Of some, only one is open at a time.
    const count = await page.locator(`:is(${stops}):visible`).count();
    // Where the page sets the focus, one press leads around its end.
    await Promise.all(Array.from({ length: count + 1 }, () => page.keyboard.press("Tab")));
    assertEquals(await page.evaluate("unmarked"), [], `${path}: no visible focus`);
    assertEquals(await page.locator(`:is(${stops})[data-seen]`).count(), count, path);
  }
});

test("a copy button copies exactly the value next to it, and confirms in words", { skip }, async () => {
  await using opened = await openPage(`${url}/authorized`, { permissions: ["clipboard-read", "clipboard-write"] });
  const { page } = opened;
  const clipboard = (): Promise<unknown> => page.evaluate("navigator.clipboard.readText()");
  const code = page.getByRole("button", { name: "Copy the authorization code" });
  await code.click();
  await page.getByRole("button", { name: "Copied the authorization code" }).waitFor();
  assertEquals(await page.getByRole("status").textContent(), "Copied");
  assertEquals(await clipboard(), await page.locator(".values .wire").first().textContent());
  await code.waitFor();
  assertEquals(await page.getByRole("status").textContent(), "");

  await page.getByRole("button", { name: "Copy the request as a public client" }).click();
  assertEquals(await clipboard(), await page.locator("pre").first().textContent());
});

test("copying uses the selection if the page may not write to the clipboard", { skip }, async () => {
  await using opened = await openPage(`${url}/authorized`);
  const { page } = opened;
  await page.evaluate(`Object.defineProperty(navigator, "clipboard", { value: undefined })`);
  await page.getByRole("button", { name: "Copy the state" }).click();
  await page.getByRole("button", { name: /^(Copied|Selected) the state$/ }).waitFor();
  assertEquals(await page.evaluate("getSelection().toString()"), "af0ifjsldkj");
});

test("a click selects the whole value, or the whole command", { skip }, async () => {
  await using opened = await openPage(`${url}/authorized`);
  const { page } = opened;
  for (const element of [page.locator(".values .wire").first(), page.locator("pre").first()]) {
    await element.click();
    assertEquals(await page.evaluate("getSelection().toString()"), await element.textContent());
  }
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "by itself" : "by a click where there is no script";
  test(`[FP-01, FP-03] a form_post response reaches the client once, unchanged, ${how}`, { skip }, async () => {
    const sent: string[][] = [];
    await using opened = await openPage(url, { javaScriptEnabled });
    const { page, problems } = opened;
    await page.route("https://app.example/**", async (route) => {
      const request = route.request();
      sent.push([request.method(), request.url(), request.postData() ?? ""]);
      await route.fulfill({ contentType: "text/html", body: "<h1>Welcome back</h1>" });
    });
    for (const path of leaving) {
      await page.goto(url);
      await page.goto(url + path, { waitUntil: "commit" });
      if (!javaScriptEnabled) await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("heading", { name: "Welcome back" }).waitFor();
      // The page that leaves by itself is no place to go back to: it would leave again.
      if (javaScriptEnabled) {
        await page.goBack();
        assert(page.url().startsWith(url), page.url());
      }
    }
    assertEquals(sent.map(([method]) => method), ["POST", "POST"]);
    const [[, target, body]] = sent as [[string, string, string]];
    assertEquals(target, formPost.action);
    assertEquals([...new URLSearchParams(body)], formPost.fields.map(([...field]) => field));
    assertEquals(problems, []);
  });
}

test("in print there are no buttons, and every value is visible", { skip }, async () => {
  await using opened = await openPage(`${url}/authorized`, { colorScheme: "dark" });
  const { page } = opened;
  await page.emulateMedia({ media: "print" });
  assertEquals(await page.locator("button:visible, .button:visible").count(), 0);
  assertEquals(await page.locator("pre:visible").count(), 2);
  assertEquals(await page.evaluate("getComputedStyle(document.documentElement).backgroundColor"), "rgb(255, 255, 255)");
  await page.setViewportSize({ width: 794, height: 1123 });
  await takeScreenshot(opened, "authorized-print");
});
