/** The pages of clients and users in a real Chromium, on a real server: changed by hand, and not by other sites. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { after, test } from "node:test";
import { latchkey } from "./server.ts";
import { browserVariants, closeBrowser, executablePath, type OpenedPage, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const as = await latchkey();
const { url } = await as.listen({ port: 0 });

/** A page of another site, which frames these pages and has a form for them. */
const attacker = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
  const html = `<iframe src="${url}/clients"></iframe>
    <form method="post" action="${url}/clients">
      <input name="client_id" value="evil"><input name="redirect_uris" value="https://evil.example.com/cb">
      <input name="token_endpoint_auth_method" value="none"><button>Win a prize</button>
    </form>`;
  return new Response(html, { headers: { "content-type": "text/html" } });
});

after(async () => {
  await closeBrowser();
  await attacker.shutdown();
  await as.close();
});

/** Runs copied text like a user: pasted into a shell. */
async function paste(command: string): Promise<Record<string, unknown>> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", `${command} -sS`] }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Presses twice: the first click explains the removal, the second confirms it. */
async function removeAfterAsking(
  page: OpenedPage["page"],
  what: string,
  id: string,
  isThere: () => boolean,
): Promise<void> {
  const confirm = page.getByRole("button", { name: /^Yes, remove this/ });
  assertEquals(await confirm.isVisible(), false);
  await page.locator("summary", { hasText: `Remove this ${what}` }).click();
  assertMatch(await page.locator("#remove p").first().innerText(), new RegExp(`^Remove ${id}\\? `));
  assert(isThere());
  await confirm.click();
}

const clientPaths = ["/clients", "/clients/demo-public", "/clients/demo-confidential", "/clients/demo-public?edit"];
const paths = ["/", ...clientPaths, "/users", "/users/alice"];

for (const { name, options } of browserVariants) {
  test(
    `[UI-17] the directory pages of a real server have no errors and are accessible: ${name}`,
    { skip },
    async () => {
      await using opened = await openPage(url, options);
      const { page } = opened;
      for (const path of paths) {
        await page.goto(url + path);
        if (!options.bare) await takeScreenshot(opened, `real${path.replaceAll(/\W/g, "-")}-${name}`);
        assertEquals(await findPageProblems(opened, { runsAxe: false }), [], path);
        await page.evaluate(`document.querySelectorAll("summary").forEach((summary) => summary.click())`);
        // To unfold is a shift.
        assertEquals(await findPageProblems(opened, { shifts: false }), [], path);
      }
    },
  );
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with" : "without";
  for (
    const [viewport, device] of [[{ width: 1280, height: 800 }, "desktop"], [
      { width: 390, height: 844 },
      "phone",
    ]] as const
  ) {
    test(`[DI-09] an unknown client logs in after four clicks, ${how} script, on a ${device}`, { skip }, async () => {
      const client_id = `new-${how}-${device}`;
      const redirect_uri = `${url}/authorized`;
      const fields = { response_type: "code", client_id, redirect_uri, state: "s", code_challenge_method: "S256" };
      const request = new URLSearchParams({ ...fields, code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" });
      await using opened = await openPage(`${url}/oauth2/authorize?${request}`, { javaScriptEnabled, viewport });
      const { page } = opened;
      await takeScreenshot(opened, `change-rejected-${how}-${device}`);
      await page.getByRole("link", { name: `Register ${client_id} with ${redirect_uri}` }).click();
      await page.getByRole("radio", { name: "No: it runs in a browser" }).check();
      await takeScreenshot(opened, `change-form-${how}-${device}`);
      await page.getByRole("button", { name: "Create the client" }).click();
      await takeScreenshot(opened, `change-added-${how}-${device}`);
      await page.getByRole("link", { name: "Try the request again" }).click();
      await page.waitForURL((url) => url.href.startsWith(`${redirect_uri}?code=`));
    });
  }
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with" : "without";
  test(`[DI-05, UI-15] the library of the settings is chosen by keyboard, ${how} script`, { skip }, async () => {
    await using opened = await openPage(url, { javaScriptEnabled, viewport: { width: 390, height: 844 } });
    const { page } = opened;
    await page.goto(`${url}/clients/demo-confidential`);
    assertEquals(await page.locator("#settings pre").count(), 1);
    for (const [library, name, word] of [["Spring Boot", "spring", "issuer-uri"], [".env", "env", "OIDC_CLIENT_ID"]]) {
      await page.getByLabel("Library").focus();
      await page.keyboard.type(library!);
      await page.getByRole("button", { name: "Show", exact: true }).press("Enter");
      await page.waitForURL(new RegExp(`connect=${name}#settings`));
      assertStringIncludes((await page.locator("#settings pre").textContent())!, word!);
      assertEquals(await page.locator("#snippet option:checked").allInnerTexts(), [library]);
      assertEquals(await page.locator("#settings pre").evaluate((code) => getComputedStyle(code).whiteSpace), "pre");
    }
    assertEquals(await findPageProblems(opened), []);
  });
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with" : "without";
  test(`[DI-03, UI-15] a client is added, corrected on the way, and removed, ${how} script`, { skip }, async () => {
    await using opened = await openPage(url, { javaScriptEnabled });
    const { page, problems } = opened;
    await page.getByLabel("Library").selectOption("curl");
    await page.getByLabel("Redirect URI", { exact: true }).fill("http://shop.example.com/cb");
    await page.getByLabel("Client ID").fill("shop");
    await page.getByText("Secret, authentication, name and logout").click();
    await page.getByLabel("Name").fill("The shop");
    await page.getByLabel("Authentication", { exact: true }).selectOption("client_secret_basic");
    await page.getByRole("button", { name: "Create the client" }).click();
    assertStringIncludes(await page.getByRole("alert").innerText(), "No client was created.");
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `real-clients-fault-${how}`);
    await page.getByRole("link", { name: "redirect_uris" }).click();
    const field = page.getByLabel("Redirect URI", { exact: true });
    assertEquals(await field.getAttribute("aria-invalid"), "true");
    assertEquals(await field.inputValue(), "http://shop.example.com/cb");
    await field.fill(`${as.issuer}/authorized`);
    await page.getByRole("button", { name: "Create the client" }).click();
    assertEquals(await page.locator("h1").textContent(), "The shop");
    const secret = await page.locator(".values .wire").first().textContent();
    assertMatch(secret!, /^[A-Za-z0-9_-]{43}$/);
    const command = await page.locator("#settings pre").textContent();
    assertStringIncludes(command!, secret!);
    const response = await paste(command!);
    assertEquals(response.token_type, "Bearer", JSON.stringify(response));
    await page.getByRole("link", { name: "Edit all metadata" }).click();
    const metadata = page.getByLabel("Metadata", { exact: true });
    const members = { ...JSON.parse(await metadata.inputValue()), require_pkce: true };
    await metadata.fill(JSON.stringify({ ...members, default_max_age: "an hour" }, null, 2));
    await page.getByRole("button", { name: "Save the metadata" }).click();
    assertStringIncludes(await page.getByRole("alert").innerText(), "Nothing was changed.");
    assertEquals(await findPageProblems(opened), []);
    await metadata.fill(JSON.stringify({ ...members, default_max_age: 3600 }));
    await page.getByRole("button", { name: "Save the metadata" }).click();
    assertEquals(await page.locator("h1").textContent(), "The shop");
    const { default_max_age, require_pkce } = (await as.clients.find("shop"))!.metadata;
    assertEquals([default_max_age, require_pkce], [3600, true]);
    await removeAfterAsking(page, "client", "shop", () => as.clients.find("shop") !== undefined);
    assertEquals(new URL(page.url()).pathname, "/clients");
    assertEquals(as.clients.find("shop"), undefined);
    assertEquals(problems, []);
  });

  test(`[DI-03, UI-15] a user is added, changed, made default and removed, ${how} script`, { skip }, async () => {
    await using opened = await openPage(`${url}/users`, { javaScriptEnabled });
    const { page, problems } = opened;
    await page.getByLabel("Subject").fill("carol");
    await page.getByLabel("Name", { exact: true }).fill("Carol Clark");
    await page.getByLabel("More claims").fill(`{"nickname": "caroline"`);
    await page.getByRole("button", { name: "Add the user" }).click();
    assertStringIncludes(await page.locator(".fault").innerText(), "Expected a closing brace at line 1, column 24");
    await page.getByLabel("More claims").fill(`{"nickname": "caroline"}`);
    await page.getByRole("button", { name: "Add the user" }).click();
    await page.getByRole("link", { name: "Carol Clark" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Carol Cole");
    await page.getByRole("button", { name: "Save the claims" }).click();
    assertEquals(await page.locator("h1").textContent(), "Carol Cole");
    assertStringIncludes(await page.getByRole("status").first().innerText(), "Saved carol");
    await page.getByRole("button", { name: "Make this user the default" }).click();
    assertEquals((await as.users.list()).map(({ sub }) => sub), ["carol", "alice", "bob"]);
    assertEquals(new URL(page.url()).pathname, "/");
    await page.getByRole("link", { name: "Carol Cole" }).click();
    await removeAfterAsking(page, "user", "carol", () => as.users.find("carol") !== undefined);
    assertEquals((await as.users.list()).map(({ sub }) => sub), ["alice", "bob"]);
    assertEquals(problems, []);
  });
}

test(
  "[DI-04, UI-05] a form on a page of another origin is rejected, in a browser that knows this one",
  { skip },
  async () => {
    await using opened = await openPage(`${url}/clients`);
    const { page } = opened;
    await page.goto(`http://127.0.0.1:${attacker.addr.port}`);
    await page.getByRole("button", { name: "Win a prize" }).click();
    assertEquals(await page.locator("h1").textContent(), "Request rejected");
    assertEquals(as.clients.find("evil"), undefined);
  },
);

test("[UI-01] no page of another origin can show these pages in a frame", { skip }, async () => {
  await using opened = await openPage(`http://127.0.0.1:${attacker.addr.port}`);
  assertEquals(opened.page.frames().map((frame) => frame.url()).filter((shown) => shown.startsWith(url)), []);
  assert(opened.problems.some((problem) => problem.includes("frame-ancestors")), opened.problems.join("\n"));
});
