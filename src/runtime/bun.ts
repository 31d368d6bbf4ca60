/** Listens by Bun.serve. */

import { isDropped, toResponse, withHeaders } from "../http/message.ts";
import type { Bind } from "./bind.ts";
import { requestTimeoutMs, requestTimeoutStatus, stopWithTimeout } from "./bind.ts";

interface BunServer {
  readonly port: number;
  requestIP(request: Request): { readonly address: string } | null;
  /** Seconds without traffic after which the connection is closed; 0: never. */
  timeout(request: Request, seconds: number): void;
  stop(closeActive?: boolean): Promise<void>;
}

declare const Bun: {
  serve(options: {
    hostname: string;
    port: number;
    development: false;
    reusePort: false;
    idleTimeout: number;
    tls?: { readonly cert: string; readonly key: string };
    fetch(request: Request, server: BunServer): Promise<Response>;
  }): BunServer;
};

/** Makes Bun close the connection without a word; an error with a value would be printed as well. */
function droppedResponse(): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.error() }));
}

function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** Who is at the other end: known before a body is waited for, because afterwards they may be gone. */
function clientAddress(server: BunServer, request: Request): { readonly address?: string } {
  return request.method === "GET"
    ? new LazyClientAddress(server, request)
    : { address: server.requestIP(request)?.address };
}

/** Asks only where it matters, because that is a question to the system. */
class LazyClientAddress {
  readonly #server: BunServer;
  readonly #request: Request;

  constructor(server: BunServer, request: Request) {
    this.#server = server;
    this.#request = request;
  }

  get address(): string | undefined {
    return this.#server.requestIP(this.#request)?.address;
  }
}

/** One address. */
export const bind: Bind = (handler, { host, port, tls }) => {
  const server = Bun.serve({
    hostname: host,
    port,
    tls,
    // Otherwise a fault would be shown as a page of source code.
    development: false,
    // Without development, Bun lets a second program listen on the same port.
    reusePort: false,
    idleTimeout: requestTimeoutMs / 1000,
    async fetch(request, self) {
      const response = await handler(request, clientAddress(self, request));
      if (isDropped(response)) return droppedResponse();
      // Whoever waits for events is not idle.
      if (response instanceof Response && isEventStream(response)) self.timeout(request, 0);
      return toResponse(
        response.status === requestTimeoutStatus ? withHeaders(response, { connection: "close" }) : response,
      );
    },
  });
  return Promise.resolve({
    port: server.port,
    close: () => stopWithTimeout(server.stop(), () => server.stop(true)),
  });
};
