/** keycloak-js in Chromium against the profile `keycloak`: only its URL is another one. */

import { assert, assertEquals } from "@std/assert";
import { after, test } from "node:test";
import { serveClientPage } from "./client_page.ts";
import { closeBrowser, executablePath, openPage } from "./harness.ts";
import { latchkey } from "./server.ts";

const skip = executablePath === undefined;
after(closeBrowser);

const alice = {
  ...{ sub: "7f0c9a6e-4d56-4d84-9d8e-2f0b7a1f5c11", preferred_username: "alice", email: "alice@app.example" },
  realm_access: { roles: ["editor"] },
  resource_access: { shop: { roles: ["buyer"] } },
};

/** What the page reads of keycloak-js. */
interface Keycloak {
  readonly authenticated: boolean;
  readonly subject: string;
  readonly token: string;
  readonly tokenParsed: Record<string, unknown>;
  readonly sessionId: string;
  init(options: object): Promise<boolean>;
  hasRealmRole(role: string): boolean;
  hasResourceRole(role: string, client: string): boolean;
  loadUserInfo(): Promise<Record<string, unknown>>;
  updateToken(seconds: number): Promise<boolean>;
  logout(options: object): Promise<void>;
}

declare const window: {
  client: { default: new (options: object) => Keycloak };
  keycloak: Keycloak;
};

test("keycloak-js logs in, reads roles and userinfo, renews the token and logs out", { skip }, async () => {
  await using application = await serveClientPage("npm:keycloak-js@26.2.4");
  await using as = await latchkey({
    profile: "keycloak",
    clients: [{
      client_id: "spa",
      redirect_uris: [`${application.url}/`],
      post_logout_redirect_uris: [`${application.url}/bye`],
      grant_types: ["authorization_code", "refresh_token"],
    }],
    users: [alice],
  });
  const { url } = await as.listen({ port: 0 });
  await using opened = await openPage(application.url);
  const { page, problems } = opened;
  const start = async () => {
    await page.waitForFunction(() => window.client !== undefined);
    return await page.evaluate(async (url) => {
      const keycloak = new window.client.default({ url, realm: "myrealm", clientId: "spa" });
      window.keycloak = keycloak;
      await keycloak.init({ onLoad: "login-required", checkLoginIframe: false });
      return keycloak.authenticated;
    }, url);
  };
  // The page leaves for the server, and comes back with a code.
  await Promise.all([page.waitForURL(/#.*code=/), start().catch(() => {})]);
  assert(await start());
  const found = await page.evaluate(async () => ({
    claims: window.keycloak.tokenParsed,
    subject: window.keycloak.subject,
    isEditor: window.keycloak.hasRealmRole("editor"),
    isBuyer: window.keycloak.hasResourceRole("buyer", "shop"),
    isAdmin: window.keycloak.hasRealmRole("admin"),
    user: await window.keycloak.loadUserInfo(),
    session: window.keycloak.sessionId,
  }));
  assertEquals([found.isEditor, found.isBuyer, found.isAdmin], [true, true, false]);
  assertEquals([found.subject, found.user.preferred_username], [alice.sub, "alice"]);
  const { typ, azp, sid, "allowed-origins": origins } = found.claims;
  assertEquals([typ, azp, sid, origins], ["Bearer", "spa", found.session, [application.url]]);
  const renewed = await page.evaluate(async () => {
    const { token } = window.keycloak;
    return await window.keycloak.updateToken(-1) && window.keycloak.token !== token;
  });
  assert(renewed);
  await page.evaluate(() => void window.keycloak.logout({ redirectUri: `${location.origin}/bye` }));
  await page.waitForURL(/\/bye/);
  assertEquals(problems, []);
});
