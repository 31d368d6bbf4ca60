/** The pictures of the READMEs, from real pages: `LATCHKEY_PICTURES=static/pictures deno task test:browser`. */

import { assert } from "@std/assert";
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { after, test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { faultPages } from "../../src/testing/fault_pages/mod.ts";
import { latchkey } from "./server.ts";
import { closeBrowser, executablePath, type OpenedPage, openPage } from "./harness.ts";

const skip = executablePath === undefined;
const folder = process.env.LATCHKEY_PICTURES;

/** Maximum height of a picture, and of one of a card page, which is shown whole, in pixels. */
const maxHeight = 680;
const maxCardHeight = 800;

const as = await latchkey({ plugins: [inspector(), faultPages()] });
// The port that the pictures of the READMEs show.
const { url } = await as.listen({ port: folder === undefined ? 0 : 9000 });
const shop = "https://shop.example/callback";
const asking = await latchkey({
  login: "interactive",
  clients: [{ client_id: "shop", client_name: "The Shop", redirect_uris: [shop] }],
});
const { url: askingUrl } = await asking.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await Promise.all([as.close(), asking.close()]);
});

/** Takes the top of the page, which must show these texts. */
async function takePicture({ page }: OpenedPage, name: string, texts: readonly string[]): Promise<void> {
  // The height of a page that is still loading says nothing.
  await page.waitForLoadState();
  const { width, height: maxHeight } = page.viewportSize()!;
  const bottom = await page.evaluate("Math.ceil(document.body.getBoundingClientRect().bottom + scrollY)") as number;
  const height = Math.min(bottom, maxHeight);
  for (const text of texts) {
    const box = await page.getByText(text).first().boundingBox();
    assert(box !== null && box.y + box.height <= height, `${name}: ${text}`);
  }
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width, height } });
  if (folder !== undefined) await writeFile(`${folder}/${name}.png`, picture);
}

test("the pictures show the reason, the fix and the next action", { skip }, async () => {
  await using opened = await openPage(`${url}/start`, { viewport: { width: 960, height: maxHeight } });
  const { page } = opened;
  await takePicture(opened, "authorized", ["Authorization Successful!", "Exchange the code"]);
  await page.locator("summary", { hasText: "Edit and send" }).click();
  await page.getByLabel("code_verifier").fill("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  await page.getByRole("button", { name: "Send the edited request", exact: true }).click();
  await page.waitForURL(`${url}/authorized/try`);
  await page.goto(`${url}/flows/1`);
  await takePicture(opened, "flow", ["Expected", "Received", "How to fix it", "Share as HTML"]);
  const redirectUri = encodeURIComponent(`${url}/authorised`);
  await page.goto(`${url}/oauth2/authorize?response_type=code&client_id=demo-public&redirect_uri=${redirectUri}`);
  await takePicture(opened, "rejected", ["Expected", "Received", "How to fix it", "See the whole flow"]);
  await page.goto(url);
  await takePicture(opened, "home", ["Create the client", "Start the demo flow", "Issuer"]);
});

test("the pictures show login and consent whole", { skip }, async () => {
  const request = new URLSearchParams({
    response_type: "code",
    client_id: "shop",
    redirect_uri: shop,
    scope: "openid profile email",
    state: "af0ifjsldkj",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  });
  await using opened = await openPage(`${askingUrl}/oauth2/authorize?${request}`, {
    viewport: { width: 392, height: maxCardHeight },
  });
  await takePicture(opened, "login", ["Alice Adams"]);
  await opened.page.getByRole("button", { name: /Alice Adams/ }).click();
  await opened.page.getByRole("button", { name: "Allow" }).waitFor();
  await takePicture(opened, "consent", ["Allow", "Deny"]);
});
