/** Deno: listens by Deno.serve. */

import { ConnectionDropped, isDropped, toResponse } from "../http/message.ts";
import type { RequestLike } from "../http/message.ts";
import type { Bind } from "./bind.ts";
import { shutdownTimeoutMs, waitAtMost } from "./bind.ts";
import type { ProcessEnvironment } from "./process_environment.ts";

/** Deno's own. */
export const processEnvironment: ProcessEnvironment = {
  args: Deno.args,
  get env() {
    return Deno.env.toObject();
  },
  isTerminal: Deno.stdout.isTerminal(),
  now: Date.now,
  readTextFile: (path) => Deno.readTextFile(path),
  onStop(callback) {
    Deno.addSignalListener("SIGINT", callback);
    // Windows knows no SIGTERM.
    if (Deno.build.os !== "windows") Deno.addSignalListener("SIGTERM", callback);
  },
  exit: (code) => Deno.exit(code),
};

/** How long answers may take to leave the machine after the last one was given, in milliseconds. */
const flushTimeoutMs = 1_000;

/** As near as Deno comes to dropping a connection: the head of an answer goes out, and its body never comes. */
function droppedResponse(): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.error(new ConnectionDropped()) }));
}

/** Over HTTP/2 the host stands in the target alone (RFC 9113 §8.3.1). */
function withHost(request: Request): RequestLike {
  const host = /^\w+:\/\/([^/?#]*)/.exec(request.url)?.[1] ?? null;
  return {
    method: request.method,
    url: request.url,
    headers: { get: (name) => name === "host" ? host : request.headers.get(name) },
    get body() {
      return request.body;
    },
    get bodyUsed() {
      return request.bodyUsed;
    },
    bytes: () => request.bytes(),
  };
}

/** One address. */
export const bind: Bind = (handler, { host, port, tls }) => {
  let pendingRequests = 0;
  let onIdle = () => {};
  const server = Deno.serve(
    {
      hostname: host,
      port,
      ...tls,
      onListen() {},
      onError(cause) {
        if (!(cause instanceof ConnectionDropped)) console.error(cause);
        return new Response(null, { status: 500 });
      },
    },
    async (request, info) => {
      pendingRequests++;
      try {
        const response = await handler(request.headers.has("host") ? request : withHost(request), {
          address: (info.remoteAddr as Deno.NetAddr).hostname,
        });
        return isDropped(response) ? droppedResponse() : toResponse(response);
      } finally {
        if (--pendingRequests === 0) onIdle();
      }
    },
  );
  return Promise.resolve({
    port: (server.addr as Deno.NetAddr).port,
    async close() {
      // Deno waits for whoever never sends the rest of a body, and aborting the server would throw where nobody can
      // catch it: so wait for the answers, and let go of the rest.
      const stopped = server.shutdown();
      const idle = new Promise<void>((resolve) => pendingRequests === 0 ? resolve() : onIdle = resolve);
      await waitAtMost(shutdownTimeoutMs, Promise.race([stopped, idle]));
      await waitAtMost(flushTimeoutMs, stopped);
      server.unref();
    },
  });
};
