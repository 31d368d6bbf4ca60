/**
 * Back-channel logout: which clients are called when a session ends, with what, and what follows (group BL).
 *
 * @extensions assertion_authentication, pairwise, registration, token_exchange
 */

import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { createLocalJWKSet, jwtVerify } from "jose";
import { test } from "node:test";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions } from "../../../../src/mod.ts";
import { latchkey } from "../../../secret_leak_check.ts";
import { storeKinds } from "../../../platform/store/store_kinds.ts";
import { type Browser, openBrowser, sessionCookie } from "../../browser.ts";
import {
  decodeClaims,
  encode,
  forEachCase,
  getOutcome,
  getRedirectParams,
  getRejections,
  recordingStore,
  testServer,
} from "../../../kit.ts";
import { callEvents, callingServer, loggedOutClient, logOut, postLogoutRedirectUri } from "./logout_receiver.ts";
import type { CallingServer } from "./logout_receiver.ts";
import { until } from "../../../until.ts";
import { postRegistration } from "../../registering.ts";

const sessionEvent = "http://schemas.openid.net/event/backchannel-logout";

function refresh({ token }: CallingServer, refresh_token: string, client_id = "spa"): Promise<Response> {
  const others = { redirect_uri: undefined, code_verifier: undefined };
  return token({ grant_type: "refresh_token", refresh_token, client_id, ...others });
}

/** Who was called, in the order of the names. */
function called({ calls }: CallingServer): unknown[] {
  return calls.map(({ claims }) => claims.aud).sort();
}

/** The warnings about calls that failed. */
function failures({ events }: CallingServer): string[] {
  return events.flatMap((event) => event.type === "warning" ? [event.explanation.received ?? ""] : []);
}

test("[BL-01] metadata announces back-channel logout exactly when it is on", async () => {
  await forEachCase([{}, { backChannel: true }, { backChannel: false }], async (clientLogout) => {
    const b = await testServer({ clientLogout });
    const metadata = await (await b.get("/.well-known/openid-configuration")).json();
    const expected = clientLogout.backChannel === false ? undefined : true;
    assertEquals(
      [metadata.backchannel_logout_supported, metadata.backchannel_logout_session_supported],
      [expected, expected],
    );
    assertEquals(metadata.end_session_endpoint, "https://as.test/oauth2/logout");
  });
});

test("[BL-01, BL-04] if it is off, no client is called, and nothing is stored at a login", async () => {
  const { store, asked } = recordingStore();
  const b = await callingServer({ clientLogout: { backChannel: false, frontChannel: false }, store });
  const browser = openBrowser(b);
  const { id_token } = await browser.login();
  assert(decodeClaims(id_token).sid);
  await logOut(browser, id_token);
  b.as.users.delete("alice");
  // A later login and logout come to their end after what the removal started.
  const later = openBrowser(b);
  await logOut(later, (await later.login({ login_hint: "bob" })).id_token);
  assertEquals([b.calls, asked.filter((call) => /session_client|logout_call/.test(call))], [[], []]);
});

test("[CI-11, BL-04] a client that was added again is not called for logins at the removed one", async () => {
  const b = await callingServer();
  const client = loggedOutClient("spa", { post_logout_redirect_uris: [postLogoutRedirectUri] });
  const browser = openBrowser(b);
  await browser.login();
  await browser.login({ client_id: "app" });
  await b.as.clients.delete("spa");
  await b.as.clients.set(client);
  const { id_token } = await browser.login();
  await logOut(browser, id_token);
  // The session has a login at the next client too.
  assertEquals(called(b), ["app", "spa"]);
  const other = openBrowser(b);
  const hint = (await other.login({ client_id: "app" })).id_token;
  await other.login();
  await b.as.clients.delete("spa");
  await b.as.clients.set(client);
  await logOut(other, hint);
  assertEquals(called(b), ["app", "app", "spa"]);
});

const valid: Partial<ClientMetadata>[] = [
  { backchannel_logout_uri: "https://rp.example/out" },
  { backchannel_logout_uri: "https://rp.example:8443/out?tenant=7&code=1", backchannel_logout_session_required: true },
  { backchannel_logout_uri: "https://rp.example", backchannel_logout_session_required: false },
  { backchannel_logout_uri: "http://localhost:3000/out", client_secret: "a-secret" },
  { backchannel_logout_uri: "http://rp.test/out", client_secret: "a-secret" },
  { backchannel_logout_session_required: false },
];

const invalid: [Partial<ClientMetadata>, expected: RegExp][] = [
  ...[
    "/out",
    "rp.example/out",
    "",
    "https:///",
    "https://rp.example/#x",
    "https://rp.example/out#",
    "https://a@rp.example/",
  ]
    .map((uri): [Partial<ClientMetadata>, RegExp] => [{ backchannel_logout_uri: uri }, /URI|slashes|printable/]),
  [{ backchannel_logout_uri: "com.example.app:/out", client_secret: "x" }, /https/],
  [{ backchannel_logout_uri: "javascript:alert(1)" }, /scheme/],
  [{ backchannel_logout_uri: "http://localhost:3000/out" }, /client that authenticates/],
  [{ backchannel_logout_uri: "http://rp.com/out", client_secret: "x" }, /https, or http on/],
  [{ backchannel_logout_session_required: true }, /a URI/],
];

test("[BL-02] a backchannel_logout_uri is an absolute URI without fragment: https, or http on a test host for a client that authenticates", async () => {
  const client = { client_id: "rp", redirect_uris: ["https://rp.example/cb"] };
  await forEachCase(valid, async (metadata) => {
    const as = await latchkey({ clients: [{ ...client, ...metadata }] });
    await as.close();
  });
  await forEachCase(invalid, async ([metadata, expected]) => {
    const error = await assertRejects(() => latchkey({ clients: [{ ...client, ...metadata }] }), ConfigurationError);
    assertEquals(error.issues.map(({ path }) => path), ["clients[0].backchannel_logout_uri"]);
    assertMatch(error.issues[0]!.expected, expected);
  });
  const insecure = { insecure: ["http-redirect-uris"] as const, issuer: "https://as.test" };
  const inside = { ...client, client_secret: "x", backchannel_logout_uri: "http://rp.intranet.com/out" };
  await (await latchkey({ ...insecure, clients: [inside] })).close();
});

test("[BL-02] at registration the same problems are 400 invalid_client_metadata", async () => {
  const b = await testServer();
  const register = (metadata: object) => postRegistration(b, { redirect_uris: ["https://rp.example/cb"], ...metadata });
  await forEachCase(valid, async ({ client_secret: _, ...metadata }) => {
    const response = await register(metadata);
    assertEquals(response.status, 201);
    const body = await response.json();
    for (const [name, value] of Object.entries(metadata)) assertEquals(body[name], value);
  });
  await forEachCase(
    [...invalid, [{ backchannel_logout_uri: 1 }, /string/]] as typeof invalid,
    async ([metadata, expected]) => {
      const response = await register({ token_endpoint_auth_method: "none", ...metadata, client_secret: undefined });
      assertEquals(await getOutcome(response.clone()), "400 invalid_client_metadata");
      const { error_description } = await response.json();
      assertStringIncludes(error_description, "backchannel_logout_uri");
      if (!metadata.client_secret) assertMatch(error_description, expected);
    },
  );
});

test("[BL-03] sid differs in two browsers, stays the same in refreshed ID tokens, and is not in the cookie in clear", async () => {
  const b = await callingServer();
  const [one, other] = [openBrowser(b), openBrowser(b)];
  const [tokens, elsewhere] = [await one.login(), await other.login()];
  const { sid } = decodeClaims(tokens.id_token);
  assertMatch(sid as string, /^[\w-]{22}$/);
  assertNotEquals(sid, decodeClaims(elsewhere.id_token).sid);
  assertNotEquals(one.cookies.get(sessionCookie), sid);
  const refreshed = await (await refresh(b, tokens.refresh_token)).json();
  assertEquals(decodeClaims(refreshed.id_token).sid, sid);
  // Another client of the same session; a pairwise client cannot compare its sid with that of others.
  assertEquals(decodeClaims((await one.login({ client_id: "app" })).id_token).sid, sid);
  assertNotEquals(decodeClaims((await one.login({ client_id: "pairwise" })).id_token).sid, sid);
});

test("[BL-04, LO-04] each client that got an ID token in the session is called once, the one that asks included, before the redirect", async () => {
  const b = await callingServer();
  const [browser, other] = [openBrowser(b), openBrowser(b)];
  const { id_token } = await browser.login();
  await browser.login();
  await browser.login({ client_id: "app" });
  await browser.login({ client_id: "silent" });
  // No ID token without openid; and another session.
  await browser.login({ client_id: "pairwise", scope: "read" });
  await other.login({ client_id: "pairwise" });
  const { promise, resolve } = Promise.withResolvers<Response>();
  b.respond = ({ claims }) => claims.aud === "app" ? promise : new Response(null, { status: 204 });
  let hasResponded = false;
  const fields = { post_logout_redirect_uri: postLogoutRedirectUri, state: "s t" };
  const pending = logOut(browser, id_token, fields).finally(() => hasResponded = true);
  await until(() => b.calls.length === 2);
  // In parallel: spa has been called although app has not responded.
  assertEquals([called(b), hasResponded], [["app", "spa"], false]);
  resolve(new Response());
  const response = await pending;
  assertEquals(response.status, 302);
  assertEquals(response.headers.get("location"), `${postLogoutRedirectUri}?state=s%20t`);
  await logOut(browser, id_token);
  assertEquals(called(b), ["app", "spa"]);
});

test("[BL-04] clients are called however the session ends: on the page, by another user's login, by removal, by a new password", async () => {
  const password = (salt: string) => `$scrypt$ln=10,r=8,p=1$${salt.repeat(22)}$${"A".repeat(43)}`;
  const ways: Record<string, (b: CallingServer, browser: Browser) => unknown> = {
    async "the confirmation page"(_, browser) {
      const html = await (await browser.get("/oauth2/logout")).text();
      const [, confirm] = /name="confirm" value="([^"]+)"/.exec(html)!;
      await browser.post("/oauth2/logout", { confirm });
    },
    "a hint without the cookie": (b, browser) =>
      openBrowser(b).get(`/oauth2/logout?${encode({ id_token_hint: hints.get(browser)! })}`),
    "the login of another user": (_, browser) => browser.login({ login_hint: "bob", client_id: "silent" }),
    "the removal of the user": ({ as }) => as.users.delete("alice"),
    "a new password": ({ as }) => as.users.set({ sub: "alice", password: password("B") }),
    "the removal of the password": ({ as }) => as.users.set({ sub: "alice" }),
  };
  const hints = new Map<Browser, string>();
  await forEachCase(Object.keys(ways), async (name) => {
    const b = await callingServer({ users: [{ sub: "alice", password: password("A") }, { sub: "bob" }] });
    const [browser, bobs] = [openBrowser(b), openBrowser(b)];
    hints.set(browser, (await browser.login()).id_token);
    await browser.login({ client_id: "app" });
    await bobs.login({ login_hint: "bob", client_id: "app" });
    await ways[name]!(b, browser);
    await until(() => callEvents(b).length === 2);
    assertEquals(await bobs.authorizeSilently(), "code");
    assertEquals(called(b), ["app", "spa"], name);
    assert(b.calls.every(({ claims }) => claims.sub === "alice"));
  });
});

test("[BL-04] other changes of a user call no client", async () => {
  const b = await callingServer({ users: [{ sub: "alice", name: "Alice" }, { sub: "bob" }, { sub: "carol" }] });
  await openBrowser(b).login();
  await openBrowser(b).login({ login_hint: "carol" });
  b.as.users.set({ sub: "alice", name: "Alice Adams" });
  b.as.users.delete("bob");
  b.as.users.makeDefault("alice");
  // The call for a later change comes after those of the earlier ones.
  b.as.users.delete("carol");
  await until(() => callEvents(b).length > 0);
  assertEquals(b.calls.map(({ claims }) => claims.sub), ["carol"]);
  assertEquals(b.events.filter(({ type }) => type === "session_ended").length, 1);
});

test("[BL-04] earlier logins of the user in the browser are ended with their own sid", async () => {
  const b = await callingServer();
  const browser = openBrowser(b);
  const first = decodeClaims((await browser.login()).id_token);
  b.advance(1);
  const { id_token } = await browser.login({ prompt: "login" });
  assertEquals(b.calls, []);
  await logOut(browser, id_token);
  const sids = b.calls.map(({ claims }) => claims.sid);
  assertEquals(new Set(sids), new Set([first.sid, decodeClaims(id_token).sid]));
  assertEquals(sids.length, 2);
});

test("[BL-05] the call is a POST of one form parameter, without cookie, credentials and following of redirects", async () => {
  const b = await callingServer();
  const browser = openBrowser(b);
  const { id_token } = await browser.login({ client_id: "app" });
  await logOut(browser, id_token);
  const { url, init: { signal, body, ...init } } = b.calls[0]!;
  assertEquals(url, "https://app.example/out?tenant=7&x");
  assert(signal instanceof AbortSignal);
  assertEquals(init, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    redirect: "manual",
  });
  assertEquals([...new URLSearchParams(body as string).keys()], ["logout_token"]);
});

test("[BL-05, MC-05] the server does not call a private address, and reports it without repeating the call", async () => {
  const b = await callingServer({
    outbound: undefined,
    clients: [loggedOutClient("spa", { backchannel_logout_uri: "https://127.0.0.1/out" })],
  });
  const browser = openBrowser(b);
  await logOut(browser, (await browser.login()).id_token);
  assertMatch(failures(b).join(), /^no response \(expected a host with a public address; received 127\.0\.0\.1/);
  assertEquals(callEvents(b).map(({ retryAt }) => retryAt), [undefined]);
});

test("[BL-05] calls of clients that registered themselves are limited for each host, and made later", async () => {
  const b = await callingServer();
  const response = await postRegistration(b, {
    redirect_uris: ["https://spa.example/cb"],
    token_endpoint_auth_method: "none",
    backchannel_logout_uri: "https://victim.example/",
  });
  const { client_id } = await response.json();
  for (let i = 0; i < 70; i++) {
    const browser = openBrowser(b);
    await logOut(browser, (await browser.login({ client_id })).id_token);
  }
  assertEquals(b.calls.length, 60);
  const late = callEvents(b).filter(({ status }) => status === undefined);
  assertEquals([late.length, late.every(({ retryAt }) => retryAt !== undefined)], [10, true]);
  await b.repeatCalls(60, 10);
  assertEquals(b.calls.length, 70);
});

test("[BL-06, BL-07, BL-08] the logout token is signed as the client's ID tokens, and has their iss, sub and sid, and nothing about the user", async () => {
  const b = await callingServer();
  const keys = createLocalJWKSet(await (await b.get("/oauth2/jwks")).json());
  await forEachCase(["spa", "app", "pairwise"], async (client_id) => {
    const browser = openBrowser(b);
    const { id_token } = await browser.login({ client_id, scope: "openid profile email", nonce: "n" });
    b.advance(10);
    await logOut(browser, id_token);
    const { token, claims, header } = b.calls.at(-1)!;
    const alg = client_id === "app" ? "RS256" : "EdDSA";
    assertEquals({ ...header, kid: typeof header.kid }, { alg, typ: "logout+jwt", kid: "string" });
    const options = { typ: "logout+jwt", audience: client_id, issuer: "https://as.test" };
    await jwtVerify(token, keys, { ...options, currentDate: new Date(Date.UTC(2026, 0, 1)) });
    const { iss, sub, sid } = decodeClaims(id_token);
    const { iat, exp, jti, ...rest } = claims;
    assertEquals(rest, { iss, sub, sid, aud: client_id, events: { [sessionEvent]: {} } });
    assert((exp as number) - (iat as number) <= 120 && (exp as number) > (iat as number));
    assertMatch(jti as string, /^[\w-]{22}$/);
    assertEquals(sub === "alice", client_id !== "pairwise");
  });
  assertEquals(new Set(b.calls.map(({ claims }) => claims.jti)).size, 3);
});

test("[BL-09, BL-11] only 200 and 204 are success; only no response and 5xx are repeated", async () => {
  const failing: [name: string, respond: () => Response | Promise<Response>, received: RegExp, isRepeated: boolean][] =
    [
      ...[201, 202, 205, 301, 303, 307, 400, 401, 403, 404, 405, 410, 429, 500, 501, 503].map((status) =>
        [
          `${status}`,
          () => new Response(null, { status }),
          RegExp(`^status ${status}$`),
          status >= 500,
        ] as typeof failing[0]
      ),
      ["redirect", () => Response.redirect("https://other.example/"), /^status 302$/, false],
      ["reset", () => Promise.reject(new TypeError("connection reset")), /^no response \(connection reset\)$/, true],
      [
        "error",
        () => Response.json({ error: "invalid_request", error_description: "unknown\u0007 sid" }, { status: 400 }),
        /^status 400 \(invalid_request: unknown/,
        false,
      ],
      ["huge", () => new Response("x".repeat(100_000), { status: 400 }), /^status 400$/, false],
    ];
  await forEachCase(failing, async ([, respond, received, isRepeated]) => {
    const b = await callingServer();
    b.respond = respond;
    const browser = openBrowser(b);
    const { id_token } = await browser.login();
    assertEquals((await logOut(browser, id_token)).status, 200);
    const [event] = callEvents(b);
    assertEquals([event!.client, event!.attempt, event!.retryAt !== undefined], ["spa", 1, isRepeated]);
    assertEquals(failures(b).length, 1);
    assertMatch(failures(b)[0]!, received);
  });
  await forEachCase([200, 204], async (status) => {
    const b = await callingServer();
    b.respond = () => new Response(null, { status });
    const browser = openBrowser(b);
    await logOut(browser, (await browser.login()).id_token);
    assertEquals([callEvents(b).map((event) => [event.status, event.retryAt]), failures(b)], [
      [[status, undefined]],
      [],
    ]);
  });
});

test("[BL-10] a client that never responds holds the user up for the timeout at most, and others are called", async () => {
  const b = await callingServer({ clientLogout: { timeout: 7 } });
  const browser = openBrowser(b);
  const { id_token } = await browser.login();
  await browser.login({ client_id: "app" });
  b.respond = ({ claims }) => claims.aud === "app" ? new Promise(() => {}) : new Response();
  // The signal is the timer of the wait.
  const { timeout } = AbortSignal;
  const [limits, controller] = [[] as number[], new AbortController()];
  AbortSignal.timeout = (ms) => (limits.push(ms), controller.signal);
  try {
    const pending = logOut(browser, id_token, { post_logout_redirect_uri: postLogoutRedirectUri });
    // The other client has responded.
    await until(() => b.calls.length === 2 && callEvents(b).length === 1);
    assertEquals(called(b), ["app", "spa"]);
    controller.abort(new DOMException("timed out", "TimeoutError"));
    assertEquals((await pending).headers.get("location"), postLogoutRedirectUri);
  } finally {
    AbortSignal.timeout = timeout;
  }
  assertEquals(limits, [7000]);
  assertEquals(failures(b), ["no response within 7 seconds"]);
  assertEquals(callEvents(b).map(({ client, retryAt }) => [client, retryAt !== undefined]).sort(), [
    ["app", true],
    ["spa", false],
  ]);
});

test("[BL-11] a failed call is repeated by the clock, with a fresh token, until it succeeds", async () => {
  const b = await callingServer();
  const browser = openBrowser(b);
  const { id_token } = await browser.login();
  b.respond = () => new Response(null, { status: 503 });
  await logOut(browser, id_token);
  b.advance(59);
  await b.get("/oauth2/jwks");
  b.respond = () => new Response();
  await b.repeatCalls(61, 1);
  assertEquals(b.calls.length, 2);
  const [first, claims] = [b.calls[0]!.claims, b.calls[1]!.claims];
  assertEquals([claims.sid, claims.aud, claims.iat], [first.sid, "spa", first.iat as number + 120]);
  assertNotEquals(claims.jti, first.jti);
  for (let i = 0; i < 5; i++) await b.repeatCalls(3600, 0);
  assertEquals(callEvents(b).map(({ attempt, status }) => [attempt, status]), [[1, 503], [2, 200]]);
});

test("[BL-11] a call is tried four times, and never again after 400", async () => {
  const b = await callingServer();
  const [browser, other] = [openBrowser(b), openBrowser(b)];
  const { id_token } = await browser.login();
  const { id_token: otherHint } = await other.login({ client_id: "app" });
  b.respond = ({ claims }) =>
    new Response(null, { status: claims.aud === "spa" ? 500 : b.calls.length > 2 ? 400 : 502 });
  await logOut(browser, id_token);
  await logOut(other, otherHint);
  for (const [seconds, count] of [[61, 2], [301, 1], [1801, 1], [7200, 0]] as const) {
    await b.repeatCalls(seconds, count);
  }
  const attempts = callEvents(b).filter(({ client }) => client === "spa");
  assertEquals(attempts.map(({ attempt, retryAt }) => [attempt, retryAt !== undefined]), [
    ...[[1, true], [2, true], [3, true], [4, false]],
  ]);
  const delays = attempts.slice(1).map(({ at }, i) => (at - attempts[i]!.at) / 1000);
  assert(delays.every((delay, i) => delay === [61, 301, 1801][i]), `${delays}`);
  assertEquals(callEvents(b).filter(({ client }) => client === "app").map(({ status }) => status), [502, 400]);
});

test("[BL-12, BL-13] the session is dead before the first call: from inside the receiver prompt=none is login_required, a refresh invalid_grant", async () => {
  const b = await callingServer();
  const browser = openBrowser(b);
  const { id_token, refresh_token } = await browser.login();
  const offline = await browser.login({ client_id: "app", scope: "openid offline_access" });
  const seen: unknown[] = [];
  b.respond = async ({ claims }) => {
    if (claims.aud !== "spa") return new Response();
    seen.push(await browser.authorizeSilently(), await getOutcome(await refresh(b, refresh_token)));
    seen.push(await getOutcome(await refresh(b, offline.refresh_token, "app")));
    return new Response();
  };
  await logOut(browser, id_token);
  assertEquals(seen, ["login_required", "400 invalid_grant", "200"]);
});

test("[BL-04, BL-13] a refresh with offline_access after the logout calls no client again", async () => {
  const b = await callingServer();
  const browser = openBrowser(b);
  const { id_token, refresh_token } = await browser.login({ scope: "openid offline_access" });
  await logOut(browser, id_token);
  const { id_token: later } = await (await refresh(b, refresh_token)).json();
  assertEquals(decodeClaims(later).sid, decodeClaims(id_token).sid);
  await b.repeatCalls(120, 0);
  assertEquals(called(b), ["spa"]);
});

test("[BL-04] a client that exchanges its code after the logout is called a minute later", async () => {
  const b = await callingServer();
  const browser = openBrowser(b);
  const { id_token } = await browser.login({ client_id: "silent" });
  const code = getRedirectParams(await browser.authorize({ scope: "openid offline_access" })).get("code")!;
  await logOut(browser, id_token);
  const late = await (await b.token({ code })).json();
  assertEquals(called(b), []);
  await b.repeatCalls(61, 1);
  const { claims } = b.calls[0]!;
  assertEquals([claims.aud, claims.sid], ["spa", decodeClaims(late.id_token).sid]);
  assertEquals(callEvents(b).map(({ attempt }) => attempt), [1]);
});

test("[BL-14] a logout token is no ID token, hint, access token, assertion and subject token here", async () => {
  const b = await callingServer({
    tokenExchange: {},
    clients: [
      loggedOutClient("spa"),
      {
        ...loggedOutClient("web", { client_secret: "web-secret" }),
        grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:token-exchange"],
      },
    ],
  });
  const browser = openBrowser(b);
  await logOut(browser, (await browser.login()).id_token);
  const { token } = b.calls[0]!;
  await browser.login();
  const hinted = await browser.authorize({ id_token_hint: token });
  assertEquals(getRedirectParams(hinted).get("error"), "invalid_request");
  assertEquals((await logOut(browser, token)).status, 400);
  assertEquals(await browser.authorizeSilently(), "code");
  assertEquals((await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } })).status, 401);
  const form = { redirect_uri: undefined, code_verifier: undefined };
  const secret = { client_id: "web", client_secret: "web-secret" };
  const introspected = await b.post("/oauth2/introspect", { token, ...secret });
  assertEquals(await introspected.json(), { active: false });
  const exchanged = await b.token({
    ...form,
    ...secret,
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: token,
    subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
  });
  assertEquals(await getOutcome(exchanged), "400 invalid_request");
  const asserted = await b.token({
    code: "x",
    client_id: "spa",
    client_assertion: token,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  });
  assertEquals(await getOutcome(asserted), "401 invalid_client");
  assertEquals(getRejections(b.events).length, 5);
});

test("[BL-04] a login of a client without a logout URI stores nothing about the session", async () => {
  const { store, asked } = recordingStore();
  const b = await callingServer({ store });
  const browser = openBrowser(b);
  asked.length = 0;
  const { id_token } = await browser.login({ client_id: "silent" });
  assertEquals(asked.filter((call) => call.includes("session_client")), []);
  await logOut(browser, id_token);
  assertEquals(asked.filter((call) => call.includes("session_client")), ["list session_client"]);
});

test("[BL-04] a removed client, or one that withdrew its URI, is not called", async () => {
  const b = await callingServer();
  const browser = openBrowser(b);
  const { id_token } = await browser.login({ client_id: "silent" });
  await browser.login();
  await browser.login({ client_id: "app" });
  b.as.clients.delete("spa");
  b.as.clients.set(loggedOutClient("app", { backchannel_logout_uri: undefined }));
  await logOut(browser, id_token);
  assertEquals(b.calls, []);
});

const options: LatchkeyOptions = {
  clients: [loggedOutClient("spa"), loggedOutClient("app", { redirect_uris: ["https://spa.example/cb"] })],
};

for (const [name, skip, create] of storeKinds) {
  test(
    `[BL-04] on ${name} a session that is ended twenty times concurrently calls each client once`,
    { skip },
    async () => {
      const open = create();
      const servers = [
        await callingServer({ ...options, store: await open() }),
        await callingServer({ ...options, store: await open() }),
      ] as const;
      const browsers = servers.map((b) => openBrowser(b));
      const { id_token } = await browsers[0]!.login();
      await browsers[0]!.login({ client_id: "app" });
      const cookie = browsers[0]!.cookies.get(sessionCookie)!;
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => logOut(openBrowser(servers[i % 2]!, [[sessionCookie, cookie]]), id_token)),
      );
      assertEquals(servers.flatMap((b) => called(b)).sort(), ["app", "spa"]);
      for (const { as } of servers) await as.close();
    },
  );

  test(
    `[BL-04, BL-11] on ${name} another instance calls the clients of a login, and repeats the calls after a restart`,
    { skip },
    async () => {
      const open = create();
      const one = await callingServer({ ...options, store: await open() });
      const two = await callingServer({ ...options, store: await open() });
      const browser = openBrowser(one);
      const { id_token } = await browser.login();
      two.respond = () => Promise.reject(new TypeError("connection refused"));
      await logOut(openBrowser(two), id_token);
      assertEquals([called(one), called(two)], [[], ["spa"]]);
      await one.as.close();
      await two.as.close();
      const three = await callingServer({ ...options, store: await open() });
      const four = await callingServer({ ...options, store: await open() });
      await three.repeatCalls(61, 1);
      await four.repeatCalls(61, 0);
      assertEquals([called(three), called(four)], [["spa"], []]);
      for (const { as } of [three, four]) await as.close();
    },
  );
}
