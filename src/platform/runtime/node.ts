/** The adapter of Node, and of Deno without TLS or with certificates of clients: listens with the modules of Node. */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type nodeProcess from "node:process";
import { type HttpRequest, isDropped, isResponse } from "../../core/http/message.ts";
import {
  type Bind,
  cipherSuites,
  maxHeaderBytes,
  type Peer,
  type RequestHandler,
  requestTimeoutMs,
  shutdownTimeoutMs,
  stopWithTimeout,
} from "./bind.ts";
import { timers } from "../../core/http/timers.ts";
import { listenAgain } from "./open_files.ts";

/** Provides modules without an import: importing node:http evaluates its export WebSocket, which loads all of fetch. */
const { process } = globalThis as unknown as { readonly process: typeof nodeProcess };

export const bind: Bind = async (handler, { host, port, tls, requestsCertificate = false, restrictsCiphers }) => {
  const limits = {
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: maxHeaderBytes,
  };
  const server: Server = tls === undefined
    ? process.getBuiltinModule("node:http").createServer(limits)
    : process.getBuiltinModule("node:https").createServer({
      ...limits,
      ...tls,
      handshakeTimeout: shutdownTimeoutMs,
      ciphers: cipherSuites,
      // Deno ignores the ciphers.
      ...restrictsCiphers && "Deno" in globalThis && { minVersion: "TLSv1.3" },
      // The server compares the certificate with that of the client, so no authority has to vouch for it.
      ...requestsCertificate && { requestCert: true, rejectUnauthorized: false },
    });
  const peerOf = requestsCertificate ? peerWithCertificate : ({ remoteAddress: address }: Socket) => ({ address });
  // Browsers open connections in advance. Node counts a connection as busy until its first request.
  const unusedSockets = new Set<Socket>();
  server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    unusedSockets.add(socket);
    socket.once("close", () => unusedSockets.delete(socket));
    if (tls === undefined) socket.on("error", reportTlsClient);
  });
  server.on("request", (incoming, outgoing) => {
    unusedSockets.delete(incoming.socket);
    const handle = (request: HttpRequest) => handler(request, peerOf(incoming.socket));
    handleRequest(handle, incoming, outgoing, () => !server.listening).catch((cause) => {
      // The response cannot be sent: for example, a plugin set an invalid header.
      console.error(cause);
      incoming.socket.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, resolve);
  });
  const address = { host, port: (server.address() as { port: number }).port };
  const endRecovery = "Deno" in globalThis ? listenAgain(server, address) : undefined;
  return {
    port: address.port,
    close() {
      endRecovery?.();
      return stopServer(server, unusedSockets);
    },
  };
};

/** The first byte of a TLS handshake (RFC 8446 §5.1). */
const handshakeByte = 22;

const reportIntervalMs = 60_000;
let reportedAt = -reportIntervalMs;

/** Reports, at most once a minute, that a client spoke TLS to a port without it. `error`: what the parser found. */
function reportTlsClient(error: { readonly rawPacket?: Uint8Array }): void {
  if (error.rawPacket?.[0] !== handshakeByte || timers.elapsed() - reportedAt < reportIntervalMs) return;
  reportedAt = timers.elapsed();
  console.error("A TLS client spoke to the http port. Use a URL with http://, or start with --tls self-signed.");
}

/** The peer of a connection that was asked for a certificate. Without one, Node returns an empty object. */
function peerWithCertificate(socket: Socket): Peer {
  const { raw } = (socket as TLSSocket).getPeerCertificate() ?? {};
  return { address: socket.remoteAddress, certificate: raw };
}

async function stopServer(server: Server, unusedSockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  for (const socket of unusedSockets) socket.destroy();
  await stopWithTimeout(closed, () => server.closeAllConnections());
  // The fetch pool of this process may hold client ends of these connections, and reuse one for the next request to
  // this port. The pool detects a closed connection in the poll phase of the event loop, between two immediates.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => timers.setImmediate(resolve));
}

async function handleRequest(
  handle: (request: HttpRequest) => ReturnType<RequestHandler>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  isStopping: () => boolean,
): Promise<void> {
  const response = await handle(new NodeRequest(incoming));
  if (isDropped(response)) return void incoming.socket.destroy();
  const { status } = response;
  const isPlain = !isResponse(response);
  const stream = isPlain ? null : response.body;
  const text = isPlain ? response.body ?? "" : "";
  const headers: string[] = [];
  for (const [name, value] of isPlain ? Object.entries(response.headers) : response.headers) headers.push(name, value);
  const hasKnownLength = status === 204 || status === 304 || stream !== null || headers.includes("content-length");
  if (!hasKnownLength) headers.push("content-length", String(Buffer.byteLength(text)));
  // Closes the connection if the server stops, or if the request body is not read to its end.
  if (isStopping() || !incoming.complete) headers.push("connection", "close");
  outgoing.writeHead(status, headers);
  if (stream === null) return void outgoing.end(text);
  // Closes the connection if the server stopped while the body was sent.
  outgoing.once("finish", () => isStopping() && incoming.socket.destroySoon());
  await pipe(stream, outgoing);
}

/** Pipes a body with backpressure. Cancels it if the client closes the connection. */
async function pipe(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  outgoing.flushHeaders();
  const reader = body.getReader();
  let resume = () => {};
  outgoing.on("drain", () => resume());
  outgoing.once("close", () => {
    reader.cancel().catch(() => {});
    resume();
  });
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done || outgoing.destroyed) break;
      if (!outgoing.write(value)) await new Promise<void>((resolve) => resume = resolve);
    }
    outgoing.end();
  } catch {
    // An incomplete body must not look complete, so the connection is dropped.
    outgoing.destroy();
  }
}

/**
 * The request for handlers. Its URL contains only the path and query of the target, because the Host header is not
 * trusted. A class, because creating an object literal with a getter takes several times as long.
 */
class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HttpRequest["headers"];
  readonly #incoming: IncomingMessage;
  #body: ReadableStream<Uint8Array> | undefined;

  constructor(incoming: IncomingMessage) {
    const { method = "GET", url = "/", rawHeaders } = incoming;
    const target = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]*/i, "");
    this.method = method;
    this.url = `http://localhost${target.startsWith("/") ? "" : "/"}${target}`;
    this.headers = { get: (name) => headerValue(rawHeaders, name) };
    this.#incoming = incoming;
  }

  get body(): ReadableStream<Uint8Array> | null {
    return this.method === "GET" || this.method === "HEAD" ? null : this.#body ??= toStream(this.#incoming);
  }

  get bodyUsed(): boolean {
    return this.#incoming.readableDidRead;
  }

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return readBytes(this.#incoming);
  }
}

/** The values of all headers with a lower-case name, joined like Headers does. */
function headerValue(rawHeaders: readonly string[], name: string): string | null {
  let value: string | null = null;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length !== name.length || rawHeaders[i]!.toLowerCase() !== name) continue;
    value = value === null ? rawHeaders[i + 1]! : `${value}, ${rawHeaders[i + 1]}`;
  }
  return value;
}

function readBytes(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const parts: Buffer<ArrayBuffer>[] = [];
    incoming.on("data", (part) => parts.push(part));
    incoming.on("end", () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts)));
    incoming.on("error", reject);
  });
}

function toStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
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
