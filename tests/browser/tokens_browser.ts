/** The page for tokens in a real Chromium, with and without script: `deno test -A tests/browser/`. */

import { assertEquals, assertLess, assertMatch } from "@std/assert";
import { after, test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { latchkey } from "./server.ts";
import { challenge, encode, verifier } from "../kit.ts";
import { browserVariants, closeBrowser, executablePath, type OpenedPage, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const as = await latchkey({ plugins: [inspector()], alg: "ES256" });
const { url } = await as.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await as.close();
});

/** The token response of a login as the demo client. */
async function login(): Promise<Readonly<Record<"id_token" | "access_token", string>>> {
  const client = { client_id: "demo-public", redirect_uri: `${url}/authorized` };
  const proof = { code_challenge: challenge, code_challenge_method: "S256" };
  const query = encode({ response_type: "code", scope: "openid profile", nonce: "n1", ...client, ...proof });
  const { headers } = await fetch(`${url}/oauth2/authorize?${query}`, { redirect: "manual" });
  const code = new URL(headers.get("location")!).searchParams.get("code")!;
  const body = new URLSearchParams({ grant_type: "authorization_code", code, code_verifier: verifier, ...client });
  return await (await fetch(`${url}/oauth2/token`, { method: "POST", body })).json();
}

/** Checks a token on the page, examines the result, and returns its text. */
async function checkToken(opened: OpenedPage, name: string, token: string): Promise<string> {
  const { page } = opened;
  await page.goto(`${url}/tokens`);
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: "Check the token" }).click();
  assertEquals(new URL(page.url()).search, "");
  // What is folded is examined once it is unfolded.
  assertEquals(await findPageProblems(opened, { runsAxe: false }), []);
  await takeScreenshot(opened, `tokens-${name}`);
  for (const summary of await page.locator("main summary").all()) {
    if (await summary.isVisible()) await summary.click();
  }
  // To unfold is a shift.
  assertEquals(await findPageProblems(opened, { shifts: false }), []);
  return await page.locator("main").innerText();
}

for (const { name, options } of browserVariants) {
  test(`tokens: a valid, a broken and an encrypted one, ${name}`, { skip }, async () => {
    const { id_token: idToken, access_token: accessToken } = await login();
    await using opened = await openPage(`${url}/tokens`, options);
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `tokens-form-${name}`);
    assertMatch(
      await checkToken(opened, `valid-${name}`, idToken),
      /Valid ID token/,
    );
    const [head, claims] = idToken.split(".");
    assertMatch(
      await checkToken(opened, `broken-${name}`, `${head}.${claims}.AAAA`),
      /Signature does not verify with /,
    );
    assertMatch(
      await checkToken(opened, `response-${name}`, JSON.stringify({ id_token: idToken, access_token: accessToken })),
      /2 of 2 JWTs valid/,
    );
    const callback = `https://app.example/cb?code=c0de&state=s#id_token=${idToken}`;
    assertMatch(await checkToken(opened, `callback-${name}`, callback), /Valid ID token/);
    const encrypted = `${btoa('{"alg":"RSA-OAEP-256","enc":"A256GCM","cty":"JWT"}').replace(/=+$/, "")}.a.b.c.d`;
    assertMatch(await checkToken(opened, `encrypted-${name}`, encrypted), /Encrypted token/);
  });
}

for (const viewport of [{ width: 390, height: 844 }, { width: 1280, height: 800 }, { width: 1440, height: 900 }]) {
  test(`tokens: decoded while the user types, at ${viewport.width} px`, { skip }, async () => {
    const { id_token: idToken } = await login();
    await using opened = await openPage(`${url}/tokens`, { viewport });
    const { page } = opened;
    const field = page.getByLabel("Token", { exact: true });
    await field.fill(idToken);
    await page.getByRole("heading", { level: 1, name: /^Valid ID token/ }).waitFor();
    assertEquals(await page.locator("#results .claims dt").first().innerText(), "Header");
    assertMatch(await page.title(), /^Valid ID token/);
    // Beside the token, on the first screen.
    const claims = (await page.locator("#results .claims").boundingBox())!;
    if (viewport.width >= 1280) assertLess(claims.y, 250);
    assertEquals(await page.locator("#results").getByText(idToken).count(), 0, "the token stands in the form alone");
    await field.focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Backspace");
    await page.getByRole("heading", { level: 1, name: /^Signature does not verify|breaks/ }).waitFor();
    assertEquals(await field.inputValue(), idToken.slice(0, -1));
    assertEquals(await page.evaluate("document.activeElement.id"), "token");
    assertEquals(new URL(page.url()).search, "");
    assertEquals(await findPageProblems(opened, { shifts: false }), []);
    await takeScreenshot(opened, `tokens-typed-${viewport.width}`);
  });
}

test("tokens: without script, a link checks the last ID token", { skip }, async () => {
  await login();
  await using opened = await openPage(`${url}/tokens`, { javaScriptEnabled: false });
  const { page } = opened;
  await page.getByRole("link", { name: "Check the last ID token" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: /^Valid ID token/ }).waitFor();
  await takeScreenshot(opened, "tokens-last");
});

test("tokens: the page is small", { skip }, async () => {
  const sizes = await Promise.all(
    ["/tokens", "/static/devtools/tokens.css", "/static/devtools/tokens.js", "/static/style.css", "/static/script.js"]
      .map(
        async (path) => (await (await fetch(url + path)).arrayBuffer()).byteLength,
      ),
  );
  assertLess(sizes.reduce((sum, size) => sum + size), 30_000);
});
