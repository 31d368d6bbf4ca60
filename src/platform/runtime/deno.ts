/** The adapter of Deno: its process environment, and listening. */

import { type HttpRequest, isDropped, toResponse } from "../../core/http/message.ts";
import { ConnectionDropped } from "../http/dropped_connection.ts";
import { replaceParts } from "../http/changed_request.ts";
import {
  type Bind,
  type BoundServer,
  type ListenAddress,
  type RequestHandler,
  shutdownTimeoutMs,
  waitAtMost,
} from "./bind.ts";
import { decodeText } from "./decode_text.ts";
import type { ProcessEnvironment } from "./process_environment.ts";
import { bind as bindNode } from "./node.ts";
import { onRunnerEnd } from "./runner.ts";
import { timers } from "../../core/http/timers.ts";
import { recoveryIntervalMs, reportUsedUp } from "./open_files.ts";

const encoder = new TextEncoder();

export const processEnvironment: ProcessEnvironment = {
  args: Deno.args,
  get mainModule() {
    return Deno.mainModule;
  },
  get env() {
    return Deno.env.toObject();
  },
  isTerminal: Deno.stderr.isTerminal(),
  isOutputTerminal: Deno.stdout.isTerminal(),
  terminalWidth() {
    try {
      return Deno.consoleSize().columns || undefined;
    } catch {
      return undefined;
    }
  },
  now: Date.now,
  readTextFile: async (path) => decodeText(await Deno.readFile(path)),
  writeLogLine(line) {
    let rest = encoder.encode(`${line}\n`);
    while (rest.length > 0) rest = rest.subarray(Deno.stderr.writeSync(rest));
  },
  onStop(callback) {
    Deno.addSignalListener("SIGINT", callback);
    // Windows has no SIGTERM.
    if (Deno.build.os !== "windows") Deno.addSignalListener("SIGTERM", callback);
    onRunnerEnd(Deno.env.get("npm_command"), () => Deno.ppid, callback);
  },
  exit: (code) => Deno.exit(code),
};

/** Maximum duration of sending the last responses before the server stops, in milliseconds. */
const flushTimeoutMs = 1_000;

/** A response whose body fails. Deno cannot drop a connection without sending status and headers. */
function droppedResponse(): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.error(new ConnectionDropped()) }));
}

/** The request with a Host header: HTTP/2 has the host in the target only (RFC 9113 §8.3.1). */
function withHost(request: Request): HttpRequest {
  const host = /^\w+:\/\/([^/?#]*)/.exec(request.url)?.[1] ?? null;
  return replaceParts(request, { headers: { get: (name) => name === "host" ? host : request.headers.get(name) } });
}

/**
 * Without TLS, listens with the http module of Node: `Deno.serve` responds 400 to every request with a body that offers
 * an upgrade of the connection, as all of Java's `HttpClient` do. With TLS, clients negotiate the version by ALPN,
 * unless the cipher suites must be restricted, which only that module can.
 */
export const bind: Bind = async (handler, binding) =>
  binding.tls !== undefined && !binding.restrictsCiphers ? bindTls(handler, binding) : await bindNode(handler, binding);

/** Listens with Deno.serve, which has HTTP/2. */
function bindTls(handler: RequestHandler, { host, port, tls }: ListenAddress): BoundServer {
  let pendingRequests = 0;
  let onIdle = () => {};
  let isStopping = false;
  const serve = (currentPort = port) =>
    Deno.serve(
      {
        hostname: host,
        port: currentPort,
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
  let server = serve();
  const address = server.addr as Deno.NetAddr;
  server.finished.catch(listenAgain);
  // The server ends at the limit of open files.
  async function listenAgain(): Promise<void> {
    reportUsedUp();
    while (!isStopping) {
      await new Promise((resolve) => timers.setTimeout(resolve, recoveryIntervalMs));
      try {
        if (!isStopping) server = serve(address.port);
      } catch {
        // It cannot listen yet.
        continue;
      }
      server.finished.catch(listenAgain);
      return;
    }
  }
  return {
    port: address.port,
    async close() {
      isStopping = true;
      // `shutdown` also waits for clients that never send the rest of a body, and aborting causes an uncaught error.
      // This code therefore awaits the responses, and `unref` drops the other connections.
      const stopped = server.shutdown();
      const idle = new Promise<void>((resolve) => pendingRequests === 0 ? resolve() : onIdle = resolve);
      await waitAtMost(shutdownTimeoutMs, Promise.race([stopped, idle]));
      await waitAtMost(flushTimeoutMs, stopped);
      server.unref();
    },
  };
}
