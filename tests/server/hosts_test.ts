/** What a host may be believed: names of production, DNS rebinding, plain http (groups HT, RU and UI). */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, type LatchkeyOptions } from "../../src/mod.ts";
import { openBrowser } from "./browser.ts";
import { assertPage, basic, encode, forEachCase, getRedirectParams, goodRequest, testServer } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";
import { describePage, logIn, logInAndAllow, openPage, requestAuthorization, submit } from "./page_navigation.ts";

/** Of nothing, and as dear to check as a real host wants it. */
const password = "$scrypt$ln=15,r=8,p=3$c2FsdHNhbHRzYWx0c2FsdA$" + "A".repeat(43);

const team: LatchkeyOptions = {
  login: "interactive",
  clients: [{ client_id: "spa", client_secret: "web-secret", redirect_uris: ["https://spa.example/cb"] }],
  users: [{ sub: "alice", name: "Alice Adams", password }],
};

test("[HT-17] a company's .internal host is a real host: no public pages, no guest users, rate-limited attempts", async () => {
  const issuer = "https://auth.corp.internal";
  await using b = (await testServer({ ...team, issuer })).as;
  const get = (path: string, init?: RequestInit) =>
    b.fetch(new Request(issuer + path, { redirect: "manual", ...init }));
  for (const path of ["/flows", "/flows/1?show=secrets", "/users", "/users/alice", "/clients"]) {
    await assertPage(await get(path), 404);
  }
  assert(!(await (await get("/")).text()).includes("Alice"));
  const begun = await get(`/oauth2/authorize?${encode(goodRequest)}`);
  const cookie = begun.headers.getSetCookie()[0]!.split(";")[0]!;
  const page = await (await get(begun.headers.get("location")!, { headers: { cookie } })).text();
  assertEquals([page.includes("Alice"), page.includes('name="claims"')], [false, false]);
  const statuses = [];
  for (let guess = 0; guess < 15; guess++) {
    const headers = { ...basic("spa", "wrong"), "content-type": "application/x-www-form-urlencoded" };
    statuses.push(
      (await get("/oauth2/token", { method: "POST", headers, body: "grant_type=client_credentials" })).status,
    );
  }
  assert(statuses.includes(429), String(statuses));
  // Without passwords, or with pages that show logins, it does not start.
  const rejected: readonly [LatchkeyOptions, string][] = [
    [{ ...team, users: [{ sub: "alice" }] }, "users[0].password"],
    [{ ...team, directory: "edit" }, "directory"],
    [{ ...team, login: "auto" }, "login"],
  ];
  for (const [options, place] of rejected) {
    let fault: unknown;
    await latchkey({ ...options, issuer }).catch((error) => fault = error);
    assert(fault instanceof ConfigurationError);
    assertEquals(fault.issues.map((one) => one.path), [place]);
  }
});

test("[UI-11, RU-09] a public client gets no code over plain http without consent", async () => {
  const redirects = ["http://app.test/cb", "http://app.localhost/cb", "https://127.0.0.2:5173/cb"];
  const insecure = "http://app.corp.internal/cb";
  const clients = [
    { client_id: "spa", redirect_uris: [...redirects, insecure, "https://app.corp.internal/cb"] },
    { client_id: "web", client_secret: "web-secret", redirect_uris: [insecure] },
  ];
  const users = [{ sub: "alice" }];
  let fault: unknown;
  await latchkey({ ...team, users, clients }).catch((error) => fault = error);
  assert(fault instanceof ConfigurationError);
  assertEquals(fault.issues.map((one) => one.path), ["clients[0].redirect_uris[3]", "clients[1].redirect_uris[0]"]);

  const b = await testServer({ ...team, users, clients, insecure: ["http-redirect-uris"] });
  await forEachCase([...redirects, insecure], async (redirect_uri) => {
    const browser = openBrowser(b);
    const page = await logIn(browser, "alice", { redirect_uri });
    const onDevice = /localhost|127/.test(redirect_uri);
    assertEquals(page.text.includes("a program on this device, at"), onDevice);
    assertStringIncludes(
      page.text,
      `The server asks you every time, because ${onDevice ? "other programs" : "the client"}`,
    );
    assertEquals(describePage(await submit(browser, page, "decision", "allow")), "code");
    assertEquals(await browser.authorizeSilently({ redirect_uri }), "consent_required");
    assertEquals(describePage(await requestAuthorization(browser, { redirect_uri })), "consent");
  });
  // A secret, or https, authenticates the client.
  for (
    const fields of [{ client_id: "web", redirect_uri: insecure }, { redirect_uri: "https://app.corp.internal/cb" }]
  ) {
    const browser = openBrowser(b);
    await logInAndAllow(browser, "alice", fields);
    assertEquals(await browser.authorizeSilently(fields), "code");
  }
});

test("the account page says that a client for which the user is asked every time asks again every time", async () => {
  const clients = [
    { client_id: "native", redirect_uris: ["http://127.0.0.1:5173/cb"] },
    { client_id: "mixed", redirect_uris: ["http://127.0.0.1:5173/cb", "https://app.corp.internal/cb"] },
  ];
  const b = await testServer({ ...team, users: [{ sub: "alice" }], clients });
  for (const { client_id, redirect_uris: [redirect_uri] } of clients) {
    const browser = openBrowser(b);
    await logInAndAllow(browser, "alice", { client_id, redirect_uri: redirect_uri! });
    const { text } = await openPage(browser, "/account", await browser.get("/account"));
    const [, consent] = text.split(`Client ID ${client_id}`);
    assertMatch(consent!, client_id === "native" ? /asks you again every time/ : /asks you again after \d{4}-/);
  }
});

test("[UI-20] under a rebound name there is no login and no consent, and no page names the user", async () => {
  const clients = [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }];
  const b = await testServer({ login: "interactive", clients });
  for (const host of ["rebound.example.com", "mypc.corp.internal", "mypc", "192.0.2.2:9555"]) {
    const browser = openBrowser(b);
    const begun = await browser.authorize({ prompt: "consent" });
    const login = begun.headers.get("location")!;
    await assertPage(await browser.get(login, { headers: { host } }), 403, "alice", "bob");
    const page = await openPage(browser, login, await browser.get(login));
    const consent = await submit(browser, page, "sub", "alice");
    assertEquals(describePage(consent), "consent");
    for (const path of [consent.path, "/account", "/oauth2/logout"]) {
      const html = await assertPage(await browser.get(path, { headers: { host } }), 403, "Alice", "alice");
      assertStringIncludes(html, "UI-20");
      assertStringIncludes(html, "must forward the Host header");
    }
    for (const path of ["/oauth2/login", "/oauth2/consent", "/account"]) {
      const form = { method: "POST", body: "sub=alice&decision=allow" };
      const headers = { host, "content-type": "application/x-www-form-urlencoded" };
      await assertPage(await browser.get(path, { ...form, headers }), 403);
    }
    assertEquals(describePage(await submit(browser, consent, "decision", "allow")), "code");
  }
  // With passwords alone there is no list to read, and a proxy may call the server as it likes.
  const real = await testServer({ ...team, issuer: "https://auth.corp.com" });
  const away = await real.authorize({}, { headers: { host: "upstream:9000" } });
  const cookie = away.headers.getSetCookie()[0]!.split(";")[0]!;
  const response = await real.get(away.headers.get("location")!, { headers: { cookie, host: "upstream:9000" } });
  assertEquals(response.status, 200);
});

test("[UI-20] with automatic login a rebound name does not learn who the user is", async () => {
  const b = await testServer({ clients: [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }] });
  const browser = openBrowser(b);
  const host = "rebound.example.com";
  const begun = await browser.get(`/oauth2/authorize?${encode(goodRequest)}`, { headers: { host } });
  assertEquals([getRedirectParams(begun).get("error"), begun.headers.getSetCookie()], ["invalid_request", []]);
  getRedirectParams(await browser.get(`/oauth2/authorize?${encode(goodRequest)}`));
  await assertPage(await browser.get("/oauth2/logout", { headers: { host } }), 403, "Alice", "alice");
  assertMatch(await (await browser.get("/oauth2/logout")).text(), /Alice Adams/);
});
