/** Login and consent of the real server in a real Chromium: the journeys, and what other sites may try. */

import { assertEquals, assertLess, assertMatch, assertStringIncludes } from "@std/assert";
import { after, test } from "node:test";
import { latchkey } from "./server.ts";
import { formatPasswordDigest } from "../../src/server/config/password_digest.ts";
import { scryptDigest } from "../../src/platform/runtime/scrypt.ts";
import { findFreePort } from "../platform/runtime/free_port.ts";
import { closeBrowser, executablePath, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const cost = { ln: 10, r: 8, p: 1, salt: new Uint8Array(16) };
const password = formatPasswordDigest({ ...cost, hash: await scryptDigest("sesame", cost, 32) });
/** What the client was sent, in every test. */
const seen: URL[] = [];
const client = Deno.serve({ port: 0, hostname: "localhost", onListen: () => {} }, (request) => {
  const address = new URL(request.url);
  if (address.pathname === "/cb") seen.push(address);
  return new Response("<!DOCTYPE html><h1>Welcome back</h1>", { headers: { "content-type": "text/html" } });
});
const redirectUri = `http://localhost:${client.addr.port}/cb`;
let codes = 0;
const as = await latchkey({
  login: "interactive",
  clients: [
    {
      client_id: "web",
      client_name: "The shop",
      client_secret: "web-secret",
      redirect_uris: [redirectUri],
    },
  ],
  users: [
    { sub: "alice", name: "Alice Adams", email: "alice@example.com" },
    { sub: "bob", name: "Bob Brown" },
    { sub: "carol", name: "Carol Clark", password },
  ],
  trace: ({ type }) => void (codes += type === "code_issued" ? 1 : 0),
});
const { url } = await as.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await as.close();
  await client.shutdown();
});

const request = `${url}/oauth2/authorize?` + new URLSearchParams({
  response_type: "code",
  client_id: "web",
  redirect_uri: redirectUri,
  scope: "openid email read",
  state: "st4te",
});

test(
  "[UI-02, UI-05] on plain http forms send their origin, and no page leaks a code by its referrer",
  { skip },
  async () => {
    const posted: (string | null)[][] = [];
    const referrers: string[] = [];
    const port = await findFreePort();
    await using plain = await latchkey({
      issuer: `http://as.test:${port}`,
      login: "interactive",
      plugins: [{
        handle: (next) => (request, peer) => {
          const { pathname } = new URL(request.url, "http://as.test");
          const browser = request.headers.get("user-agent");
          if (request.method === "POST" && browser !== null) {
            posted.push([pathname, request.headers.get("origin"), request.headers.get("sec-fetch-site")]);
          }
          referrers.push(request.headers.get("referer") ?? "");
          return next(request, peer);
        },
      }],
    });
    await plain.listen({ port, host: "127.0.0.1" });
    await using opened = await openPage(`${plain.issuer}/start`);
    const { page } = opened;
    const heading = async () => await page.locator("h1").textContent();
    await page.locator(".person").first().click();
    await page.getByRole("button", { name: "Allow" }).click();
    assertEquals(await heading(), "Authorization Successful!");
    for (let step = 0; step < 2; step++) await page.locator("form button[type=submit]").first().click();
    assertEquals(await heading(), "Userinfo returned the claims of the user");
    for (const path of ["/account", "/oauth2/logout"]) {
      await page.goto(plain.issuer + path);
      await page.locator("form button").first().click();
    }
    assertEquals(await heading(), "You are logged out");
    // Without https the browser does not say which site a request is of. The callback page hides its own address.
    assertEquals(posted, [
      ["/oauth2/login", plain.issuer, null],
      ["/oauth2/consent", plain.issuer, null],
      ["/authorized/try", "null", null],
      ["/authorized/try", plain.issuer, null],
      ["/account", plain.issuer, null],
      ["/oauth2/logout", plain.issuer, null],
    ]);
    assertEquals(referrers.filter((from) => /[?&](?:code|state)=/.test(from)), []);
  },
);

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with script" : "without script";
  test(
    `[UI-07, UI-09, UI-15] login, consent and back to the client, ${how}, over http on loopback`,
    { skip },
    async () => {
      await using opened = await openPage(`${url}/`, { javaScriptEnabled, viewport: { width: 768, height: 800 } });
      const { page } = opened;
      seen.length = 0;
      await page.goto(`${request}&login_hint=bob`);
      assertEquals(await page.locator("h1").textContent(), "Log in to The shop");
      assertEquals(await findPageProblems(opened), []);
      await takeScreenshot(opened, `real-login-${javaScriptEnabled ? "script" : "bare"}`);
      await page.locator(".person").first().click();
      assertEquals(await page.locator("h1").textContent(), "Allow The shop to access your account?");
      assertEquals(await findPageProblems(opened), []);
      await takeScreenshot(opened, `real-consent-${javaScriptEnabled ? "script" : "bare"}`);
      assertStringIncludes(await page.locator(".facts").innerText(), "Bob Brown");
      await page.getByLabel("See your e-mail address").uncheck();
      await page.getByRole("button", { name: "Allow" }).click();
      assertEquals(await page.locator("h1").textContent(), "Welcome back");
      assertEquals([seen.length, seen[0]!.searchParams.get("state")], [1, "st4te"]);
      assertMatch(seen[0]!.searchParams.get("code")!, /^[\w-]{43}$/);

      // Back to a page that is done with: it says so, and there is no second code.
      await page.goBack();
      assertEquals(await page.locator("h1").textContent(), "Request rejected");
      await page.goto(request.replace("openid+email+read", "openid+read"));
      assertEquals(await page.locator("h1").textContent(), "Welcome back");
      assertEquals(seen.length, 2);

      await page.goto(`${url}/account`);
      assertStringIncludes(await page.locator("main").innerText(), "openid read");
      assertEquals(await findPageProblems(opened), []);
      await page.getByRole("button", { name: "Revoke access" }).click();
      await page.waitForLoadState();
      assertStringIncludes(await page.locator("main").innerText(), "No client has access to your account.");
    },
  );
}

test(
  "[UI-09] the decision about six scope values is on the first screen, and the page Account is a link",
  { skip },
  async () => {
    await using opened = await openPage(`${url}/`, { viewport: { width: 1280, height: 900 } });
    const { page } = opened;
    await page.goto(request.replace("openid+email+read", "openid+profile+email+read+write+offline_access"));
    await page.locator(".person").first().click();
    const box = (await page.getByRole("button", { name: "Allow" }).boundingBox())!;
    assertLess(box.y + box.height, 900);
    assertEquals(await page.locator(".grants .choice").count(), 6);
    await takeScreenshot(opened, "consent-six");
    await page.setViewportSize({ width: 390, height: 844 });
    await takeScreenshot(opened, "consent-six-phone");
    assertEquals(await findPageProblems(opened), []);
    await page.getByRole("link", { name: "Account", exact: true }).click();
    await page.waitForURL(({ pathname }) => pathname === "/account");
  },
);

test("on a phone the password of a selected account is asked on the first screen", { skip }, async () => {
  await using opened = await openPage(`${url}/`, { viewport: { width: 320, height: 640 } });
  const { page } = opened;
  await page.goto(request);
  await page.getByRole("link", { name: "Carol Clark" }).click();
  await page.waitForURL(/&as=carol$/);
  const { y, height } = (await page.getByRole("button", { name: "Log in", exact: true }).boundingBox())!;
  assertLess(y + height, 640);
  assertLess(y, (await page.locator(".person").first().boundingBox())!.y);
});

test(
  "[UI-15] by keyboard only: a wrong password is announced, and the focus is on the next input",
  { skip },
  async () => {
    await using opened = await openPage(`${url}/`);
    const { page } = opened;
    seen.length = 0;
    await page.goto(request);
    await page.getByRole("link", { name: "Carol Clark" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/&as=carol$/);
    assertEquals(await page.getByLabel("User name").inputValue(), "carol");
    for (const attempt of ["open", "sesame"]) {
      assertEquals(await page.evaluate("document.activeElement.type"), "password");
      await page.keyboard.type(attempt);
      await page.keyboard.press("Enter");
      if (attempt === "sesame") break;
      await page.getByRole("alert").waitFor();
      assertEquals(await page.getByRole("alert").innerText(), "The name or the password is wrong.");
      assertEquals(await findPageProblems(opened), []);
    }
    await page.getByRole("button", { name: "Deny" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Welcome back" }).waitFor();
    assertEquals(seen[0]!.searchParams.get("error"), "access_denied");
  },
);

test("a guest user is created, and another account chosen on the way", { skip }, async () => {
  await using opened = await openPage(`${url}/`);
  const { page } = opened;
  seen.length = 0;
  await page.goto(request);
  await page.locator(".person").first().click();
  await page.getByRole("link", { name: "Use another account" }).click();
  await page.getByText("Log in as a new user").click();
  await page.getByLabel("Subject").fill("dave");
  await page.getByLabel("Claims").fill("{");
  await page.getByRole("button", { name: "Log in as this user" }).click();
  assertEquals(
    await page.getByRole("alert").innerText(),
    "The claims are not JSON: expected a closing brace at line 1, column 2, received the end of the text. " +
      "Close the object with }.",
  );
  await page.getByLabel("Claims").fill('{\n  "name": "Dave Dunn"\n}');
  await page.getByRole("button", { name: "Log in as this user" }).click();
  assertStringIncludes(await page.locator(".facts").innerText(), "Dave Dunn");
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "Welcome back" }).waitFor();
  assertMatch(seen[0]!.searchParams.get("code")!, /./);
});

test("[UI-14] a double click on Allow yields one code", { skip }, async () => {
  await using opened = await openPage(`${url}/`);
  const { page } = opened;
  await page.goto(request);
  await page.locator(".person").first().click();
  await page.getByRole("button", { name: "Allow" }).waitFor();
  const before = codes;
  await page.getByRole("button", { name: "Allow" }).dblclick({ noWaitAfter: true });
  await page.getByRole("heading").first().waitFor();
  await page.waitForLoadState();
  assertEquals(codes - before, 1);
});

test("[UI-14] two tabs with two requests each end with their own state", { skip }, async () => {
  await using opened = await openPage(`${url}/`);
  const { page } = opened;
  const asking = `${request}&prompt=consent`;
  const other = await page.context().newPage();
  await page.goto(asking);
  await other.goto(asking.replace("st4te", "another"));
  await other.locator(".person").first().click();
  await page.locator(".person").first().click();
  for (const [tab, state] of [[other, "another"], [page, "st4te"]] as const) {
    await tab.getByRole("button", { name: "Allow" }).click();
    await tab.getByRole("heading", { name: "Welcome back" }).waitFor();
    assertEquals(new URL(tab.url()).searchParams.get("state"), state);
  }
});

test("[UI-01] another site cannot frame the pages", { skip }, async () => {
  await using opened = await openPage(`${url}/`);
  const { page } = opened;
  await page.route(
    "http://evil.example/",
    (route) =>
      route.fulfill({ contentType: "text/html", body: `<iframe src="${request.replaceAll("&", "&amp;")}"></iframe>` }),
  );
  await page.goto("http://evil.example/");
  assertEquals(page.frames().map((frame) => frame.url().split(":")[0]), ["http", "chrome-error"]);
});

test("[UI-05, UI-06] another site can post a request, but neither a login nor a decision", { skip }, async () => {
  await using opened = await openPage(`${url}/`);
  const { page } = opened;
  seen.length = 0;
  await page.goto(`${request}&prompt=consent`);
  await page.locator(".person").first().click();
  const form = await page.evaluate("[...new FormData(document.forms[0])]") as [string, string][];
  const before = codes;
  let post: { action: string; fields: [string, string][] } = { action: "/oauth2/consent", fields: form };
  await page.route("http://evil.example/", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<form method="post" action="${url}${post.action}">${
        post.fields.map(([name, value]) => `<input name="${name}" value="${value}">`).join("")
      }<button>Win</button></form>`,
    }));
  post.fields.push(["decision", "allow"]);
  await page.goto("http://evil.example/");
  await page.getByRole("button").click();
  assertEquals(await page.locator("h1").textContent(), "Request rejected");
  assertEquals([codes, seen.length], [before, 0]);

  const more = new URL(request.replace("read", "read+write")).searchParams;
  post = { action: "/oauth2/authorize", fields: [...more, ["decision", "allow"]] };
  await page.goto("http://evil.example/");
  await page.getByRole("button").click();
  // The session is seen, although the form brought no cookie along; consent is still asked for.
  await page.getByRole("heading", { name: "Allow The shop to access your account?" }).waitFor();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "Welcome back" }).waitFor();

  // [UI-08] and once it is given, the same form leads through without a question.
  await page.goto("http://evil.example/");
  await page.getByRole("button").click();
  await page.getByRole("heading", { name: "Welcome back" }).waitFor();
  assertEquals([codes, seen.length], [before + 2, 2]);
});
