/** Amplify in Chromium against the profile `cognito`: only the domain of its pool is another one. */

import { assertEquals } from "@std/assert";
import { after, test } from "node:test";
import { serveClientPage } from "./client_page.ts";
import { closeBrowser, executablePath, openPage } from "./harness.ts";
import { latchkey } from "./server.ts";

const skip = executablePath === undefined;
after(closeBrowser);

interface Token {
  readonly payload: Record<string, unknown>;
}

/** What the page reads of Amplify. */
interface Amplify {
  readonly Amplify: { configure(options: object): void };
  readonly Hub: { listen(channel: string, listener: (event: { payload: { event: string } }) => void): void };
  signInWithRedirect(): Promise<void>;
  getCurrentUser(): Promise<{ readonly username: string; readonly userId: string }>;
  fetchAuthSession(): Promise<{ readonly tokens?: { readonly accessToken: Token; readonly idToken: Token } }>;
  signOut(): Promise<void>;
}

declare const window: { client: Amplify; signedIn: Promise<void> };

test("Amplify logs in with the hosted pages, reads the user and logs out", { skip }, async () => {
  await using application = await serveClientPage("npm:aws-amplify@6.22.1", "auth", "utils");
  await using as = await latchkey({
    profile: "cognito",
    clients: [{
      client_id: "spa",
      redirect_uris: [`${application.url}/`],
      post_logout_redirect_uris: [`${application.url}/`],
      grant_types: ["authorization_code", "refresh_token"],
    }],
    users: [{ sub: "0a1b2c3d-0000-4000-8000-000000000001", preferred_username: "alice", email: "alice@app.example" }],
  });
  const { url } = await as.listen({ port: 0, tls: "self-signed" });
  await using opened = await openPage(`${application.url}/`, { ignoreHTTPSErrors: true });
  const { page, problems } = opened;
  const start = async () => {
    await page.waitForFunction(() => window.client !== undefined);
    await page.evaluate((domain) => {
      const { Amplify, Hub } = window.client;
      window.signedIn = new Promise((resolve) => {
        Hub.listen("auth", ({ payload }) => payload.event === "signInWithRedirect" && resolve());
      });
      const redirects = { redirectSignIn: [`${location.origin}/`], redirectSignOut: [`${location.origin}/`] };
      const oauth = { domain, scopes: ["openid", "email", "profile"], ...redirects, responseType: "code" };
      const pool = { userPoolId: "us-east-1_example", userPoolClientId: "spa" };
      Amplify.configure({ Auth: { Cognito: { ...pool, loginWith: { oauth } } } });
    }, new URL(url).host);
  };
  await start();
  await page.evaluate(() => void window.client.signInWithRedirect());
  await page.waitForURL(/\?code=/);
  await start();
  const found = await page.evaluate(async () => {
    await window.signedIn;
    const { tokens } = await window.client.fetchAuthSession();
    return {
      user: await window.client.getCurrentUser(),
      access: tokens?.accessToken.payload,
      id: tokens?.idToken.payload,
    };
  });
  assertEquals([found.user.username, found.user.userId], ["alice", "0a1b2c3d-0000-4000-8000-000000000001"]);
  assertEquals([found.access?.token_use, found.id?.token_use, found.id?.email], ["access", "id", "alice@app.example"]);
  assertEquals(problems, []);
  // Its calls of the API of Cognito, such as the revocation here, do not reach the server.
  await page.route("https://cognito-idp.us-east-1.amazonaws.com/**", (route) => route.abort());
  const loggedOut = page.waitForResponse((response) => response.url().startsWith(`${new URL(url).origin}/logout?`));
  await page.evaluate(() => void window.client.signOut());
  assertEquals((await loggedOut).headers().location, `${application.url}/`);
});
