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
  login(options: object): Promise<void>;
  logout(options: object): Promise<void>;
}

declare const window: {
  client: { default: new (options: object) => Keycloak };
  keycloak: Keycloak;
};

test("keycloak-js watches the login in its frames, reads roles and userinfo, asks for another scope and logs out", {
  skip,
}, async () => {
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
      await keycloak.init({ onLoad: "login-required" });
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
  // Another scope value, silently.
  await Promise.all([
    page.waitForURL(/#.*code=/),
    page.evaluate(() => void window.keycloak.login({ prompt: "none", scope: "phone" })),
  ]);
  assert(await start());
  assertEquals(await page.evaluate(() => window.keycloak.tokenParsed.scope), "openid phone profile email");
  await page.evaluate(() => void window.keycloak.logout({ redirectUri: `${location.origin}/bye` }));
  await page.waitForURL(/\/bye/);
  assertEquals(problems, []);
});

test(
  "keycloak-js notices in its frame that the user logged out elsewhere",
  { skip },
  async () => {
    await using application = await serveClientPage("npm:keycloak-js@26.2.4");
    await using as = await latchkey({
      profile: "keycloak",
      clients: [{
        client_id: "spa",
        redirect_uris: [`${application.url}/`],
        grant_types: ["authorization_code", "refresh_token"],
      }],
      users: [alice],
    });
    const { url } = await as.listen({ port: 0 });
    await using opened = await openPage(application.url);
    const { page, problems } = opened;
    const init = async (options: object) => {
      await page.waitForFunction(() => window.client !== undefined);
      return await page.evaluate(async ([url, options]) => {
        const keycloak = new window.client.default({ url, realm: "myrealm", clientId: "spa" });
        window.keycloak = keycloak;
        await keycloak.init(options);
        return keycloak.authenticated;
      }, [url, options] as const);
    };
    await Promise.all([page.waitForURL(/#.*code=/), init({ onLoad: "login-required" }).catch(() => {})]);
    // Without onLoad the page stays when it notices; otherwise it leaves immediately for another login.
    assert(await init({ checkLoginIframeInterval: 1 }));
    await page.evaluate(async () => void await window.keycloak.updateToken(-1));
    assert(await page.evaluate(() => window.keycloak.authenticated));
    await as.users.set(alice);
    await page.context().clearCookies();
    await page.waitForFunction(() => !window.keycloak.authenticated);
    assertEquals(problems, []);
  },
);

test(
  "a page of another site cannot load the frames, and a page of the same site learns nothing",
  { skip },
  async () => {
    await using as = await latchkey({
      profile: "keycloak",
      clients: [{ client_id: "spa", redirect_uris: ["http://app.localhost/callback"] }],
      users: [alice],
    });
    const { url } = await as.listen({ port: 0 });
    const page = `<!doctype html><title>Evil</title><link rel=icon href=data:,><script>
received = []; onmessage = ({ data }) => received.push(data);</script>`;
    await using evil = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => new Response(page, { headers: { "content-type": "text/html" } }),
    );
    for (const host of ["evil.example", "localhost"]) {
      await using opened = await openPage(`http://${host}:${evil.addr.port}`);
      await opened.page.evaluate(async (at) => {
        for (const path of ["3p-cookies/step1.html", "login-status-iframe.html"]) {
          const frame = document.createElement("iframe");
          frame.src = `${at}/${path}`;
          const loaded = new Promise((resolve) => frame.onload = resolve);
          document.body.append(frame);
          await loaded;
          frame.contentWindow!.postMessage("spa ", "*");
        }
      }, `${url}/realms/myrealm/protocol/openid-connect`);
      assertEquals(await opened.page.evaluate("received"), []);
      const query = `client_id=spa&session_state=&origin=${encodeURIComponent("http://app.localhost")}`;
      const read = await opened.page.evaluate(
        (check) => fetch(check, { credentials: "include" }).then(() => "read", () => "not read"),
        `${url}/realms/myrealm/protocol/openid-connect/login-status-iframe.html/init?${query}`,
      );
      assertEquals(read, "not read");
    }
  },
);
