/** Listens by Node's http module, and bridges it to Request and Response. */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
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
  server.on("request", (incoming, outgoing) => void answer(fetch, incoming, outgoing));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, resolve);
  });
  return { port: (server.address() as { port: number }).port, close: () => stop(server) };
};

function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  return stopWithin(closed, () => server.closeAllConnections());
}

async function answer(fetch: Fetch, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  let response: Response;
  try {
    response = await fetch(asRequest(incoming), { address: incoming.socket.remoteAddress });
  } catch {
    response = new Response("The request could not be read.", { status: 400 });
  }
  const body = response.body === null ? undefined : new Uint8Array(await response.arrayBuffer());
  const headers: string[] = [];
  for (const [name, value] of response.headers) headers.push(name, value);
  if (response.status !== 204 && response.status !== 304) headers.push("content-length", String(body?.byteLength ?? 0));
  outgoing.writeHead(response.status, headers);
  outgoing.end(body);
}

/** Only path and query are taken over from the target: what the Host header says must not count. */
function asRequest(incoming: IncomingMessage): Request {
  const method = incoming.method ?? "GET";
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
