/** Invalid bytes on a socket: the next valid request always gets its response. */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { test } from "node:test";
import type { TraceEvent } from "../../src/server/trace.ts";
import { encode, goodRequest } from "../kit.ts";
import {
  formRequestHead,
  getStatuses,
  openRawConnection,
  requestHead,
  sendRaw,
} from "../platform/runtime/raw_connection.ts";
import { latchkey } from "../secret_leak_check.ts";
import { hostileText } from "./hostile_text.ts";

/** Milliseconds for which a connection may do nothing before the next one is tried. */
const silence = 150;

const paths = [
  ...[
    "/",
    "/oauth2/authorize",
    "/oauth2/token",
    "/oauth2/userinfo",
    "/authorized",
    "/users",
    "/.well-known/openid-configuration",
  ],
  ...["*", "//", "/%", "/%00", "http://", "http:///", "https://evil.example/oauth2/jwks", "/a b", "/\\", "?", "#", ""],
];
const versions = ["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/9.9", "HTTP/1.1 ", "http/1.1", "ICY", ""];
const methods = ["GET", "POST", "PUT", "OPTIONS", "HEAD", "TRACE", "CONNECT", "get", "G\0T", "", " ", "PRI", "ÄÖ"];
const lines = [
  ...["Host: any.test", "Host:", "Host: a\r\nHost: b", "Content-Length: 5", "Content-Length: 99999999999999999999"],
  ...["Content-Length: 5\r\nContent-Length: 6", "Content-Length: -1", "Content-Length:", "Transfer-Encoding: chunked"],
  ...["Transfer-Encoding: gzip", "Transfer-Encoding : chunked", "Transfer-Encoding: \tchunked", "Expect: 100-continue"],
  ...[
    "Expect: nonsense",
    "Connection: close",
    "Connection: upgrade\r\nUpgrade: websocket",
    "Connection: Host",
    " folded",
  ],
  ...["Content-Type: application/x-www-form-urlencoded", "Content-Encoding: gzip", ": empty", "no colon", "a\0b: c"],
  ...[
    "X: \x01",
    "X: é",
    "Cookie: latchkey_session=x",
    "Authorization: Basic !!",
    "Upgrade: h2c\r\nHTTP2-Settings: AAAA",
  ],
];
const bodies = [
  ...[
    "",
    "a=b",
    "0\r\n\r\n",
    "5\r\nabcde\r\n0\r\n\r\n",
    "ffffffffffffffff\r\nx",
    "5;x=y\r\nabcde\r\n",
    "-1\r\n",
    "zz\r\n",
  ],
  ...["5\r\nabc", "0\r\nTrailer: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\0\0\0", "\r\n\r\n\r\n"],
];

const request = fc.record({
  method: fc.constantFrom(...methods, "GET", "GET", "POST", "POST", "POST"),
  path: fc.oneof(fc.constantFrom(...paths), hostileText.map((text) => `/${text}`)),
  version: fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", ...versions),
  lines: fc.array(fc.oneof(fc.constantFrom(...lines), hostileText.map((text) => `X-Text: ${text}`)), { maxLength: 6 }),
  flood: fc.constantFrom(0, 0, 0, 0, 0, 90, 3000),
  end: fc.constantFrom("\r\n\r\n", "\r\n\r\n", "\r\n\r\n", "\n\n", "\r\n", ""),
  body: fc.oneof(fc.constantFrom(...bodies), hostileText),
}).map(({ method, path, version, lines, flood, end, body }) => {
  const more = Array.from({ length: flood }, (_, i) => `X-Flood-${i}: ${"f".repeat(i % 50)}`);
  return [`${method} ${path} ${version}`, ...lines, ...more].join("\r\n") + end + body;
});

const foreign = fc.oneof(
  fc.constantFrom(
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
    "\x16\x03\x01\x02\0\x01\0\x01\xFC\x03\x03",
    "\r\n".repeat(500),
  ),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => String.fromCharCode(...bytes)),
);

const sent = fc.oneof({ weight: 8, arbitrary: request }, { weight: 1, arbitrary: foreign });

/** A server that listens, and what it has traced. */
async function against(check: (port: number, issuer: string, events: TraceEvent[]) => Promise<void>): Promise<void> {
  const events: TraceEvent[] = [];
  const as = await latchkey({ alg: "ES256", trace: (event) => events.push(event) });
  try {
    const port = Number(new URL((await as.listen({ port: 0, host: "127.0.0.1" })).url).port);
    await check(port, as.issuer, events);
    assertEquals(events.filter((event) => event.type === "internal_error"), []);
  } finally {
    await as.close();
  }
}

/** Asserts that a complete valid request gets its usual response. */
async function lives(port: number, issuer: string): Promise<void> {
  const query = encode({ ...goodRequest, client_id: "demo-public", redirect_uri: `${issuer}/authorized` });
  const received = await sendRaw(
    port,
    requestHead(`GET /oauth2/authorize?${query} HTTP/1.1`, "Host: any.test", "Connection: close"),
  );
  assertEquals(getStatuses(received), [302]);
}

/** Sends bytes, reads until no more arrive, and closes the connection. */
async function provoke(port: number, bytes: string): Promise<string> {
  const wire = await openRawConnection(port);
  wire.send(bytes);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const quiet = new Promise<void>((resolve) => timer = setTimeout(resolve, silence));
  const closed = wire.closed.catch(() => "");
  await Promise.race([closed, quiet]);
  clearTimeout(timer);
  wire.close();
  return await closed;
}

test("[HT-14, HT-16, HT-18] no bytes on a socket cause a 5xx, or block the next client", async () => {
  await against(async (port, issuer) => {
    const cases = fc.sample(sent, { seed: 20260101, numRuns: 400 });
    for (let i = 0; i < cases.length; i += 40) {
      const batch = cases.slice(i, i + 40);
      const responses = await Promise.all(batch.map((bytes) => provoke(port, bytes)));
      for (const [j, received] of responses.entries()) {
        // The runtimes themselves say 501 and 505 to what is no HTTP/1.1.
        const worst = getStatuses(received).filter((status) => status >= 500 && status !== 501 && status !== 505);
        assertEquals(worst, [], JSON.stringify(batch[j]!.slice(0, 500)));
        assert(!/\r\nset-cookie: q7zq7z/i.test(received), JSON.stringify(batch[j]!.slice(0, 500)));
      }
      await lives(port, issuer);
    }
  });
});

test("[HT-09] a hundred clients that send nothing, half a head or half a body block no other client", async () => {
  await against(async (port, issuer) => {
    const beginnings = [
      "",
      "GET / HT",
      "GET / HTTP/1.1\r\nHost: any.test\r\nX-Slow: ",
      formRequestHead("/oauth2/token", "Content-Length: 100") + "grant_type=",
      formRequestHead("/oauth2/token", "Transfer-Encoding: chunked") + "5\r\nab",
    ];
    const idle = await Promise.all(Array.from({ length: 100 }, async (_, i) => {
      const wire = await openRawConnection(port);
      wire.send(beginnings[i % beginnings.length]!);
      return wire;
    }));
    await lives(port, issuer);
    for (const wire of idle) wire.close();
    await lives(port, issuer);
  });
});

test("clients that send requests and never read responses block no other client", async () => {
  await against(async (port, issuer) => {
    const deaf = await Promise.all(Array.from({ length: 5 }, async () => {
      const wire = await openRawConnection(port, "127.0.0.1", "paused");
      for (let i = 0; i < 200; i++) wire.send(requestHead("GET / HTTP/1.1", "Host: any.test"));
      return wire;
    }));
    for (let i = 0; i < 5; i++) await lives(port, issuer);
    for (const wire of deaf) wire.close();
    await lives(port, issuer);
  });
});
