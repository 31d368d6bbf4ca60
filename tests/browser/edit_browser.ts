/**
 * A recorded request, edited and sent again in a real Chromium, with and without script: `deno test -A tests/browser/`.
 */

import { assertEquals, assertLess, assertMatch } from "@std/assert";
import { after, test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { latchkey } from "./server.ts";
import { challenge, encode, verifier } from "../kit.ts";
import { browserVariants, closeBrowser, executablePath, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const watching = inspector();
const as = await latchkey({ plugins: [watching], alg: "ES256" });
const { url } = await as.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await as.close();
});

/** A login whose token request has another redirect_uri; returns the ID of its flow. */
async function failedFlow(): Promise<string> {
  const client = { client_id: "demo-public", redirect_uri: `${url}/authorized` };
  const proof = { code_challenge: challenge, code_challenge_method: "S256" };
  const query = encode({ response_type: "code", scope: "openid profile", state: "af0ifjsldkj", ...client, ...proof });
  const { headers } = await fetch(`${url}/oauth2/authorize?${query}`, { redirect: "manual" });
  const code = new URL(headers.get("location")!).searchParams.get("code")!;
  const grant = { grant_type: "authorization_code", code, code_verifier: verifier };
  const body = new URLSearchParams({ ...grant, ...client, redirect_uri: `${url}/authorized/` });
  await (await fetch(`${url}/oauth2/token`, { method: "POST", body })).body?.cancel();
  return watching.recorder.flows().at(-1)!.id;
}

for (const { name, options } of browserVariants) {
  test(`edit and send again: a token request is corrected, ${name}`, { skip }, async () => {
    const flow = await failedFlow();
    await using opened = await openPage(`${url}/flows/${flow}#step-2`, options);
    const { page } = opened;
    await page.getByRole("link", { name: /^Edit and send again\W+step 2$/ }).click();
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `edit-${name}`);
    await page.getByLabel("Name of the new parameter, form 5").fill("state");
    const value = page.getByLabel("Value of the redirect_uri");
    await value.fill(`${await page.getByLabel("Value of the code", { exact: true }).inputValue()}`);
    await page.getByRole("button", { name: "Send the request" }).click();
    assertMatch(await page.locator("[role=alert]").innerText(), /Nothing was sent\.[^]*Type the value again/);
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `edit-rejected-${name}`);
    await page.getByLabel("Value of the redirect_uri").fill(`${url}/authorized`);
    await page.getByRole("button", { name: "Send the request" }).click();
    await page.waitForURL(/\/flows\/\d+#step-3$/);
    assertMatch(await page.locator("main").innerText(), /Experiment: Code exchange\s+✓?\s*tokens issued/);
    // The step unfolds because the URL names it, which is a shift.
    assertEquals(await findPageProblems(opened, { shifts: false }), []);
    await takeScreenshot(opened, `edit-outcome-${name}`);
  });
}

for (const bare of [false, true]) {
  test(
    `edit and send again: an authorization request is opened in the browser${bare ? ", bare" : ""}`,
    { skip },
    async () => {
      const flow = await failedFlow();
      await using opened = await openPage(`${url}/flows/${flow}#step-1`, { bare });
      const { page } = opened;
      await page.getByRole("link", { name: /^Edit and send again\W+step 1$/ }).click();
      assertEquals(await findPageProblems(opened), []);
      await takeScreenshot(opened, `edit-authorization${bare ? "-bare" : ""}`);
      await page.getByLabel("Value of the scope").fill("openid");
      await page.getByRole("button", { name: "Send the request" }).click();
      await page.waitForURL(({ pathname }) => pathname === "/authorized");
      const experiment = watching.recorder.flow(flow)!.exchanges.at(-1)!;
      assertEquals([experiment.endpoint, experiment.experimentOf !== undefined, experiment.outcome], [
        "authorize",
        true,
        "done",
      ]);
    },
  );
}

test("edit and send again: from a step after /authorized", { skip }, async () => {
  await using opened = await openPage(`${url}/start`);
  const { page } = opened;
  await page.getByRole("button", { name: "Exchange the code" }).click();
  await page.getByRole("link", { name: /^Edit and send again/ }).first().click();
  assertEquals(await findPageProblems(opened), []);
  await page.getByRole("button", { name: "Send the request" }).click();
  // The code works once.
  await page.waitForURL(/\/flows\/\d+#step-3$/);
  assertMatch(await page.locator("main").innerText(), /Experiment: Code exchange[^]*invalid_grant/);
});

test("edit and send again: the page is small", { skip }, async () => {
  const { exchanges } = watching.recorder.flow(await failedFlow())!;
  const paths = [
    `/flows/edit/${exchanges.at(-1)!.number}`,
    "/static/devtools/edit.css",
    "/static/style.css",
    "/static/script.js",
  ];
  const sizes = await Promise.all(
    paths.map(async (path) => (await (await fetch(url + path)).arrayBuffer()).byteLength),
  );
  assertLess(sizes.reduce((sum, size) => sum + size), 30_000);
});
