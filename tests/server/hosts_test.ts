/** What a host may be believed: names of production, DNS rebinding, plain http (groups HT, RU and UI). */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { describeExposure, isThisMachineOnly } from "../../src/cli/exposure.ts";
import type { RequestHandler } from "../../src/platform/http/router.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { ConfigurationError } from "../../src/mod.ts";
import type { LatchkeyOptions } from "../../src/mod.ts";
import { resolveSettings } from "../../src/server/config/resolve_settings.ts";
import { extensions } from "../../src/server/assembly/extensions.ts";
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
    [{ ...team, plugins: [inspector()] }, "inspector"],
    [{ ...team, login: "auto" }, "login"],
  ];
  for (const [options, place] of rejected) {
    let fault: unknown;
    await latchkey({ ...options, issuer }).catch((error) => fault = error);
    assert(fault instanceof ConfigurationError);
    assertEquals(fault.issues.map((one) => one.path), [place]);
  }
});

test("[FL-05, DI-04] a LAN name rebound to this machine reads no flow and adds no user", async () => {
  await using as = await latchkey({ plugins: [inspector()] });
  const get = (path: string, init: RequestInit = {}) => as.fetch(new Request(as.issuer + path, init));
  for (const host of ["mypc.corp.internal:9000", "evil.example.com:9000", "mypc:9000", "evil.test:9000"]) {
    for (const path of ["/flows", "/flows/1?show=secrets", "/users", "/clients"]) {
      await assertPage(await get(path, { headers: { host } }), 403);
    }
    const headers = { host, origin: `http://${host}`, "content-type": "application/x-www-form-urlencoded" };
    await assertPage(await get("/users", { method: "POST", headers, body: "sub=mallory" }), 403);
  }
  assertEquals(as.users.find("mallory"), undefined);
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

  const b = await testServer({ ...team, users, clients, insecureAllowHttpRedirectUris: true });
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

test("[HT-21] for every login mode, startup of a reachable test host says what any machine may do", () => {
  const stated = (
    issuer: string,
    host: string,
    options: LatchkeyOptions = {},
    inspector: "on" | "off" = "on",
    faults: "on" | "off" = "off",
  ) =>
    describeExposure({
      issuer,
      host,
      settings: resolveSettings(options, issuer, extensions),
      inspector,
      faults,
      control: "off",
    });
  const local = "http://localhost:9000";
  const interactive = { login: "interactive" } as const;
  for (const host of ["localhost", "127.0.0.1", "127.9.9.9", "::1"]) {
    assertEquals(stated(local, host), undefined);
    assertEquals(stated(local, host, interactive), undefined);
  }
  assertEquals(
    stated(local, "0.0.0.0", interactive),
    "any machine that can reach 0.0.0.0 can log in as any user without a password, and can edit /clients and /users, " +
      "and can read every login in /flows.",
  );
  assertEquals(
    stated(local, "::"),
    "any machine that can reach :: is logged in as the first user, and can edit /clients and /users, and can read every login in /flows.",
  );
  assertEquals(
    stated(local, "0.0.0.0", { ...interactive, directory: "off" }, "off"),
    "any machine that can reach 0.0.0.0 can log in as any user without a password.",
  );
  assertEquals(
    stated(local, "0.0.0.0", { ...interactive, directory: "off" }, "off", "on"),
    "any machine that can reach 0.0.0.0 can log in as any user without a password, and can add faults, move the clock " +
      "and rotate keys in /faults.",
  );
  // Behind a proxy on the same machine the issuer's name shows that others can reach it.
  for (const issuer of ["http://oidc:8080", "https://auth.test", "http://host.docker.internal:9000"]) {
    assertMatch(
      stated(issuer, "localhost", interactive)!,
      new RegExp(`^any machine that can reach ${issuer} can log in as any`),
    );
  }
  const reached: readonly (readonly [LatchkeyOptions, string])[] = [
    [{ issuer: "from-host", issuerHosts: ["127.0.0.1", "auth"] }, "auth"],
    [{ frontChannelUrl: "http://demo.test" }, "http://demo.test"],
    [{ backChannelUrl: "http://latchkey:9000" }, "http://latchkey:9000"],
    [{ trustProxy: ["127.0.0.1"] }, local],
  ];
  for (const [options, name] of reached) {
    assertMatch(stated(local, "127.0.0.1", options)!, new RegExp(`^any machine that can reach ${name} is logged in`));
    const reach = { issuer: options.issuer === undefined ? local : undefined, host: "127.0.0.1", settings: options };
    assertEquals(isThisMachineOnly(reach), false);
  }
  for (const host of ["0.0.0.0", "::", "localhost.", "127.1", "0x7f.1", "2130706433", "::ffff:127.0.0.1"]) {
    assertEquals(isThisMachineOnly({ issuer: undefined, host, settings: {} }), false, host);
  }
  assertEquals(
    isThisMachineOnly({ issuer: undefined, host: "::1", settings: { issuerHosts: ["app.localhost"] } }),
    true,
  );
  assertEquals(stated("https://auth.corp.internal", "0.0.0.0", interactive), undefined);
  assertEquals(
    stated("https://auth.corp.com", "0.0.0.0"),
    "any machine that can reach 0.0.0.0 is logged in as the first user.",
  );
});

test("[HT-21] the program knows that only this machine reaches it, and offers faults by default there alone", () => {
  const local = { issuer: undefined, host: "localhost", settings: {} };
  const names = { issuerHosts: ["oidc"], frontChannelUrl: "http://oidc:9000", backChannelUrl: "https://auth.test" };
  assertEquals([local, { ...local, issuer: "http://127.0.0.1:9000", host: "::1" }].map(isThisMachineOnly), [
    true,
    true,
  ]);
  const reachable = [
    ...["0.0.0.0", "::", "192.168.1.5", "workstation"].map((host) => ({ ...local, host })),
    ...["http://as.test", "http://host.docker.internal:9000"].map((issuer) => ({ ...local, issuer })),
    ...Object.entries(names).map(([name, value]) => ({ ...local, settings: { [name]: value } })),
    { ...local, settings: { trustProxy: ["127.0.0.1"] } },
  ];
  for (const reach of reachable) assertEquals(isThisMachineOnly(reach), false, JSON.stringify(reach));
});

test("[DI-04] under a rebound name there are no pages of the demo flow", async () => {
  const { get } = await testServer({ clients: undefined });
  const headers = { host: "rebound.example.com", origin: "http://rebound.example.com" };
  for (const path of ["/authorized", "/authorized?code=x", "/authorized/try"]) {
    for (const method of ["GET", "POST"]) {
      assertStringIncludes(await assertPage(await get(path, { method, headers }), 403), "DI-04");
      const trusted = await get(path, { method: "GET", headers: { host: "localhost" } });
      assertEquals(trusted.status, path === "/authorized/try" ? 302 : 200);
    }
  }
});

test("[UI-20] a request that a step sends has the host of the request that causes it", async () => {
  const hosts: (string | null)[][] = [];
  const recordHosts = {
    handle: (next: RequestHandler): RequestHandler => (request, peer) => {
      hosts.push([request.method, new URL(request.url).pathname, request.headers.get("host")]);
      return next(request, peer);
    },
  };
  await using as = await latchkey({ issuer: "http://localhost:9000", alg: "ES256", plugins: [recordHosts] });
  const headers = { host: "127.0.0.1:9000", origin: "http://127.0.0.1:9000" };
  const open = (path: string, cookie = "") =>
    as.fetch(new Request(as.issuer + path, { redirect: "manual", headers: { ...headers, cookie } }));
  const started = await open("/start");
  const cookie = started.headers.getSetCookie()[0]!.split(";", 1)[0]!;
  const decided = await open(started.headers.get("location")!, cookie);
  const { pathname, search, searchParams } = new URL(decided.headers.get("location")!);
  const page = await open(pathname + search, cookie);
  const form_token = /name="form_token" value="([^"]+)"/.exec(await page.text())![1]!;
  hosts.length = 0;
  const result = await as.fetch(
    new Request(`${as.issuer}/authorized/try`, {
      method: "POST",
      headers: { ...headers, cookie, "content-type": "application/x-www-form-urlencoded" },
      body: encode({ form_token, step: "replay", client_id: "demo-public", code: searchParams.get("code")! }),
    }),
  );
  assertEquals(result.status, 200);
  assertEquals(hosts, [
    ["POST", "/authorized/try", headers.host],
    ["POST", "/oauth2/token", headers.host],
  ]);
});
