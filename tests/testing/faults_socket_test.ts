/** Faults over a socket of the runtime under test: what the client receives. */

import { assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { connect } from "node:tls";
import type { Latchkey } from "../../src/mod.ts";
import { type FaultInjector, faultInjector } from "../../src/testing/faults/fault_injector.ts";
import * as faults from "../../src/testing/faults/mod.ts";
import { certificate, privateKey } from "../platform/runtime/certificate.ts";
import {
  getHeaderValues,
  getStatuses,
  openRawConnection,
  requestHead,
  sendRaw,
} from "../platform/runtime/raw_connection.ts";
import { shutdownTimeoutMs } from "../../src/platform/runtime/bind.ts";
import { latchkey } from "../secret_leak_check.ts";
import { endsWithin, until } from "../until.ts";

const metadataPath = "/.well-known/openid-configuration";
const isDeno = "Deno" in globalThis;

/** A server that listens, with faults around it. */
interface Place extends AsyncDisposable {
  readonly as: Latchkey;
  readonly port: number;
  readonly board: FaultInjector;
}

async function listening(tls?: { readonly cert: string; readonly key: string }): Promise<Place> {
  const board = faultInjector();
  const as = await latchkey({ alg: "ES256", plugins: [board.plugin] });
  const { url } = await as.listen({ port: 0, tls });
  return { as, port: Number(new URL(url).port), board, [Symbol.asyncDispose]: () => as.close() };
}

/** A request that leaves its connection open for another one. */
const asked = requestHead(`GET ${metadataPath} HTTP/1.1`, "Host: any.test");

test("a dropped connection ends without a byte", async () => {
  await using place = await listening();
  place.board.on("discovery").times(2, faults.drop());
  const wire = await openRawConnection(place.port);
  wire.send(asked);
  assertEquals(await wire.closed.catch(() => ""), "");
  const read = async () => await (await fetch(place.as.issuer + metadataPath)).text();
  await assertRejects(read, TypeError);
  assertEquals(place.board.unmetRules(), []);
  assertEquals(JSON.parse(await read()).issuer, place.as.issuer);
});

test("over TLS a dropped connection ends without a byte; on Deno with the head of a response, and never its body", async () => {
  await using place = await listening({ cert: certificate, key: privateKey });
  place.board.on("discovery").once(faults.drop());
  const socket = connect({ host: "127.0.0.1", port: place.port, rejectUnauthorized: false });
  let received = "";
  socket.on("data", (bytes: Uint8Array) => received += new TextDecoder("latin1").decode(bytes));
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.once("secureConnect", () => socket.write(asked));
  await closed;
  if (isDeno) assertMatch(received, /^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)+\r\n$/);
  else assertEquals(received, "");
  assertEquals(place.board.unmetRules(), []);
});

test("a connection dropped midway leaves half a response, which every client recognizes as incomplete", async () => {
  await using place = await listening();
  place.board.on("discovery").once(faults.drop("midway"));
  const response = await fetch(place.as.issuer + metadataPath);
  assertEquals(response.status, 200);
  await assertRejects(() => response.text(), TypeError);
  assertEquals((await fetch(place.as.issuer + metadataPath)).status, 200);
});

test("closing the server drops a request that hangs, and does not wait for it", async () => {
  const place = await listening();
  place.board.on("discovery").once(faults.hang());
  const wire = await openRawConnection(place.port);
  wire.send(asked);
  await until(() => place.board.unmetRules().length === 0);
  assertNotEquals(await endsWithin(shutdownTimeoutMs / 2, () => place.as.close()), "late");
  assertEquals(getStatuses(await wire.closed.catch(() => "")).filter((status) => status !== 200), []);
});

test("a status of a gateway comes over the network with Retry-After, and scripts may read it", async () => {
  await using place = await listening();
  place.board.on("jwks").once(faults.status(429, { retryAfter: 7 }));
  const received = await sendRaw(
    place.port,
    requestHead("GET /oauth2/jwks HTTP/1.1", "Host: any.test", "Connection: close"),
  );
  assertEquals([getStatuses(received), getHeaderValues(received, "retry-after")], [[429], ["7"]]);
  assertEquals(getHeaderValues(received, "access-control-allow-origin"), ["*"]);
});
