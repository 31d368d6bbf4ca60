/**
 * Extensions in the playground: what its start page offers, what is then sent, and a device from its code to its
 * tokens.
 */

import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import { demoKey } from "../../../src/server/config/demo_entries.ts";
import { openBrowser, parseAttributes } from "../../server/browser.ts";
import { assertPage, decodeClaims, forEachCase, type ListedOptions, testServer } from "../../server/harness.ts";
import { arrive, callback, type Page, press, read, unescapeHtml } from "./playground_page.ts";
import { findCsrfToken } from "../../server/csrf.ts";
import { findLink, readFields } from "../../server/page.ts";
import { openPage, submit } from "../../server/page_navigation.ts";

const demo: LatchkeyOptions = { clients: undefined };

const { d: _, ...demoPublicKey } = demoKey;

/** A client that the page can sign for. */
const signing = { client_id: "signing", redirect_uris: [callback], jwks: { keys: [demoPublicKey] } };

const rich: ListedOptions = {
  clients: [{ client_id: "demo-public", redirect_uris: [callback] }, signing],
  responseModes: ["query", "form_post", "jwt", "fragment.jwt"],
  acrValues: [{ value: "urn:example:high" }, { value: "urn:example:low" }],
  authorizationDetails: {
    payment: {
      schema: {
        properties: { currency: { enum: ["EUR", "USD"] }, amount: { type: "string" } },
        required: ["currency"],
      },
    },
  },
};

/** The names of the controls of the start page that a user fills in. */
async function controlsOf(options: LatchkeyOptions): Promise<string[]> {
  const html = await (await (await testServer(options)).get("/authorized/try")).text();
  const controls = [...html.matchAll(/<(?:input|textarea)\b(?:"[^"]*"|[^>"])*>/g)].map(([tag]) => parseAttributes(tag));
  return [...new Set(controls.filter((one) => one.get("type") !== "hidden").map((one) => one.get("name")!))];
}

/** Rows of the section on the authorization request. */
function sentParameters({ text }: Page): string {
  return /The authorization request (.*?) The authorization response/.exec(text)![1]!;
}

test("[DM-17] the start page offers the extensions that the server has, and no other", async () => {
  assertEquals(await controlsOf({ ...demo, responseModes: ["query"] }), ["client_id", "par", "dpop"]);
  assertEquals(await controlsOf({ ...demo, responseModes: ["query"], dpop: { algorithms: ["EdDSA"] } }), [
    ...["client_id", "par"],
  ]);
  assertEquals(await controlsOf(rich), [
    ...["client_id", "par", "jar", "dpop", "response_mode", "acr_values", "authorization_details"],
  ]);
  const { get } = await testServer(rich);
  const text = unescapeHtml(await (await get("/authorized/try")).text()).replaceAll(/<[^>]*>/g, "");
  assertStringIncludes(text, `such as [{"type":"payment","currency":"EUR"}]`);
  assertNotMatch(text, /fragment\.jwt/, "a server does not receive the fragment");
  const home = await (await (await testServer(demo)).get("/")).text();
  assertMatch(home, /<a href="\/authorized\/try">/);
});

test("[DM-17, PA-01] a pushed request leaves a reference in the browser, and its tokens pass every check", async () => {
  const browser = openBrowser(await testServer(demo));
  for (const client of ["demo-public", "demo-confidential"]) {
    const page = await arrive(browser, client, { par: "on" });
    assertEquals([...page.link.searchParams.keys()], ["client_id", "request_uri"]);
    assertStringIncludes(page.text, "The client pushed these parameters to the server.");
    const { verdicts } = await press(browser, page, "exchange");
    assertEquals(verdicts.filter((verdict) => !verdict.startsWith("✓")), []);
  }
});

test("[DM-17, JR-02, DI-04] one button adds a client that the page signs for, where visitors may add clients", async () => {
  const server = await testServer(demo);
  const browser = openBrowser(server);
  const form_token = findCsrfToken(await (await browser.get("/authorized/try")).text());
  const add = (fields = {}) => browser.post("/authorized/try", { step: "add_key_client", form_token, ...fields });
  assertEquals((await add({ form_token: "another" })).status, 403);
  assertEquals(server.as.clients.find("demo-key"), undefined);
  const added = await add();
  assertEquals([added.status, added.headers.get("location")], [303, "/authorized/try"]);
  assertEquals((await add()).status, 303);
  const html = await (await browser.get("/authorized/try")).text();
  assertMatch(html, /name="jar"/);
  assertNotMatch(html, /Add a demo client with a key/);
  const page = await arrive(browser, "demo-key", { jar: "on" });
  assertEquals([...page.link.searchParams.keys()], ["client_id", "request"]);
  assertEquals((await press(browser, page, "exchange")).heading, "Code exchanged");
  const rebound = { "content-type": "application/x-www-form-urlencoded", host: "evil.example" };
  const body = new URLSearchParams({ step: "add_key_client", form_token });
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const foreign = await server.get("/authorized/try", { method: "POST", body, headers: { ...rebound, cookie } });
  assertEquals(foreign.status, 403);
  const only = [{ client_id: "demo-public", redirect_uris: [callback] }];
  for (const options of [{ ...demo, directory: "read" }, { clients: only, clientAuthMethods: ["none"] }] as const) {
    assertNotMatch(
      await (await (await testServer(options)).get("/authorized/try")).text(),
      /Add a demo client with a key/,
    );
  }
});

test("[DM-17, JR-02] a signed request is one JWT; for a client without the key it is an error page", async () => {
  const browser = openBrowser(await testServer(rich));
  for (const par of [undefined, "on"]) {
    const page = await arrive(browser, "signing", { jar: "on", par });
    assertEquals([...page.link.searchParams.keys()], ["client_id", par === "on" ? "request_uri" : "request"]);
    assertMatch(page.text, /JWT[^.]* all of them|request: a JWT that contains these parameters/);
    assertStringIncludes(sentParameters(page), "code_challenge_method S256");
    assertEquals((await press(browser, page, "exchange")).heading, "Code exchanged");
  }
  const response = await browser.get("/start?client_id=demo-public&jar=on");
  const html = await assertPage(response, 400);
  assertStringIncludes(html, "cannot sign the authorization request");
  assertStringIncludes(html, "Choose a client that this page has the key of (signing), or do not sign the request.");
  assertNotMatch(html, /redirects an error only/);
});

test("[DM-17, RA-03] a rejected pushed request has the fix of its rule", async () => {
  const hidden = { ...signing, client_id: "hidden", client_secret: "correct-horse-battery-staple", jwks: undefined };
  const browser = openBrowser(await testServer({ ...rich, clients: [...rich.clients!, hidden] }));
  const push = async (fields: Record<string, string>) =>
    await assertPage(await browser.get(`/start?${new URLSearchParams({ par: "on", ...fields })}`), 400);
  const html = await push({ client_id: "demo-public", authorization_details: `[{"type":"gift"}]` });
  assertMatch(html, /invalid_authorization_details: [^<]*\[RA-03\]/);
  assertStringIncludes(html, "Send only objects of the types in authorization_details_types_supported");
  assertNotMatch(html, /redirects an error only/);
  assertStringIncludes(await push({ client_id: "hidden" }), "Start the flow in the client itself");
});

test("[DM-17] without a client for this page there is no form, as on the home page", async () => {
  const { get } = await testServer({ clients: [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }] });
  for (const path of ["/", "/authorized/try"]) {
    const html = await (await get(path)).text();
    assertMatch(html, /The demo flow is not available, because no client is registered with the redirect URI/);
    assertNotMatch(html, /Send the request|<fieldset/);
  }
});

test("[DM-17, DI-09] without such a client both pages link to the form that adds one, filled in, if the visitor may", async () => {
  const clients = [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }];
  for (const path of ["/", "/authorized/try"]) {
    const browser = openBrowser(await testServer({ clients }));
    const href = findLink(await (await browser.get(path)).text(), "Add a client that fits")!;
    const form = readFields(await (await browser.get(href)).text(), "/clients");
    assertEquals([form.client_id, form.redirect_uris], ["demo", callback]);
    assertEquals((await browser.post("/clients", form)).status, 303);
    assertNotMatch(await (await browser.get(path)).text(), /The demo flow is not available|Add a client that fits/);
    const confidential = [{ ...clients[0]!, client_secret: "spa-secret-of-the-test" }];
    const withSecrets = { clients: confidential, clientAuthMethods: ["client_secret_basic"] } as const;
    for (const options of [{ clients, directory: "read" } as const, withSecrets]) {
      const page = await (await testServer(options)).get(path);
      assertEquals(findLink(await page.text(), "Add a client that fits"), undefined);
    }
  }
});

test("[DM-17, DO-07] with DPoP the code is bound to a key, and every request that needs a proof has one", async () => {
  for (const nonce of ["off", "required"] as const) {
    const self = await testServer({ ...demo, dpop: { nonce } });
    const browser = openBrowser(self);
    const page = await arrive(browser, "demo-public", { dpop: "on" });
    assertMatch(sentParameters(page), /dpop_jkt [\w-]{43} the key that the code is bound to/);
    let next = await press(browser, page, "exchange");
    assertEquals(next.heading, "Code exchanged");
    // A nonce is demanded once, and the page shows both requests.
    assertEquals(next.messages.filter((message) => message.startsWith("POST")).length, nonce === "off" ? 1 : 2);
    const accessToken = String(next.fields!.access_token);
    const { cnf } = decodeClaims(accessToken) as { cnf: { jkt: string } };
    assertStringIncludes(sentParameters(page), cnf.jkt);
    next = await press(browser, next, "userinfo");
    assertEquals(next.heading, "Userinfo returned the claims of the user");
    assertMatch(next.messages.at(-2)!, /Authorization: DPoP [\w.-]+\nDPoP: [\w.-]+/);
    const headings: string[] = [];
    for (const step of ["introspect", "refresh", "replay"]) {
      next = await press(browser, next, step);
      headings.push(next.heading);
    }
    assertEquals(headings, ["The access token is active", "Tokens refreshed", "Second use of the code rejected"]);
    const stolen = await self.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${accessToken}` } });
    assertEquals(stolen.status, 401);
  }
});

test("[DM-17, DO-06] a client that must send proofs does so in every flow", async () => {
  const client = { client_id: "bound", redirect_uris: [callback], dpop_bound_access_tokens: true };
  const browser = openBrowser(await testServer({ clients: [client] }));
  const page = await press(browser, await arrive(browser, "bound"), "exchange");
  assertEquals(page.heading, "Code exchanged");
  assertMatch(page.messages[1]!, /"token_type":"DPoP"/);
});

test("[DM-17, PF-03] with a profile of FAPI the page sends every request as its demo client", async () => {
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

test("[DM-17, JM-01, ST-01, RA-01] response modes, levels and details are sent as typed, and shown", async () => {
  const browser = openBrowser(await testServer(rich));
  const details = `[ { "type": "payment", "currency": "USD", "amount": "café" } ]`;
  const page = await arrive(browser, "demo-public", {
    ...{ response_mode: "jwt", acr_values: "urn:example:low", authorization_details: details, dpop: "" },
  });
  assertStringIncludes(page.text, "The response is signed (JARM)");
  assertMatch(sentParameters(page), /response_mode jwt[^]*acr_values urn:example:low/);
  assertStringIncludes(sentParameters(page), JSON.stringify(JSON.parse(details)));
  const exchanged = await press(browser, page, "exchange");
  const claims = decodeClaims(String(exchanged.fields!.access_token));
  assertEquals(claims.authorization_details, JSON.parse(details));
  assertEquals(claims.acr, "urn:example:low");
  assertEquals(exchanged.verdicts.filter((verdict) => !verdict.startsWith("✓")), []);
  // What the server rejects, it explains at the end of the flow.
  const rejected = await arrive(browser, "demo-public", { authorization_details: "no JSON" });
  assertStringIncludes(rejected.text, "authorization_details is not a JSON array of objects");
});

test("[DM-17] values that are too long for the page are a 400 page; a changed state is another flow", async () => {
  const browser = openBrowser(await testServer(rich));
  const long = await browser.get(`/start?client_id=demo-public&acr_values=${"a".repeat(2000)}`);
  assertStringIncludes(await assertPage(long, 400), "The values of the extensions are too long for this page");
  const almost = await arrive(browser, "demo-public", { acr_values: "é".repeat(140) });
  assertMatch(almost.text, /✓ state equals the one that this browser sent/);
  const { path } = await arrive(browser, "demo-public", { dpop: "on" });
  const url = new URL(path, "https://as.test");
  url.searchParams.set("state", url.searchParams.get("state")!.replace('"dpop"', '"par"'));
  const { text, steps } = await read(await browser.get(url.pathname + url.search));
  assertStringIncludes(text, "✗ state");
  assertEquals(steps, []);
});

test("[DM-17, DV-03] a device starts, waits for its user, and gets tokens that work", async () => {
  await forEachCase([false, true], async (bound) => {
    const self = await testServer({
      login: "interactive",
      dpop: { nonce: "required" },
      clients: [{
        ...{ client_id: "demo-public", redirect_uris: [callback], dpop_bound_access_tokens: bound },
        grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      }],
    });
    const browser = openBrowser(self);
    const html = await (await browser.get("/authorized/try")).text();
    const form_token = findCsrfToken(html);
    let page = await read(
      await browser.post("/authorized/try", { step: "device", client_id: "demo-public", form_token }),
    );
    assertEquals([page.heading, page.steps], ["Device authorization started", ["poll"]]);
    const link = /href="(\/device\?user_code=[A-Z-]{9})"/.exec(page.html)![1]!;
    assertStringIncludes(await (await browser.get(link)).text(), "Connect a device");
    self.advance(5);
    page = await press(browser, page, "poll");
    assertEquals(page.heading, "The user has not decided yet");
    assertStringIncludes(page.html, link);
    page = await press(browser, page, "poll");
    assertEquals([page.heading, page.steps], ["Poll rejected", ["poll"]]);
    // The user decides in the browser.
    let shown = await openPage(browser, link, await browser.get(link));
    shown = await submit(browser, shown, "", undefined);
    shown = await submit(browser, shown, "sub", "alice");
    shown = await submit(browser, shown, "decision", "allow");
    assertStringIncludes(shown.text, "The device is connected");
    self.advance(60);
    page = await press(browser, page, "poll");
    assertEquals(page.heading, "Tokens issued to the device", page.text);
    assertEquals(page.verdicts.filter((verdict) => !verdict.startsWith("✓")), []);
    assertMatch(page.messages.at(-1)!, bound ? /"token_type":"DPoP"/ : /"token_type":"Bearer"/);
    assertEquals(page.steps, ["userinfo", "introspect", "refresh", "revoke"]);
    for (const step of ["userinfo", "refresh", "revoke"]) page = await press(browser, page, step);
    assertEquals(page.heading, "Tokens revoked");
  });
});

test("[DM-17, TX-01, TX-03] a client that may exchange tokens gets one with less access, and keeps its own", async () => {
  await forEachCase([false, true], async (dpop_bound_access_tokens) => {
    const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
    const server = await testServer({
      tokenExchange: { allowPublicClients: true },
      clients: [{
        ...{ client_id: "demo-public", redirect_uris: [callback], dpop_bound_access_tokens },
        grant_types: ["authorization_code", tokenExchange],
      }],
    });
    const browser = openBrowser(server);
    const first = await press(browser, await arrive(browser), "exchange");
    const page = await press(browser, first, "downscope");
    assertEquals(page.heading, "Access token exchanged", page.text);
    assertMatch(page.messages[1]!, /"scope":"profile read"/);
    assertEquals(page.fields!.access_token, first.fields!.access_token);
    assertEquals((await press(browser, page, "userinfo")).heading, "Userinfo returned the claims of the user");
    assertStringIncludes(page.html, `<a href="/oauth2/logout?client_id=demo-public">Log out</a>`);
  });
  const without = openBrowser(await testServer(demo));
  assertEquals((await press(without, await arrive(without), "exchange")).steps.includes("downscope"), false);
});

test("[DM-17, DV-07] without login pages the device is approved immediately", async () => {
  const self = await testServer({ ...demo, login: "auto" });
  const browser = openBrowser(self);
  const form_token = findCsrfToken(await (await browser.get("/authorized/try")).text());
  const page = await read(
    await browser.post("/authorized/try", { step: "device", client_id: "demo-public", form_token }),
  );
  assertStringIncludes(page.text, "has approved the device already");
  assertEquals((await press(browser, page, "poll")).heading, "Tokens issued to the device");
  const confidential = { step: "device", client_id: "demo-confidential", form_token };
  const rejected = await read(await browser.post("/authorized/try", confidential));
  assertEquals(rejected.heading, "Device authorization rejected");
  const start = await (await browser.get("/authorized/try")).text();
  assertEquals(start.match(/Log in on a device/g)?.length, 1, "only demo-public is registered for it");
});
