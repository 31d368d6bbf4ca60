/** The fetch for URLs that others chose, over sockets of this machine. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import { addressKind } from "../../../src/platform/runtime/address_kind.ts";
import { safeFetch, type SafeFetchOptions } from "../../../src/platform/runtime/safe_fetch.ts";
import { forEachCase } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { certificate, privateKey } from "./certificate.ts";

interface Target {
  readonly port: number;
  /** The requests so far: method, path, Host header. */
  readonly requests: readonly string[];
  /** The number of connections so far. */
  readonly connections: () => number;
}

/** Runs a check against a server of this machine that responds as the listener does. */
async function withTarget(
  listener: RequestListener,
  check: (target: Target) => Promise<void>,
  { tls = false } = {},
): Promise<void> {
  const requests: string[] = [];
  const handle: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.host}`);
    listener(request, response);
  };
  const server: Server = tls
    ? createHttpsServer({ cert: certificate, key: privateKey }, handle)
    : createHttpServer(handle);
  let connections = 0;
  server.on("connection", () => connections++);
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await check({ port: (server.address() as AddressInfo).port, requests, connections: () => connections });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Allows addresses of this machine. */
const local: SafeFetchOptions = { allows: (_, kind) => kind === "loopback", ca: certificate };

/** Resolves every name to these addresses. */
const resolvesTo = (...addresses: readonly string[]): SafeFetchOptions => ({
  resolve: () => Promise.resolve(addresses),
});

test("[MC-05] every special-use address has its kind, in every notation", () => {
  const kinds: Readonly<Record<string, readonly string[]>> = {
    public: [
      "93.184.216.34",
      "8.8.8.8",
      "100.128.0.1",
      "172.32.0.1",
      "2606:4700::1111",
      "2606:4700::4:5efe:1:1",
      "::ffff:8.8.8.8",
    ],
    loopback: ["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"],
    private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fc00::1", "fd12:3456::1"],
    reserved: [
      ...["0.0.0.0", "0.1.2.3", "169.254.169.254", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.7"],
      ...["203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255", "100.100.100.200", "168.63.129.16"],
      ...["::", "::7f00:1", "::ffff:7f00:1", "::ffff:a00:1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1"],
      ...["fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1"],
      ...["fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "100::1", "::ffff:169.254.169.254"],
      ...["2600:1:2:3:0:5efe:127.0.0.1", "2600:1:2:3:200:5efe:a00:1", "fd00::5efe:7f00:1"],
    ],
  };
  for (const [kind, addresses] of Object.entries(kinds)) {
    for (const address of addresses) assertEquals(`${address} ${addressKind(address)}`, `${address} ${kind}`);
  }
});

test("[MC-05] a URL that leads to a special-use address is rejected without a connection", async () => {
  await withTarget((_, response) => response.end("secret"), async ({ port, requests }) => {
    await forEachCase(
      [
        ["https://localhost/x", {}, /localhost, a name of a local network/],
        ["https://LOCALHOST./x", {}, /localhost, a name of a local network/],
        ["https://a.localhost/x", {}, /a name of a local network/],
        ["https://metadata.google.internal/x", {}, /a name of a local network/],
        ["https://printer.local/x", {}, /a name of a local network/],
        ["https://router.home.arpa/x", {}, /a name of a local network/],
        ["https://redis/x", {}, /a name of a local network/],
        ["https://127.0.0.1/x", {}, /received 127\.0\.0\.1 \(loopback\)/],
        ["https://2130706433/x", {}, /received 127\.0\.0\.1 \(loopback\)/],
        ["https://0x7f.1/x", {}, /received 127\.0\.0\.1 \(loopback\)/],
        ["https://0177.0.0.1/x", {}, /received 127\.0\.0\.1 \(loopback\)/],
        ["https://127.1/x", {}, /received 127\.0\.0\.1 \(loopback\)/],
        ["https://0/x", {}, /received 0\.0\.0\.0 \(reserved\)/],
        ["https://169.254.169.254/latest/meta-data/", {}, /\(reserved\)/],
        ["https://[::1]/x", {}, /received ::1 \(loopback\)/],
        ["https://[::ffff:127.0.0.1]/x", {}, /\(reserved\)/],
        ["https://[::ffff:7f00:1]/x", {}, /\(reserved\)/],
        ["https://[::127.0.0.1]/x", {}, /\(reserved\)/],
        ["https://[64:ff9b::7f00:1]/x", {}, /\(reserved\)/],
        ["https://[fd00::1]/x", {}, /\(private\)/],
        ["http://client.example/x", {}, /expected an https URL; received http:/],
        ["ftp://client.example/x", {}, /expected an https URL; received ftp:/],
        ["file:///etc/passwd", {}, /expected an https URL; received file:/],
        ["https://client.example/x", resolvesTo("127.0.0.1"), /client\.example, which is 127\.0\.0\.1 \(loopback\)/],
        ["https://client.example/x", resolvesTo("10.1.2.3"), /\(private\)/],
        ["https://client.example/x", resolvesTo("169.254.169.254"), /\(reserved\)/],
        ["https://client.example/x", resolvesTo("::1"), /\(loopback\)/],
        ["https://client.example/x", resolvesTo("fc00::7"), /\(private\)/],
        ["https://client.example/x", resolvesTo("::ffff:7f00:1"), /\(reserved\)/],
        // One of several addresses is enough.
        ["https://client.example/x", resolvesTo("93.184.216.34", "127.0.0.1"), /\(loopback\)/],
        ["https://client.example/x", resolvesTo(), /client\.example has no address/],
        ["https://client.example/x", resolvesTo("not an address"), /\(reserved\)/],
        // A host that may be on this machine is still not in another network.
        ["https://client.example/x", { ...local, ...resolvesTo("10.1.2.3") }, /\(private\)/],
        ["https://client.example/x", { ...local, ...resolvesTo("169.254.169.254") }, /\(reserved\)/],
      ] as const,
      async ([url, options, message]) => {
        const error = await assertRejects(() => safeFetch(options)(url.replace("/x", `:${port}/x`), {}), TypeError);
        assertMatch(error.message, message);
      },
    );
    await assertRejects(() => safeFetch(local)("https://user:password@localhost/", {}), TypeError);
    assertEquals(requests, []);
  });
});

test("[MC-05] the connection goes to the checked address, and the name is resolved once", async () => {
  await withTarget((_, response) => response.end("document"), async ({ port, requests }) => {
    const resolved: string[] = [];
    const fetchSafely = safeFetch({
      ...local,
      // A second response would be another address (DNS rebinding).
      resolve: (hostname) => Promise.resolve(resolved.push(hostname) === 1 ? ["127.0.0.1"] : ["127.9.9.9"]),
    });
    const response = await fetchSafely(`http://client.example:${port}/a?b=c`, { headers: { accept: "text/plain" } });
    assertEquals([response.status, await response.text()], [200, "document"]);
    assertEquals(resolved, ["client.example"]);
    assertEquals(requests, [`GET /a?b=c client.example:${port}`]);
  });
});

test("[MC-05] the next address is tried if nothing listens at one, and a POST arrives whole", async () => {
  let received = "";
  await withTarget((request, response) => {
    request.on("data", (part) => received += part);
    request.on("end", () => response.writeHead(204).end());
  }, async ({ port, requests }) => {
    const fetchSafely = safeFetch({ ...local, ...resolvesTo("127.0.0.9", "127.0.0.1") });
    const body = new URLSearchParams({ logout_token: "a b" });
    const response = await fetchSafely(`http://client.example:${port}/logout`, { method: "POST", body });
    assertEquals([response.status, await response.text(), received], [204, "", "logout_token=a+b"]);
    assertEquals(requests, [`POST /logout client.example:${port}`]);
  });
});

test("[MC-05] an error names the failure at the last address, and only a failed connection leads to the next one", async () => {
  const nowhere = safeFetch({ ...local, ...resolvesTo("127.0.0.9", "127.0.0.8") });
  await withTarget((_, response) => response.destroy(), async ({ port, connections }) => {
    const failed = await assertRejects(() => nowhere(`http://client.example:${port}/`, {}), TypeError);
    assertMatch(failed.message, /^client\.example: .*ECONNREFUSED/);
    const twice = safeFetch({ ...local, ...resolvesTo("127.0.0.1", "127.0.0.1") });
    await assertRejects(() => twice(`http://client.example:${port}/`, {}), TypeError);
    assertEquals(connections(), 1);
  });
});

test("[MC-05] TLS verifies the name of the URL, not the address", async () => {
  await withTarget((_, response) => response.end("document"), async ({ port, requests }) => {
    const good = await safeFetch(local)(`https://localhost:${port}/`, {});
    assertEquals(await good.text(), "document");
    const literal = await safeFetch(local)(`https://127.0.0.1:${port}/`, {});
    assertEquals(await literal.text(), "document");
    const other = safeFetch({ ...local, ...resolvesTo("127.0.0.1") });
    await assertRejects(() => other(`https://client.example:${port}/`, {}), TypeError);
    await assertRejects(() => safeFetch({ ...local, ca: undefined })(`https://localhost:${port}/`, {}), TypeError);
    assertEquals(requests.length, 2);
  }, { tls: true });
});

test("[MC-05] a redirect is not followed", async () => {
  await withTarget((request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${request.socket.localPort}/internal` }).end();
  }, async ({ port, requests }) => {
    const response = await safeFetch(local)(`http://localhost:${port}/`, {});
    assertEquals([response.status, requests.length], [302, 1]);
  });
});

test("[MC-05] an endless body and one that never comes are aborted", async () => {
  let onClosed = () => {};
  const closed = new Promise<void>((resolve) => onClosed = resolve);
  await withTarget((request, response) => {
    if (request.url === "/never") return;
    if (request.url === "/cancelled") response.on("close", onClosed);
    if (request.url === "/full") return void response.end("x".repeat(1024 * 1024));
    response.writeHead(200).flushHeaders();
    if (request.url === "/cancelled") return;
    if (request.url === "/slow") return;
    const write = (): void => {
      while (!response.destroyed && response.write("x".repeat(65536)));
    };
    response.on("drain", write);
    write();
  }, async ({ port }) => {
    const endless = await safeFetch(local)(`http://localhost:${port}/endless`, {});
    const error = await assertRejects(() => endless.text(), TypeError);
    assertStringIncludes(error.message, "at most 1048576 bytes");
    for (const path of ["/never", "/slow"]) {
      const abort = new AbortController();
      const fetched = safeFetch(local)(`http://localhost:${port}${path}`, { signal: abort.signal });
      const text = path === "/slow" ? (await fetched).text() : fetched.then((response) => response.text());
      abort.abort(new Error("too late"));
      await assertRejects(() => text, Error, "too late");
    }
    const cancelled = await safeFetch(local)(`http://localhost:${port}/cancelled`, {});
    await cancelled.body!.cancel();
    await closed;
    const full = await safeFetch(local)(`http://localhost:${port}/full`, {});
    assertEquals((await full.text()).length, 1024 * 1024);
  });
});

test("[MC-05] a response with a status that is not final ends the fetch and its connection", async () => {
  let head = "";
  const open = new Set<Socket>();
  let onClosed = () => {};
  const server = createSocketServer((socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      open.delete(socket);
      onClosed();
    });
    socket.once("data", () => socket.write(`HTTP/1.1 ${head}\r\n\r\n`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await forEachCase(
      [
        "101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade",
        "101 Switching Protocols",
        "600 X\r\nContent-Length: 2",
        "999 X\r\nContent-Length: 2",
      ],
      async (sent) => {
        head = sent;
        // Below the limit of the fetch, which would close the connection too.
        const limit = AbortSignal.timeout(8000);
        const closed = new Promise<void>((resolve) => onClosed = resolve);
        const error = await assertRejects(() => safeFetch(local)(`http://localhost:${port}/`, {}), TypeError);
        assertMatch(error.message, /^localhost: expected .*; received (?:status )?(?:101|600|999)$/);
        await closed;
        assertEquals([open.size, limit.aborted], [0, false]);
      },
    );
  } finally {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

test("[MC-05] what fails after an abort ends nothing else", async () => {
  const early = AbortSignal.abort(new Error("too early"));
  let fail = () => {};
  const resolve = () => new Promise<string[]>((_, reject) => fail = () => reject(new Error("no such name")));
  const fetched = safeFetch({ resolve })("https://client.example/", { signal: early });
  await assertRejects(() => fetched, Error, "too early");
  fail();
  await new Promise((done) => setTimeout(done, 0));
});

test("[MC-05] a compressed body is not expanded", async () => {
  await withTarget((request, response) => {
    response.writeHead(200, { "x-accepts": request.headers["accept-encoding"], "content-encoding": "gzip" });
    response.end(Uint8Array.of(0x1f, 0x8b, 8, 0));
  }, async ({ port }) => {
    const response = await safeFetch(local)(`http://localhost:${port}/`, { headers: { "accept-encoding": "gzip" } });
    assertEquals(response.headers.get("x-accepts"), "identity");
    assertEquals([...new Uint8Array(await response.arrayBuffer())], [0x1f, 0x8b, 8, 0]);
  });
});

test("[MC-05] a server fetches from this machine only if it runs there, or if privateHosts names the host", async () => {
  await withTarget((_, response) => response.end(`{"keys":[]}`), async ({ port, requests }) => {
    const part = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, "");
    const fetches = async (options: LatchkeyOptions, host = "localhost") => {
      const reasons: string[] = [];
      const clients = [{
        client_id: "far",
        jwks_uri: `http://${host}:${port}/jwks`,
        grant_types: ["client_credentials"],
      }];
      await using as = await latchkey({
        alg: "ES256",
        clients,
        trace: (event) =>
          event.type === "rejected" && void reasons.push(`${event.explanation.reason}: ${event.explanation.received}`),
        ...options,
      });
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: "far", sub: "far", aud: as.issuer, exp: now + 60, iat: now, jti: "once" };
      const body = new URLSearchParams({
        grant_type: "client_credentials",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: `${part({ alg: "ES256" })}.${part(claims)}.AAAA`,
      });
      const count = requests.length;
      const response = await as.fetch(new Request(`${as.issuer}/oauth2/token`, { method: "POST", body }));
      assertEquals([response.status, (await response.json()).error], [401, "invalid_client"]);
      return requests.length - count === 1 ? "fetched" : reasons.join();
    };
    const users = [{ sub: "alice" }];
    const real = { issuer: "https://auth.corp.com", insecure: ["auto-login"] as const, users };
    assertEquals(await fetches({}), "fetched");
    assertEquals(await fetches({ issuer: "http://127.0.0.1:9000" }), "fetched");
    assertMatch(await fetches({ issuer: "http://latchkey:9000" }), /localhost.*\(loopback\)/);
    assertMatch(await fetches(real), /expected an https URL/);
    assertEquals(await fetches({ ...real, privateHosts: ["localhost"] }), "fetched");
    assert(requests.every((request) => request === `GET /jwks localhost:${port}`));
  });
});

test("[MC-03, MC-05] a metadata document is fetched over TLS, and none that leads to another network or is endless", async () => {
  let url = "";
  await withTarget((request, response) => {
    const { pathname } = new URL(request.url!, "https://localhost");
    if (pathname === "/redirect") return void response.writeHead(302, { location: url }).end();
    response.writeHead(200, { "content-type": "application/json" });
    if (pathname !== "/endless") {
      const client_id = pathname === "/client.json" ? url : `https://${request.headers.host}${pathname}`;
      return void response.end(JSON.stringify({ client_id, redirect_uris: ["https://app.example/cb"] }));
    }
    const write = (): void => {
      while (!response.destroyed && response.write(" ".repeat(65536)));
    };
    response.on("drain", write);
    write();
  }, async ({ port, requests }) => {
    url = `https://localhost:${port}/client.json`;
    const outcomes: string[] = [];
    await using as = await latchkey({
      issuer: "http://localhost:9000",
      alg: "ES256",
      outbound: safeFetch({
        ca: certificate,
        // As a server on a loopback host does.
        allows: (hostname, kind) => hostname === "localhost" && kind === "loopback",
        resolve: (hostname) => Promise.resolve([hostname === "private.example" ? "10.0.0.1" : "127.0.0.1"]),
      }),
      trace: (event) => event.type === "metadata_document_fetched" && void outcomes.push(event.outcome),
    });
    const authorize = async (client_id: string) => {
      const query = new URLSearchParams({
        response_type: "code",
        client_id,
        scope: "read",
        code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        code_challenge_method: "S256",
      });
      const response = await as.fetch(new Request(`${as.issuer}/oauth2/authorize?${query}`, { redirect: "manual" }));
      return [response.status, response.headers.get("location")?.startsWith("https://app.example/cb?code=") ?? false];
    };
    assertEquals(await authorize(url), [302, true]);
    await forEachCase(
      [
        [`https://localhost:${port}/redirect`, /^rejected: status 302$/],
        [`https://localhost:${port}/endless`, /^rejected: a larger document$/],
        [`https://rebound.example:${port}/client.json`, /rebound\.example, which is 127\.0\.0\.1 \(loopback\)/],
        [`https://private.example:${port}/client.json`, /private\.example, which is 10\.0\.0\.1 \(private\)/],
        [`https://127.0.0.1:${port}/client.json`, /127\.0\.0\.1 \(loopback\)/],
        [`https://[::1]:${port}/client.json`, /::1 \(loopback\)/],
      ] as const,
      async ([client_id, outcome]) => {
        assertEquals(await authorize(client_id), [400, false]);
        assertMatch(outcomes.at(-1)!, outcome);
      },
    );
    assertEquals(requests.map((request) => request.split(" ")[1]), ["/client.json", "/redirect", "/endless"]);
  }, { tls: true });
});
