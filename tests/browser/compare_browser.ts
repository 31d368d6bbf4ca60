/** The comparison of two flows in a real Chromium, with and without script: `deno test -A tests/browser/`. */

import { assertEquals, assertMatch } from "@std/assert";
import { after, test } from "node:test";
import { inspector } from "../../src/inspector/mod.ts";
import { latchkey } from "../../src/mod.ts";
import { challenge, encode, verifier } from "../flows/harness.ts";
import { browserVariants, closeBrowser, executablePath, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const watching = inspector();
const as = await latchkey({ plugins: [watching], alg: "EdDSA" });
const { url } = await as.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await as.close();
});

/** A login; its token request has this redirect_uri. Returns the ID of its flow. */
async function login(redirect_uri: string): Promise<string> {
  const client = { client_id: "demo-public", redirect_uri: `${url}/authorized` };
  const proof = { code_challenge: challenge, code_challenge_method: "S256" };
  const query = encode({ response_type: "code", scope: "openid profile", ...client, ...proof });
  const { headers } = await fetch(`${url}/oauth2/authorize?${query}`, { redirect: "manual" });
  const code = new URL(headers.get("location")!).searchParams.get("code")!;
  const grant = { grant_type: "authorization_code", code, code_verifier: verifier };
  const body = new URLSearchParams({ ...grant, ...client, redirect_uri });
  await (await fetch(`${url}/oauth2/token`, { method: "POST", body })).body?.cancel();
  return watching.recorder.flows().at(-1)!.id;
}

for (const { name, options } of browserVariants) {
  test(`[FL-18] the page of a failed flow leads to what differs, ${name}`, { skip }, async () => {
    await login(`${url}/authorized`);
    const failed = await login(`${url}/authorized/${"long/".repeat(30)}`);
    await using opened = await openPage(`${url}/flows/${failed}`, options);
    const { page } = opened;
    await page.getByRole("link", { name: "Compare with the last successful flow" }).click();
    assertMatch(await page.locator("main").innerText(), /First difference: step 2[^]*redirect_uri[^]*absent/);
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `compare-${name}`);
    await page.getByText(/equal values$/).last().click();
    assertEquals(await findPageProblems(opened, { shifts: false }), []);
  });
}
