/** `@azure/msal-browser` in Chromium against the profile `entra`: only its authority is another one. */

import { assert, assertEquals } from "@std/assert";
import { after, test } from "node:test";
import { serveClientPage } from "./client_page.ts";
import { closeBrowser, executablePath, openPage } from "./harness.ts";
import { latchkey } from "./server.ts";

const skip = executablePath === undefined;
after(closeBrowser);

interface Account {
  readonly username: string;
  readonly tenantId: string;
  readonly homeAccountId: string;
}

interface Msal {
  initialize(): Promise<void>;
  handleRedirectPromise(): Promise<{ readonly accessToken: string; readonly account: Account } | null>;
  loginRedirect(request: object): Promise<void>;
  acquireTokenSilent(request: object): Promise<{ readonly accessToken: string; readonly fromCache: boolean }>;
  logoutRedirect(request: object): Promise<void>;
}

declare const window: { client: { PublicClientApplication: new (options: object) => Msal }; msal: Msal };

test("msal-browser logs in at common, renews with a refresh token and logs out", { skip }, async () => {
  await using application = await serveClientPage("npm:@azure/msal-browser@5.30.0");
  await using as = await latchkey({
    profile: "entra",
    clients: [{
      client_id: "spa",
      redirect_uris: [`${application.url}/callback`],
      post_logout_redirect_uris: [`${application.url}/bye`],
      grant_types: ["authorization_code", "refresh_token"],
    }],
    users: [{ sub: "alice", name: "Alice Adams", preferred_username: "alice@contoso.com" }],
  });
  const { url } = await as.listen({ port: 0, tls: "self-signed" });
  // After a login, the client goes back to the page where it began.
  await using opened = await openPage(`${application.url}/callback`, { ignoreHTTPSErrors: true });
  const { page, problems } = opened;
  const start = async () => {
    await page.waitForFunction(() => window.client !== undefined);
    return await page.evaluate(async (origin) => {
      window.msal = new window.client.PublicClientApplication({
        auth: {
          ...{ clientId: "spa", authority: `${origin}/common`, knownAuthorities: [new URL(origin).host] },
          redirectUri: `${location.origin}/callback`,
        },
      });
      await window.msal.initialize();
      return await window.msal.handleRedirectPromise();
    }, new URL(url).origin);
  };
  assertEquals(await start(), null);
  const scopes = ["User.Read"];
  await page.evaluate((scopes) => void window.msal.loginRedirect({ scopes }), scopes);
  await page.waitForURL(/\/callback#code=/);
  const result = await start();
  assert(result !== null);
  const { account, accessToken } = result;
  assertEquals([account.username, account.tenantId], ["alice@contoso.com", "aaaabbbb-0000-cccc-1111-dddd2222eeee"]);
  const renewed = await page.evaluate(
    (request) => window.msal.acquireTokenSilent(request),
    { account, scopes, forceRefresh: true },
  );
  assertEquals([renewed.fromCache, renewed.accessToken === accessToken], [false, false]);
  await page.evaluate((account) => {
    void window.msal.logoutRedirect({ account, postLogoutRedirectUri: `${location.origin}/bye` });
  }, account);
  // Without an ID token of the session, the user chooses the account, as at Entra ID.
  await page.getByRole("button", { name: "alice@contoso.com" }).click();
  await page.waitForURL(/\/bye/);
  assertEquals(problems, []);
});
