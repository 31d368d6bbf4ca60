/**
 * Pushed authorization requests (group PA).
 *
 * @extensions requested_claims
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import { memoryStore, type Store } from "../../../../src/mod.ts";
import { storeKinds } from "../../../platform/store/store_kinds.ts";
import {
  assertAuthorizationResponse,
  assertPage,
  basic,
  clients,
  encode,
  forEachCase,
  getOutcome,
  getRedirectParams,
  getRejections,
  goodRequest,
  testServer,
  webRequest,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";
import { type Browser, openBrowser } from "../../browser.ts";
import { describePage, getCode, openPage, type Page, submit } from "../../page_navigation.ts";
import { assertInvalidRequestUri, prefix, push, pushed, redirect_uri, refer } from "./pushed_requests.ts";

/** The same in a browser. */
async function openReferring(browser: Browser, request_uri: string): Promise<Page> {
  const path = `/oauth2/authorize?${encode({ client_id: "spa", request_uri })}`;
  return await openPage(browser, path, await browser.get(path));
}

test("[PA-01, PA-02] a pushed request gets a request_uri that completes the login", async () => {
  const server = await testServer();
  const response = await push(server);
  assertEquals(response.status, 201);
  assertMatch(response.headers.get("content-type")!, /^application\/json/);
  assertEquals(response.headers.get("cache-control"), "no-store");
  const { request_uri, expires_in, ...more } = await response.json();
  assertEquals(more, {});
  assertMatch(request_uri, /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/);
  assertEquals(expires_in, 60);
  const { code } = assertAuthorizationResponse(await refer(server, request_uri));
  assertEquals((await server.token({ code })).status, 200);
  assert(await pushed(server) !== await pushed(server));
});

test("[PA-02] metadata names the endpoint, and reality is the same", async () => {
  const server = await testServer();
  const metadata = await (await server.get("/.well-known/oauth-authorization-server")).json();
  assertEquals(metadata.pushed_authorization_request_endpoint, "https://as.test/oauth2/par");
  assertEquals(metadata.require_pushed_authorization_requests, undefined);
});

test("[PA-01] clients authenticate as at the token endpoint; client_id is required in any case", async () => {
  const server = await testServer();
  const web = basic("web", "web-secret");
  assertEquals((await push(server, webRequest, web)).status, 201);
  const poster = { ...webRequest, client_id: "poster", redirect_uri: "https://poster.example/cb" };
  assertEquals((await push(server, { ...poster, client_secret: "poster-secret" })).status, 201);
  await forEachCase(
    [
      [{ ...webRequest, client_id: undefined }, web, "400 invalid_request"],
      [{ client_id: undefined }, {}, "400 invalid_request"],
      [{ ...poster, client_id: undefined, client_secret: "poster-secret" }, {}, "401 invalid_client"],
      [webRequest, {}, "401 invalid_client"],
      [webRequest, basic("web", "wrong"), "401 invalid_client"],
      [{ client_id: "unknown" }, {}, "401 invalid_client"],
      [{}, web, "400 invalid_request"],
      [{ scope: ["read", "read"] }, {}, "400 invalid_request"],
      [{ client_id: ["spa", "spa"] }, {}, "400 invalid_request"],
    ] as const,
    async ([fields, headers, outcome]) => {
      assertEquals(await getOutcome(await push(server, fields, { ...headers })), outcome);
    },
  );
});

test("[PA-01] another method is 405, parameters in the query do not count, too large a request is 413", async () => {
  const server = await testServer();
  const response = await server.get(`/oauth2/par?${encode(goodRequest)}`);
  assertEquals([response.status, response.headers.get("allow")], [405, "POST, OPTIONS"]);
  for (const [length, status] of [[15_000, 201], [16_384, 413], [200_000, 413]] as const) {
    assertEquals((await push(server, { ui_locales: "x".repeat(length) })).status, status, String(length));
  }
  // Parameters that no specification defines are not stored.
  assertEquals((await push(server, { other: "x".repeat(30_000) })).status, 201);
});

test("[PA-01] too many failed authentications are 429", async () => {
  const server = await testServer({ throttle: true });
  const outcomes = new Set<string>();
  for (let i = 0; i < 40; i++) outcomes.add(await getOutcome(await push(server, webRequest, basic("web", "wrong"))));
  assertEquals([...outcomes], ["401 invalid_client", "429 temporarily_unavailable"]);
});

/** Faulty requests, with the error of both endpoints. */
const faulty: readonly (readonly [Fields, string])[] = [
  [{ redirect_uri: "https://evil.example/cb" }, "invalid_request"],
  [{ redirect_uri: undefined }, "invalid_request"],
  [{ response_type: undefined }, "invalid_request"],
  [{ response_type: "token" }, "unsupported_response_type"],
  [{ response_mode: "bogus" }, "invalid_request"],
  [{ state: "x".repeat(4097) }, "invalid_request"],
  [{ nonce: "x".repeat(1025) }, "invalid_request"],
  [{ scope: "read unknown" }, "invalid_scope"],
  [{ code_challenge: undefined }, "invalid_request"],
  [{ code_challenge_method: "plain" }, "invalid_request"],
  [{ prompt: "none login" }, "invalid_request"],
  [{ max_age: "x" }, "invalid_request"],
  [{ claims: "{" }, "invalid_request"],
  [{ id_token_hint: "x" }, "invalid_request"],
  [{ resource: "x" }, "invalid_target"],
  [{ request: "x.y.z" }, "request_not_supported"],
];

test("[PA-03] whatever the authorization endpoint rejects is rejected when it is pushed, as JSON with the same code", async () => {
  const server = await testServer();
  await forEachCase(faulty, async ([fields, error]) => {
    assertEquals(await getOutcome(await push(server, fields)), `400 ${error}`);
    const { error: pushError, explanation } = getRejections(server.events).at(-1)!;
    await server.authorize(fields);
    const plain = getRejections(server.events).at(-1)!;
    assertEquals([pushError, explanation.rule], [plain.error, plain.explanation.rule]);
  });
});

test("[PA-03] errors that depend on the user wait for the authorization endpoint", async () => {
  const server = await testServer({ login: "interactive" });
  const request_uri = await pushed(server, { prompt: "none" });
  assertEquals(assertAuthorizationResponse(await refer(server, request_uri)).error, "login_required");
});

test("[PA-04] a pushed request contains no request_uri", async () => {
  const server = await testServer();
  for (const request_uri of [await pushed(server), "https://spa.example/request.jwt", "x"]) {
    assertEquals(await getOutcome(await push(server, { request_uri })), "400 invalid_request");
    assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "PA-04");
  }
});

test("[PA-05] only client_id and request_uri count at the authorization endpoint", async () => {
  const server = await testServer();
  const others = {
    scope: "openid admin",
    redirect_uri: "https://evil.example/cb",
    state: "other",
    response_type: "token",
    code_challenge: undefined,
    prompt: ["none", "login"],
  };
  const { code } = assertAuthorizationResponse(await refer(server, await pushed(server, { scope: "read" }), others));
  assertEquals((await (await server.token({ code })).json()).scope, "read");
  // By POST too.
  const response = await server.post("/oauth2/authorize", {
    client_id: "spa",
    request_uri: await pushed(server),
    ...others,
  });
  assertAuthorizationResponse(response);
});

test("[PA-05] only the client that pushed a request can use it", async () => {
  const server = await testServer();
  const request_uri = await pushed(server);
  await assertInvalidRequestUri(server, await refer(server, request_uri, { client_id: "web" }), "PA-05");
  await assertInvalidRequestUri(server, await refer(server, request_uri, { client_id: "unknown" }), "PA-05");
  for (const fields of [{ client_id: undefined }, { client_id: ["spa", "spa"] }, { request_uri: [request_uri, "x"] }]) {
    await assertPage(await refer(server, request_uri, fields));
    assertEquals(getRejections(server.events).at(-1)!.error, "invalid_request");
  }
  await assertInvalidRequestUri(server, await refer(server, `${prefix}${"A".repeat(43)}`));
  await assertInvalidRequestUri(server, await refer(server, prefix));
  // None of these has used it up.
  assertAuthorizationResponse(await refer(server, request_uri));
});

test("[PA-05] a request is validated again: client, redirect URI, scope and settings may have changed", async () => {
  const server = await testServer();
  const [spa] = clients;
  await forEachCase(
    [
      [{ ...spa, redirect_uris: ["https://spa.example/other"] }, "page", "RU-01"],
      [{ ...spa, scope: "read" }, "invalid_scope", "AZ-17"],
      [{ ...spa, grant_types: ["refresh_token"] }, "unauthorized_client", "AZ-11"],
      [undefined, "page", "AZ-02"],
    ] as const,
    async ([changed, outcome, rule]) => {
      server.as.clients.set(spa);
      const request_uri = await pushed(server);
      if (changed === undefined) server.as.clients.delete("spa");
      else server.as.clients.set(changed);
      const response = await refer(server, request_uri);
      if (outcome === "page") await assertPage(response);
      else assertEquals(assertAuthorizationResponse(response).error, outcome);
      assertEquals(getRejections(server.events).at(-1)!.explanation.rule, rule);
    },
  );
});

test("[PA-06] a request_uri expires by the clock of the server", async () => {
  const server = await testServer();
  const [first, second] = [await pushed(server), await pushed(server)];
  server.advance(59);
  assertAuthorizationResponse(await refer(server, first));
  server.advance(1);
  await assertInvalidRequestUri(server, await refer(server, second));
});

test("[PA-06] a request_uri works once; the code that was issued stays valid", async () => {
  const server = await testServer();
  const request_uri = await pushed(server);
  const { code } = assertAuthorizationResponse(await refer(server, request_uri));
  await assertInvalidRequestUri(server, await refer(server, request_uri));
  assertEquals((await server.token({ code })).status, 200);
});

test("[PA-06] an error response uses it up as well; a HEAD request does not", async () => {
  const server = await testServer({
    approver: () => Promise.reject(new Error("broken")),
    clients,
  });
  const request_uri = await pushed(server);
  const head = await server.get(`/oauth2/authorize?${encode({ client_id: "spa", request_uri })}`, { method: "HEAD" });
  assertEquals(head.status, 200);
  // A temporary error does not.
  for (let i = 0; i < 2; i++) {
    assertEquals(assertAuthorizationResponse(await refer(server, request_uri)).error, "server_error");
  }
  const denying = await testServer({ login: "interactive" });
  const denied = await pushed(denying, { prompt: "none" });
  assertEquals(assertAuthorizationResponse(await refer(denying, denied)).error, "login_required");
  await assertInvalidRequestUri(denying, await refer(denying, denied));
});

test("[PA-06] with login pages a reload works until a response was sent; of two tabs one succeeds", async () => {
  const server = await testServer({ login: "interactive" });
  const request_uri = await pushed(server);
  const browser = openBrowser(server);
  const open = () => openReferring(browser, request_uri);
  const tabs = [await open(), await open()] as const;
  // Pages take longer than the request_uri lives.
  server.advance(100);
  for (const tab of tabs) assertEquals(describePage(tab), "login");
  const [first, second] = [
    await submit(browser, tabs[0], "sub", "alice"),
    await submit(browser, tabs[1], "sub", "alice"),
  ];
  const end = await submit(browser, first, "decision", "allow");
  assertEquals(describePage(end), "code");
  assertEquals((await server.token({ code: getCode(end) })).status, 200);
  await assertInvalidRequestUri(server, (await submit(browser, second, "decision", "allow")).response.clone());
  await assertInvalidRequestUri(server, await refer(server, request_uri));
});

test("[PA-06] a user who denies uses it up in every tab", async () => {
  const server = await testServer({ login: "interactive" });
  const request_uri = await pushed(server);
  const browser = openBrowser(server);
  const open = () => openReferring(browser, request_uri);
  const [first, second] = [await open(), await open()];
  const consents = [
    await submit(browser, first, "sub", "alice"),
    await submit(browser, second, "sub", "alice"),
  ] as const;
  assertEquals(describePage(await submit(browser, consents[0], "decision", "deny")), "access_denied");
  await assertInvalidRequestUri(server, (await submit(browser, consents[1], "decision", "deny")).response.clone());
});

for (const [name, skip, create] of storeKinds) {
  test(
    `[PA-06] on ${name} one of 20 concurrent requests with a request_uri succeeds, at two instances`,
    { skip },
    async () => {
      const open = create();
      const servers = [await testServer({ store: await open() }), await testServer({ store: await open() })] as const;
      const request_uri = await pushed(servers[0]);
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, i) => refer(servers[i % 2]!, request_uri)),
      );
      const redirects = responses.filter(({ status }) => status !== 400);
      assertEquals(redirects.length, 1);
      const code = getRedirectParams(redirects[0]!).get("code")!;
      assertEquals((await servers[1].token({ code })).status, 200);
      const rejections = servers.flatMap(({ events }) => getRejections(events));
      assertEquals(rejections.map(({ error }) => error), Array(19).fill("invalid_request_uri"));
      for (const { as } of servers) await as.close();
    },
  );
}

for (const [name, skip, create] of storeKinds) {
  test(
    `[PA-06] on ${name} a login continues at one instance and ends at another, long after the push`,
    { skip },
    async () => {
      const open = create();
      const login = "interactive";
      const servers = [
        await testServer({ store: await open(), login }),
        await testServer({ store: await open(), login }),
      ] as const;
      const request_uri = await pushed(servers[0]);
      const first = openBrowser(servers[1]);
      const page = await openReferring(first, request_uri);
      for (const server of servers) server.advance(600);
      // Each sweeps what has expired.
      await Promise.all(servers.map(({ get }) => get("/")));
      const second = openBrowser(servers[0], first.cookies);
      const consent = await submit(second, page, "sub", "alice");
      const third = openBrowser(servers[1], second.cookies);
      assertEquals(describePage(await submit(third, consent, "decision", "allow")), "code");
      await assertInvalidRequestUri(servers[0], await refer(servers[0], request_uri));
      for (const { as } of servers) await as.close();
    },
  );
}

test("[PA-06] the store contains neither the request_uri nor credentials of the client", async () => {
  const store = memoryStore();
  const server = await testServer({ store });
  const request_uri = await pushed(server, {
    ...webRequest,
    client_id: "poster",
    redirect_uri: "https://poster.example/cb",
    client_secret: "poster-secret",
  });
  const records = await store.list("pushed_request", { prefix: "", limit: 10 });
  assertEquals(records.length, 1);
  const text = JSON.stringify(records);
  for (const secret of [request_uri, request_uri.slice(prefix.length), "poster-secret"]) assert(!text.includes(secret));
});

test("[PA-06] a pushed request is deleted after its lifetime, or, if a user is logging in, an hour later", async () => {
  for (const [login, kept] of [["interactive", 1], ["auto", 0]] as const) {
    const store = memoryStore();
    const server = await testServer({ store, login, ...login === "auto" && { approver: () => Promise.reject() } });
    const request_uri = await pushed(server);
    await refer(server, request_uri);
    await pushed(server);
    await store.deleteExpired(Date.UTC(2026, 0, 1, 0, 0, 59));
    assertEquals(await store.count("pushed_request", ""), 2);
    await store.deleteExpired(Date.UTC(2026, 0, 1, 0, 1));
    assertEquals(await store.count("pushed_request", ""), kept);
    await store.deleteExpired(Date.UTC(2026, 0, 1, 1, 0, 59));
    assertEquals(await store.count("pushed_request", ""), kept);
    await store.deleteExpired(Date.UTC(2026, 0, 1, 1, 1));
    assertEquals(await store.count("pushed_request", ""), 0);
  }
});

/** The same server, as the machine of this address sees it. */
function from(server: TestServer, address: string): TestServer {
  const send = (path: string, init?: RequestInit) =>
    server.as.fetch(new Request(server.as.issuer + path, { redirect: "manual", ...init }), { address });
  return { ...server, get: send };
}

/** Characters of the values of all pushed requests in a store. */
async function storedCharacters(store: Store): Promise<number> {
  const records = await store.list("pushed_request", { prefix: "", limit: 100_000 });
  return records.reduce((sum, { value }) => sum + JSON.stringify(value).length, 0);
}

const large = { ui_locales: "x".repeat(15_000) };
const mebibyte = 1024 * 1024;

for (const [name, skip, create] of storeKinds.filter(([name]) => name !== "Redis")) {
  test(`[PA-08] on ${name} the pushes of one site without credentials evict each other alone`, { skip }, async () => {
    const store = await create()();
    const server = await testServer({ store });
    const [user, attacker, neighbour] = ["192.0.2.1", "2001:db8::1", "2001:db8:0:5::1"].map((one) => from(server, one));
    const request_uri = await pushed(user!);
    const ofWeb = await pushed(attacker!, webRequest, basic("web", "web-secret"));
    const first = await pushed(neighbour!);
    for (let i = 0; i < 80; i += 10) {
      await Promise.all(
        Array.from({ length: 10 }, (_, j) => pushed((i + j) % 2 === 0 ? attacker! : neighbour!, large)),
      );
    }
    const last = await pushed(attacker!);
    assert(await storedCharacters(store) < 1.1 * mebibyte);
    await assertInvalidRequestUri(server, await refer(server, first));
    for (const one of [request_uri, last]) assertAuthorizationResponse(await refer(server, one));
    const web = { client_id: "web" };
    assertAuthorizationResponse(await refer(server, ofWeb, web), { uri: "https://web.example/cb" });
    await server.as.close();
  });
}

test("[PA-08] many sites together leave 16 MiB, and the site with the most bytes loses a request", async () => {
  const store = memoryStore();
  const server = await testServer({ store });
  const request_uri = await pushed(from(server, "192.0.2.1"));
  for (let i = 0; i < 20; i++) {
    const attacker = from(server, `198.51.100.${i}`);
    await Promise.all(Array.from({ length: 65 }, () => pushed(attacker, large)));
  }
  const stored = await storedCharacters(store);
  assert(stored > 14 * mebibyte && stored < 16 * mebibyte, String(stored));
  assertAuthorizationResponse(await refer(server, request_uri));
  // Once they have expired, there is space again.
  server.advance(61);
  const later = await pushed(from(server, "198.51.100.0"));
  assertAuthorizationResponse(await refer(server, later));
});

test("[PA-08] requests that attackers keep by opening the login page are bounded as well", async () => {
  const store = memoryStore();
  const server = await testServer({ store, login: "interactive" });
  const browser = openBrowser(from(server, "192.0.2.1"));
  const page = await openReferring(browser, await pushed(server));
  const attacker = from(server, "192.0.2.2");
  for (let i = 0; i < 100; i++) {
    const response = await refer(attacker, await pushed(attacker, large));
    assertEquals(response.headers.get("location")!.startsWith("/oauth2/login"), true);
    server.advance(10);
  }
  await store.deleteExpired(Date.UTC(2026, 0, 1, 0, 16));
  assert(await storedCharacters(store) < 1.2 * mebibyte);
  const consent = await submit(browser, page, "sub", "alice");
  assertEquals(describePage(await submit(browser, consent, "decision", "allow")), "code");
});

test("[PA-07] the setting or the client demands pushed requests", async () => {
  const demanding = { ...clients[0], require_pushed_authorization_requests: true };
  const all = await testServer({ requirePushedAuthorizationRequests: true });
  const one = await testServer({ clients: [demanding, clients[1]] });
  for (const server of [all, one]) {
    const { error } = assertAuthorizationResponse(await server.authorize());
    assertEquals([error, getRejections(server.events).at(-1)!.explanation.rule], ["invalid_request", "PA-07"]);
    assertAuthorizationResponse(await refer(server, await pushed(server)));
  }
  const uri = "https://web.example/cb";
  assertEquals(assertAuthorizationResponse(await one.authorize(webRequest), { uri }).error, undefined);
  assertEquals(assertAuthorizationResponse(await all.authorize(webRequest), { uri }).error, "invalid_request");
  const metadataOf = async ({ get }: TestServer) => (await (await get("/.well-known/openid-configuration")).json());
  assertEquals((await metadataOf(all)).require_pushed_authorization_requests, true);
  assertEquals((await metadataOf(one)).require_pushed_authorization_requests, undefined);
});

test("a failing store makes the push fail as temporarily_unavailable", async () => {
  const memory = memoryStore();
  const failing: Store = {
    ...memory,
    put: (kind, ...rest) =>
      kind === "pushed_request"
        ? Promise.reject(Object.assign(new Error("down"), { name: "StoreError" }))
        : memory.put(kind, ...rest),
  };
  const server = await testServer({ store: failing });
  assertEquals(await getOutcome(await push(server)), "503 temporarily_unavailable");
});

test("[PA-01, PA-02, PA-03] oauth4webapi pushes the request, reads errors, and logs in", async () => {
  const server = await testServer();
  const options = {
    [oauth.customFetch]: (url: string, init: unknown) => server.as.fetch(new Request(url, init as RequestInit)),
  };
  const issuer = new URL("https://as.test");
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  // The clock of the server.
  const client = { client_id: "spa", [oauth.clockSkew]: Math.round((Date.UTC(2026, 0, 1) - Date.now()) / 1000) };
  const verifier = oauth.generateRandomCodeVerifier();
  const parameters = new URLSearchParams({
    response_type: "code",
    redirect_uri,
    scope: "openid",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const send = async (params: URLSearchParams) =>
    await oauth.processPushedAuthorizationResponse(
      as,
      client,
      await oauth.pushedAuthorizationRequest(as, client, oauth.None(), params, options),
    );
  const { request_uri, expires_in } = await send(parameters);
  assertEquals(expires_in, 60);
  const location = (await refer(server, request_uri)).headers.get("location")!;
  const params = oauth.validateAuthResponse(as, client, new URL(location));
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    oauth.None(),
    params,
    redirect_uri,
    verifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response);
  assertEquals(oauth.getValidatedIdTokenClaims(tokens)!.sub, "alice");
  const wrong = new URLSearchParams([...parameters].map(([name, value]) => [name, name === "scope" ? "x" : value]));
  const error = await send(wrong).catch((cause) => cause);
  assert(error instanceof oauth.ResponseBodyError);
  assertEquals(error.error, "invalid_scope");
});
