/** The import of a flow in a real Chromium, with and without script: `deno test -A tests/browser/`. */

import { assertEquals, assertMatch } from "@std/assert";
import { Buffer } from "node:buffer";
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

/** A login whose token request is rejected. Returns the ID of its flow. */
async function failLogin(): Promise<string> {
  const client = { client_id: "demo-public", redirect_uri: `${url}/authorized` };
  const proof = { code_challenge: challenge, code_challenge_method: "S256" };
  const query = encode({ response_type: "code", scope: "openid profile", ...client, ...proof });
  const { headers } = await fetch(`${url}/oauth2/authorize?${query}`, { redirect: "manual" });
  const code = new URL(headers.get("location")!).searchParams.get("code")!;
  const grant = { grant_type: "authorization_code", code, code_verifier: `${verifier}x` };
  const body = new URLSearchParams({ ...grant, ...client });
  await (await fetch(`${url}/oauth2/token`, { method: "POST", body })).body?.cancel();
  return watching.recorder.flows().at(-1)!.id;
}

for (const { name, options } of browserVariants) {
  test(
    `[FL-19] a file that is no flow is explained, an exported one opens and is compared, ${name}`,
    { skip },
    async () => {
      const own = await failLogin();
      const har = await (await fetch(`${url}/flows/${own}.har`)).text();
      await using opened = await openPage(`${url}/flows`, options);
      const { page } = opened;
      await page.getByRole("link", { name: "Import a flow" }).click();
      await page.getByLabel("Or paste the JSON text").fill(`{"exchanges": [{"outcome": "fine"}]}`);
      await page.getByRole("button", { name: "Import the flow" }).click();
      assertMatch(await page.locator("main").innerText(), /Nothing was imported[^]*exchanges\[0\]\.outcome[^]*"fine"/);
      assertEquals(await findPageProblems(opened), []);
      await takeScreenshot(opened, `import-${name}`);
      await page.getByLabel("File").setInputFiles({
        name: "flow-1.har",
        mimeType: "application/json",
        buffer: Buffer.from(har),
      });
      await page.getByRole("button", { name: "Import the flow" }).click();
      assertMatch(page.url(), /\/flows\/i\d+$/);
      const text = await page.locator("main").innerText();
      assertMatch(text, /Imported from a HAR[^]*Delete this flow/);
      assertEquals(/Edit and send again|as curl|Show all secrets/.exec(text), null);
      assertEquals(await findPageProblems(opened, { shifts: false }), []);
      await takeScreenshot(opened, `imported-${name}`);
      await page.getByRole("link", { name: `Compare with flow ${own}` }).click();
      assertMatch(await page.locator("main").innerText(), /imported[^]*The flows do not differ/);
      assertEquals(await findPageProblems(opened), []);
      await page.goto(`${url}/flows`);
      assertMatch(await page.locator("#flows li").first().innerText(), /imported:/);
      assertEquals(await findPageProblems(opened), []);
      await takeScreenshot(opened, `import-list-${name}`);
    },
  );
}
