/** The adapter of Bun: listens with Bun.serve. */

import nodeHttp from "node:http";
import { isDropped, toResponse, withHeaders } from "../../core/http/message.ts";
import {
  type Bind,
  cipherSuites,
  maxHeaderBytes,
  requestTimeoutMs,
  requestTimeoutStatus,
  stopWithTimeout,
} from "./bind.ts";

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
    tls?: { readonly cert: string; readonly key: string; readonly ciphers: string };
    fetch(request: Request, server: BunServer): Promise<Response>;
  }): BunServer;
};

/** A response that makes Bun close the connection. An error with a value would also be printed. */
function droppedResponse(): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.error() }));
}

/**
 * The peer of the connection. If the request has a body, the peer is read first, because the connection may be closed
 * after the body.
 */
function clientAddress(server: BunServer, request: Request): { readonly address?: string } {
  if (request.method !== "GET") return { address: server.requestIP(request)?.address };
  return {
    // Read on access only, because that is a system call.
    get address() {
      return server.requestIP(request)?.address;
    },
  };
}

export const bind: Bind = (handler, { host, port, tls }) => {
  // Bun has one limit for all servers of the process.
  const http = nodeHttp as { maxHeaderSize: number };
  http.maxHeaderSize = Math.max(http.maxHeaderSize, maxHeaderBytes);
  const server = Bun.serve({
    hostname: host,
    port,
    tls: tls && { ...tls, ciphers: cipherSuites },
    // In development mode, Bun shows source code on its error page.
    development: false,
    // Outside of development mode, Bun lets a second program listen on the same port by default.
    reusePort: false,
    idleTimeout: requestTimeoutMs / 1000,
    async fetch(request, self) {
      const response = await handler(request, clientAddress(self, request));
      if (isDropped(response)) return droppedResponse();
      // A client that waits for server-sent events is not idle.
      const type = response instanceof Response ? response.headers.get("content-type") : undefined;
      if (type?.startsWith("text/event-stream")) self.timeout(request, 0);
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
