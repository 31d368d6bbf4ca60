/**
 * What login and consent show of a client besides its name: logo, host, policy and terms.
 *
 * @extensions registration
 */

import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { test } from "node:test";
import type { ClientMetadata } from "../../../src/mod.ts";
import { extractText, parseForms } from "../../../src/client/html_form.ts";
import { type Browser, openBrowser } from "../browser.ts";
import { type Fields, forEachCase, type TestServer, testServer } from "../../kit.ts";
import { fillForm, type Page, send } from "../page_navigation.ts";
import { publicClient, register } from "../registering.ts";

const about = {
  logo_uri: "https://cdn.example/logo.svg",
  policy_uri: "https://app.example/privacy",
  tos_uri: "https://legal.example:8443/terms",
};
const redirect_uri = "https://spa.example/cb";

/** A server with login pages and the client `spa`, whose clients may register with or without a token. */
function start(metadata: Partial<ClientMetadata> = about): Promise<TestServer> {
  return testServer({
    login: "interactive",
    clients: [{ client_id: "spa", redirect_uris: [redirect_uri], ...metadata }],
    registration: { initialAccessTokens: ["an-initial-access-token-of-a-test"], mode: "open" },
  });
}

/** Follows redirects within the server; unlike in `server/page_navigation.ts`, the page may lead to other origins. */
async function open(browser: Browser, path: string, response: Response): Promise<Page> {
  const location = response.headers.get("location") ?? undefined;
  if (location?.startsWith("/")) return await open(browser, location, await browser.get(location));
  const html = await response.text();
  const forms = parseForms(html, `https://as.test${path}`);
  return { path, status: response.status, html, text: extractText(html), forms, location, response };
}

/** The login page and the consent page of a client, each with its policy. */
async function pages(server: TestServer, fields: Fields = {}) {
  const browser = openBrowser(server);
  const login = await open(browser, "/oauth2/authorize", await browser.authorize(fields));
  const { path, fields: filled } = fillForm(login, "sub", "alice");
  const consent = await open(browser, path, await send(browser, path, filled));
  return [login, consent].map(({ html, response }) => ({
    html,
    policy: response.headers.get("content-security-policy")!,
  }));
}

const usualImages = /img-src 'self';/;

test("[UI-10] login and consent show the logo, and link to policy and terms with their hosts", async () => {
  for (const { html, policy } of await pages(await start())) {
    assertMatch(html, /<img class="logo" src="https:\/\/cdn\.example\/logo\.svg" alt/);
    assertMatch(policy, /; img-src 'self' https:\/\/cdn\.example;/);
    assertMatch(
      html,
      /href="https:\/\/app\.example\/privacy"[^>]*rel="noopener noreferrer"[^>]*>Privacy policy<\/a> on/,
    );
    assertMatch(html, /<bdi>app\.example<\/bdi>/);
    assertMatch(
      html,
      /href="https:\/\/legal\.example:8443\/terms"[^>]*>Terms of service<\/a> on\s*<bdi>legal\.example:8443</,
    );
  }
});

test("[UI-10, UI-01] without these members the pages and their policy are as before", async () => {
  for (const { html, policy } of await pages(await start({}))) {
    assertNotMatch(html, /class="logo"|Privacy policy|Terms of service|did not register it/);
    assertMatch(policy, usualImages);
  }
});

test("[UI-10] the logo of an unknown client is not shown, but its host; an approved client has its logo", async () => {
  const server = await start();
  const metadata = { ...publicClient, ...about, client_name: "The bank" };
  const { client_id: unknown } = await register(server, metadata);
  const [login, consent] = await pages(server, { client_id: unknown, redirect_uri: "https://app.example/cb" });
  for (const { html, policy } of [login!, consent!]) {
    assertNotMatch(html, /cdn\.example/);
    assertMatch(policy, usualImages);
    assertMatch(html, /Privacy policy/);
    assertMatch(html, /app\.example/);
  }
  assertMatch(
    login!.html,
    /<strong><bdi>app\.example<\/bdi><\/strong>\. The operator of this server did not register the client/,
  );
  const authorization = "Bearer an-initial-access-token-of-a-test";
  const { client_id: approved } = await register(server, metadata, { authorization });
  for (const { html, policy } of await pages(server, { client_id: approved, redirect_uri: "https://app.example/cb" })) {
    assertMatch(html, /class="logo"/);
    assertMatch(policy, /img-src 'self' https:\/\/cdn\.example;/);
  }
});

test("[UI-01] the host of a logo adds no directive to the policy", async () => {
  await forEachCase([
    "https://cdn.example;script-src/logo.svg",
    "https://cdn.example,x/logo.svg",
    "https://*/logo.svg",
    "https://[::1]:8443/logo.svg",
  ], async (logo_uri) => {
    for (const { html, policy } of await pages(await start({ logo_uri }))) {
      const isShown = logo_uri.includes("[");
      assertEquals(html.includes('class="logo"'), isShown);
      assertMatch(policy, isShown ? /img-src 'self' https:\/\/\[::1\]:8443;/ : usualImages);
    }
  });
});
