/** The server on the network, by whatever runtime runs the tests: what only a socket can show. */

import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { createLocalJWKSet, jwtVerify } from "jose";
import { connect } from "node:http2";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { mock, test } from "node:test";
import { autoApprover, type Latchkey, type LatchkeyOptions, type Plugin } from "../../../src/mod.ts";
import type { TraceEvent } from "../../../src/server/trace.ts";
import {
  assertTokenResponse,
  challenge,
  clients,
  decodeClaims,
  encode,
  forEachCase,
  getOutcome,
  goodRequest,
  verifier,
} from "../../kit.ts";
import type { HttpResponse } from "../../../src/core/http/message.ts";
import { certificate, privateKey } from "./certificate.ts";
import {
  continuePattern,
  formRequestHead,
  getBody,
  getHeaderValues,
  getStatuses,
  openRawConnection,
  requestHead,
  responsePattern,
  sendRaw,
} from "./raw_connection.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { endsWithin, replaceTimers } from "../../until.ts";

const metadataPath = "/.well-known/openid-configuration";
const withoutIPv6 = !Object.values(networkInterfaces()).flat().some((address) => address?.address === "::1");

/** A server that listens on a free port, and the port. */
async function listening(options: LatchkeyOptions = {}): Promise<{ as: Latchkey; port: number }> {
  const as = await latchkey({ alg: "ES256", ...options });
  const { url } = await as.listen({ port: 0 });
  return { as, port: Number(new URL(url).port) };
}

/** Runs a check against a server that listens, and closes it. */
async function against(check: (port: number, as: Latchkey) => Promise<void>, options?: LatchkeyOptions): Promise<void> {
  const { as, port } = await listening(options);
  try {
    await check(port, as);
  } finally {
    await as.close();
  }
}

/** Authorization request of the public demo client. */
function goodQuery(issuer: string): string {
  return encode({
    response_type: "code",
    client_id: "demo-public",
    redirect_uri: `${issuer}/authorized`,
    scope: "openid read",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
}

/** A code for the public demo client, over the network. */
async function codeOf({ issuer }: Latchkey): Promise<string> {
  const response = await fetch(`${issuer}/oauth2/authorize?${goodQuery(issuer)}`, { redirect: "manual" });
  await response.body?.cancel();
  return new URL(response.headers.get("location")!).searchParams.get("code")!;
}

/** The form that exchanges it. */
function exchange(issuer: string, code: string): string {
  return encode({
    grant_type: "authorization_code",
    client_id: "demo-public",
    redirect_uri: `${issuer}/authorized`,
    code_verifier: verifier,
    code,
  });
}

/** Exchanges a code over the network. */
function exchangeCode(issuer: string, code: string): Promise<Response> {
  return fetch(`${issuer}/oauth2/token`, {
    method: "POST",
    body: exchange(issuer, code),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
}

/** Asserts that the server still responds. */
async function lives(port: number): Promise<void> {
  const received = await sendRaw(
    port,
    requestHead(`GET ${metadataPath} HTTP/1.1`, "Host: any.test", "Connection: close"),
  );
  assertEquals(getStatuses(received), [200]);
}

test("[HT-16] the issuer follows the port, and so does every derived value", async () => {
  const as = await latchkey({ alg: "ES256" });
  assertEquals(as.issuer, "http://localhost:9000");
  try {
    const { url } = await as.listen({ port: 0 });
    assertMatch(url, /^http:\/\/localhost:\d+$/);
    assertEquals([as.issuer, new URL(url).port === "9000"], [url, false]);
    const metadata = await (await fetch(`${url}${metadataPath}`)).json();
    assertEquals([metadata.issuer, metadata.token_endpoint], [url, `${url}/oauth2/token`]);
    const tokens = await assertTokenResponse(await exchangeCode(url, await codeOf(as)));
    assertEquals([decodeClaims(tokens.id_token).iss, decodeClaims(tokens.access_token).aud], [url, url]);
  } finally {
    await as.close();
  }
});

test("localhost means 127.0.0.1 and, if IPv6 exists, [::1]", async () => {
  await against(async (port, as) => {
    for (const address of withoutIPv6 ? ["127.0.0.1"] : ["127.0.0.1", "[::1]"]) {
      const metadata = await (await fetch(`http://${address}:${port}${metadataPath}`)).json();
      assertEquals(metadata.issuer, as.issuer);
    }
  });
});

test("[HT-16] a configured issuer stays the same on any port, and one server may listen twice", async () => {
  const as = await latchkey({ alg: "ES256", issuer: "http://auth.test/t1" });
  try {
    const urls = [await as.listen({ port: 0, host: "127.0.0.1" }), await as.listen({ port: 0, host: "127.0.0.1" })];
    assertNotEquals(urls[0]!.url, urls[1]!.url);
    await forEachCase(urls, async ({ url }) => {
      assertMatch(url, /^http:\/\/127\.0\.0\.1:\d+$/);
      const metadata = await (await fetch(`${url}/t1${metadataPath}`)).json();
      assertEquals([metadata.issuer, as.issuer], ["http://auth.test/t1", "http://auth.test/t1"]);
    });
  } finally {
    await as.close();
  }
});

test("[HT-18] a plugin's or approver's response that cannot be sent is a 500, over a socket too", async () => {
  const good = { status: 200, headers: { "x-note": "a\tb\xe9" }, body: "sent" };
  const withHeader = (name: string, value: unknown) => ({ ...good, headers: { [name]: value } });
  const unsendable: readonly unknown[] = [
    ...[99, 0, 101, 600, 200.5, NaN, "200", undefined].map((status) => ({ ...good, status })),
    ...["a\r\nset-cookie: b=c", "a\nb", "a\0b", "\u0100", undefined, null, ["a"]].map((value) =>
      withHeader("x-note", value)
    ),
    ...["x note", "x\r\nnote", "", "x:", "\xe9"].map((name) => withHeader(name, "a")),
    ...[{}, 1, ["a"]].map((body) => ({ ...good, body })),
    ...[undefined, null, "sent", { status: 200 }, { ...good, headers: null }],
  ];
  let response: unknown = good;
  const endpoint = {
    name: "own",
    path: "/own",
    methods: ["GET"],
    caller: "any",
    title: "Own",
    errors: "json",
  } as const;
  const respond = () => response as HttpResponse;
  const at = (path: string, plugin: LatchkeyOptions) => [path, plugin] as const;
  const places = [
    at("/own", { plugins: [{ routes: () => [{ ...endpoint, load: () => ({ GET: respond }) }] }] }),
    at("/jwks", { plugins: [{ handle: () => () => Promise.resolve(respond()) }] }),
    at(`/oauth2/authorize?${encode(goodRequest)}`, { approver: respond }),
  ];
  for (const [path, options] of places) {
    await using as = await latchkey({ alg: "ES256", clients, trace() {}, ...options });
    const { url } = await as.listen({ port: 0 });
    const statusOf = async () => {
      const received = await fetch(new URL(path, url), { redirect: "manual" });
      await received.body?.cancel();
      // The client of a failed approver gets the error.
      return received.headers.get("location")?.includes("error=server_error") ? 500 : received.status;
    };
    response = good;
    assertEquals(await statusOf(), 200, path);
    for (response of unsendable) {
      const status = await statusOf();
      assert(status === 500, `${path} ${status} ${JSON.stringify(response)}`);
    }
  }
});

test("plugins can identify a request at any later time, and the random source exposes only what was read", async () => {
  const addresses: (string | undefined)[] = [];
  const later: { address?: string }[] = [];
  let seen = 0;
  const observers: Plugin[] = [{
    setup: ({ server }) => {
      for (let i = 0; i < 1000; i++) seen = Math.max(seen, server.randomBytes(16).buffer.byteLength);
    },
    handle: (next) => (request, peer = {}) => {
      later.push(peer);
      return next(request, { ...peer });
    },
  }, {
    handle: (next) => (request, peer) => {
      addresses.push(peer?.address);
      return next(request, peer);
    },
  }];
  await against(async (port, as) => {
    for (const method of ["GET", "POST"]) {
      await (await fetch(`http://127.0.0.1:${port}/oauth2/jwks`, { method })).body?.cancel();
    }
    assertEquals(addresses, ["127.0.0.1", "127.0.0.1"]);
    await as.close();
    assertEquals(later.map(({ address }) => address), addresses);
  }, { plugins: observers });
  assertEquals(seen, 16);
});

test("[HT-14] a request with two framings is 400 and closed, and its rest is no second request", async () => {
  await against(async (port) => {
    const rest = requestHead(`GET ${metadataPath} HTTP/1.1`, "Host: any.test", "Connection: close");
    const framings = [
      ["Content-Length: 5", "Transfer-Encoding: chunked"],
      ["Transfer-Encoding: chunked", "Content-Length: 5"],
      ["Content-Length: 0", `Content-Length: ${rest.length}`],
      [`Content-Length: 0, ${rest.length}`],
      ["Content-Length: -1"],
      ["Content-Length: 1x"],
    ];
    await forEachCase(framings, async (framing) => {
      const received = await sendRaw(port, `${formRequestHead("/oauth2/token", ...framing)}0\r\n\r\n${rest}`);
      assertEquals(getStatuses(received), [400]);
      assert(!received.includes("token_endpoint"));
    });
    await lives(port);
  });
});

test("[HT-16] no Host header changes a response or gets one worse than 400", async () => {
  await against(async (port, as) => {
    const hosts = [
      ...["evil.example", "evil.example:444", "u:p@evil.example", "a b/c@d", "", "[::1", "localhost:99999", ".", "%00"],
      ...["x/oauth2/jwks?", "x?", "x#", "x\\y", "//", "é"],
    ];
    await forEachCase(hosts, async (host) => {
      const request = requestHead(`GET ${metadataPath} HTTP/1.1`, `Host: ${host}`, "Connection: close");
      const received = await sendRaw(port, request);
      const [status] = getStatuses(received);
      if (status === 400 || status === 421) return;
      assertEquals(status, 200);
      assertEquals(JSON.parse(getBody(received)).issuer, as.issuer);
    });
    await lives(port);
  });
});

test("[HT-16] no Host header changes the path", async () => {
  await against(async (port) => {
    await forEachCase(["x/oauth2/jwks?", "x/oauth2/jwks#", "x/oauth2/jwks?a="], async (host) => {
      const received = await sendRaw(port, requestHead("GET / HTTP/1.1", `Host: ${host}`, "Connection: close"));
      assert(!received.includes('"keys"'), "GET / returns the keys");
    });
  });
});

test("[HT-16] a target with scheme and host is routed by its path, and its host is ignored", async () => {
  await against(async (port, as) => {
    const targets = [
      `http://evil.example${metadataPath}`,
      `HTTP://EVIL.example${metadataPath}?a=b`,
      `http://u:p@evil.example:444${metadataPath}`,
      `https://evil.example${metadataPath}`,
    ];
    await forEachCase(targets, async (target) => {
      const received = await sendRaw(
        port,
        requestHead(`GET ${target} HTTP/1.1`, "Host: any.test", "Connection: close"),
      );
      if (getStatuses(received)[0] === 400) return;
      assertEquals(JSON.parse(getBody(received)).issuer, as.issuer);
    });
    const elsewhere = requestHead(`GET //evil.example${metadataPath} HTTP/1.1`, "Host: any.test", "Connection: close");
    assertEquals(getStatuses(await sendRaw(port, elsewhere)), [404]);
  });
});

test("a request of HTTP/1.0 without Host is served like any other", async () => {
  await against(async (port, as) => {
    const received = await sendRaw(port, requestHead(`GET ${metadataPath} HTTP/1.0`));
    assertEquals(getStatuses(received), [200]);
    assertEquals(JSON.parse(getBody(received)).issuer, as.issuer);
  });
});

test("[HT-01] TRACE is 405 like any other unsupported method, and repeats nothing", async () => {
  await against(async (port) => {
    const allow = { "/": "GET, HEAD", "/oauth2/token": "POST, OPTIONS", "/oauth2/authorize": "GET, HEAD, POST" };
    await forEachCase(Object.entries(allow), async ([path, methods]) => {
      const received = await sendRaw(
        port,
        requestHead(`TRACE ${path} HTTP/1.1`, "Host: any.test", "Cookie: a=a-cookie", "Connection: close"),
      );
      assert(!received.includes("a-cookie"));
      assertEquals([getStatuses(received), getHeaderValues(received, "allow")], [[405], [methods]]);
    });
  });
});

test("[HT-02] HEAD has no body over the network, also when rejected", async () => {
  await against(async (port) => {
    const paths = { "/": 200, "/authorized?code=x": 200, [metadataPath]: 200, "/nowhere": 404, "/oauth2/token": 405 };
    await forEachCase(Object.entries(paths), async ([path, status]) => {
      const received = await sendRaw(
        port,
        requestHead(`HEAD ${path} HTTP/1.1`, "Host: localhost", "Connection: close"),
      );
      assertEquals([getStatuses(received), getBody(received)], [[status], ""]);
    });
    const query = goodQuery(`http://localhost:${port}`);
    const received = await sendRaw(
      port,
      requestHead(`HEAD /oauth2/authorize?${query} HTTP/1.1`, "Host: localhost", "Connection: close"),
    );
    assertEquals([getStatuses(received), getHeaderValues(received, "location"), getBody(received)], [[200], [], ""]);
  });
});

test("[HT-07] a body of 10 MB is 413 while it is sent, with a length or in chunks, and the server continues", async () => {
  await against(async (port, as) => {
    const part = "a".repeat(16 * 1024);
    const chunk = `${part.length.toString(16)}\r\n${part}\r\n`;
    const framings = [
      ["Content-Length: 10000000", part],
      ["Transfer-Encoding: chunked", chunk],
    ] as const;
    await forEachCase(framings, async ([framing, piece]) => {
      const wire = await openRawConnection(port);
      wire.send(formRequestHead("/oauth2/token", framing));
      for (let sent = 0; sent < 100_000; sent += part.length) wire.send(piece);
      const received = await wire.until(/HT-07/);
      wire.close();
      assertEquals(getStatuses(received), [413]);
      assertEquals(getHeaderValues(received, "access-control-allow-origin"), ["*"]);
      assertMatch(received, /"error":"invalid_request"/);
      assertEquals((await exchangeCode(as.issuer, await codeOf(as))).status, 200);
    });
  });
});

test("a chunked body is read completely, however it is split", async () => {
  await against(async (port, as) => {
    const form = exchange(as.issuer, await codeOf(as));
    const wire = await openRawConnection(port);
    wire.send(formRequestHead("/oauth2/token", "Transfer-Encoding: chunked", "Connection: close"));
    for (const [piece] of form.matchAll(/.{1,7}/g)) wire.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    wire.send("0\r\n\r\n");
    const received = await wire.closed;
    assertEquals(getStatuses(received), [200]);
    assertMatch(received, /"access_token"/);
  });
});

test("[HT-10] an aborted or wrongly framed body is rejected or closed, and exchanges nothing", async () => {
  await against(async (port, as) => {
    const code = await codeOf(as);
    const form = exchange(as.issuer, code);
    const broken = await openRawConnection(port);
    broken.send(formRequestHead("/oauth2/token", "Transfer-Encoding: chunked", "Connection: close"));
    broken.send(`${form.length.toString(16)}\r\n${form}\r\nzz\r\n`);
    assert(getStatuses(await broken.closed.catch(() => "")).every((status) => status === 400));

    const dropped = await openRawConnection(port);
    dropped.send(formRequestHead("/oauth2/token", `Content-Length: ${form.length + 1}`, "Expect: 100-continue"));
    await dropped.until(continuePattern);
    dropped.send(form);
    dropped.close();
    await lives(port);
    assertEquals((await exchangeCode(as.issuer, code)).status, 200);
  });
});

test("[HT-08] an oversized request line or header is rejected or read, and the server continues", async () => {
  await against(async (port) => {
    const long = "a".repeat(20_000);
    const line = await sendRaw(port, requestHead(`GET /?${long} HTTP/1.1`, "Host: any.test", "Connection: close"));
    assert([400, 414, 431].includes(getStatuses(line)[0]!), `${getStatuses(line)}`);
    const header = await sendRaw(
      port,
      requestHead("GET / HTTP/1.1", "Host: any.test", `X-Long: ${long}`, "Connection: close"),
    );
    assert([200, 400, 431].includes(getStatuses(header)[0]!), `${getStatuses(header)}`);
    await lives(port);
  });
});

test("[HT-25, CL-17] a token or cookies of 64 KiB are read, longer ones are 431 with a line, and the server continues", async () => {
  const rejected: string[] = [];
  const trace = (event: TraceEvent) =>
    void (event.type === "rejected" && event.explanation.rule === "HT-25" && rejected.push(event.explanation.reason));
  await against(async (port) => {
    const statusOf = async (header: string) => {
      const head = requestHead("GET /oauth2/userinfo HTTP/1.1", "Host: any.test", header, "Connection: close");
      return getStatuses(await sendRaw(port, head))[0];
    };
    const bearer = (length: number) => `Authorization: Bearer ${"a".repeat(length)}`;
    const cookie = (length: number) => `Cookie: a=${"a".repeat(length)}`;
    for (const length of [10, 5_000, 15_000, 17_000, 40_000, 62 * 1024, 64 * 1024 - 7]) {
      assertEquals([await statusOf(bearer(length)), await statusOf(cookie(length))], [401, 401], `${length}`);
    }
    assertEquals(rejected, []);
    assertEquals([await statusOf(bearer(66_000)), await statusOf(cookie(66_000))], [431, 431]);
    assertEquals(rejected, ["The header Authorization is too long", "The header Cookie is too long"]);
    assert([400, 431].includes((await statusOf(bearer(500_000)))!));
    await lives(port);
  }, { trace });
});

test("bytes that are not HTTP are rejected or closed, and the server continues", async () => {
  await against(async (port) => {
    const noise = [
      ...[
        "hello\r\n\r\n",
        "GET\r\n\r\n",
        "\0\0\0\0\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\r\n\r\n",
      ],
      ...["GET /\0 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET / HTTP/1.1\r\nHost : x\r\n\r\n"],
      ...["GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\nConnection: close\r\n\r\n"],
    ];
    await forEachCase(noise, async (bytes) => {
      const wire = await openRawConnection(port);
      wire.send(bytes);
      const received = await Promise.race([wire.until(responsePattern), wire.closed]).catch(() => "");
      wire.close();
      assert(getStatuses(received).every((status) => status < 500 || status === 505), `${getStatuses(received)}`);
    });
    await lives(port);
  });
});

test("a connection serves one request after the other, also after a rejection", async () => {
  await against(async (port) => {
    const wire = await openRawConnection(port);
    wire.send(formRequestHead("/oauth2/token", "Content-Length: 3") + "a=b");
    assertEquals(getStatuses(await wire.until(/"error_description":"[^"]*"\}/)), [401]);
    wire.send(formRequestHead("/oauth2/token", "Content-Length: 4") + "a=%z");
    assertEquals(getStatuses(await wire.until(/HT-10/)), [401, 400]);
    wire.send(requestHead(`GET ${metadataPath} HTTP/1.1`, "Host: any.test", "Connection: close"));
    assertEquals(getStatuses(await wire.closed), [401, 400, 200]);
  });
});

test("a request that offers an upgrade to HTTP/2 is served, as every request of Java's HttpClient offers it", async () => {
  await against(async (port, as) => {
    const upgrade = ["Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAEAAEAAAAIAAAAB", "Upgrade: h2c"];
    const form = exchange(as.issuer, await codeOf(as));
    const wire = await openRawConnection(port);
    wire.send(formRequestHead("/oauth2/token", ...upgrade, `Content-Length: ${form.length}`) + form);
    const received = await wire.until(/"\}$/);
    assertEquals(getStatuses(received), [200]);
    assertMatch(received, /"access_token"/);
    wire.send(requestHead(`GET ${metadataPath} HTTP/1.1`, "Host: any.test", ...upgrade));
    await wire.until(/"issuer"/);
    wire.close();
  });
});

test("[DM-05] the cookie of the demo pages is one header line, and is not set again if known", async () => {
  await against(async (port) => {
    const get = (...more: string[]) =>
      sendRaw(port, requestHead("GET / HTTP/1.1", "Host: any.test", ...more, "Connection: close"));
    const [line, ...others] = getHeaderValues(await get(), "set-cookie");
    assertEquals(others, []);
    assertMatch(line!, /^latchkey_demo_\d+=[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const known = `Cookie: other=1; ${line!.split(";")[0]}; more=2`;
    assertEquals(getHeaderValues(await get(known), "set-cookie"), []);
  });
});

test("fifty concurrent flows end with fifty separate pairs of tokens", async () => {
  await against(async (_port, as) => {
    const responses = await Promise.all(Array.from({ length: 50 }, async () => {
      const code = await codeOf(as);
      return await assertTokenResponse(await exchangeCode(as.issuer, code));
    }));
    assertEquals(new Set(responses.map(({ access_token }) => decodeClaims(access_token).jti)).size, 50);
  });
});

test("[CI-06] one of twenty concurrent exchanges of a code, over as many connections, succeeds", async () => {
  await against(async (_port, as) => {
    const code = await codeOf(as);
    const responses = await Promise.all(Array.from({ length: 20 }, () => exchangeCode(as.issuer, code)));
    const outcomes = await Promise.all(responses.map(getOutcome));
    assertEquals(outcomes.filter((one) => one === "200").length, 1);
    assertEquals(outcomes.filter((one) => one === "400 invalid_grant").length, 19);
  });
});

/** Stops the clock that deadlines go by. */
async function withStoppedClock(check: () => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ["setTimeout"] });
  const restore = replaceTimers({ setTimeout, clearTimeout });
  try {
    await check();
  } finally {
    restore();
    mock.timers.reset();
  }
}

test("[HT-09] a stalled body and its connection are ended with 408, and other requests are not delayed", async () => {
  await against(async (port) => {
    await forEachCase([["Content-Length: 100"], ["Transfer-Encoding: chunked"]], async (framing) => {
      await withStoppedClock(async () => {
        const wire = await openRawConnection(port);
        wire.send(formRequestHead("/oauth2/token", ...framing, "Expect: 100-continue"));
        await wire.until(continuePattern);
        wire.send(framing[0] === "Content-Length: 100" ? "grant_type=" : "b\r\ngrant_type=\r\n");
        await lives(port);
        mock.timers.tick(10_000);
        assertMatch(await wire.until(/HT-09/), /"error":"invalid_request"/);
        assertEquals(getStatuses(await wire.closed), [100, 408]);
      });
      await lives(port);
    });
  });
});

test("[HT-09] closing lets a half-read request finish, or rejects it with a response", async () => {
  const { as, port } = await listening();
  const wire = await openRawConnection(port);
  wire.send(formRequestHead("/oauth2/token", "Content-Length: 13", "Expect: 100-continue"));
  await wire.until(continuePattern);
  const closed = as.close();
  wire.send("client_id=bob");
  const received = await wire.closed;
  assertMatch(received, /"error":"invalid_(client|request)","error_description":"[^"]{9,}"\}$/);
  await closed;
});

test("[HT-09] closing rejects an unfinished half-read request with a response, and then ends", async () => {
  const { as, port } = await listening();
  await withStoppedClock(async () => {
    const wire = await openRawConnection(port);
    wire.send(formRequestHead("/oauth2/token", "Content-Length: 100", "Expect: 100-continue"));
    await wire.until(continuePattern);
    wire.send("grant_type=");
    let open = true;
    const closed = as.close().then(() => open = false);
    mock.timers.tick(10_000);
    assertMatch(await wire.until(/"\}\s*$/), /"error_description":"[^"]{9,}"\}\s*$/);
    // If a runtime still waits for the rest of the body, its timeout ends shortly after.
    const started = performance.now();
    while (open && performance.now() - started < 60_000) {
      mock.timers.tick(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const ended = !open;
    wire.close();
    await closed;
    assert(ended, "it waited for the client to hang up");
  });
});

/** A server whose logins wait. @returns `asked` resolves with the first one, and `allow` lets them all go on. */
async function listeningWithWaitingLogin() {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
  const { as, port } = await listening({
    approver: async (...request) => {
      ask();
      await allowed;
      return await autoApprover(...request);
    },
  });
  return { as, port, asked, allow };
}

test("closing finishes a request in flight, then stops listening, and may be called twice", async () => {
  const { as, port, asked, allow } = await listeningWithWaitingLogin();
  const flight = codeOf(as);
  await asked;
  const closing = [as.close(), as.close()];
  allow();
  assertMatch(await flight, /^[\w-]{43}$/);
  await Promise.all(closing);
  await as.close();
  await as[Symbol.asyncDispose]();
  await assertRejects(() => openRawConnection(port));
  const again = await latchkey({ alg: "ES256" });
  await again.listen({ port });
  await again.close();
});

test("closing does not wait for idle connections", async () => {
  const { as, port, asked, allow } = await listeningWithWaitingLogin();
  const [silent, used, late] = [
    await openRawConnection(port),
    await openRawConnection(port),
    await openRawConnection(port),
  ];
  used.send(requestHead(`GET ${metadataPath} HTTP/1.1`, "Host: any.test"));
  await used.until(/request_uri_parameter_supported/);
  late.send(requestHead(`GET /oauth2/authorize?${goodQuery(as.issuer)} HTTP/1.1`, "Host: any.test"));
  await asked;
  // Node keeps an idle connection for 5 seconds.
  const closed = endsWithin(4_500, () => as.close());
  allow();
  assertEquals(getStatuses(await late.until(responsePattern)), [302]);
  assertNotEquals(await closed, "late");
  for (const wire of [silent, used, late]) wire.close();
});

test("a port in use is reported in a sentence, and nothing keeps listening", async () => {
  const hosts = withoutIPv6 ? ["127.0.0.1"] : ["127.0.0.1", "::1"];
  await forEachCase(hosts, async (host) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, host, resolve));
    const { port } = other.address() as AddressInfo;
    const as = await latchkey({ alg: "EdDSA" });
    try {
      const error = await assertRejects(() => as.listen({ port }), Error);
      const where = host === "::1" ? "\\[::1\\]" : "127\\.0\\.0\\.1";
      assertMatch(error.message, new RegExp(`^Cannot listen on ${where}:${port}: the port is in use\\. [A-Z].*\\.$`));
      if (host === "::1") await assertRejects(() => openRawConnection(port, "127.0.0.1"));
    } finally {
      await as.close();
      await new Promise((resolve) => other.close(resolve));
    }
  });
});

test("an address of another machine is reported in a sentence", async () => {
  await forEachCase(["192.0.2.1", "no-such-host.invalid", "::2"], async (host) => {
    await using as = await latchkey({ alg: "EdDSA" });
    const { message } = await assertRejects(() => as.listen({ port: 0, host }), Error);
    assertMatch(message, /^Cannot listen on \S+:0: it is not an address of this machine\. Use localhost, .*\.$/);
  });
});

test("many servers in one process share neither issuer, keys, codes nor clients", async () => {
  const servers = await Promise.all([listening(), listening(), listening({ alg: "EdDSA" })]);
  try {
    assertEquals(new Set(servers.map(({ as }) => as.issuer)).size, 3);
    const keySets = await Promise.all(
      servers.map(async ({ as }) => await (await fetch(`${as.issuer}/oauth2/jwks`)).json()),
    );
    assertEquals(new Set(keySets.flatMap(({ keys }) => keys.map((key: { kid: string }) => key.kid))).size, 3);
    const [first, second] = servers.map(({ as }) => as);
    const code = await codeOf(first!);
    assertEquals(await getOutcome(await exchangeCode(second!.issuer, code)), "400 invalid_grant");
    const { access_token } = await assertTokenResponse(await exchangeCode(first!.issuer, code));
    await jwtVerify(access_token, createLocalJWKSet(keySets[0]));
    await assertRejects(() => jwtVerify(access_token, createLocalJWKSet(keySets[1])));
    first!.clients.delete("demo-public");
    assertEquals(await getOutcome(await exchangeCode(first!.issuer, code)), "401 invalid_client");
    assertMatch(await codeOf(second!), /^[\w-]{43}$/);
    await first!.close();
    assertMatch(await codeOf(second!), /^[\w-]{43}$/);
  } finally {
    await Promise.all(servers.map(({ as }) => as.close()));
  }
});

/** A GET over HTTP/2, under that name: the status. */
function statusOverHttp2(port: number, authority: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    session.on("error", reject);
    const sent = session.request({ ":path": path, ":authority": authority });
    sent.on("error", reject);
    sent.on("response", (headers) => {
      session.close();
      resolve(Number(headers[":status"]));
    });
    sent.end();
    sent.resume();
  });
}

/** The same over HTTP/1.1. */
function statusOverHttps(port: number, host: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, path, headers: { host }, rejectUnauthorized: false, agent: false },
      (result) => {
        result.resume();
        resolve(result.statusCode!);
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}

test("[DI-04] over TLS an untrusted host name shows no clients page either, with each HTTP version of the runtime", async () => {
  await using as = await latchkey({ alg: "ES256" });
  const tls = { cert: certificate, key: privateKey };
  const port = Number(new URL((await as.listen({ port: 0, host: "127.0.0.1", tls })).url).port);
  // Only Deno speaks HTTP/2.
  const ways = "Deno" in globalThis ? [statusOverHttps, statusOverHttp2] : [statusOverHttps];
  for (const status of ways) {
    assertEquals(await status(port, `evil.example.com:${port}`, "/clients"), 403);
    assertEquals(await status(port, `localhost:${port}`, "/clients"), 200);
  }
});
