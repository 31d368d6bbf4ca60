/** `@okta/okta-auth-js` in Chromium against the profile `okta`: only its issuer is another one. */

import { assert, assertEquals } from "@std/assert";
import { after, test } from "node:test";
import { serveClientPage } from "./client_page.ts";
import { closeBrowser, executablePath, openPage } from "./harness.ts";
import { latchkey } from "./server.ts";

const skip = executablePath === undefined;
after(closeBrowser);

/** The tokens by their names. */
type Tokens = Record<
  string,
  { readonly claims: Record<string, unknown>; readonly accessToken: string; readonly scopes: string[] }
>;

interface Okta {
  signInWithRedirect(): Promise<void>;
  handleLoginRedirect(): Promise<void>;
  isAuthenticated(): Promise<boolean>;
  getUser(): Promise<Record<string, unknown>>;
  signOut(options: object): Promise<boolean>;
  readonly token: {
    getWithoutPrompt(options: object): Promise<{ readonly tokens: Tokens }>;
  };
  readonly tokenManager: {
    getTokensSync(): Tokens;
    renew(name: string): Promise<{ readonly accessToken: string }>;
  };
}

declare const window: { client: { OktaAuth: new (options: object) => Okta }; okta: Okta };

test(
  "okta-auth-js logs in, reads userinfo, renews by refresh token, gets another scope value in a frame, and logs out",
  { skip },
  async () => {
    await using application = await serveClientPage("npm:@okta/okta-auth-js@8.0.1");
    await using as = await latchkey({
      profile: "okta",
      clients: [{
        client_id: "spa",
        redirect_uris: [`${application.url}/callback`],
        post_logout_redirect_uris: [`${application.url}/bye`],
        grant_types: ["authorization_code", "refresh_token"],
      }],
      users: [{ sub: "00u1alice", preferred_username: "alice@app.example", email: "alice@app.example" }],
    });
    await as.listen({ port: 0 });
    await using opened = await openPage(application.url);
    const { page, problems } = opened;
    const start = async () => {
      await page.waitForFunction(() => window.client !== undefined);
      await page.evaluate((issuer) => {
        const scopes = ["openid", "profile", "email", "offline_access"];
        const redirectUri = `${location.origin}/callback`;
        window.okta = new window.client.OktaAuth({ issuer, clientId: "spa", redirectUri, scopes });
      }, as.issuer);
    };
    await start();
    await page.evaluate(() => void window.okta.signInWithRedirect());
    await page.waitForURL(/\/callback\?code=/);
    await start();
    await page.evaluate(() => window.okta.handleLoginRedirect());
    const found = await page.evaluate(async () => ({
      user: await window.okta.getUser(),
      tokens: window.okta.tokenManager.getTokensSync(),
      isAuthenticated: await window.okta.isAuthenticated(),
    }));
    assert(found.isAuthenticated);
    assertEquals(found.user.preferred_username, "alice@app.example");
    const renewed = await page.evaluate(() => window.okta.tokenManager.renew("accessToken"));
    const silent = await page.evaluate(() => window.okta.token.getWithoutPrompt({ scopes: ["openid", "phone"] }));
    const { accessToken: narrow, idToken } = silent.tokens;
    assertEquals([idToken.claims.sub, narrow.scopes], ["00u1alice", ["openid", "phone"]]);
    assert(renewed.accessToken !== found.tokens.accessToken.accessToken);
    const { accessToken } = renewed;
    const revoked = page.waitForResponse(`${as.issuer}/v1/revoke`);
    await page.evaluate(() => void window.okta.signOut({ postLogoutRedirectUri: `${location.origin}/bye` }));
    assertEquals((await revoked).status(), 200);
    assertEquals((await revoked).status(), 200);
    await page.waitForURL(/\/bye/);
    assertEquals(problems, []);
    const response = await fetch(`${as.issuer}/v1/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } });
    assertEquals([response.status, await response.text()], [401, ""]);
  },
);
