/** Pages have limits of height, words and controls: `deno test -A tests/browser/limits_browser.ts`. */

import { assertEquals, assertLessOrEqual } from "@std/assert";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { checkPages } from "../../src/check/check_pages.ts";
import { clientCheck } from "../../src/check/client_check.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { faultPages } from "../../src/testing/fault_pages/mod.ts";
import { executablePath, listen, openPage } from "./harness.ts";
import { latchkey } from "./server.ts";

const skip = executablePath === undefined;
const watching = inspector({ readRules: () => readFile("tests/rules.md", "utf8") });
const check = clientCheck();
const as = await latchkey({
  plugins: [check.plugin, watching, faultPages(), checkPages(check)],
});
const url = await listen(as);

/** The height of the page in pixels, its visible words and its visible controls. */
const size = `({
  height: document.documentElement.scrollHeight,
  words: document.body.innerText.split(/\\s+/).filter(Boolean).length,
  controls: [...document.querySelectorAll("a:not(.skip), button, summary, select, textarea, input:not([type=hidden])")]
    .filter((control) => control.checkVisibility({ visibilityProperty: true })).length,
})`;

test("a failed flow, Break and the page of a code have limits of height, words and controls", { skip }, async () => {
  await using opened = await openPage(`${url}/start`, { viewport: { width: 1440, height: 900 } });
  const { page } = opened;
  const measure = async (name: string, limits: Readonly<Record<string, number>>) => {
    const found = await page.evaluate(size) as Readonly<Record<string, number>>;
    for (const [what, limit] of Object.entries(limits)) {
      assertLessOrEqual(found[what]!, limit, `${what} of ${name}`);
    }
  };
  await measure("/authorized", { height: 1700, words: 440 });
  // A login that succeeds, then one that fails: its page names the difference.
  await page.getByRole("button", { name: "Exchange the code", exact: true }).click();
  await page.goto(`${url}/start`);
  await page.locator("summary", { hasText: "Edit and send" }).click();
  await page.getByLabel("redirect_uri").fill(`${url}/authorized/`);
  await page.getByRole("button", { name: "Send the edited request" }).click();
  await page.getByRole("heading", { name: "Code not exchanged" }).waitFor();
  const { id } = watching.recorder.flows().at(-1)!;
  // Three other rows in the list beside it.
  for (const query of ["client_id=demo-public", "client_id=other", "client_id=demo-public&redirect_uri=x"]) {
    await (await fetch(`${url}/oauth2/authorize?${query}`, { redirect: "manual" })).text();
  }
  await page.goto(`${url}/flows/${id}`);
  await page.locator("#beside #flows").waitFor();
  await page.getByText("Since the last success").waitFor();
  await measure("a failed flow", { height: 1360, controls: 28 });
  await page.goto(`${url}/faults`);
  await measure("Break", { controls: 30 });
});

/** Controls whose height is not that of the small size. The navigation and the fields of a form have others. */
const unevenControls = `[...document.querySelectorAll(
  ".button.plain, .copy, .ways > .field :is(input, select), .ways > select, .filter :is(input, select), summary:not(:has(> *))",
)].filter((control) => control.checkVisibility({ visibilityProperty: true }) && !control.closest(".pages, .step, .fold"))
  .map((control) => [Math.round(control.getBoundingClientRect().height), control.outerHTML.slice(0, 80)])
  .filter(([height]) => height !== 28)`;

test("every control but the primary action and the fields of a form has the small size", { skip }, async () => {
  await using opened = await openPage(`${url}/start`, { viewport: { width: 1440, height: 900 } });
  const { page } = opened;
  const { id } = watching.recorder.flows().at(-1)!;
  for (
    const path of [
      ...["", "/", "/clients", "/clients/demo-public", "/clients/demo-public?edit", "/clients/demo-public/check"],
      ...["/users", "/users/alice", "/flows", `/flows/${id}`, "/tokens", "/faults", "/faults?fault=status"],
    ]
  ) {
    if (path !== "") await page.goto(url + path);
    assertEquals(await page.evaluate(unevenControls), [], path);
  }
});
