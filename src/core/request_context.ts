/** Creates the context of a request, with the server that plugins change. */

import type { App, Context } from "./context.ts";
import { isCrossSite, isTrustedHost } from "./http/cross_site.ts";
import type { EndpointDescription } from "./endpoint.ts";
import type { Plugin } from "../server/hosting/plugin.ts";
import type { EndpointRoute } from "./route.ts";
import type { RequestLike } from "./http/message.ts";
import type { RequestTarget } from "./router.ts";
import type { Destination } from "./request/destination.ts";
import { frontChannelOrigin } from "./issuer_urls.ts";
import type { Sender } from "./sender.ts";
import type { Server } from "./server.ts";
import type { Trace, TraceEvent } from "./trace.ts";
import type { Site } from "./pages/layout.tsx";

/** Creates the context of a request. */
type CreateContext = (
  request: RequestLike,
  target: RequestTarget,
  route: EndpointRoute | undefined,
) => Context;

/**
 * Creates the function that the router calls once per request.
 *
 * @param findServer The server for a request. Default: that of the app.
 */
export function contextFactory(
  app: App,
  plugins: readonly Plugin[],
  emit: EmitEvent,
  findServer?: (request: RequestLike) => Server,
): CreateContext {
  const changing = plugins.filter((plugin) => plugin.forRequest !== undefined).reverse();
  const hasListener = plugins.some((plugin) => plugin.onEvent !== undefined);
  const { settings } = app.server;
  const needsCopy = hasListener || settings.acceptsUnknownClients || changing.length > 0;
  return (request, target, route) => {
    const context = new RequestContext(app, request, target, route);
    if (findServer !== undefined) context.server = findServer(request);
    if (!needsCopy) return context;
    const { server } = context;
    const trace: Trace = hasListener ? (event) => emit(event, context) : server.trace;
    const ofRequest = context.server = { ...server, trace, sender: new RequestSender(context) };
    for (const plugin of changing) plugin.forRequest!(ofRequest, context);
    return context;
  };
}

/** The sender of a request. Most requests cause no fetch, so the page is computed only when it is read. */
class RequestSender implements Sender {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  get address(): string | undefined {
    return this.#context.target.clientAddress.address;
  }

  get page(): Sender["page"] {
    const { server, request } = this.#context;
    // DNS rebinding: over plain http, a GET request under an untrusted host does not name its page.
    const isRebound = request.method === "GET" && !isTrustedHost(server, request);
    if (isRebound || isCrossSite(this.#context)) return "cross-site";
    return request.headers.get("origin") === null ? "none" : "own";
  }
}

const noNames: ReadonlySet<string> = new Set();

/** A context with the server of the app. */
export class RequestContext implements Context {
  readonly app: App;
  server: Server;
  readonly request: RequestLike;
  readonly target: RequestTarget;
  readonly endpoint: EndpointDescription | undefined;
  readonly unrepeatable: ReadonlySet<string>;
  clientId: string | undefined = undefined;
  destination: Destination | undefined = undefined;
  #site: Site | undefined;

  constructor(
    app: App,
    request: RequestLike,
    target: RequestTarget,
    route: EndpointRoute | undefined,
  ) {
    this.app = app;
    this.server = app.server;
    this.request = request;
    this.target = target;
    this.endpoint = route?.endpoint;
    this.unrepeatable = route?.unrepeatable ?? noNames;
  }

  /** Computed when a page is rendered, because most requests need no link to their flow. */
  get site(): Site {
    const { site, developerPages: { rulesPath, flowLink } } = this.app;
    return this.#site ??= { ...site, issuer: this.server.issuer, rulesPath, flowLink: flowLink?.(this.request) };
  }

  get flowUrl(): string | undefined {
    const { base, flowLink } = this.site;
    return flowLink === undefined ? undefined : frontChannelOrigin(this.server) + base + flowLink;
  }
}

/** Emits an event; `context` is the request of the event. It never throws. */
export type EmitEvent = (event: TraceEvent, context?: Context) => void;

/** Creates the function that emits events: to the plugins in their order, then to `trace`, which redacts them. */
export function eventEmitter(
  plugins: readonly Plugin[],
  trace: Trace | undefined,
): EmitEvent {
  const listeners: EmitEvent[] = plugins.flatMap((plugin) =>
    plugin.onEvent === undefined ? [] : [(event: TraceEvent, context?: Context) => plugin.onEvent!(event, context)]
  );
  if (trace !== undefined) listeners.push((event) => trace(event));
  return (event, context) => {
    for (const listener of listeners) {
      try {
        listener(event, context);
      } catch {
        // A listener must not break the server.
      }
    }
  };
}
