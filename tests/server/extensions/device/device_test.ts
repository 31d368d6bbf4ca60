/**
 * The device authorization grant (group DV).
 *
 * @extensions authorization_details, client_documents, requested_claims, step_up
 */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, type LatchkeyOptions, memoryStore } from "../../../../src/mod.ts";
import { storeKinds } from "../../../platform/store/store_kinds.ts";
import { type Browser, openBrowser } from "../../browser.ts";
import {
  assertTokenResponse,
  basic,
  decodeClaims,
  forEachCase,
  getOutcome,
  getRejections,
  realHost,
  testServer,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";
import { describePage, fillForm, openPage, type Page, send, submit } from "../../page_navigation.ts";
import { deviceCodeType, deviceServer, poll, pollOutcome, start, started } from "./device_server.ts";

const api = "https://api.example";

/** Opens the page, and sends the code. */
async function enterCode(browser: Browser, userCode: string, path = "/device"): Promise<Page> {
  const page = await openPage(browser, path, await browser.get(path));
  return await submit(browser, page, "", undefined, { user_code: userCode });
}

/** Enters the code, logs in unless there is a session, and decides. */
async function decide(browser: Browser, userCode: string, decision: "allow" | "deny", denied: string[] = []) {
  let page = await enterCode(browser, userCode);
  if (describePage(page) === "login") page = await submit(browser, page, "sub", "alice");
  assertEquals(describePage(page), "consent");
  return await submit(browser, page, "decision", decision, {}, denied);
}

test("[DV-01] a device gets its codes; the names, types and addresses are those of the specification", async () => {
  const server = await deviceServer();
  const response = await start(server);
  assertEquals(response.status, 200);
  assertMatch(response.headers.get("content-type")!, /^application\/json/);
  assertEquals(response.headers.get("cache-control"), "no-store");
  const { device_code, user_code, ...others } = await response.json();
  assertMatch(device_code, /^[\w-]{43}\.[\w-]{43}$/);
  assertMatch(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  assertEquals(others, {
    verification_uri: "https://as.test/device",
    verification_uri_complete: `https://as.test/device?user_code=${user_code}`,
    expires_in: 600,
    interval: 5,
  });
  const again = await started(server);
  assertNotEquals(again.user_code, user_code);
  assertNotEquals(again.device_code, device_code);
  const other = await deviceServer({
    issuer: "https://as.test/tenant",
    lifetimes: { device_code: 60 },
    devicePollInterval: 2,
  });
  const { verification_uri, expires_in, interval } = await started(other);
  assertEquals([verification_uri, expires_in, interval], ["https://as.test/tenant/device", 60, 2]);
});

test("[DV-01] clients are identified or authenticated; empty parameters are absent, repeated ones rejected", async () => {
  const server = await deviceServer();
  const box = basic("box", "box-secret");
  assertEquals(await getOutcome(await start(server, { client_id: undefined }, box)), "200");
  assertEquals(await getOutcome(await start(server, { resource: "", scope: "" })), "200");
  assertEquals(await getOutcome(await start(server, { resource: [api, "https://other.example"] })), "200");
  await forEachCase<[Fields, Record<string, string>, string]>([
    [{ client_id: undefined }, {}, "401 invalid_client"],
    [{ client_id: "" }, {}, "401 invalid_client"],
    [{ client_id: "unknown" }, {}, "401 invalid_client"],
    [{ client_id: "box" }, {}, "401 invalid_client"],
    [{ client_id: undefined }, basic("box", "wrong"), "401 invalid_client"],
    [{ scope: ["read", "read"] }, {}, "400 invalid_request"],
    [{ client_id: ["tv", "tv"] }, {}, "400 invalid_request"],
    [{ scope: "read unknown" }, {}, "400 invalid_scope"],
    [{ scope: 'rea"d' }, {}, "400 invalid_scope"],
    [{ resource: "no-uri" }, {}, "400 invalid_target"],
    [{ claims: "{" }, {}, "400 invalid_request"],
    [{ claims: `{"userinfo":{"x":${" ".repeat(5000)}null}}` }, {}, "400 invalid_request"],
    [{ max_age: "x" }, {}, "400 invalid_request"],
  ], async ([fields, headers, outcome]) => {
    assertEquals(await getOutcome(await start(server, fields, headers)), outcome);
  });
  assertEquals((await server.get("/oauth2/device_authorization")).status, 405);
});

test("[DV-01] metadata names endpoint and grant type exactly while the setting is on", async () => {
  const metadata = async (server: TestServer) =>
    await (await server.get("/.well-known/oauth-authorization-server")).json();
  const on = await metadata(await deviceServer());
  assertEquals(on.device_authorization_endpoint, "https://as.test/oauth2/device_authorization");
  assert(on.grant_types_supported.includes(deviceCodeType));
  const server = await testServer({ deviceAuthorization: false });
  const off = await metadata(server);
  assertEquals("device_authorization_endpoint" in off, false);
  assertEquals(off.grant_types_supported.includes(deviceCodeType), false);
  for (const path of ["/device", "/oauth2/device_authorization"]) assertEquals((await server.get(path)).status, 404);
  const error = await deviceServer({ deviceAuthorization: false }).catch((thrown) => thrown);
  assert(error instanceof ConfigurationError);
  assertMatch(error.message, /Add the setting deviceAuthorization/);
  const production = await testServer({
    issuer: "https://as.company.com",
    login: "interactive",
    users: [],
    clients: [],
  });
  assertEquals("device_authorization_endpoint" in await metadata(production), false);
});

test("[DV-03] a device waits, and gets the tokens of the user once", async () => {
  const server = await deviceServer();
  const { device_code, user_code } = await started(server, { scope: "openid email read offline_access" });
  assertEquals(await pollOutcome(server, device_code), "400 authorization_pending");
  server.advance(5);
  const browser = openBrowser(server);
  const result = await decide(browser, user_code, "allow", ["email"]);
  assertEquals([result.status, result.path.split("?")[0]], [200, "/device"]);
  assertMatch(result.text, /The device is connected/);
  const tokens = await assertTokenResponse(await poll(server, device_code)) as unknown as Record<string, string>;
  assertEquals(tokens.scope, "openid read offline_access");
  const { sub, aud, sid, auth_time } = decodeClaims(tokens.id_token!);
  assertEquals([sub, aud, typeof sid, auth_time], ["alice", "tv", "string", Date.UTC(2026, 0, 1) / 1000 + 5]);
  const userinfo = await server.get("/oauth2/userinfo", {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  assertEquals((await userinfo.json()).sub, "alice");
  const refreshed = await server.post("/oauth2/token", {
    ...{ grant_type: "refresh_token", client_id: "tv", refresh_token: tokens.refresh_token },
  });
  assertEquals(refreshed.status, 200);
  assertEquals(await pollOutcome(server, device_code), "400 invalid_grant");
  server.advance(700);
  assertEquals(await pollOutcome(server, device_code), "400 invalid_grant");
});

test("[DV-03] denied, cancelled, expired, unknown and malformed codes", async () => {
  const server = await deviceServer();
  const browser = openBrowser(server);
  const denied = await started(server);
  assertMatch((await decide(browser, denied.user_code, "deny")).text, /You denied the device/);
  for (let i = 0; i < 2; i++) assertEquals(await pollOutcome(server, denied.device_code), "400 access_denied");
  assertMatch(getRejections(server.events).at(-1)!.explanation.fix!, /^Stop polling/);

  const cancelled = await started(server);
  const page = await enterCode(openBrowser(server), cancelled.user_code);
  assertEquals(describePage(page), "login");
  const other = openBrowser(server);
  await submit(other, await enterCode(other, cancelled.user_code), "cancel");
  assertEquals(await pollOutcome(server, cancelled.device_code), "400 access_denied");

  const late = await started(server);
  server.advance(599);
  assertEquals(await pollOutcome(server, late.device_code), "400 authorization_pending");
  server.advance(1);
  assertEquals(await pollOutcome(server, late.device_code), "400 expired_token");
  assertMatch(
    (await enterCode(browser, late.user_code)).text,
    /This code expired at 00:10:00 UTC\. Start again on the device/,
  );

  const { device_code } = await started(server);
  const [id, secret] = device_code.split(".");
  await forEachCase([
    `${id}.${"x".repeat(43)}`,
    `${"x".repeat(43)}.${secret}`,
    id!,
    "x",
    "__proto__",
    `${device_code}.`,
  ], async (wrong) => {
    assertEquals(await pollOutcome(server, wrong), "400 invalid_grant");
  });
  assertEquals(await pollOutcome(server, ""), "400 invalid_request");
  assertEquals(
    await pollOutcome(server, device_code, { device_code: [device_code, device_code] }),
    "400 invalid_request",
  );
  assertEquals(await pollOutcome(server, device_code), "400 authorization_pending");
});

test("[DV-04] a poll that comes too early is slow_down, and adds five seconds for this code alone", async () => {
  const server = await deviceServer();
  const { device_code } = await started(server);
  const other = await started(server);
  const after = async (seconds: number, code = device_code) => {
    server.advance(seconds);
    return await pollOutcome(server, code);
  };
  assertEquals(await after(0), "400 authorization_pending");
  assertEquals(await after(0), "400 slow_down");
  assertEquals(await after(9), "400 slow_down");
  assertEquals(await after(14), "400 slow_down");
  assertEquals(await after(20), "400 authorization_pending");
  assertEquals(await after(20), "400 authorization_pending");
  assertEquals(await after(0, other.device_code), "400 authorization_pending");
  assertEquals(await after(5, other.device_code), "400 authorization_pending");
  // Timers are imprecise by some milliseconds.
  assertEquals(await after(4.6, other.device_code), "400 authorization_pending");
  const [first, ...others] = (await Promise.all(
    Array.from({ length: 5 }, async () => await pollOutcome(server, (await started(server)).device_code)),
  )).sort();
  assertEquals([first, ...others], Array(5).fill("400 authorization_pending"));
});

test("[DV-05] only a registered client starts, and only that client exchanges", async () => {
  const server = await deviceServer();
  assertEquals(await getOutcome(await start(server, { client_id: "spa" })), "400 unauthorized_client");
  const { device_code, user_code } = await started(server);
  assertEquals(await pollOutcome(server, device_code, { client_id: "radio" }), "400 invalid_grant");
  assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "DV-05");
  assertEquals(await pollOutcome(server, device_code, { client_id: "spa" }), "400 unauthorized_client");
  // A poll of another client does not count for the pace.
  assertEquals(await pollOutcome(server, device_code), "400 authorization_pending");
  await decide(openBrowser(server), user_code, "allow");
  assertEquals(await pollOutcome(server, device_code, { client_id: "radio" }), "400 invalid_grant");
  assertEquals(await pollOutcome(server, device_code), "200");
});

test("[DV-02] a user code is found in any spelling", async () => {
  const server = await deviceServer();
  await forEachCase<(code: string) => string>([
    (code) => code.toLowerCase(),
    (code) => code.replace("-", ""),
    (code) => ` ${code.replace("-", " – ")}\t`,
    (code) => [...code].join("."),
  ], async (spell) => {
    const { device_code, user_code } = await started(server);
    await decide(openBrowser(server), spell(user_code), "allow");
    assertEquals(await pollOutcome(server, device_code), "200");
  });
  const browser = openBrowser(server);
  for (const wrong of ["BCDF-GHJK", "AEIO-UAEI", "BCDFGHJ", "<b>", "x".repeat(5000), "É".repeat(8)]) {
    const page = await enterCode(browser, wrong);
    assertEquals([page.status, page.text.includes("Connect a device")], [400, true], wrong);
  }
});

test("[DV-02] a rejected user code: a test host says whether it is unknown, used or expired, other hosts do not", async () => {
  const vague = /This code is wrong, was used or has expired\. Check it, or start again on the device\./;
  const onRealHost = { issuer: realHost.issuer, insecure: ["open-login"] as const };
  const noCode = /A code has eight letters, such as BCDF-GHJK: no vowels and no digits\./;
  await forEachCase<[LatchkeyOptions, RegExp[]]>([
    [{}, [
      noCode,
      /This server does not know the code\. Compare each letter with the device/,
      /This code was used: the device was allowed\. Each code works once: start again on the device\./,
      /This code was used: the device was denied\./,
      /This code expired at 00:10:00 UTC\. Start again on the device: it shows a new code\./,
      /The client on the device was removed or may no longer use the device grant\./,
    ]],
    [{ ...onRealHost, deviceAuthorization: true, users: [{ sub: "alice" }] }, [
      noCode,
      vague,
      vague,
      vague,
      vague,
      vague,
    ]],
  ], async ([options, texts]) => {
    const server = await deviceServer(options);
    const [allowed, denied, expired] = [await started(server), await started(server), await started(server)];
    const radio = await started(server, { client_id: "radio" });
    const browser = openBrowser(server);
    await decide(browser, allowed.user_code, "allow");
    await decide(browser, denied.user_code, "deny");
    server.as.clients.delete("radio");
    const message = async (code: string) => {
      const { status, text } = await enterCode(browser, code);
      assertEquals(status, 400);
      return text.replace(/^[^]*?role="alert">/, "");
    };
    const codes = ["BCDFGHJ", "BCDF-GHJK", allowed.user_code, denied.user_code, expired.user_code, radio.user_code];
    for (const [i, code] of codes.entries()) {
      if (i === 4) server.advance(600);
      // Before it expires.
      if (i !== 5) assertMatch(await message(code), texts[i]!);
      if (i === 3) assertMatch(await message(radio.user_code), texts[5]!);
    }
    const reasons = getRejections(server.events).slice(-6).map(({ explanation }) => explanation.reason);
    assertEquals(reasons, [
      "the text is not a user code",
      "the user code is unknown",
      "the user code was used: a user allowed the device",
      "the user code was used: a user denied the device",
      "the client of the user code may no longer use the device grant",
      "the user code has expired",
    ]);
  });
});

test("[DV-02] guesses are limited by address, and by session across addresses", async () => {
  const server = await deviceServer({ throttle: true });
  const { user_code, device_code } = await started(server);
  const guess = async (browser: Browser, code = "BCDF-GHJK") => (await enterCode(browser, code)).status;
  const statuses: number[] = [];
  for (let i = 0; i < 12; i++) statuses.push(await guess(openBrowser(server)));
  assertEquals(statuses, [...Array(10).fill(400), 429, 429]);
  assertEquals(await guess(openBrowser(server), user_code), 429);
  assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "DV-02");
  server.advance(60);
  const browser = openBrowser(server);
  const page = await openPage(browser, "/device", await browser.get("/device"));
  const { path, fields } = fillForm(page, "", undefined, { user_code: "BCDF-GHJK" });
  const concurrent = await Promise.all(Array.from({ length: 20 }, () => send(browser, path, fields)));
  assertEquals(concurrent.map(({ status }) => status).sort(), [...Array(10).fill(400), ...Array(10).fill(429)]);
  server.advance(60);
  await decide(openBrowser(server), user_code, "allow");
  assertEquals(await pollOutcome(server, device_code), "200");

  const peers = await deviceServer({ throttle: true });
  let peer = 0;
  const moving: TestServer = {
    ...peers,
    get: (path, init) =>
      peers.as.fetch(new Request(peers.as.issuer + path, { redirect: "manual", ...init }), {
        address: `192.0.2.${++peer}`,
      }),
  };
  const movingBrowser = openBrowser(moving);
  await decide(movingBrowser, (await started(peers)).user_code, "allow");
  const moved: number[] = [];
  for (let i = 0; i < 12; i++) moved.push(await guess(movingBrowser));
  assertEquals(moved, [...Array(10).fill(400), 429, 429]);
});

test("[DV-06] the page shows client, scope, code, time and address; the link only fills in the code", async () => {
  const server = await deviceServer();
  const response = await server.as.fetch(
    new Request("https://as.test/oauth2/device_authorization", {
      method: "POST",
      body: new URLSearchParams({ client_id: "tv", scope: "openid read" }),
    }),
    { address: "203.0.113.7" },
  );
  const { device_code, user_code, verification_uri_complete } = await response.json();
  const browser = openBrowser(server);
  const path = verification_uri_complete.replace("https://as.test", "");
  const page = await openPage(browser, path, await browser.get(path));
  assertEquals(page.forms[0]!.controls.find(({ name }) => name === "user_code")!.value, user_code);
  assertEquals(await pollOutcome(server, device_code), "400 authorization_pending");
  const login = await submit(browser, page, "");
  assertEquals(describePage(login), "login");
  const consent = await submit(browser, login, "sub", "alice");
  for (
    const text of [
      "Home TV",
      "openid",
      "read",
      user_code,
      "2026-01-01 00:00:00 UTC",
      "203.0.113.7",
      "the sender would get access",
    ]
  ) assert(consent.text.includes(text), text);
  assert(!consent.text.includes("Redirects to"));
  await submit(browser, consent, "decision", "allow");
  // The user is asked for each device, although logged in and asked before.
  const next = await started(server);
  assertEquals(describePage(await enterCode(browser, next.user_code)), "consent");
});

test("[DV-06] with automatic login a device is approved immediately, and the first poll gets the tokens", async () => {
  const server = await deviceServer({ login: "auto" });
  const { device_code, user_code } = await started(server, { login_hint: "bob" });
  const { id_token } = await assertTokenResponse(await poll(server, device_code));
  assertEquals(decodeClaims(id_token).sub, "bob");
  assertEquals((await enterCode(openBrowser(server), user_code)).status, 400);
  // DNS rebinding: an attacker's page could read the device code.
  const foreign = await start(server, {}, { host: "evil.example" });
  assertEquals([foreign.status, getRejections(server.events).at(-1)!.explanation.rule], [403, "UI-20"]);
});

test("[DV-06] an approver of the program decides immediately, or on the page if it returns a response", async () => {
  let asked = 0;
  const server = await deviceServer({
    login: undefined,
    approver: async (request, { users, context, now }) => {
      asked++;
      if (context.endpoint?.name !== "device") return new Response("log in first");
      return { user: (await users.find("bob"))!, scope: request.scope, authTime: now() };
    },
  });
  const { device_code, user_code } = await started(server);
  assertEquals([asked, await pollOutcome(server, device_code)], [1, "400 authorization_pending"]);
  const browser = openBrowser(server);
  const confirmation = await enterCode(browser, user_code);
  for (const text of ["Connect Home TV on a device?", user_code, "openid", "the sender would get access"]) {
    assert(confirmation.text.includes(text), text);
  }
  assertEquals(asked, 1);
  assertMatch((await submit(browser, confirmation, "decision", "allow")).text, /The device is connected/);
  assertEquals(await pollOutcome(server, device_code), "200");
  const denied = await started(server);
  await submit(browser, await enterCode(browser, denied.user_code), "decision", "deny");
  assertEquals([asked, await pollOutcome(server, denied.device_code)], [3, "400 access_denied"]);
});

test("[DV-07] each user code is decided on once, and the first decision counts", async () => {
  const server = await deviceServer();
  const { device_code, user_code } = await started(server);
  const [alice, bob] = [openBrowser(server), openBrowser(server)];
  const consents = [];
  for (const [browser, sub] of [[alice, "alice"], [bob, "bob"]] as const) {
    consents.push(await submit(browser, await enterCode(browser, user_code), "sub", sub));
  }
  assertMatch((await submit(bob, consents[1]!, "decision", "allow")).text, /The device is connected/);
  for (const decision of ["deny", "allow"] as const) {
    const page = await submit(alice, consents[0]!, "decision", decision);
    assertEquals(page.status, 400);
  }
  assertEquals(await (await enterCode(alice, user_code)).status, 400);
  const { id_token } = await assertTokenResponse(await poll(server, device_code));
  assertEquals(decodeClaims(id_token).sub, "bob");

  // The code expires while the consent page is open.
  const late = await started(server);
  const page = await enterCode(alice, late.user_code);
  assertEquals(describePage(page), "consent");
  server.advance(600);
  const expired = await submit(alice, page, "decision", "allow");
  assertEquals([expired.status, getRejections(server.events).at(-1)!.explanation.rule], [400, "DV-07"]);
  assertEquals(await pollOutcome(server, late.device_code), "400 expired_token");
});

test("[DV-07, UI-01, UI-02, UI-04, UI-05] the page is protected like every page", async () => {
  const server = await deviceServer();
  const { device_code, user_code } = await started(server);
  const browser = openBrowser(server);
  const response = await browser.get("/device");
  assertEquals(response.headers.get("x-frame-options"), "DENY");
  assertMatch(response.headers.get("content-security-policy")!, /default-src 'none'.*frame-ancestors 'none'/);
  assertEquals(response.headers.get("cache-control"), "no-store");
  const page = await openPage(browser, "/device", response);
  const fields = new URLSearchParams({ user_code });
  assertEquals((await send(browser, "/device", fields)).status, 403);
  const formToken = page.forms[0]!.controls.find(({ name }) => name === "form_token")!.value;
  fields.set("form_token", formToken);
  assertEquals((await send(openBrowser(server), "/device", fields)).status, 403);
  assertEquals((await send(browser, "/device", fields, { origin: "https://evil.example" })).status, 403);
  assertEquals((await send(browser, "/device", fields)).status, 303);
  assertEquals(await pollOutcome(server, device_code), "400 authorization_pending");
});

test("[DV-03] what happens to the user, the session and the consent between approval and poll counts", async () => {
  const server = await deviceServer();
  const approved = async () => {
    const { device_code, user_code } = await started(server);
    const browser = openBrowser(server);
    await decide(browser, user_code, "allow");
    return { device_code, browser };
  };
  const revoked = await approved();
  const account = await openPage(revoked.browser, "/account", await revoked.browser.get("/account"));
  assert(account.text.includes("Home TV"));
  await submit(revoked.browser, account, "");
  assertEquals(await pollOutcome(server, revoked.device_code), "400 invalid_grant");

  const ended = await approved();
  const logout = await openPage(ended.browser, "/oauth2/logout", await ended.browser.get("/oauth2/logout"));
  await submit(ended.browser, logout, "");
  assertEquals(await pollOutcome(server, ended.device_code), "400 invalid_grant");

  const withdrawn = await started(server);
  server.as.clients.set({ client_id: "tv", grant_types: ["refresh_token"] });
  assertEquals((await enterCode(openBrowser(server), withdrawn.user_code)).status, 400);
  assertEquals(await pollOutcome(server, withdrawn.device_code), "400 unauthorized_client");
});

test("[DV-03] resources: those of the grant, or a part of them at the token endpoint", async () => {
  const server = await deviceServer();
  const other = "https://other.example";
  const { device_code, user_code } = await started(server, { resource: [api, other], scope: "read" });
  await decide(openBrowser(server), user_code, "allow");
  assertEquals(await pollOutcome(server, device_code, { resource: "https://third.example" }), "400 invalid_target");
  const { access_token } = await assertTokenResponse(await poll(server, device_code, { resource: api }));
  assertEquals(decodeClaims(access_token).aud, api);
});

test("[DV-01, RA-01] authorization_details are read, and granted with the tokens", async () => {
  const server = await deviceServer({ authorizationDetails: { door: { schema: { properties: { actions: true } } } } });
  const details = [{ type: "door", actions: ["open", "close"] }];
  const authorization_details = JSON.stringify(details);
  assertEquals(
    await getOutcome(await start(server, { authorization_details: '[{"type":"wall"}]' })),
    "400 invalid_authorization_details",
  );
  const { device_code, user_code } = await started(server, { scope: undefined, authorization_details });
  const browser = openBrowser(server);
  const consent = await submit(browser, await enterCode(browser, user_code), "sub", "alice");
  await submit(browser, consent, "decision", "allow");
  const response = await poll(server, device_code);
  assertEquals((await response.json()).authorization_details, details);
});

test("[RA-13, DV-01] details of up to 8 KiB pass the login pages; other parameters that cannot are rejected at the start", async () => {
  const server = await deviceServer({ authorizationDetails: { door: { schema: { properties: { note: true } } } } });
  const details = [{ type: "door", note: "x".repeat(8000) }];
  const authorization_details = JSON.stringify(details);
  const { device_code, user_code } = await started(server, { authorization_details });
  const browser = openBrowser(server);
  const consent = await submit(browser, await enterCode(browser, user_code), "sub", "alice");
  assertEquals(describePage(consent), "consent");
  await submit(browser, consent, "decision", "allow");
  assertEquals((await (await poll(server, device_code)).json()).authorization_details, details);
  const claims = (length: number) => JSON.stringify({ userinfo: { sub: { values: ["€".repeat(length)] } } });
  const long = await start(server, { claims: claims(2000), authorization_details });
  assertEquals(await getOutcome(long), "400 invalid_request");
  assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "AZ-13");
  // Whatever starts can be decided.
  const hint = "é".repeat(2300);
  const almost = await started(server, { login_hint: hint, claims: claims(1), authorization_details });
  assertEquals(describePage(await enterCode(browser, almost.user_code)), "login");
});

for (const [name, skip, create] of storeKinds) {
  test(
    `[DV-03, DV-04, DV-07] on ${name} one of 20 concurrent polls, and one of 20 concurrent decisions counts, at two instances`,
    { skip },
    async () => {
      const open = create();
      const servers = [
        await deviceServer({ store: await open() }),
        await deviceServer({ store: await open() }),
      ] as const;
      const concurrently = <T>(action: (server: TestServer, i: number) => Promise<T>) =>
        Promise.all(Array.from({ length: 20 }, (_, i) => action(servers[i % 2]!, i)));
      const { device_code, user_code } = await started(servers[0]);
      const pending = await concurrently((server) => pollOutcome(server, device_code));
      assertEquals(pending.sort(), ["400 authorization_pending", ...Array(19).fill("400 slow_down")]);

      const session = openBrowser(servers[0]);
      const login = await enterCode(session, user_code);
      const consent = await submit(session, login, "sub", "alice");
      const { path, fields } = fillForm(consent, "decision", "allow");
      // Another interaction each, so that the decisions meet at the device.
      const consents = await concurrently(async (server) => {
        const browser = openBrowser(server, session.cookies);
        return { browser, page: await enterCode(browser, user_code) };
      });
      const results = await concurrently((_, i) =>
        submit(consents[i]!.browser, consents[i]!.page, "decision", i % 3 === 0 ? "deny" : "allow")
      );
      assertEquals(results.filter(({ status }) => status === 200).length, 1);
      assertEquals((await send(session, path, fields)).status, 400);
      const isApproved = results.some(({ text }) => text.includes("The device is connected"));
      const polls = await concurrently((server) => pollOutcome(server, device_code));
      assertEquals(
        polls.sort(),
        isApproved ? ["200", ...Array(19).fill("400 invalid_grant")] : Array(20).fill("400 access_denied"),
      );
      const approved = await started(servers[1]);
      await decide(openBrowser(servers[1]), approved.user_code, "allow");
      const granted = await concurrently((server) => pollOutcome(server, approved.device_code));
      assertEquals(granted.sort(), ["200", ...Array(19).fill("400 invalid_grant")]);
      for (const { as } of servers) await as.close();
    },
  );
}

test("[DV-02] the store contains digests of the codes", async () => {
  const store = memoryStore();
  const server = await deviceServer({ store });
  const { device_code, user_code } = await started(server);
  const records = await store.list("polled_request", { prefix: "", limit: 10 });
  assertEquals(records.length, 1);
  const stored = JSON.stringify(records);
  const secret = device_code.split(".")[1]!;
  for (const text of [secret, user_code, user_code.replace("-", "")]) assert(!stored.includes(text), text);
});

test("[DV-02] a user code that is in use is not issued again", async () => {
  const store = memoryStore();
  let taken = 0;
  const server = await deviceServer({
    store: {
      ...store,
      async add(kind, ...rest) {
        if (kind === "polled_request" && taken++ < 2) return false;
        return await store.add(kind, ...rest);
      },
    },
  });
  await started(server);
  assertEquals(taken, 3);
  taken = -10;
  assertEquals(await getOutcome(await start(server)), "503 temporarily_unavailable");
  assertEquals(taken, 0, "ten codes were tried");
});

test("[DV-08] device authorizations of one site without credentials evict each other alone", async () => {
  const store = memoryStore();
  const server = await deviceServer({ store });
  const from = (address: string): TestServer => ({
    ...server,
    get: (path, init) => server.as.fetch(new Request(server.as.issuer + path, init), { address }),
  });
  const [user, attacker] = [from("192.0.2.1"), from("192.0.2.2")];
  const { device_code } = await started(user);
  const ofBox = await (await start(attacker, { client_id: "box" }, basic("box", "box-secret"))).json();
  const first = await started(attacker);
  const claims = JSON.stringify({ id_token: { ["x".repeat(4000)]: null } });
  for (let i = 0; i < 300; i++) await started(attacker, { claims });
  const records = await store.list("polled_request", { prefix: "", limit: 1000 });
  assert(records.reduce((sum, { value }) => sum + JSON.stringify(value).length, 0) < 1024 * 1024);
  assertEquals(await pollOutcome(server, device_code), "400 authorization_pending");
  const box = basic("box", "box-secret");
  const poll = { grant_type: deviceCodeType, device_code: ofBox.device_code };
  assertEquals(await getOutcome(await server.post("/oauth2/token", poll, box)), "400 authorization_pending");
  assertEquals(await pollOutcome(server, first.device_code), "400 invalid_grant");
});

test("[ST-06, MC-04] a device is warned as other clients are: of ignored levels, and of its document", async () => {
  const url = "https://tv.example/client.json";
  const server = await deviceServer({
    clientIdMetadataDocuments: true,
    acrValues: [{ value: "urn:example:mfa", methods: ["open"], amr: ["mfa"] }],
    outbound: () =>
      Promise.resolve(Response.json({ client_id: url, client_name: "TV", grant_types: [deviceCodeType, "unknown"] })),
  });
  assertEquals((await start(server, { client_id: url, acr_values: "urn:example:unknown" })).status, 200);
  const rules = server.events.flatMap((event) => event.type === "warning" ? [event.explanation.rule] : []);
  assertEquals([...new Set(rules)].sort(), ["MC-04", "ST-06"]);
});

test("[OI-05, OI-07] a device that asks for a recent login, or another user, gets no approval of an older login or other user", async () => {
  let authTime = 0;
  const server = await deviceServer({
    login: "auto",
    approver: ({ scope }, { users, now }) => ({
      user: users.known().get("alice")!,
      scope,
      authTime: authTime || now(),
    }),
  });
  assertEquals((await start(server, { max_age: "60" })).status, 200);
  authTime = Date.UTC(2025, 11, 31);
  assertEquals(await getOutcome(await start(server, { max_age: "60" })), "400 login_required");
  assertEquals(await getOutcome(await start(server, { id_token_hint: "no.ID.token" })), "400 invalid_request");
});
