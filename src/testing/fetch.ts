/**
 * A fetch that reaches one server and its resources without a socket, and passes all other requests to the global fetch
 * (Fetch §5).
 */

import type { Peer } from "../platform/runtime/bind.ts";
import { unlessAborted } from "../platform/http/unless_aborted.ts";

/** @internal `RequestInit`, with a body type that fits client libraries, and the certificate of the client. */
export type FetchInit = Omit<RequestInit, "body"> & Pick<Peer, "certificate"> & {
  readonly body?: RequestInit["body"] | Uint8Array;
};

/** @internal The shape of the global fetch. */
export type Fetch = (input: string | URL | Request, init?: FetchInit) => Promise<Response>;

const redirectStatuses = [301, 302, 303, 307, 308];

/** The limit of Fetch §4.4. */
const maxRedirects = 20;

/** The URLs that a fetch handles. */
export interface HandledUrls {
  /** The issuer at this moment; paths are resolved against it. */
  issuer(): string;
  /** The origins of the issuer and of its resources at this moment. */
  origins(): readonly string[];
}

/**
 * Creates a fetch for a server. It behaves like the global one, except that it returns a redirect to another origin
 * instead of following it: tests read the callback from it.
 *
 * @param urls Requests to these origins are handled here, all others by the global fetch.
 * @param handle Handles a request; if it rejects, as for a dropped connection, so does the fetch.
 */
export function createFetch(
  urls: HandledUrls,
  handle: (request: Request, peer: Peer) => Promise<Response>,
): Fetch {
  return async (input, options) => {
    const init = (options ?? {}) as RequestInit;
    const inputRequest = input instanceof Request ? input : undefined;
    // A path is resolved against the issuer.
    const url = inputRequest?.url ?? new URL(input as string | URL, urls.issuer()).href;
    if (!isHandled(url, urls)) return await globalThis.fetch(input, init);
    const mode = init.redirect ?? inputRequest?.redirect ?? "follow";
    const signal = init.signal ?? inputRequest?.signal;
    let request = inputRequest !== undefined && options === undefined && !inputRequest.bodyUsed
      ? inputRequest
      : withContentLength(new Request(inputRequest ?? url, init), init.body);
    for (let followed = 0;; followed++) {
      signal?.throwIfAborted();
      const response = await unlessAborted(handle(request, { certificate: options?.certificate }), signal);
      const target = redirectStatuses.includes(response.status) ? response.headers.get("location") : null;
      if (target !== null && mode === "error") throw new TypeError(`${request.url} redirects, and redirect is "error"`);
      const next = target === null ? undefined : new URL(target, request.url).href;
      if (next === undefined || mode === "manual" || !isHandled(next, urls)) {
        return Object.defineProperties(response, { url: { value: request.url }, redirected: { value: followed > 0 } });
      }
      if (followed === maxRedirects) throw new TypeError(`${url} redirects more than ${maxRedirects} times`);
      const nextInit = redirectedInit(request, next, response.status, init.body);
      request = withContentLength(new Request(next, { ...nextInit, signal }), nextInit.body);
    }
  };
}

/** The request with Content-Length, as a network would send it, so that the server reads the body in one step. */
export function withContentLength(request: Request, body: RequestInit["body"]): Request {
  const text = body instanceof URLSearchParams ? String(body) : body;
  const length = typeof text === "string" ? new TextEncoder().encode(text).byteLength : undefined;
  if (length !== undefined) request.headers.set("content-length", String(length));
  return request;
}

function isHandled(url: string, urls: HandledUrls): boolean {
  return urls.origins().includes(new URL(url).origin);
}

/** The headers that are not sent to another origin. */
const credentialHeaders = ["authorization", "cookie", "proxy-authorization"];

/** The `init` of the request after a redirect (Fetch §4.4); `body` can be sent again. */
function redirectedInit(
  { url, method, headers: sent, bodyUsed }: Request,
  target: string,
  status: number,
  body: RequestInit["body"],
): RequestInit {
  const becomesGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  if (!becomesGet && bodyUsed && body === undefined) {
    throw new TypeError(`${url} redirects with ${status}, and the body of a Request cannot be sent twice`);
  }
  const isSameOrigin = new URL(target).origin === new URL(url).origin;
  const headers = [...sent].filter(([name]) =>
    (isSameOrigin || !credentialHeaders.includes(name)) && !(becomesGet && name.startsWith("content-"))
  );
  return becomesGet ? { headers } : { method, headers, body };
}

/** The fetch that each installed one replaced, while it is installed or below another one. */
const installedFetches = new WeakMap<
  typeof globalThis.fetch,
  { readonly before: typeof globalThis.fetch; active: boolean }
>();

/** A fetch that replaces the global one. */
export interface InstalledFetch extends Disposable {
  /** Restores the previous fetch. A second call has no effect. */
  uninstall(): void;
}

/**
 * Replaces the global fetch for some origins; requests to other origins go to the previous fetch. Several can be
 * installed and uninstalled in any order; of two for the same origin, the later one handles requests.
 */
export function installFetch(urls: HandledUrls, fetch: Fetch): InstalledFetch {
  const { fetch: previous } = globalThis;
  const state = { before: previous, active: true };
  const replacement = ((input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return state.active && URL.canParse(url) && isHandled(url, urls) ? fetch(input, init) : previous(input, init);
  }) as typeof globalThis.fetch;
  installedFetches.set(replacement, state);
  globalThis.fetch = replacement;

  function uninstall(): void {
    state.active = false;
    // Also removes the ones that were uninstalled while another one was above them.
    let top = installedFetches.get(globalThis.fetch);
    while (top?.active === false) {
      globalThis.fetch = top.before;
      top = installedFetches.get(globalThis.fetch);
    }
  }

  return { uninstall, [Symbol.dispose]: uninstall };
}
