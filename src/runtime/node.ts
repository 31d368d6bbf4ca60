/** Listens by Node's http module, and bridges it to Request and Response. */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Bind, Fetch } from "./bind.ts";
import { patience, stopWithin } from "./bind.ts";

/** One address. */
export const bind: Bind = async (fetch, { host, port }) => {
  const { createServer } = await import("node:http");
  const server = createServer({
    headersTimeout: patience,
    requestTimeout: patience,
    connectionsCheckingInterval: 1000,
  });
  // Browsers connect in advance; Node counts such connections as busy until their first request.
  const waiting = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    waiting.add(socket);
    socket.once("close", () => waiting.delete(socket));
  });
  server.on("request", (incoming, outgoing) => {
    waiting.delete(incoming.socket);
    void answer(fetch, incoming, outgoing, () => !server.listening);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, resolve);
  });
  return { port: (server.address() as { port: number }).port, close: () => stop(server, waiting) };
};

function stop(server: Server, waiting: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  for (const socket of waiting) socket.destroy();
  return stopWithin(closed, () => server.closeAllConnections());
}

async function answer(
  fetch: Fetch,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  isStopping: () => boolean,
): Promise<void> {
  let response: Response;
  try {
    response = await fetch(asRequest(incoming), { address: incoming.socket.remoteAddress });
  } catch {
    response = new Response("The request could not be read.", { status: 400 });
  }
  const body = response.body === null ? undefined : new Uint8Array(await response.arrayBuffer());
  const headers: string[] = [];
  for (const [name, value] of response.headers) headers.push(name, value);
  const told = response.status === 204 || response.status === 304 || response.headers.has("content-length");
  if (!told) headers.push("content-length", String(body?.byteLength ?? 0));
  // A stop does not wait for another request, nor anybody for the rest of a body that is not read.
  if (isStopping() || !incoming.complete) headers.push("connection", "close");
  outgoing.writeHead(response.status, headers);
  outgoing.end(body);
}

/** Only path and query are taken over from the target: what the Host header says must not count. */
function asRequest(incoming: IncomingMessage): Request {
  // Request refuses to be made with these; by another name they meet their 405 like all others.
  const method = (incoming.method ?? "GET").replace(/^(?:TRACE|TRACK|CONNECT)$/i, "X-$&");
  const url = incoming.url?.replace(/^https?:\/\/[^/?#]*/i, "") ?? "/";
  const hasBody = method !== "GET" && method !== "HEAD";
  const headers: [string, string][] = [];
  const { rawHeaders } = incoming;
  for (let i = 0; i < rawHeaders.length; i += 2) headers.push([rawHeaders[i]!, rawHeaders[i + 1]!]);
  return new Request(`http://localhost${url.startsWith("/") ? "" : "/"}${url}`, {
    method,
    headers,
    ...hasBody && { body: bodyOf(incoming), duplex: "half" },
  });
}

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const parts = incoming[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    async cancel() {
      await parts.return?.();
    },
  });
}
