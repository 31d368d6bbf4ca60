/** The steps after `/authorized` for clients that must send their requests in another way. */

import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { h } from "preact";
import { demoKey } from "../../../src/server/config/demo_entries.ts";
import { openBrowser } from "../../server/browser.ts";
import { assertPage, decodeClaims, testServer } from "../../kit.ts";
import { findLink, readFields } from "../../server/page.ts";
import { arrive, callback, type Page, press } from "./step_pages.ts";

const { d: _, ...demoPublicKey } = demoKey;

/** A client that the page can sign for. */
const signing = { client_id: "signing", redirect_uris: [callback], jwks: { keys: [demoPublicKey] } };

test("[DM-16, JR-02] the request of a client that must sign it is one JWT, pushed if it must be", async () => {
  for (const require_pushed_authorization_requests of [false, true]) {
    const client = { ...signing, require_signed_request_object: true, require_pushed_authorization_requests };
    const browser = openBrowser(await testServer({ clients: [client] }));
    const page = await arrive(browser, "signing");
    assertEquals([...page.link.searchParams.keys()], [
      "client_id",
      require_pushed_authorization_requests ? "request_uri" : "request",
    ]);
    assertStringIncludes(page.text, "code_challenge_method S256");
    assertEquals((await press(browser, page, "exchange")).heading, "Code exchanged");
  }
});

test("[DM-16, JR-05] for a client without the demo key the signed request is an error page", async () => {
  const { d: _, ...otherKey } = { ...demoKey, kid: "own-key" };
  const client = { ...signing, jwks: { keys: [otherKey] }, require_signed_request_object: true };
  const response = await openBrowser(await testServer({ clients: [client] })).get("/start");
  const html = await assertPage(response, 400);
  assertStringIncludes(html, "cannot sign the authorization request");
  assertStringIncludes(html, "Start the flow in the client itself");
  assertNotMatch(html, /redirects an error only/);
});

test("[DM-15] without a demo client home names the redirect URI of one, and adds it", async () => {
  const clients = [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }];
  const browser = openBrowser(await testServer({ clients }));
  const home = await (await browser.get("/")).text();
  assertMatch(home, /To try the server without an application: <code[^>]*>https:\/\/as\.test\//);
  assertEquals(findLink(home, "Start the demo flow"), undefined);
  const form = { ...readFields(home, "/clients"), library: "oidc-client-ts", redirect_uris: callback };
  assertEquals((await browser.post("/clients", form)).status, 303);
  const after = await (await browser.get("/")).text();
  assertEquals(findLink(after, "Start the demo flow"), "/start");
  assertNotMatch(after, /To try the server without an application/);
});

test("[DM-12, DO-06, DO-07] a client that must send proofs does so in every step", async () => {
  const grant_types = ["authorization_code", "refresh_token"];
  const client = { client_id: "bound", redirect_uris: [callback], grant_types, dpop_bound_access_tokens: true };
  for (const nonce of ["off", "required"] as const) {
    const self = await testServer({ clients: [client], dpop: { nonce } });
    const browser = openBrowser(self);
    const arrived = await arrive(browser, "bound");
    assertStringIncludes(arrived.text, "This code was issued to bound , which signs its requests with a key.");
    let page = await press(browser, arrived, "exchange");
    assertEquals(page.heading, "Code exchanged");
    assertMatch(page.messages.at(-1)!, /"token_type":"DPoP"/);
    // A nonce is demanded once, and the page shows both requests.
    assertEquals(page.messages.filter((message) => message.startsWith("POST")).length, nonce === "off" ? 1 : 2);
    const accessToken = String(page.fields!.access_token);
    assertEquals(Object.keys(decodeClaims(accessToken).cnf as object), ["jkt"]);
    page = await press(browser, page, "userinfo");
    assertEquals(page.heading, "Userinfo returned the claims of the user");
    assertMatch(page.messages.at(-2)!, /Authorization: DPoP [\w.-]+\nDPoP: [\w.-]+/);
    const headings: string[] = [];
    for (const step of ["refresh", "replay"]) {
      page = await press(browser, page, step);
      headings.push(page.heading);
    }
    assertEquals(headings, ["Tokens refreshed", "Second use of the code rejected"]);
    const stolen = await self.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${accessToken}` } });
    assertEquals(stolen.status, 401);
  }
});

test("[DM-12, PF-03] with a profile of FAPI the page sends every request as its demo client", async () => {
  for (const profile of ["fapi2-security", "fapi2-message-signing"] as const) {
    const browser = openBrowser(await testServer({ profile, clients: undefined, alg: undefined }));
    let page: Page = await arrive(browser, "demo-key");
    for (
      const [step, heading] of [
        ["exchange", "Code exchanged"],
        ["userinfo", "Userinfo returned the claims of the user"],
        ["introspect", "The access token is active"],
        ["refresh", "Tokens refreshed"],
        ["revoke", "Tokens revoked"],
      ] as const
    ) {
      page = await press(browser, page, step);
      assertEquals(page.heading, heading, page.text);
    }
  }
});

test("[DM-11, JM-01] the only response mode of a client is requested, and a signed response is read", async () => {
  const client = {
    client_id: "signed-responses",
    redirect_uris: [callback] as string[],
    response_modes: ["jwt"],
  } as const;
  const browser = openBrowser(await testServer({ clients: [client], responseModes: ["query", "jwt"] }));
  const page = await arrive(browser, "signed-responses");
  assertStringIncludes(page.text, "The response is signed (JARM)");
  assertStringIncludes(page.text, "response_mode jwt");
  const { verdicts } = await press(browser, page, "exchange");
  assertEquals(verdicts.filter((verdict) => !verdict.startsWith("✓")), []);
});

test("[DM-11] a changed state is that of another flow", async () => {
  const browser = openBrowser(await testServer({ clients: undefined }));
  const url = new URL((await arrive(browser)).path, "https://as.test");
  url.searchParams.set("state", url.searchParams.get("state")!.replace(/^../, "__"));
  const response = await browser.get(url.pathname + url.search);
  const html = await response.text();
  assertMatch(html, /aria-label="Failed">✗<\/span><div><p>state differs/);
  assertNotMatch(html, /name="step"/);
});

test("[DM-20] another plugin can provide the steps, and the page is complete without any", async () => {
  for (const has of [true, false]) {
    const self = await testServer({
      clients: undefined,
      plugins: [{
        setup({ developerPages }) {
          developerPages.demoSteps = () =>
            Promise.resolve({
              prepare: (_context, _client, request) => Promise.resolve({ ...request, scope: "read" }),
              next: () => Promise.resolve(has ? { stepper: h("p", null, "Steps of a plugin") } : undefined),
            });
        },
      }],
    });
    const browser = openBrowser(self);
    const started = (await browser.get("/start")).headers.get("location")!;
    assertEquals(new URL(started, callback).searchParams.get("scope"), "read");
    const path = (await browser.get(started)).headers.get("location")!.slice("https://as.test".length);
    const html = await assertPage(await browser.get(path), 200);
    for (const words of ["Authorization Successful!", "As a public client", "As a confidential client", "Next steps"]) {
      assertStringIncludes(html, words);
    }
    assertMatch(html, /<a class="button" href="\/start\?client_id=demo-public">Start New Authorization/);
    assertEquals([html.includes("<p>Steps of a plugin</p>"), html.includes("<form")], [has, false]);
  }
});
