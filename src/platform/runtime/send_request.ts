/**
 * Requests with exactly these header fields: `fetch` of Node sets those of Fetch Metadata itself. The modules of `node:`
 * are the same on Deno, Bun and Node.
 */

import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps, type RequestOptions } from "node:https";
import { isAddress } from "../http/ip_address.ts";
import { unlessAborted } from "../http/unless_aborted.ts";

/** What a request has beside its URL. */
interface Sent extends Pick<Request, "method" | "headers"> {
  /** Default: none. */
  readonly body?: string | Uint8Array;
}

/** How a request is sent. */
interface SendOptions {
  /** The address to connect to. Default: that of the host, as the system resolves it. */
  readonly address?: string;
  readonly signal: AbortSignal;
  /** The certificates of authorities to trust, as PEM. Default: those of the runtime. */
  readonly ca?: string;
}

/** Sends a request. Agents, which reuse connections, are not used. */
export function sendRequest(
  url: URL,
  { method, headers, body }: Sent,
  { address, signal, ca }: SendOptions,
): Promise<IncomingMessage> {
  const hostname = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const isHttps = url.protocol === "https:";
  const options: RequestOptions = {
    host: address ?? hostname,
    port: url.port || (isHttps ? 443 : 80),
    path: url.pathname + url.search,
    method,
    // No compression: a small body could expand to a huge one.
    headers: { ...Object.fromEntries(headers), host: url.host, "accept-encoding": "identity" },
    agent: false,
    signal,
    ...isHttps && { ca, ...!isAddress(hostname) && { servername: hostname } },
  };
  return new Promise((resolve, reject) => {
    const outgoing = (isHttps ? requestHttps : requestHttp)(options, resolve);
    outgoing.on("error", reject);
    // Without a listener, the connection of a 101 response stays open on some runtimes.
    outgoing.on("upgrade", (_, socket) => {
      socket.destroy();
      reject(new TypeError("expected a final response; received status 101"));
    });
    // For a connection that closes without any other event. It has no effect after a response.
    outgoing.on("close", () => reject(new TypeError("the connection was closed before a response")));
    outgoing.end(body);
  });
}

/** The response; reading a body of more than `maxBytes` fails. */
export function toResponse(incoming: IncomingMessage, signal: AbortSignal, maxBytes = Infinity): Response {
  const { statusCode: status = 0 } = incoming;
  if (status < 200 || status > 599) {
    incoming.destroy();
    throw new TypeError(`expected a status from 200 to 599; received ${status}`);
  }
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  // Statuses without a body (Fetch standard, "null body status").
  if (![204, 205, 304].includes(status)) {
    return new Response(limitedBody(incoming, signal, maxBytes), { status, headers });
  }
  incoming.destroy();
  return new Response(null, { status, headers });
}

function limitedBody(incoming: IncomingMessage, signal: AbortSignal, maxBytes: number): ReadableStream<Uint8Array> {
  const parts = incoming[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let size = 0;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await unlessAborted(parts.next(), signal);
      if (done) return controller.close();
      size += value.byteLength;
      if (size > maxBytes) {
        incoming.destroy();
        throw new TypeError(`expected a body of at most ${maxBytes} bytes`);
      }
      controller.enqueue(new Uint8Array(value));
    },
    cancel() {
      incoming.destroy();
    },
  });
}

/** A `fetch` that sends only these header fields, and follows no redirect. */
export async function exactFetch(url: string, sent: Sent & Pick<SendOptions, "signal">): Promise<Response> {
  return toResponse(await unlessAborted(sendRequest(new URL(url), sent, sent), sent.signal), sent.signal);
}
