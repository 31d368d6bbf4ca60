/** A fetch that reaches one server without a socket, and lets everything else pass to the global fetch (Fetch §5). */

/** What a request is made with; the body may be any bytes, because client libraries type it so. */
export type FetchInit = Omit<RequestInit, "body"> & { readonly body?: RequestInit["body"] | Uint8Array };

/** The shape of the global fetch. */
export type Fetch = (input: string | URL | Request, init?: FetchInit) => Promise<Response>;

/** Redirects that are followed at most, as Fetch §4.4 says. */
const maxRedirects = 20;

/**
 * Makes a fetch for one origin. It is like the global one, except that a redirect which leads to another origin is given
 * back and not followed: it is what the browser would have been sent away with, and a test wants to see it.
 *
 * @param issuer The issuer at the moment: requests to its origin are answered here, all others by the global fetch.
 * @param handle Answers a request; where it rejects, as with a lost connection, so does the fetch.
 */
export function createFetch(issuer: () => string, handle: (request: Request) => Promise<Response>): Fetch {
  return async (input, options) => {
    const init = (options ?? {}) as RequestInit;
    const inputRequest = input instanceof Request ? input : undefined;
    // A path stands for an address of the issuer.
    const url = inputRequest?.url ?? new URL(input as string | URL, issuer()).href;
    if (!isSameOrigin(url, issuer())) return await globalThis.fetch(input, init);
    const mode = init.redirect ?? inputRequest?.redirect ?? "follow";
    const signal = init.signal ?? inputRequest?.signal;
    let request = inputRequest !== undefined && options === undefined && !inputRequest.bodyUsed
      ? inputRequest
      : withContentLength(new Request(inputRequest ?? url, init), init.body);
    for (let followed = 0;; followed++) {
      signal?.throwIfAborted();
      const response = await rejectOnAbort(signal, handle(request));
      const target = isRedirect(response) ? response.headers.get("location") : null;
      if (target !== null && mode === "error") throw new TypeError(`${request.url} redirects, and redirect is "error"`);
      const next = target === null ? undefined : new URL(target, request.url).href;
      if (next === undefined || mode === "manual" || !isSameOrigin(next, issuer())) {
        return withFetchProperties(response, request.url, followed > 0);
      }
      if (followed === maxRedirects) throw new TypeError(`${url} redirects more than ${maxRedirects} times`);
      const nextInit = redirectedInit(request, response.status, init.body);
      request = withContentLength(new Request(next, { ...nextInit, signal }), nextInit.body);
    }
  };
}

/** The request with the length of its body, as a network would announce it: that body is then read at once. */
export function withContentLength(request: Request, body: RequestInit["body"]): Request {
  const text = body instanceof URLSearchParams ? String(body) : body;
  const length = typeof text === "string" ? new TextEncoder().encode(text).byteLength : undefined;
  if (length !== undefined) request.headers.set("content-length", String(length));
  return request;
}

function isSameOrigin(url: string, issuer: string): boolean {
  return new URL(url).origin === new URL(issuer).origin;
}

function isRedirect({ status }: Response): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** What is sent on after a redirect (Fetch §4.4); `body` is what can be sent again. */
function redirectedInit(
  { url, method, headers, bodyUsed }: Request,
  status: number,
  body: RequestInit["body"],
): RequestInit {
  const becomesGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  if (!becomesGet && bodyUsed && body === undefined) {
    throw new TypeError(`${url} redirects with ${status}, and the body of a Request cannot be sent twice`);
  }
  if (!becomesGet) return { method, headers, body };
  return { headers: [...headers].filter(([name]) => !name.startsWith("content-")) };
}

function rejectOnAbort<T>(signal: AbortSignal | undefined, task: Promise<T>): Promise<T> {
  if (signal === undefined) return task;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([task, promise]).finally(() => signal.removeEventListener("abort", abort));
}

function withFetchProperties(response: Response, url: string, redirected: boolean): Response {
  return Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
}

/** What each installed fetch has taken the place of, for as long as it is installed or buried under others. */
const installedFetches = new WeakMap<
  typeof globalThis.fetch,
  { readonly before: typeof globalThis.fetch; active: boolean }
>();

/** A fetch that has taken the place of the global one. */
export interface InstalledFetch extends Disposable {
  /** Gives the place back. Calling it twice is harmless. */
  uninstall(): void;
}

/**
 * Puts a fetch in the place of the global one, for one origin; every other request goes on to whatever was there
 * before. Several can be installed and uninstalled in any order; of two for one origin, the later one answers.
 */
export function installFetch(issuer: () => string, fetch: Fetch): InstalledFetch {
  const { fetch: previous } = globalThis;
  const state = { before: previous, active: true };
  const replacement = ((input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return state.active && URL.canParse(url) && isSameOrigin(url, issuer())
      ? fetch(input, init)
      : previous(input, init);
  }) as typeof globalThis.fetch;
  installedFetches.set(replacement, state);
  globalThis.fetch = replacement;

  function uninstall(): void {
    state.active = false;
    // Those that were given up while others lay over them go at the same time.
    let top = installedFetches.get(globalThis.fetch);
    while (top?.active === false) {
      globalThis.fetch = top.before;
      top = installedFetches.get(globalThis.fetch);
    }
  }

  return { uninstall, [Symbol.dispose]: uninstall };
}
