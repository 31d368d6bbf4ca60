/**
 * The recorder: a plugin that records exchanges, up to a limit, and groups them into flows. `devtools/requests/` shows
 * the flows.
 *
 * 1. `handle` creates a draft for each request and puts a tap on its body (`platform/http/body_tap.ts`).
 * 2. `onEvent` and `onPassed` add events and passed checks to the draft.
 * 3. After the response, `flow_index.ts` links the exchange to a flow by codes, tokens and pending authorizations.
 * 4. Listeners receive the exchange at its start and at its end.
 * 5. `awaited_codes.ts` notes the codes that no client exchanges.
 * 6. `flow_limit.ts` limits the new flows per second.
 * 7. `redact.ts` hides secrets before a page, log or export shows an exchange; `export/` writes text and JSON.
 */

import type { App } from "../server/app.ts";
import type { EndpointDescription } from "../server/endpoint.ts";
import type { Plugin } from "../server/hosting/options.ts";
import { findForRequest, type HttpRequest, type HttpResponse, isDropped, isResponse } from "../core/http/message.ts";
import { type ClientAddress, parseTarget, type RequestHandler } from "../core/http/router.ts";
import type { RegisteredSecrets } from "../server/redaction/registered_secrets.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import {
  createDraft,
  type ExchangeDraft,
  isNotable,
  replyBytes,
  searchForClient,
  textBytes,
  toExchange,
} from "./exchange_draft.ts";
import { type AwaitedCodes, awaitedCodes } from "./awaited_codes.ts";
import type { Exchange, Flow } from "./exchange.ts";
import { flowIndex } from "./flow_index.ts";
import {
  BodyTap,
  type CapturedBody,
  mayHaveBody,
  receivedBody,
  TappedRequest,
  tapResponse,
} from "../platform/http/body_tap.ts";
import { hasTextBody, recordReply } from "./record_response.ts";
import { recordHead } from "./record_request.ts";
import { flowLimit } from "./flow_limit.ts";

/**
 * Records requests and responses. It should be the outermost plugin, so that it records what clients receive.
 *
 * @internal
 */
export interface Recorder extends Plugin {
  /** The recorded exchanges, oldest first. An exchange is immutable: after a change, a new value replaces it. */
  exchanges(): readonly Exchange[];
  /** The recorded flows, oldest first. */
  flows(): readonly Flow[];
  /** Finds a flow; `undefined` if it is not recorded. */
  flow(id: string): Flow | undefined;
  /** Finds the exchange of a request: of the object that the recorder received, or passed to the next plugin. */
  findExchange(request: HttpRequest): Exchange | undefined;
  /** Finds the number of the exchange of a request, more cheaply than the whole exchange. */
  findNumber(request: HttpRequest): number | undefined;
  /**
   * Calls a listener when an exchange begins, when it ends, and at the end of a streamed body, with the ID of its flow.
   * Ignores errors of the listener. Returns the function that unsubscribes it.
   */
  subscribe(listener: (flow: string | undefined) => void): () => void;
  /** Deletes one flow, or everything. */
  clear(flow?: string): void;
  /** The endpoints of the server; empty before the server is assembled. */
  readonly endpoints: readonly EndpointDescription[];
  /** Whether it records new requests. Recorded exchanges stay. */
  recording: boolean;
  /** The number of requests that {@link RecorderOptions.maxFlowsPerSecond} left out. */
  readonly leftOut: number;
}

export interface RecorderOptions {
  /** Maximum number of exchanges, at least 1. The least recently used flows are evicted whole. Default: 1,000. */
  readonly limit?: number;
  /**
   * Maximum size of the recorded exchanges together, in bytes of memory, estimated. Beyond it, too, the least recently
   * used flows are evicted; one exchange always stays. Default: 32 MiB.
   */
  readonly maxBytes?: number;
  /** Whether to record static files and other plain pages too. Default: false. */
  readonly pages?: boolean;
  /**
   * Maximum number of new flows to record per second of real time, and of flows whose first request is rejected,
   * dropped or changed by a fault. Beyond it, requests that would begin a flow are left out, and others are recorded
   * without their passed checks. The event `flow_limit_reached` reports it. Default: no maximum.
   */
  readonly maxFlowsPerSecond?: number;
}

const defaultMaxBytes = 32 * 1024 * 1024;

/**
 * Creates a recorder for one server. It passes requests that it does not record unchanged.
 *
 * @example
 * ```ts ignore
 * const record = recorder();
 * await using as = await latchkey({ plugins: [record] });
 * await as.fetch(new Request(`${as.issuer}/oauth2/jwks`));
 * record.exchanges()[0]?.endpoint; // "jwks"
 * ```
 */
export function recorder(
  { limit = 1000, maxBytes = defaultMaxBytes, pages = false, maxFlowsPerSecond = Infinity }: RecorderOptions = {},
): Recorder {
  const index = flowIndex(Math.max(1, limit), maxBytes);
  const drafts = new WeakMap<HttpRequest, ExchangeDraft>();
  const listeners = new Set<(flow: string | undefined) => void>();
  let server: Pick<HostedServer, "now" | "trace"> = { now: () => 0, trace() {} };
  let endpoints: App["endpoints"] = [];
  let findEndpoint: App["findEndpoint"] = () => undefined;
  let registeredSecrets: RegisteredSecrets | undefined;
  let codes: AwaitedCodes | undefined;
  let exchangeCount = 0;
  let leftOut = 0;
  const newFlows = flowLimit(
    maxFlowsPerSecond,
    () => server.trace({ type: "flow_limit_reached", at: server.now(), maxFlowsPerSecond }),
  );

  function notify(draft: ExchangeDraft): void {
    // A stream of a request that was left out ends later.
    if (draft.isUndecided && draft.group === undefined) return;
    for (const listener of [...listeners]) {
      try {
        listener(draft.group?.flow);
      } catch {
        // A listener must not break the server.
      }
    }
  }

  function shouldRecord(endpoint: EndpointDescription | undefined, method: string): boolean {
    // The browser sends preflights, not the client.
    if (method === "OPTIONS") return false;
    const role = endpoint?.role ?? "page";
    // A request to an unknown path may come from a client with a wrong URL.
    return endpoint === undefined || role !== "control" && (pages || role !== "page");
  }

  function handle(
    next: RequestHandler,
    request: HttpRequest,
    peer: ClientAddress | undefined,
  ): Promise<HttpResponse | Response> {
    if (!self.recording) return next(request, peer);
    const target = parseTarget(request.url, peer ?? {});
    const endpoint = findEndpoint(target.path);
    if (!shouldRecord(endpoint, request.method)) return next(request, peer);
    const isBeyondLimit = newFlows.isReached(false);
    const isUndecided = isBeyondLimit || newFlows.isReached(true);
    const start = { number: ++exchangeCount, at: server.now(), isBeyondLimit, isUndecided };
    const draft = createDraft(recordHead(request, target), endpoint, registeredSecrets, start);
    drafts.set(request, draft);
    if (!isUndecided) index.add(draft);
    return record(next, peer, draft, request);
  }

  async function record(
    next: RequestHandler,
    peer: ClientAddress | undefined,
    draft: ExchangeDraft,
    request: HttpRequest,
  ): Promise<HttpResponse | Response> {
    const { endpoint } = draft;
    const requestTap = !mayHaveBody(request) ? undefined : new BodyTap(() => {
      setBody(draft, requestTap!.captured());
      if (!draft.isUndecided) index.assign(draft);
    });
    // The response says whether it was the request of a client.
    const mayLackPage = endpoint === undefined || !endpoint.methods.some((method) => method === request.method);
    if (!draft.isUndecided) {
      if (request.method !== "POST" && !mayLackPage) index.assign(draft);
      notify(draft);
    }
    const tapped = requestTap === undefined ? request : new TappedRequest(request, requestTap);
    try {
      return setResponse(draft, await next(tapped, peer));
    } catch (error) {
      draft.dropped = true;
      throw error;
    } finally {
      if (draft.body === undefined && requestTap !== undefined) {
        setBody(draft, await receivedBody({ original: request, tap: requestTap }));
      }
      finish(draft, request);
    }
  }

  /** Records a response, and returns it as the client receives it. */
  function setResponse(draft: ExchangeDraft, response: HttpResponse | Response): HttpResponse | Response {
    draft.dropped = isDropped(response);
    if (draft.dropped) return response;
    setReply(draft, recordReply(response));
    return isResponse(response) && hasTextBody(response) ? tapBody(draft, response) : response;
  }

  /** Records the end of an exchange, or leaves it out if it would begin a flow beyond the limit. */
  function finish(draft: ExchangeDraft, request: HttpRequest): void {
    draft.respondedAt = server.now();
    draft.newestAtResponse = exchangeCount;
    draft.snapshot = undefined;
    if (draft.isUndecided) {
      if (isOmittedAlone(draft) && !index.continuesFlow(draft)) {
        drafts.delete(request);
        leftOut++;
        return;
      }
      index.add(draft);
    }
    index.assign(draft);
    index.indexResponse(draft);
    if (beginsCountedFlow(draft)) newFlows.count(isNotable(draft));
    notify(draft);
    codes?.noteOverdue();
  }

  /** Whether an exchange is left out unless it continues a flow. */
  function isOmittedAlone(draft: ExchangeDraft): boolean {
    return draft.isUndecided && (isNotable(draft) ? newFlows.isReached(true) : draft.isBeyondLimit);
  }

  function setBody(draft: ExchangeDraft, captured: CapturedBody | undefined): void {
    if (captured === undefined) return;
    draft.body = captured;
    draft.snapshot = undefined;
    index.grow(draft, textBytes(captured.text));
  }

  function setReply(draft: ExchangeDraft, reply: HttpResponse): void {
    draft.reply = reply;
    draft.snapshot = undefined;
    if (draft.group !== undefined) index.grow(draft, replyBytes(reply));
  }

  /** Captures the body of a Response while the client reads it. */
  function tapBody(draft: ExchangeDraft, response: Response): Response {
    const responseTap = new BodyTap((ending) => {
      draft.replyBody = responseTap.captured();
      draft.dropped = ending === "aborted";
      draft.snapshot = undefined;
      index.grow(draft, textBytes(draft.replyBody?.text ?? ""));
      index.indexResponse(draft);
      notify(draft);
    });
    return tapResponse(response, responseTap);
  }

  const self: Recorder = {
    name: "recorder",
    recording: true,
    get endpoints() {
      return endpoints;
    },
    get leftOut() {
      return leftOut;
    },
    setup(app, changes) {
      ({ server, endpoints, findEndpoint } = app);
      registeredSecrets = app.server.registeredSecrets;
      codes = awaitedCodes(app, notify);
      changes.everySecond(codes.noteOverdue);
    },
    handle: (next) => (request, peer) => handle(next, request, peer),
    onEvent(event, context) {
      if (context === undefined) return;
      const draft = findForRequest(drafts, context.request);
      if (draft === undefined) return;
      if (event.type === "fault_applied") draft.faults.push(event.fault);
      else draft.events.push(event);
      if (event.type === "code_issued") codes?.add(draft, context.request, event);
      if ("client" in event) searchForClient(draft);
      draft.snapshot = undefined;
    },
    onPassed(rule, value, { request }) {
      const draft = findForRequest(drafts, request);
      if (draft === undefined || draft.isBeyondLimit) return;
      draft.passed.push(rule, value);
      draft.snapshot = undefined;
    },
    findExchange(request) {
      const draft = findForRequest(drafts, request);
      return draft && toExchange(draft);
    },
    findNumber(request) {
      const draft = findForRequest(drafts, request);
      const mayBeLeftOut = draft !== undefined && draft.group?.flow === undefined && isOmittedAlone(draft);
      return mayBeLeftOut ? undefined : draft?.number;
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

/** Whether an exchange begins a flow that counts: any, except an unknown path that was not rejected. */
function beginsCountedFlow(draft: ExchangeDraft): boolean {
  const { group, endpoint } = draft;
  return group?.flow !== undefined && group.drafts[0] === draft && (endpoint !== undefined || isNotable(draft));
}
