/**
 * The HTTP surface: every path with every method, and unusual bytes, sizes and headers.
 *
 * @extensions assertion_authentication, par, registration
 */

import { failingPages } from "./failing_pages.ts";
import { assert, assertEquals, assertLess, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { mock, test } from "node:test";
import { ConfigurationError, type LatchkeyOptions, memoryStore, type Store } from "../../src/mod.ts";
import {
  assertAuthorizationResponse,
  assertPage,
  assertTokenResponse,
  authorizeByPost,
  basic,
  decodeClaims,
  encode,
  forEachCase,
  getOutcome,
  getRedirectParams,
  getRejections,
  goodRequest,
  observedStore,
  testServer,
  verifier,
  webRequest,
  webToken,
} from "../kit.ts";
import type { TestServer } from "../kit.ts";
import { replaceTimers } from "../until.ts";
import { latchkey } from "../secret_leak_check.ts";

/** Every path there is, with the methods it serves. */
const served = {
  "/": "GET, HEAD",
  "/start": "GET, HEAD",
  "/authorized": "GET, HEAD, POST",
  "/static/style.css": "GET, HEAD",
  "/favicon.ico": "GET, HEAD",
  "/oauth2/authorize": "GET, HEAD, POST",
  "/oauth2/token": "POST, OPTIONS",
  "/oauth2/jwks": "GET, HEAD, OPTIONS",
  "/oauth2/userinfo": "GET, HEAD, POST, OPTIONS",
  "/oauth2/revoke": "POST, OPTIONS",
  "/oauth2/par": "POST, OPTIONS",
  "/oauth2/introspect": "POST",
  "/oauth2/logout": "GET, HEAD, POST",
  "/.well-known/oauth-authorization-server": "GET, HEAD, OPTIONS",
  "/.well-known/openid-configuration": "GET, HEAD, OPTIONS",
} as const;

const paths = Object.keys(served);
const forScripts = paths.filter((path) => served[path as keyof typeof served].endsWith("OPTIONS"));
const forServers = ["/oauth2/introspect"];
const forBrowsers = paths.filter((path) => !forScripts.includes(path) && !forServers.includes(path));
const methodOf = (path: string) => served[path as keyof typeof served].startsWith("POST") ? "POST" : "GET";

const formType = { "content-type": "application/x-www-form-urlencoded" };
const fromElsewhere = { origin: "https://elsewhere.test" };

/** The demo clients beside those of the bench, so that the demo pages have something to start. */
const demo: LatchkeyOptions = { clients: undefined };

function corsHeaders(response: Response): string[] {
  return [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
}

/** A request with a body that arrives piece by piece. */
function streamed(body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", body, headers: { ...formType, ...headers }, duplex: "half" } as RequestInit;
}

/** Ten megabytes that are made while they are read; `pulled` says how much was. */
function tenMegabytes(): { readonly body: ReadableStream<Uint8Array>; pulled(): number } {
  const part = new Uint8Array(16 * 1024).fill(0x61);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += part.length;
      if (sent > 10_000_000) controller.close();
      else controller.enqueue(part);
    },
  }, { highWaterMark: 0 });
  return { body, pulled: () => sent };
}

/** Exchanges a code of `spa` and says how that ends; a code that nothing has happened to ends with 200. */
async function exchanged({ token }: TestServer, code: string): Promise<string> {
  return await getOutcome(await token({ code }));
}

test("[HT-01] every path serves its methods and rejects all others with 405 and Allow", async () => {
  const { get } = await testServer(demo);
  await forEachCase(Object.entries(served), async ([path, allow]) => {
    for (const method of ["GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE", "PROPFIND"]) {
      const response = await get(path, { method });
      assertEquals(response.status === 405, !allow.split(", ").includes(method), method);
      assertEquals(response.headers.get("allow"), response.status === 405 ? allow : null, method);
    }
  });
});

test("[HT-01] an unknown path is 404 for every method", async () => {
  const { get } = await testServer();
  const unknown = [
    ...["/oauth2", "/oauth2/", "/oauth2/token/", "/oauth2/authorize/x", "/OAuth2/token", "/oauth2%2Ftoken"],
    ...["/oauth2/ciba", "/.well-known/", "/.well-known/webfinger", "/index.html", "//", "//start"],
    ...["/static", "/static/", "/static/x/style.css", "/authorized.", "/authorized/"],
  ];
  await forEachCase(unknown, async (path) => {
    for (const method of ["GET", "POST", "OPTIONS", "DELETE"]) {
      assertEquals((await get(path, { method })).status, 404, method);
    }
  });
  assertEquals((await get("/static/nothing.css")).status, 404);
});

test("[HT-01] an unknown path is JSON for programs, and a page for browsers", async () => {
  const { get } = await testServer();
  const typeOf = async (headers: Record<string, string>, method = "GET") => {
    const response = await get("/nowhere", { method, headers, body: method === "POST" ? "{}" : undefined });
    assertEquals(response.status, 404);
    return response.headers.get("content-type");
  };
  const [page, data] = ["text/html; charset=utf-8", "application/json"];
  assertEquals(await typeOf({}), page);
  assertEquals(await typeOf({ accept: "text/html,application/xhtml+xml,*/*;q=0.8" }), page);
  assertEquals(await typeOf({ accept: "*/*" }), data);
  assertEquals(await typeOf({ accept: "application/json" }), data);
  assertEquals(await typeOf({ "content-type": "application/json" }, "POST"), data);
  const { error, error_description } = await (await get("/nowhere", { headers: { accept: "*/*" } })).json();
  assertEquals([error, error_description], ["invalid_request", "This address does not exist [HT-01]"]);
});

test("[HT-01] browsers get the icon, and its requests are not logged", async () => {
  const { get, events } = await testServer();
  const [icon, named] = [await get("/favicon.ico"), await get("/static/icon.svg")];
  assertEquals([icon.status, icon.headers.get("content-type")], [200, "image/svg+xml"]);
  assertEquals(await icon.text(), await named.text());
  assertEquals(events, []);
});

test("[HT-02] HEAD has the status and headers of GET and no body, on every path", async () => {
  const { get } = await testServer({ ...demo, randomBytes: (bytes) => new Uint8Array(bytes) });
  await forEachCase(paths.filter((path) => !["/oauth2/authorize", "/oauth2/logout"].includes(path)), async (path) => {
    const [head, twin] = [await get(path, { method: "HEAD" }), await get(path)];
    assertEquals(head.body, null);
    if (methodOf(path) === "POST") return;
    const length = twin.body === null ? [] : [["content-length", String((await twin.arrayBuffer()).byteLength)]];
    assertEquals([head.status, [...head.headers].sort()], [twin.status, [...twin.headers, ...length].sort()]);
  });
});

test("[HT-02] HEAD on the authorization endpoint issues no code, writes nothing and redirects nowhere", async () => {
  const writes: string[] = [];
  const store = observedStore(memoryStore(), (verb) => verb !== "get" && writes.push(verb));
  const { authorize, events } = await testServer({ store });
  const response = await authorize({}, { method: "HEAD" });
  assertEquals([response.status, response.body], [200, null]);
  assertEquals([response.headers.get("location"), response.headers.get("set-cookie")], [null, null]);
  assertEquals([writes, events], [[], []]);
});

test("[HT-03] the authorization endpoint and the callback page send no Access-Control header", async () => {
  const { get, authorize } = await testServer(demo);
  const preflight = {
    method: "OPTIONS",
    headers: { ...fromElsewhere, "access-control-request-method": "POST", "access-control-request-headers": "dpop" },
  };
  const responses = {
    "a redirect with a code": await authorize({}, { headers: fromElsewhere }),
    "a redirect with an error": await authorize({ scope: "nothing" }, { headers: fromElsewhere }),
    "a page": await authorize({ client_id: "unknown" }, { headers: fromElsewhere }),
    "a POST": await get("/oauth2/authorize", {
      method: "POST",
      body: encode(goodRequest),
      headers: { ...formType, ...fromElsewhere },
    }),
    "the callback page": await get("/authorized?code=x", { headers: fromElsewhere }),
    "a POST to the callback page": await get("/authorized", { method: "POST", headers: fromElsewhere }),
  };
  await forEachCase(Object.entries(responses), ([, response]) => assertEquals(corsHeaders(response), []));
  await forEachCase(forBrowsers, async (path) => {
    assertEquals(corsHeaders(await get(path, { headers: fromElsewhere })), []);
    const rejected = await get(path, preflight);
    assertEquals([rejected.status, corsHeaders(rejected)], [405, []]);
  });
});

test("[HT-04] the endpoints for clients are readable from other origins, without credentials", async () => {
  const { get, code, token } = await testServer();
  await forEachCase(forScripts, async (path) => {
    const { status, headers } = await get(path, { headers: fromElsewhere });
    const expected = methodOf(path) === "POST" ? 405 : path === "/oauth2/userinfo" ? 401 : 200;
    assertEquals([status, headers.get("access-control-allow-origin")], [expected, "*"]);
    assertEquals(headers.get("access-control-allow-credentials"), null);
  });
  const tokens = await token({ code: await code() }, { headers: fromElsewhere });
  assertEquals([tokens.status, tokens.headers.get("access-control-allow-origin")], [200, "*"]);
  assertEquals(tokens.headers.get("access-control-allow-credentials"), null);
});

test("[HT-04] a preflight is 204 and permits the method and the headers a client needs", async () => {
  const { get } = await testServer();
  await forEachCase(forScripts, async (path) => {
    const method = methodOf(path);
    const { status, body, headers } = await get(path, {
      method: "OPTIONS",
      headers: { ...fromElsewhere, "access-control-request-method": method },
    });
    assertEquals([status, body, headers.get("access-control-allow-origin")], [204, null, "*"]);
    assert(headers.get("access-control-allow-methods")!.split(", ").includes(method));
    const allowed = headers.get("access-control-allow-headers")!.toLowerCase().split(", ");
    const needed = [
      "authorization",
      "content-type",
      "dpop",
      "mcp-method",
      "mcp-name",
      "mcp-protocol-version",
      "traceparent",
    ];
    assertEquals(needed.filter((name) => !allowed.includes(name)), []);
    assertEquals(headers.get("access-control-allow-credentials"), null);
  });
});

test("[HT-04] a preflight on a test host permits every requested header, on a real host those of clients", async () => {
  const askedOf = async (b: TestServer, headers: string) => {
    const preflight = { "access-control-request-method": "POST", "access-control-request-headers": headers };
    const result = await b.get("/oauth2/token", { method: "OPTIONS", headers: { ...fromElsewhere, ...preflight } });
    assertEquals(result.status, 204);
    return result.headers.get("access-control-allow-headers")!.split(/, */);
  };
  const [test, real] = [
    await testServer(),
    await testServer({ issuer: "https://as.example.com", insecure: ["auto-login"] }),
  ];
  const asked = ["x-requested-with", "sentry-trace", "mcp-protocol-version"];
  for (const comma of [",", ", "]) {
    const allowed = await askedOf(test, asked.join(comma));
    assertEquals([...asked, "authorization"].filter((name) => !allowed.includes(name)), []);
  }
  const usual = await askedOf(test, "");
  assertEquals(await askedOf(real, asked.join(",")), usual);
  await forEachCase(["a b", "x:y", "a,,b", ",", "a".repeat(1001), '"a"', "a,"], async (broken) => {
    assertEquals(await askedOf(test, broken), usual);
  });
});

test("[HT-05] rejections of the token endpoint, metadata and keys are readable from any origin too", async () => {
  const broken = await testServer({
    store: observedStore(memoryStore(), () => {
      throw new Error("out of order");
    }),
  });
  const { get, token } = await testServer();
  const responses: Record<string, readonly [status: number, response: Response]> = {
    "a bad request": [400, await token({ code: undefined })],
    "a bad client": [401, await token({ client_id: "unknown", code: "x" })],
    "no client": [401, await token({ client_id: undefined, code: "x" })],
    "a bad method": [405, await get("/oauth2/token", { method: "GET", headers: fromElsewhere })],
    "a bad method for the keys": [405, await get("/oauth2/jwks", { method: "POST" })],
    "a bad method for the metadata": [405, await get("/.well-known/openid-configuration", { method: "DELETE" })],
    "a large body": [413, await get("/oauth2/token", streamed(tenMegabytes().body))],
    "a long address": [414, await get(`/oauth2/token?${"a".repeat(20_000)}`, { method: "POST" })],
    "a compressed body": [415, await token({ code: "x" }, { headers: { "content-encoding": "gzip" } })],
    "a failure": [500, await broken.token({ code: "x" })],
    "a failure for the keys": [500, await broken.get("/oauth2/jwks")],
  };
  await forEachCase(Object.entries(responses), ([, [status, response]]) => {
    assertEquals(response.status, status);
    assertEquals(response.headers.get("access-control-allow-origin"), "*");
    assertEquals(response.headers.get("access-control-allow-credentials"), null);
    if (response.headers.get("www-authenticate") === null) return;
    const exposed = response.headers.get("access-control-expose-headers")!.toLowerCase().split(", ");
    assert(exposed.includes("www-authenticate"));
    assertMatch(response.headers.get("www-authenticate")!, /^Basic /);
  });
});

test("[HT-07] a body of 10 MB is rejected unread, and the next request gets a response", async () => {
  const { get, code, token } = await testServer();
  const large = tenMegabytes();
  const rejected = await get("/oauth2/token", streamed(large.body));
  assertEquals([rejected.status, (await rejected.json()).error], [413, "invalid_request"]);
  assertLess(large.pulled(), 200_000);

  const announced = tenMegabytes();
  const early = await get("/oauth2/token", streamed(announced.body, { "content-length": "10000000" }));
  assertEquals([early.status, announced.pulled()], [413, 0]);

  const posted = tenMegabytes();
  await assertPage(await get("/oauth2/authorize", streamed(posted.body)), 413);
  assertLess(posted.pulled(), 200_000);

  assertEquals((await token({ code: await code() })).status, 200);
});

test("[HT-08] a URL beyond the limit is 414 on every path, and one just below is accepted", async () => {
  const { get, authorize, code, token } = await testServer(demo);
  const long = "a".repeat(17 * 1024);
  await forEachCase(paths, async (path) => {
    const response = await get(`${path}?a=${long}`, { method: methodOf(path) });
    assertEquals(response.status, 414);
    if (forBrowsers.includes(path)) await assertPage(response, 414, long);
    else assertEquals((await response.json()).error, "invalid_request");
  });
  await assertPage(await get(`/${long}`), 414, long);
  const benched = await testServer();
  assertAuthorizationResponse(await benched.authorize({ unknown: "a".repeat(15 * 1024) }));
  assertEquals((await authorize({ client_id: "demo-public", unknown: long })).status, 414);
  await assertRejects(() => code({ unknown: long }));
  assertEquals((await token({ code: "a".repeat(17 * 1024) })).status, 401);
});

test("[HT-09] a body that stalls is ended with 408, while other requests get responses", async () => {
  const { get, code, token } = await testServer();
  const stalled = () =>
    streamed(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode("grant_type=")),
      }),
    );
  mock.timers.enable({ apis: ["setTimeout"] });
  const restore = replaceTimers({ setTimeout, clearTimeout });
  try {
    const [asJson, asPage] = [get("/oauth2/token", stalled()), get("/oauth2/authorize", stalled())];
    assertEquals((await token({ code: await code() })).status, 200);
    mock.timers.tick(10_000);
    const rejected = await asJson;
    assertEquals([rejected.status, (await rejected.json()).error], [408, "invalid_request"]);
    await assertPage(await asPage, 408);
  } finally {
    restore();
    mock.timers.reset();
  }
});

test("[HT-10] broken encodings make an authorization request a 400 page and a token request a JSON error", async () => {
  const { get, code, token } = await testServer();
  const good = encode(goodRequest);
  const spoilt = [
    ...["client_id=%ff", "client_id=%zz", "client_id=%", "client_id=sp%", "client_id=spa%C3", "client_id=%C0%80spa"],
    ...["%ff=x", "client_id%=spa", `${good}&nonce=%ff`, `${good}&state=%e2%82`, `${good}&scope=read%`],
  ];
  await forEachCase(spoilt, async (query) => {
    await assertPage(await get(`/oauth2/authorize?${query}`));
    await assertPage(await get("/oauth2/authorize", { method: "POST", body: query, headers: formType }));
  });
  const kept = await code();
  const form = `grant_type=authorization_code&redirect_uri=https%3A%2F%2Fspa.example%2Fcb&code_verifier=${verifier}`;
  const bodies = [
    ...["client_id=%ff", "client_id=spa%zz", "client_id=spa&%ff=x", "client_id=spa&scope=%"],
    ...[`client_id=spa%`, `client_id=spa&nonce=%C3`],
  ];
  await forEachCase(bodies, async (body) => {
    const sent = { method: "POST", body: `${form}&code=${kept}&${body}`, headers: formType };
    assertEquals(await getOutcome(await get("/oauth2/token", sent)), "400 invalid_request");
  });
  const bytes = new Uint8Array([...new TextEncoder().encode(`${form}&code=${kept}&client_id=spa`), 0xff]);
  const raw = await get("/oauth2/token", { method: "POST", body: bytes, headers: formType });
  assertEquals(await getOutcome(raw), "400 invalid_request");
  assertEquals((await token({ code: kept })).status, 200);
});

test("[HT-11] control characters match nothing and truncate nothing", async () => {
  const self = await testServer();
  const { authorize, code, token } = self;
  const kept = await code();
  await forEachCase(["\0", "\x01", "\t", "\n", "\r\n", "\x1f", "\x7f", "\0x"], async (control) => {
    for (const place of [(value: string) => value + control, (value: string) => control + value]) {
      await assertPage(await authorize({ client_id: place("spa") }));
      await assertPage(await authorize({ redirect_uri: place("https://spa.example/cb") }));
      const scope = await authorize({ scope: place("read") });
      assertEquals(getRedirectParams(scope).get("error"), "invalid_scope");
      assertEquals(await getOutcome(await token({ code: place(kept) })), "400 invalid_grant");
      assertMatch(await getOutcome(await token({ code: kept, code_verifier: place(verifier) })), /^400 invalid_/);
      assertEquals(
        await getOutcome(await token({ code: kept, redirect_uri: place("https://spa.example/cb") })),
        "400 invalid_grant",
      );
      assertEquals(await getOutcome(await token({ code: kept, client_id: place("spa") })), "401 invalid_client");
    }
  });
  assertEquals(await exchanged(self, kept), "200");
});

test("[HT-12] JSON is sent as application/json in UTF-8 with nosniff", async () => {
  const { get, code, token } = await testServer();
  const responses = {
    "tokens": await token({ code: await code() }),
    "a rejection": await token({ code: "x" }),
    "a rejected client": await token({ client_id: "unknown", code: "x" }),
    "a rejected method": await get("/oauth2/token", { method: "PUT" }),
    "a rejected body": await get("/oauth2/token", streamed(tenMegabytes().body)),
    "keys": await get("/oauth2/jwks"),
    "metadata": await get("/.well-known/oauth-authorization-server"),
    "metadata of OpenID Connect": await get("/.well-known/openid-configuration"),
  };
  await forEachCase(Object.entries(responses), async ([, response]) => {
    assertMatch(response.headers.get("content-type")!, /^application\/(jwk-set\+)?json(; ?charset=utf-8)?$/i);
    assertEquals(response.headers.get("x-content-type-options"), "nosniff");
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await response.arrayBuffer()));
  });
});

test("[HT-13] a compressed body is rejected and never decompressed", async () => {
  const { get } = await testServer();
  const zeros = new Blob([new Uint8Array(10_000_000)]).stream().pipeThrough(new CompressionStream("gzip"));
  const bomb = await new Response(zeros).arrayBuffer();
  const send = (path: string) =>
    get(path, { method: "POST", body: bomb, headers: { ...formType, "content-encoding": "gzip" } });
  assertLess(bomb.byteLength, 64 * 1024);
  assertEquals(await getOutcome(await send("/oauth2/token")), "415 invalid_request");
  await assertPage(await send("/oauth2/authorize"), 415);
});

test("[HT-15] no trace event contains a code, token, secret, verifier or cookie, valid or not", async () => {
  const self = await testServer({
    clients: [
      { client_id: "spa", redirect_uris: ["https://spa.example/cb"] },
      { client_id: "web", client_secret: "web-secret", redirect_uris: ["https://web.example/cb"] },
      { client_id: "demo", redirect_uris: ["https://as.test/authorized"] },
    ],
    throttle: true,
  });
  const { authorize, code, token, get, events } = self;
  const wrongVerifier = "wrong-verifier-wrong-verifier-wrong-verifier-0";
  const used = await code();
  const tokens = await assertTokenResponse(await token({ code: used }));
  const kept = await code();
  const web = await code(webRequest);
  const cookie = (await get("/start")).headers.get("set-cookie")!.split(/[=;]/)[1]!;
  const attempts: Promise<Response>[] = [
    token({ code: used }),
    token({ code: "never-issued-code" }),
    token({ code: kept, code_verifier: wrongVerifier }),
    token({ code: kept, code_verifier: undefined }),
    token({ code: kept, redirect_uri: "https://spa.example/other" }),
    token({ code: kept, client_secret: "a-guessed-secret" }),
    token({ code: [kept, used] }),
    token({ code: web, ...webToken }, { headers: basic("web", "another-guess") }),
    token({ code: web, ...webToken, client_secret: "web-secret", client_id: "web" }),
    token({ code: web, ...webToken }, { headers: { authorization: "Bearer web-secret" } }),
    token({ code: web, ...webToken }, { headers: { authorization: "Basic web-secret" } }),
    get(`/oauth2/token?code=${kept}&client_secret=web-secret&code_verifier=${verifier}`, { method: "POST" }),
    authorize({ client_secret: "web-secret" }),
    authorize({ client_secret: "web-secret", scope: "nothing" }),
    authorize({ client_id: "unknown", code: kept, access_token: tokens.access_token }),
    authorize({ state: ["web-secret", kept] }),
    authorize({ id_token_hint: tokens.id_token, prompt: "none", scope: "nothing" }),
    get(`/authorized?code=${kept}&state=web-secret`, { headers: { cookie: `__Host-latchkey_demo=${cookie}` } }),
    get(`/authorized?code=${kept}&code=${used}`),
    get(`/nowhere?code=${kept}&access_token=${tokens.access_token}`),
    get(`/oauth2/jwks?code=${kept}`, { method: "DELETE" }),
  ];
  const statuses = (await Promise.all(attempts)).map(({ status }) => status);
  for (let guess = 0; guess < 12; guess++) {
    statuses.push((await token({ code: web, ...webToken }, { headers: basic("web", "another-guess") })).status);
  }
  assertEquals([400, 401, 404, 405, 429].filter((status) => !statuses.includes(status)), []);
  const text = JSON.stringify(events);
  assert(getRejections(events).length > 20);
  await forEachCase([
    ...[used, kept, web, "never-issued-code", verifier, wrongVerifier, cookie],
    ...["web-secret", "a-guessed-secret", "another-guess", btoa("web:another-guess")],
    ...Object.values(tokens).filter((value) => typeof value === "string" && value.length > 20),
  ], (secret) => assert(!text.includes(String(secret)), "it is in the trace"));
  assertEquals(events.filter((event) => "endpoint" in event && event.endpoint.includes("?")), []);
});

test("[HT-16] neither the host of the URL nor Host, Forwarded or X-Forwarded headers change a response", async () => {
  const headers = {
    host: "evil.example",
    forwarded: "for=192.0.2.1;host=evil.example;proto=https",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    "x-forwarded-port": "444",
    "x-forwarded-prefix": "/evil",
    "x-forwarded-for": "192.0.2.1",
    "x-original-url": "/start",
    "x-rewrite-url": "/start",
    "x-http-method-override": "DELETE",
    origin: "https://evil.example",
    referer: "https://evil.example/",
  };
  // A constant random source, so that two responses are comparable byte by byte.
  const { as } = await testServer({ ...demo, directory: "off", randomBytes: (bytes) => new Uint8Array(bytes).fill(7) });
  const asked = [
    // DI-04: 403 under another host, where the home page names no clients. HT-22: 403 for a page of another site.
    ...paths.filter((path) => !["/", "/start", "/authorized", "/oauth2/userinfo"].includes(path)),
    "/nowhere",
    "/oauth2/authorize?client_id=x",
  ];
  await forEachCase(asked, async (path) => {
    const plain = await as.fetch(new Request(`https://as.test${path}`));
    for (const origin of ["https://as.test", "https://evil.example", "http://u:p@evil.example:444"]) {
      const url = `${origin}${path}`;
      const request = origin.includes("@") ? withUrl(url, headers) : new Request(url, { headers });
      const response = await as.fetch(request);
      const text = await response.clone().text();
      assertEquals([response.status, [...response.headers]], [plain.status, [...plain.headers]], origin);
      assertEquals(text, await plain.clone().text(), origin);
      assert(!text.includes("evil"));
    }
  });
});

/** A GET whose URL `new Request` rejects, as a runtime may pass it. */
function withUrl(url: string, headers: Record<string, string>): Request {
  return new Proxy(new Request("https://any.test/", { headers }), {
    get(request, name) {
      if (name === "url") return url;
      const value = Reflect.get(request, name, request);
      return typeof value === "function" ? value.bind(request) : value;
    },
  });
}

test("[HT-16] a flow through another host has the configured issuer in its redirect and tokens", async () => {
  const { as } = await testServer();
  const evil = (path: string, init?: RequestInit) =>
    as.fetch(new Request(`https://evil.example${path}`, { redirect: "manual", ...init }));
  const code = assertAuthorizationResponse(await evil(`/oauth2/authorize?${encode(goodRequest)}`)).code!;
  const fields = { grant_type: "authorization_code", client_id: "spa", redirect_uri: "https://spa.example/cb", code };
  const tokens = await assertTokenResponse(
    await evil("/oauth2/token", {
      method: "POST",
      body: encode({ ...fields, code_verifier: verifier }),
      headers: formType,
    }),
  );
  const { iss, aud } = decodeClaims(tokens.access_token);
  assertEquals([iss, aud, decodeClaims(tokens.id_token).iss], [
    "https://as.test",
    "https://as.test",
    "https://as.test",
  ]);
});

test("[HT-17] test hosts work without further settings", async () => {
  const hosts = [
    ...["localhost:9000", "127.0.0.1:9000", "127.1.2.3", "[::1]:9000", "as.test", "a.example", "c.invalid"],
    ...["b.localhost", "oidc:8080", "auth-server", "idp_1", "host.docker.internal:9000", "gateway.docker.internal"],
    ...["host.containers.internal", "host.lima.internal", "host.testcontainers.internal", "host.minikube.internal"],
    ...["host.k3d.internal", "host.orb.internal", "host.rancher-desktop.internal"],
    // Public names that lead to this machine.
    ...["localtest.me", "oidc.localtest.me:9000", "lvh.me:9000", "a.b.lvh.me", "127.0.0.1.nip.io:9000"],
    ...["oidc.127.0.0.1.nip.io", "auth-server.127.0.0.1.sslip.io", "127-0-0-1.nip.io", "app-127-0-0-1.sslip.io"],
    ...["7f000001.nip.io", "auth.7f000001.nip.io", "traefik.me", "auth.traefik.me", "auth-dev.app.traefik.me:9000"],
  ];
  await forEachCase(hosts, async (host) => {
    await using as = await latchkey({ issuer: `http://${host}`, alg: "EdDSA" });
    const started = await as.fetch(new Request(`${as.issuer}/start`, { redirect: "manual" }));
    const authorized = await as.fetch(new Request(new URL(started.headers.get("location")!, as.issuer)));
    assert(authorized.headers.get("location")!.startsWith(`http://${host}/authorized?code=`));
    assertEquals(authorized.headers.get("strict-transport-security"), null);
  });
});

test("[HT-17] other hosts are rejected at startup with sentences that say how to fix it", async () => {
  const clients = [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }];
  const attackers = [
    ...["http://auth.corp.com", "http://example.com", "http://10.0.0.1", "http://0.0.0.0", "http://[::2]"],
    ...["http://localhost.corp.com", "http://127.0.0.1.corp.com", "http://mytest.com", "http://test.com"],
    // Names that companies use in production, and names that only end like those of containers.
    ...["http://auth.corp.internal", "http://c.internal", "http://metadata.google.internal", "http://docker.internal"],
    ...["http://x.host.docker.internal", "http://host.docker.internal.corp.com", "http://localhost.internal"],
    // Neither dots nor brackets are names without a dot, nor is an address in another spelling.
    ...["http://oidc.:8080", "http://localhost.", "http://as.test.", "http://[::ffff:a00:1]", "http://167772161"],
    ...["http://0xa000001", "http://012.1", "http://[fe80::1]", "http://host.docker.internal."],
    // Names that only resemble those that lead to this machine.
    ...["http://evil.127.0.0.1.nip.io.attacker.com", "http://lvh.me.attacker.com", "http://evillvh.me"],
    ...["http://notlocaltest.me", "http://10.0.0.1.nip.io", "http://127.0.0.1.evil.io", "http://127.0.0.nip.io"],
    ...["http://10.0.0.1.127.0.0.1.nip.io", "http://app-10-0-0-1.127.0.0.1.nip.io", "http://127.0-0.1.nip.io"],
    ...["http://127.0.0.1.10.0.0.1.nip.io", "http://0a000001.127.0.0.1.nip.io", "http://127.0.0.1.nip.io."],
    ...["http://0a000001.nip.io", "http://deadbeef.7f000001.nip.io", "http://x.deadbeef-127-0-0-1.nip.io"],
    ...["http://fd-a-b-c-127-0-0-1.sslip.io", "http://x.fd-a-b-c-127-0-0-1.nip.io"],
    ...["http://7f00001.nip.io", "http://7f000001.attacker.com", "http://10.0.0.1.traefik.me", "http://eviltraefik.me"],
    ...[
      "http://10-0-0-1.traefik.me",
      "http://evil-traefik.me",
      "http://deadbeef.traefik.me",
      "http://traefik.me.evil.com",
    ],
    // Of one network, and test hosts only if issuerHosts names them.
    ...["http://192.168.0.10", "http://10.0.2.2:9000", "http://laptop.local", "http://[fd00::1]", "http://a.home.arpa"],
  ];
  await forEachCase(attackers, async (written) => {
    const rejects = async (options: LatchkeyOptions, parts: readonly string[]) => {
      const { message } = await assertRejects(() => latchkey(options), ConfigurationError);
      for (const part of parts) assert(message.includes(part), `${part} is not named: ${message}`);
    };
    const issuer = new URL(written).origin;
    // Another notation of an address is an issue whatever is allowed.
    if (written !== issuer) await rejects({ issuer: written, insecure: ["http-issuer"] }, [`"${issuer}"`]);
    await rejects({ issuer }, ["http-issuer"]);
    const openly = { issuer, insecure: ["http-issuer"] as const };
    await rejects(openly, ["auto-login", "demo-clients", "http-redirect-uris"]);
  });
  const places = async (options: LatchkeyOptions) =>
    (await assertRejects(() => latchkey(options), ConfigurationError)).issues.map((fault) => fault.path);
  // All issues together, so that the next start is the last.
  assertEquals(await places({ issuer: "http://auth.corp.com" }), ["issuer", "login", "clients"]);
  // The hint of the first is the fix for the others.
  assertEquals(await places({ issuer: "http://auth.corp.internal" }), ["issuer"]);
  // An issuer that is not a URL decides what else is, so it is the only issue.
  assertEquals(await places({ issuer: "localhost:9000" }), ["issuer"]);
  assertEquals(await places({ issuer: "https://auth.corp.internal" }), ["login", "clients"]);
  const issuer = "https://auth.corp.com";
  assertEquals(await places({ issuer }), ["login", "clients"]);
  assertEquals(await places({ issuer, clients }), ["login"]);
  assertEquals(await places({ issuer, insecure: ["auto-login"] }), ["clients"]);
  await using as = await latchkey({
    issuer: "http://auth.corp.com",
    insecure: ["http-issuer", "http-redirect-uris", "auto-login", "demo-clients"],
  });
  assertEquals((await as.fetch(new Request("http://auth.corp.com/"))).status, 200);
});

const ownHosts = [
  ...["192.168.0.10", "10.0.2.2", "172.16.0.1", "100.64.0.1", "[fd00::1]", "laptop.local", "pc.home.arpa"],
  // Names of clusters, of container networks, of companies and of homes.
  ...["dex.auth", "dex.auth.svc", "dex.auth.svc.cluster.local", "oidc.my-project_default", "keycloak.service.consul"],
  ...[
    "auth.corp.internal",
    "x.host.docker.internal",
    "idp.lan",
    "idp.home",
    "nas.localdomain",
    "sso.intranet",
    "a.b.c.corp",
  ],
];

test("[HT-17, RU-09] issuerHosts makes an own host a test host, and the rejection names it", async () => {
  await forEachCase(ownHosts, async (host) => {
    for (const scheme of ["http", "https"]) {
      const issuer = `${scheme}://${host}:9000`;
      const { issues } = await assertRejects(() => latchkey({ issuer }), ConfigurationError);
      assertMatch(
        issues[0]!.hint,
        /^If \S+ is for tests only, name it in the setting issuerHosts: .*open to every machine that reaches it\. Otherwise: /,
      );
      assertEquals(issues.filter(({ hint }) => hint.includes("issuerHosts")).length, 1);
      const proposed = JSON.parse(/issuerHosts: (\[".*"\]),/.exec(issues[0]!.hint)![1]!);
      await using demo = await latchkey({ issuer, issuerHosts: proposed, alg: "EdDSA" });
      const started = await demo.fetch(new Request(`${issuer}/start`, { redirect: "manual" }));
      const authorized = await demo.fetch(new Request(new URL(started.headers.get("location")!, issuer)));
      assert(authorized.headers.get("location")!.startsWith(`${issuer}/authorized?code=`));
      const redirect_uri = `http://${host}:3000/cb`;
      const jwks_uri = `http://${host}:3000/jwks`;
      await using as = await latchkey({
        ...{ issuer, issuerHosts: [host] },
        clients: [{
          client_id: "c",
          redirect_uris: [redirect_uri],
          token_endpoint_auth_method: "private_key_jwt",
          jwks_uri,
        }],
      });
      const query = encode({ ...goodRequest, client_id: "c", redirect_uri });
      const { headers } = await as.fetch(new Request(`${issuer}/oauth2/authorize?${query}`));
      assertMatch(headers.get("location")!, /^http:\/\/.*:3000\/cb\?code=/);
    }
  });
  const rejected: readonly [LatchkeyOptions, string][] = [
    [{ issuer: "http://auth.corp.com", issuerHosts: ["auth.corp.com"] }, "issuerHosts[0]"],
    [{ issuer: "http://192.168.0.10", issuerHosts: ["auth.corp.internal"] }, "issuerHosts[0]"],
    [{ issuer: "http://192.168.0.10", issuerHosts: ["192.168.0.11"] }, "issuerHosts[0]"],
    [{ issuer: "http://192.168.0.10", issuerHosts: ["169.254.169.254"] }, "issuerHosts[0]"],
    // Names below a public suffix, and addresses that are not private.
    ...[
      ...[
        "login.widgets.com",
        "widgets.com",
        "app.github.io",
        "dex.dev",
        "dex.app",
        "idp.co.uk",
        "idp.de",
        "x.run.app",
      ],
      ...[
        "auth.xn--p1ai",
        "10.0.0.1.nip.io",
        "evil-traefik.me",
        "x.in-addr.arpa",
        "8.8.8.8",
        "0.0.0.0",
        "[2001:db8::1]",
      ],
    ].flatMap((host): [LatchkeyOptions, string][] => [
      [{ issuer: `http://${host}`, issuerHosts: [host] }, "issuerHosts[0]"],
      [{ issuer: "from-host", issuerHosts: [host] }, "issuerHosts[0]"],
    ]),
    [{ issuer: "http://dex.auth", issuerHosts: ["dex.auth."] }, "issuerHosts[0]"],
    [{ issuer: "http://dex.auth", issuerHosts: ["*.auth"] }, "issuerHosts[0]"],
  ];
  for (const [options, path] of rejected) {
    const { issues } = await assertRejects(() => latchkey(options), ConfigurationError);
    assert(issues.some((issue) => issue.path === path), path);
  }
});

test("[UI-20, HT-24] the own host is the only further host of pages", async () => {
  const get = async (as: Awaited<ReturnType<typeof latchkey>>, issuer: string, host: string, path: string) =>
    (await as.fetch(new Request(issuer + path, { headers: { host } }))).status;
  for (const host of [...ownHosts, "lvh.me", "127.0.0.1.nip.io"]) {
    const issuer = `http://${host}:9000`;
    await using as = await latchkey({ issuer, issuerHosts: [host], login: "interactive" });
    assertEquals(await get(as, issuer, `${host}:9000`, "/account"), 200);
    for (const other of ["evil.com", "lvh.me.evil.com", "192.168.0.99", "evil.lvh.me", "other.local"]) {
      assertEquals(await get(as, issuer, `${other}:9000`, "/account"), 403, other);
    }
    await using byHost = await latchkey({ issuer: "from-host", issuerHosts: [host] });
    const path = "/.well-known/openid-configuration";
    const metadata = await byHost.fetch(new Request(issuer + path, { headers: { host: `${host}:9000` } }));
    assertEquals((await metadata.json()).issuer, issuer);
    assertEquals(await get(byHost, issuer, "evil.com:9000", path), 421);
  }
  // The owner of the name decides its address, so a page under a public name gets no more than any other.
  await using as = await latchkey();
  const origin = "http://evil.lvh.me:3000";
  const registration = await as.fetch(
    new Request(`${as.issuer}/oauth2/register`, {
      method: "POST",
      headers: { origin, "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: [`${origin}/cb`] }),
    }),
  );
  assertEquals(registration.status, 403);
});

test("[HT-17] responses of an https issuer have Strict-Transport-Security, those of an http issuer do not", async () => {
  const [secure, plain] = [await testServer(demo), await testServer({ ...demo, issuer: "http://as.test" })];
  const asked = [
    ...paths,
    "/nowhere",
    `/?${"a".repeat(20_000)}`,
    "/authorized?error=x",
    "/oauth2/authorize?client_id=x",
  ];
  await forEachCase(asked, async (path) => {
    for (const method of ["GET", "POST", "HEAD", "OPTIONS"]) {
      const open = (await secure.get(path, { method })).headers.get("strict-transport-security");
      assertMatch(open ?? "", /^max-age=\d{6,}/, method);
      assertEquals((await plain.get(path, { method })).headers.get("strict-transport-security"), null);
    }
  });
  assertMatch((await secure.get("/start")).headers.get("set-cookie")!, /; HttpOnly; SameSite=Lax; Secure$/);
  assertMatch((await plain.get("/start")).headers.get("set-cookie")!, /; HttpOnly; SameSite=Lax$/);
});

/** Throws an error with internal details. */
const secretive = () => new Error("password hunter2 rejected at /srv/latchkey/store.ts:12");

/** Asserts the response to an internal error: nothing of the cause or the program. */
async function revealsNothing(response: Response): Promise<void> {
  assert(response.status === 500 || response.status === 503, `status ${response.status}`);
  const logged = `${JSON.stringify([...response.headers])} ${await response.text()}`;
  // The names of runtimes as words: a random value of a cookie can contain their letters.
  assert(!/hunter2|\.ts\b|\bat .*:\d+|Error:|stack|\b(?:deno|node|bun)\b|latchkey\//i.test(logged), logged);
  assertEquals(response.headers.get("location"), null);
}

test("[HT-18] a failing store is a 500 without details, and the trace has them", async () => {
  const throwing = (concurrently: boolean): Store =>
    new Proxy(memoryStore(), {
      get: () => () => {
        if (concurrently) throw secretive();
        return Promise.reject(secretive());
      },
    });
  await forEachCase([true, false], async (concurrently) => {
    const { authorize, token, get, advance, events } = await testServer({ ...demo, store: throwing(concurrently) });
    advance(3600);
    const form = { client_id: "demo-public", redirect_uri: "https://as.test/authorized" };
    await revealsNothing(await token({ ...form, code: "x" }));
    await revealsNothing(await get("/oauth2/jwks"));
    await revealsNothing(await get("/authorized?code=x"));
    const result = assertAuthorizationResponse(await authorize(form), { uri: "https://as.test/authorized" });
    assertEquals(result.error, "server_error");
    assert(!/hunter2|store/.test(result.error_description ?? ""));
    const bugs = events.filter((event) => event.type === "internal_error" && event.endpoint !== "sweep");
    assertEquals(bugs.map((event) => event.type === "internal_error" && event.endpoint), [
      ...["/oauth2/token", "/oauth2/jwks", "/authorized", "/oauth2/authorize"],
    ]);
    assertEquals((await get("/.well-known/openid-configuration")).status, 200);
  });
});

test("[HT-18] failing pages, random sources, approvers and listeners are errors without details too", async () => {
  const unpaged = await testServer({ ...demo, login: "interactive", pages: failingPages(secretive) });
  await forEachCase(["/nowhere", "/oauth2/authorize", "/account"], async (path) => {
    await revealsNothing(await unpaged.get(path));
  });
  const randomBytes = () => {
    throw secretive();
  };
  const unlucky = await testServer({ randomBytes });
  await revealsNothing(await (await testServer({ ...demo, randomBytes })).get("/start"));
  assertEquals(assertAuthorizationResponse(await unlucky.authorize()).error, "server_error");
  const undecided = await testServer({ approver: () => Promise.reject(secretive()) });
  assertEquals(assertAuthorizationResponse(await undecided.authorize()).error, "server_error");
  const nosy = await testServer({
    trace: () => {
      throw secretive();
    },
  });
  assertEquals(await exchanged(nosy, await nosy.code()), "200");
  assertEquals(await getOutcome(await nosy.token({ code: "x" })), "400 invalid_grant");
});

test("[HT-18] an approver may return any Response, including one with immutable headers", async () => {
  const { authorize } = await testServer({ approver: () => Response.redirect("https://as.test/login") });
  const response = await authorize();
  assertEquals([response.status, response.headers.get("location")], [302, "https://as.test/login"]);
});

test("[HT-18] no response names the program or its version", async () => {
  const { get } = await testServer(demo);
  await forEachCase([...paths, "/nowhere"], async (path) => {
    const { headers } = await get(path);
    assertEquals([headers.get("server"), headers.get("x-powered-by"), headers.get("via")], [null, null, null]);
  });
});

const odd = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "prototype",
  "a[b]",
  "code[]",
  "client_id[]",
  ".",
];

test("[HT-19] unusual parameter names are unknown parameters and have no effect", async () => {
  const self = await testServer();
  const fields = Object.fromEntries(odd.map((name) => [name, ["x", "y"]]));
  // Spread, __proto__ would not stay a field of its own.
  const query = `${encode(goodRequest)}&${odd.map((name) => `${encodeURIComponent(name)}=x`).join("&")}&__proto__=y`;
  assertAuthorizationResponse(await self.get(`/oauth2/authorize?${query}`));
  assertAuthorizationResponse(await self.authorize(fields));
  assertAuthorizationResponse(await authorizeByPost(self, fields));
  const body = `${query}&grant_type=authorization_code&code_verifier=${verifier}&code=${await self.code()}`;
  const result = await self.get("/oauth2/token", { method: "POST", body, headers: formType });
  assertEquals(await getOutcome(result), "200");
  assertEquals((await self.get(`/authorized?code=x&${query}`)).status, 200);
  assertEquals(({} as Record<string, unknown>).x, undefined);
});

test("[HT-19] unusual names as values are unknown values", async () => {
  const { authorize, token, get, code } = await testServer();
  const kept = await code();
  await forEachCase(odd, async (name) => {
    await assertPage(await authorize({ client_id: name }));
    await assertPage(await authorize({ redirect_uri: name }));
    assertEquals(assertAuthorizationResponse(await authorize({ scope: name })).error, "invalid_scope");
    assertEquals(assertAuthorizationResponse(await authorize({ response_mode: name })).error, "invalid_request");
    assertEquals(
      assertAuthorizationResponse(await authorize({ response_type: name })).error,
      "unsupported_response_type",
    );
    assertEquals(
      assertAuthorizationResponse(await authorize({ code_challenge_method: name })).error,
      "invalid_request",
    );
    assert(assertAuthorizationResponse(await authorize({ login_hint: name, state: name }), { state: name }).code);
    assertEquals(await getOutcome(await token({ grant_type: name, code: kept })), "400 unsupported_grant_type");
    assertEquals(await getOutcome(await token({ client_id: name, code: kept })), "401 invalid_client");
    assertEquals(await getOutcome(await token({ code: name })), "400 invalid_grant");
    assertEquals(
      await getOutcome(await token({ ...webToken, code: kept }, { headers: basic(name, name) })),
      "401 invalid_client",
    );
    assertEquals((await get(`/static/${encodeURIComponent(name)}`)).status, 404);
    await assertPage(await get(`/authorized?error=${encodeURIComponent(name)}`), 200);
  });
  assertEquals((await token({ code: kept })).status, 200);
});

test("[HT-18] no parameter value causes a 500, another header, or itself as markup", async () => {
  const { authorize, token, get } = await testServer();
  const nasty = [
    ...[
      "",
      " ",
      "\0",
      "%",
      "%00",
      "é",
      "🔑",
      "\u202e",
      "\ufeff",
      "\\",
      "'",
      '"',
      "`",
      ";",
      "--",
      "../..",
      "//",
      "null",
    ],
    ...[
      "a".repeat(9_000),
      "<script>alert(1)</script>",
      "\r\nSet-Cookie: a=b",
      "\nLocation: https://evil.example",
      "-1",
    ],
    ...[
      "javascript:alert(1)",
      "data:text/html,x",
      "https://evil.example",
      "{}",
      "[]",
      "0",
      "1e999",
      "$(id)",
      "{{7*7}}",
    ],
  ];
  const authorizeNames = [...Object.keys(goodRequest), "nonce", "login_hint", "response_mode", "prompt", "max_age"];
  const tokenNames = ["grant_type", "code", "client_id", "client_secret", "redirect_uri", "code_verifier", "scope"];
  const callbackNames = ["code", "state", "error", "error_description", "error_uri", "iss"];
  const safe = async (response: Response, value: string) => {
    assertLess(response.status, 500);
    assertEquals(response.headers.get("set-cookie")?.includes("a=b") ?? false, false);
    const location = response.headers.get("location");
    if (location !== null) assert(location.startsWith("https://spa.example/cb?"), location);
    else if (response.headers.get("content-type")?.startsWith("text/html")) {
      await assertPage(response, response.status, ...value.includes("<") ? [value] : []);
    }
  };
  await forEachCase(nasty, async (value) => {
    for (const name of authorizeNames) await safe(await authorize({ [name]: value }), value);
    for (const name of tokenNames) await safe(await token({ code: "x", [name]: value }), value);
    for (const name of callbackNames) {
      await safe(await get(`/authorized?${encode({ code: "x", [name]: value })}`), value);
    }
    const header = /^[\x20-\x7e]*$/.test(value) ? value : btoa(String.fromCharCode(...new TextEncoder().encode(value)));
    for (const name of ["authorization", "cookie", "if-none-match", "origin", "content-type"]) {
      await safe(await token({ code: "x" }, { headers: { [name]: header } }), value);
      await safe(await get("/", { headers: { [name]: header } }), value);
    }
  });
  assertNotEquals((await (await testServer(demo)).get("/start")).headers.get("set-cookie"), null);
});

test("[HT-17] a misspelt login setting stops startup on every host", async () => {
  for (const issuer of ["https://auth.example.com", "http://localhost:9000", undefined]) {
    for (const login of ["interactiv", "Interactive", "interactive ", "", 0]) {
      const options = { issuer, login, clients: [], users: [] } as unknown as LatchkeyOptions;
      await assertRejects(() => latchkey(options), ConfigurationError, 'Expected "auto" or "interactive"');
    }
  }
});

test("[HT-17] an unknown option or setting stops startup, and the error lists at most ten known ones", async () => {
  const wrong: Record<string, unknown> = {
    cleints: { cleints: [] },
    "lifetimes.cod": { lifetimes: { cod: 3 } },
    "pkce.requireMethd": { pkce: { requireMethd: true } },
    "refresh.rotat": { refresh: { rotat: false } },
    "keys.laed": { keys: { laed: 3 } },
    // Without a similar name.
    zzzzzzz: { zzzzzzz: 1 },
    "keys.zzzzzzz": { keys: { zzzzzzz: 1 } },
    "lifetimes.zzzzzzz": { lifetimes: { zzzzzzz: 1 } },
  };
  await forEachCase(Object.entries(wrong), async ([place, options]) => {
    const { issues } = await assertRejects(() => latchkey(options as LatchkeyOptions), ConfigurationError);
    assertEquals(issues.map((fault) => fault.path), [place]);
    assertMatch(
      issues[0]!.hint,
      place === "zzzzzzz"
        ? /^Remove it; no key here has a similar name: there are \d+, such as \w+(?:, \w+){9}\.$/
        : /^(?:Did you mean \w+\?|Remove it; known keys here are \w+(?:, \w+){0,9}\.)$/,
    );
  });
});
