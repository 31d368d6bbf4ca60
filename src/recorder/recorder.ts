/** The recorder: a layer that remembers every exchange, bounded, and sorts them into flows. */

import type { App } from "../app/context.ts";
import type { EndpointDescription } from "../app/endpoint.ts";
import type { Plugin } from "../app/plugin.ts";
import { isDropped, isResponse } from "../http/message.ts";
import type { RequestLike, ResponseLike } from "../http/message.ts";
import { parseTarget } from "../http/router.ts";
import type { ClientAddress, RequestHandler } from "../http/router.ts";
import type { RegisteredSecrets } from "../oauth/clients/registered_secrets.ts";
import type { Server } from "../oauth/server.ts";
import { toExchange } from "./exchange_draft.ts";
import type { ExchangeDraft } from "./exchange_draft.ts";
import type { Exchange, Flow } from "./exchange.ts";
import { flowIndex } from "./flow_index.ts";
import { bodyTap, tapRequest, tapResponse } from "./body_tap.ts";
import { hasTextBody, recordResponse, withResponseBody } from "./record_response.ts";
import { recordRequest, withRequestBody } from "./record_request.ts";

/** Remembers what a server is asked and what it answers. As a layer it belongs outermost, where it sees what clients see. */
export interface Recorder extends Plugin {
  /** Oldest first. Each is a value of its own: what becomes of an exchange later shows in a new value. */
  exchanges(): readonly Exchange[];
  /** Oldest first. */
  flows(): readonly Flow[];
  /** `undefined` when there is none, or no longer. */
  flow(id: string): Flow | undefined;
  /** The exchange that a request is part of, by the very value that came, or that was passed on to the layers further in. */
  findExchange(request: RequestLike): Exchange | undefined;
  /** Is told that a fault has a hand in the answer to that request. */
  recordFault(request: RequestLike, fault: string): void;
  /**
   * Is told of every exchange when it begins, again when it ends, and once more when a body that was streamed has come to
   * its end; gives back how to stop listening. What the listener throws is dropped.
   */
  subscribe(listener: (exchange: Exchange) => void): () => void;
  /** Forgets everything, or one flow. */
  clear(flow?: string): void;
  /** The endpoints of the server; empty before the server is assembled. */
  readonly endpoints: readonly EndpointDescription[];
  /** Whether it remembers what comes from now on; what it knows it keeps either way. */
  recording: boolean;
}

/** How much is remembered. */
export interface RecorderOptions {
  /**
   * Exchanges. Those of the flow that was quiet for longest are forgotten first, whole flows at a time. At least 1.
   * Default: 1,000.
   */
  readonly limit?: number;
  /** Whether static files and other plain pages are remembered as well. Default: false. */
  readonly pages?: boolean;
}

/**
 * Makes a recorder for one server. What it is not asked to remember it passes on untouched.
 *
 * @example
 * ```ts ignore
 * const record = recorder();
 * await using as = await latchkey({ plugins: [record] });
 * await as.fetch(new Request(`${as.issuer}/oauth2/jwks`));
 * record.exchanges()[0]?.endpoint; // "jwks"
 * ```
 */
export function recorder({ limit = 1000, pages = false }: RecorderOptions = {}): Recorder {
  const index = flowIndex(Math.max(1, limit));
  const drafts = new WeakMap<RequestLike, ExchangeDraft>();
  const listeners = new Set<(exchange: Exchange) => void>();
  let now: Server["now"] = () => 0;
  let endpoints: App["endpoints"] = [];
  let findEndpoint: App["findEndpoint"] = () => undefined;
  let registeredSecrets: RegisteredSecrets | undefined;
  let exchangeCount = 0;

  function notify(draft: ExchangeDraft): void {
    if (listeners.size === 0) return;
    const exchange = toExchange(draft);
    for (const listener of [...listeners]) {
      try {
        listener(exchange);
      } catch {
        // Who listens must not be able to break what is listened to.
      }
    }
  }

  function shouldRecord(endpoint: EndpointDescription | undefined, method: string): boolean {
    // The browser sends a preflight, not the client.
    if (method === "OPTIONS") return false;
    // A request to an unknown path may be of a client with a wrong address.
    return pages || endpoint === undefined || (endpoint.role ?? "page") !== "page";
  }

  async function record(
    next: RequestHandler,
    request: RequestLike,
    peer: ClientAddress | undefined,
  ): Promise<ResponseLike> {
    const target = parseTarget(request.url, peer ?? {});
    const endpoint = findEndpoint(target.path);
    if (!shouldRecord(endpoint, request.method)) return await next(request, peer);
    const draft: ExchangeDraft = {
      number: ++exchangeCount,
      at: now(),
      endpoint,
      registered: registeredSecrets,
      request: recordRequest(request, target),
      dropped: false,
      passed: [],
      events: [],
      faults: [],
      links: [],
    };
    const requestTap = bodyTap(() => {
      draft.request = withRequestBody(draft.request, requestTap.captured());
      draft.snapshot = undefined;
      index.assign(draft);
    });
    const tappedRequest = tapRequest(request, requestTap);
    for (const tracked of [request, tappedRequest]) drafts.set(tracked, draft);
    index.add(draft);
    if (request.method !== "POST") index.assign(draft);
    notify(draft);
    try {
      const response = await next(tappedRequest, peer);
      draft.dropped = isDropped(response);
      if (draft.dropped) return response;
      draft.response = recordResponse(endpoint, response);
      return isResponse(response) && hasTextBody(response) ? tapBody(draft, response) : response;
    } catch (error) {
      draft.dropped = true;
      throw error;
    } finally {
      draft.respondedAt = now();
      draft.snapshot = undefined;
      if (draft.request.body === undefined) draft.request = withRequestBody(draft.request, requestTap.captured());
      index.assign(draft);
      index.indexResponse(draft);
      notify(draft);
    }
  }

  /** The answer of somebody else's program, whose body passes by when the client reads it. */
  function tapBody(draft: ExchangeDraft, response: Response): Response {
    const responseTap = bodyTap((ending) => {
      draft.response = withResponseBody(draft.endpoint, draft.response!, responseTap.captured());
      draft.dropped = ending === "aborted";
      draft.snapshot = undefined;
      index.indexResponse(draft);
      notify(draft);
    });
    return tapResponse(response, responseTap);
  }

  const self: Recorder = {
    recording: true,
    get endpoints() {
      return endpoints;
    },
    setup(app) {
      now = app.server.now;
      ({ endpoints, findEndpoint } = app);
      registeredSecrets = app.server.registeredSecrets;
    },
    handle: (next) => (request, peer) => self.recording ? record(next, request, peer) : next(request, peer),
    onEvent(event, context) {
      const draft = context && drafts.get(context.request);
      if (draft === undefined) return;
      draft.events.push(event);
      draft.snapshot = undefined;
    },
    extend(server, { request }) {
      const draft = drafts.get(request);
      if (draft === undefined) return server;
      return {
        ...server,
        passed(rule, value) {
          draft.passed.push({ rule, ...value !== undefined && { value } });
          draft.snapshot = undefined;
          server.passed?.(rule, value);
        },
      };
    },
    findExchange(request) {
      const draft = drafts.get(request);
      return draft && toExchange(draft);
    },
    recordFault(request, fault) {
      const draft = drafts.get(request);
      if (draft === undefined) return;
      draft.faults.push(fault);
      draft.snapshot = undefined;
    },
    exchanges: index.exchanges,
    flows: index.flows,
    flow: index.flow,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    clear: index.clear,
  };
  return self;
}
