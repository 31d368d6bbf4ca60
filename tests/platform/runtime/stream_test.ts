/** Streamed responses over a socket, on the runtime of the tests. */

import { assert, assertMatch, assertNotEquals } from "@std/assert";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import type { Endpoint } from "../../../src/server/extension.ts";
import type { Latchkey, Plugin } from "../../../src/mod.ts";
import { openRawConnection, type RawConnection, requestHead } from "./raw_connection.ts";
import { shutdownTimeoutMs } from "../../../src/platform/runtime/bind.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { endsWithin, until } from "../../until.ts";

/** A listening server with a plugin. */
interface Place extends AsyncDisposable {
  readonly as: Latchkey;
  readonly port: number;
}

async function listening(plugin: Plugin): Promise<Place> {
  const as = await latchkey({ alg: "ES256", plugins: [plugin] });
  const { url } = await as.listen({ port: 0 });
  return { as, port: Number(new URL(url).port), [Symbol.asyncDispose]: () => as.close() };
}

/** A plugin that serves `/events` with a stream, and the state of the stream. */
interface Source {
  readonly plugin: Plugin;
  send(event: string): void;
  /** How many streams of events are open. */
  readonly listeners: number;
  /** How many parts of `/flood` were asked for. */
  readonly pulled: number;
  /** Resolves when a client went away. */
  readonly cancelled: Promise<void>;
}

function source(): Source {
  const { promise: cancelled, resolve: cancel } = Promise.withResolvers<void>();
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>();
  let pulled = 0;
  const encoder = new TextEncoder();
  const events = (): ReadableStream<Uint8Array> => {
    let mine: ReadableStreamDefaultController<Uint8Array>;
    return new ReadableStream({
      start: (controller) => void open.add(mine = controller),
      cancel() {
        open.delete(mine);
        cancel();
      },
    });
  };
  const flood = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
      cancel,
    }, { highWaterMark: 0 });
  const response = (type: string, body: ReadableStream<Uint8Array>) =>
    new Response(body, { headers: { "content-type": type, "cache-control": "no-store" } });
  const endpoint = (path: string, GET: () => Response): Endpoint => ({
    name: path.slice(1),
    path,
    methods: ["GET"],
    caller: "any",
    title: path,
    errors: "text",
    load: () => ({ GET }),
  });
  return {
    plugin: {
      routes: () => [
        endpoint("/events", () => response("text/event-stream", events())),
        endpoint("/flood", () => response("application/octet-stream", flood())),
      ],
      close() {
        for (const controller of open) controller.close();
      },
    },
    send: (event) => open.forEach((controller) => controller.enqueue(encoder.encode(`data: ${event}\n\n`))),
    get listeners() {
      return open.size;
    },
    get pulled() {
      return pulled;
    },
    cancelled,
  };
}

/** Requests the events, and waits for the first. Bun sends the head with the first part of the body. */
async function subscribe(port: number, events: Source): Promise<RawConnection> {
  const wire = await openRawConnection(port);
  wire.send(requestHead("GET /events HTTP/1.1", "Host: any.test"));
  await until(() => events.listeners === 1);
  events.send("first");
  await wire.until(/data: first\n\n/);
  return wire;
}

test("events arrive one by one while their stream is open", async () => {
  const events = source();
  await using place = await listening(events.plugin);
  const wire = await subscribe(place.port, events);
  events.send("second");
  await wire.until(/data: second\n\n/);
  wire.close();
});

test("a stream is cancelled when its client goes away", async () => {
  const events = source();
  await using place = await listening(events.plugin);
  const wire = await subscribe(place.port, events);
  wire.close();
  // Some runtimes notice only when there is something to send.
  const nudge = setInterval(() => events.send("more"), 20);
  await events.cancelled.finally(() => clearInterval(nudge));
});

test("closing ends streams by their signal, and does not wait for them", async () => {
  const events = source();
  const place = await listening(events.plugin);
  const wire = await subscribe(place.port, events);
  assertNotEquals(await endsWithin(shutdownTimeoutMs / 2, () => place.as.close()), "late");
  assertMatch(await wire.closed, /data: first\n\n\r\n0\r\n\r\n$/);
});

test("a stream buffers little for a client that does not read", async () => {
  const flood = source();
  await using place = await listening(flood.plugin);
  const socket = connect({ port: place.port, host: "127.0.0.1" });
  await once(socket, "connect");
  socket.pause();
  socket.write(requestHead("GET /flood HTTP/1.1", "Host: any.test"));
  await until(() => flood.pulled > 2);
  let before = -1;
  // Until the buffers of both ends are full.
  while (before !== flood.pulled) {
    before = flood.pulled;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert(flood.pulled < 1000, `${flood.pulled} chunks of 64 KiB were generated without a reader`);
  socket.destroy();
  await flood.cancelled;
});
