/** `@auth0/auth0-spa-js` in Chromium against the profile `auth0`: only its domain is another one. */

import { assert, assertEquals } from "@std/assert";
import { after, test } from "node:test";
import { serveClientPage } from "./client_page.ts";
import { closeBrowser, executablePath, openPage } from "./harness.ts";
import { latchkey } from "./server.ts";

const skip = executablePath === undefined;
after(closeBrowser);

interface Auth0 {
  loginWithRedirect(): Promise<void>;
  loginWithPopup(): Promise<void>;
  handleRedirectCallback(): Promise<unknown>;
  getTokenSilently(options?: object): Promise<string>;
  getUser(): Promise<Record<string, unknown> | undefined>;
  logout(options: object): Promise<void>;
}

declare const window: { client: { Auth0Client: new (options: object) => Auth0 }; auth0: Auth0 };

test(
  "auth0-spa-js logs in, renews in a frame and by refresh token, asks for another scope, opens a window, and logs out",
  { skip },
  async () => {
    await using application = await serveClientPage("npm:@auth0/auth0-spa-js@2.27.0");
    await using as = await latchkey({
      profile: "auth0",
      clients: [{
        client_id: "spa",
        redirect_uris: [application.url],
        post_logout_redirect_uris: [`${application.url}/bye`],
        grant_types: ["authorization_code", "refresh_token"],
      }],
      users: [{ sub: "auth0|alice", email: "alice@app.example", name: "Alice", org_id: "org_acme" }],
      scopes: ["openid", "profile", "email", "offline_access", "read:messages"],
    });
    await as.listen({ port: 0 });
    await using opened = await openPage(application.url);
    const { page, problems } = opened;
    const start = async (useRefreshTokens: boolean) => {
      await page.waitForFunction(() => window.client !== undefined);
      await page.evaluate(([domain, useRefreshTokens]) => {
        const authorizationParams = {
          ...{ redirect_uri: location.origin, audience: "https://api.example" },
          // The client checks that the ID token has it.
          organization: "org_acme",
        };
        const options = { domain, clientId: "spa", authorizationParams, useRefreshTokens };
        window.auth0 = new window.client.Auth0Client(options);
      }, [as.issuer.replace(/\/$/, ""), useRefreshTokens] as const);
    };
    await start(false);
    await page.evaluate(() => void window.auth0.loginWithRedirect());
    await page.waitForURL(/\?code=/);
    await start(false);
    const found = await page.evaluate(async () => {
      await window.auth0.handleRedirectCallback();
      const first = await window.auth0.getTokenSilently();
      const second = await window.auth0.getTokenSilently({ cacheMode: "off" });
      const options = { authorizationParams: { scope: "read:messages" }, detailedResponse: true };
      const { scope } = await window.auth0.getTokenSilently(options) as unknown as { readonly scope: string };
      return { first, second, scope, user: await window.auth0.getUser() };
    });
    assertEquals([found.user?.sub, found.user?.nickname], ["auth0|alice", "alice"]);
    assert(found.first !== found.second);
    assert(found.scope.split(" ").includes("read:messages"), found.scope);
    await start(true);
    const renewed = await page.evaluate(async () => {
      await window.auth0.loginWithPopup();
      const first = await window.auth0.getTokenSilently();
      return [first, await window.auth0.getTokenSilently({ cacheMode: "off" })];
    });
    assert(renewed[0] !== renewed[1]);
    await page.evaluate(() => void window.auth0.logout({ logoutParams: { returnTo: `${location.origin}/bye` } }));
    await page.waitForURL(/\/bye/);
    await start(false);
    const error = await page.evaluate(() => window.auth0.getTokenSilently().catch(({ error }) => error));
    assertEquals(error, "login_required");
    assertEquals(problems, []);
  },
);

test("a page of another site gets no message, from a frame or from a window that it opened", { skip }, async () => {
  await using as = await latchkey({
    profile: "auth0",
    clients: [{ client_id: "spa", redirect_uris: ["http://app.localhost/callback"] }],
    users: [{ sub: "auth0|alice" }],
  });
  await as.listen({ port: 0 });
  const query = new URLSearchParams({
    ...{ response_type: "code", client_id: "spa", redirect_uri: "http://app.localhost/callback", scope: "openid" },
    ...{ state: "st4te", response_mode: "web_message", code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" },
  });
  const request = `${as.issuer}authorize?${query}`;
  const page = `<!doctype html><title>Evil</title><link rel=icon href=data:,><script>
received = []; onmessage = ({ data }) => received.push(data);</script>`;
  await using evil = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response(page, { headers: { "content-type": "text/html" } }),
  );
  await using opened = await openPage(`http://evil.example:${evil.addr.port}`);
  await opened.page.evaluate(async (url) => {
    const frame = document.createElement("iframe");
    frame.src = url;
    const loaded = new Promise((resolve) => frame.onload = resolve);
    document.body.append(frame);
    await loaded;
  }, request);
  const [popup] = await Promise.all([
    opened.page.waitForEvent("popup"),
    opened.page.evaluate((url) => void open(url), request),
  ]);
  await popup.waitForLoadState("load");
  assertEquals(await popup.title(), "Response");
  assertEquals(await opened.page.evaluate("received"), []);
});
