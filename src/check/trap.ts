/** A trap: an origin of an attacker, which records what arrives and responds with 404. */

import { isLoopback } from "../core/http/test_hosts.ts";
import { readBodyText } from "../platform/http/json_body.ts";
import type { Fetch } from "../testing/fetch.ts";
import { serve } from "../platform/runtime/serve.ts";

export interface TrappedRequest {
  /** The method, in upper case. */
  readonly method: string;
  /** The absolute URL. */
  readonly url: string;
  /** The header `Authorization`, if it was sent. */
  readonly authorization?: string;
  /** The body as text; empty without one. */
  readonly body: string;
  /** Whether a browser sent it (Fetch Metadata). */
  readonly isOfBrowser?: boolean;
}

/** An origin that only records. */
export interface Trap {
  readonly origin: string;
  /** What arrived, oldest first. */
  readonly requests: readonly TrappedRequest[];
  /** Receives the requests for another origin, too, such as one of an internal network. Only without a socket. */
  addOrigin(origin: string): void;
}

/**
 * A trap, and a fetch that sends requests for the trap to it and passes all others on. It follows redirects as Fetch
 * §4.4 does, and rejects relative URLs.
 */
export function trapFetch(origin: string, next: Fetch): { readonly trap: Trap; readonly fetch: Fetch } {
  const requests: TrappedRequest[] = [];
  // With http too, for clients that send there without TLS.
  const hosts = new Set([new URL(origin).host]);
  const isTrapped = (url: string) => URL.canParse(url) && hosts.has(new URL(url).host);

  async function record(request: Request): Promise<Response> {
    requests.push({
      method: request.method,
      url: request.url,
      authorization: request.headers.get("authorization") ?? undefined,
      body: await request.text(),
    });
    return new Response("Not found", { status: 404 });
  }

  return {
    trap: { origin, requests, addOrigin: (added) => void hosts.add(new URL(added).host) },
    async fetch(input, init) {
      const url = input instanceof Request ? input.url : String(input);
      if (!URL.canParse(url)) throw new TypeError(`Invalid URL: "${url}"`);
      const request = new Request(input instanceof Request ? input.clone() : input, init as RequestInit);
      if (isTrapped(url)) return await record(request);
      const response = await next(input, init);
      const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
      if (location === null || request.redirect !== "follow" || !isTrapped(location)) return response;
      const { method, headers } = request;
      // 307 and 308 repeat the request; credentials in headers are dropped at another origin, the body is not.
      if (response.status >= 307) {
        const kept = new Headers(headers);
        kept.delete("authorization");
        const body = method === "GET" ? undefined : await request.text();
        return await record(new Request(location, { method, body, headers: kept }));
      }
      return await record(new Request(location));
    },
  };
}

/**
 * A trap that listens on a free port of this machine, under a name by which the client reaches it.
 *
 * @param hostname That of the issuer. If it is not loopback, such as the name of a container, the trap listens on all
 *   addresses.
 */
export async function listeningTrap(
  hostname: string,
): Promise<{ readonly trap: Trap; clear(): void; close(): Promise<void> }> {
  const isLocal = isLoopback(hostname);
  const requests: TrappedRequest[] = [];
  const listener = await serve(async (request) => {
    const { pathname, search } = new URL(request.url, origin());
    requests.push({
      method: request.method,
      url: `${origin()}${pathname}${search}`,
      authorization: request.headers.get("authorization") ?? undefined,
      body: await readBodyText(request).catch(() => ""),
      isOfBrowser: request.headers.get("sec-fetch-dest") !== null,
    });
    return { status: 404, headers: { "content-type": "text/plain" }, body: "Not found" };
  }, { host: isLocal ? "127.0.0.1" : "0.0.0.0", port: 0 });
  const origin = () => `http://${isLocal ? "127.0.0.1" : hostname}:${listener.port}`;
  return {
    trap: {
      origin: origin(),
      requests,
      addOrigin(added) {
        throw new Error(`a trap that listens cannot receive requests for ${added}`);
      },
    },
    clear: () => void requests.splice(0),
    close: () => listener.close(),
  };
}
