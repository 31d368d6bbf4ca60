/** Mocks that accept what is not registered. */

import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { test } from "node:test";
import { testLatchkey } from "./test_latchkey.ts";
import { forEachCase, testServer } from "../kit.ts";
import { openBrowser } from "../server/browser.ts";
import { logIn } from "../server/page_navigation.ts";

const any = "any";
const unknown = { client_id: "shop", redirect_uri: "https://shop.example/cb" };

test("[OP-11] clients any: no user is asked for consent to an unknown client; without a page, only its loopback redirect URIs get a code", async () => {
  const b = await testServer({ clients: any, login: "interactive" });
  const browser = openBrowser(b);
  const callback = await logIn(browser, "alice", unknown);
  assertMatch(callback.location ?? callback.text, /^https:\/\/shop\.example\/cb\?code=/);
  assertEquals(await browser.authorizeSilently(unknown), "consent_required");
  const local = { client_id: "shop", redirect_uri: "http://localhost:5173/cb" };
  assertEquals(await browser.authorizeSilently(local), "code");
  const page = await logIn(openBrowser(b), "alice", { ...unknown, prompt: "consent" });
  assertStringIncludes(page.html, "Not registered: this server accepts every client.");
  // A client of the operator still needs the consent of the user.
  const own = await testServer({ login: "interactive" });
  assertStringIncludes((await logIn(openBrowser(own), "alice")).html, "Registered by the operator of this server.");
});

test("[OP-11] clients any: an unknown client has the standing of one that registered itself", async () => {
  await using as = await testLatchkey({ clients: any });
  const api = as.client({ confidential: true });
  const { access_token } = (await as.logIn(api)).tokens;
  const shop = { client_id: "shop", client_secret: "whatever" };
  const introspected = await as.fetch("/oauth2/introspect", {
    method: "POST",
    body: new URLSearchParams({ ...shop, token: access_token }),
  });
  assertEquals(await introspected.json(), { active: false });
  await forEachCase(["javascript:alert(1)", "https://a@shop.example/cb", "https://shop.example/cb#x"], async (uri) => {
    const b = await testServer({ clients: any });
    const response = await b.authorize({ ...unknown, redirect_uri: uri });
    assertEquals([response.status, response.headers.get("location")], [400, null]);
  });
});

test("the log of a suite that registers nothing shows each use of any, in the flow too", async () => {
  await using as = await testLatchkey({ clients: any, scopes: any });
  const shop = { client_id: "shop", redirect_uri: "https://shop.example/cb" };
  await as.logIn(shop, { scope: "openid custom" });
  const message = assertThrows(() => as.log.expectNoWarnings(), Error).message;
  assertStringIncludes(message, 'because clients is "any"');
  assertStringIncludes(message, 'because scopes is "any"');
  as.log.expect("token").by(shop).succeeded();
  assertEquals(as.log.flows.at(-1)!.exchanges.map(({ warnings }) => warnings.length > 0), [true, true]);
  as.reset();
  as.log.expectNoWarnings();
});
