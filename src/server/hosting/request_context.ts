/** Creates the context of a request: the one server, with what is different for this request. */

import { RequestContext } from "../../core/http/context.ts";
import { isCrossSite, isTrustedHost } from "../../core/http/cross_site.ts";
import { isUnstated } from "../pages/same_origin.ts";
import { withCheckedFunctions } from "../../core/immediate.ts";
import { ignoreRejection } from "../../core/thenable.ts";
import type { HttpRequest } from "../../core/http/message.ts";
import type { EndpointRoute } from "../../core/route.ts";
import type { RequestTarget } from "../../core/http/router.ts";
import type { Context, EndpointDescription } from "../endpoint.ts";
import { findPageOrigin } from "../explain/login_host.ts";
import type { Sender } from "../fetching/sender.ts";
import type { RulePassed } from "../../core/trace.ts";
import type { Trace, TraceEvent } from "../trace.ts";
import type { Site } from "../pages/layout.tsx";
import type { App } from "../app.ts";
import type { HostedServer } from "../hosted_server.ts";
import { observeAny } from "./observe_any.ts";
import type { Plugin } from "./options.ts";
import { fromPlugin, pluginLabel } from "./plugin_call.ts";

type CreateContext = (
  request: HttpRequest,
  target: RequestTarget,
  route: EndpointRoute | undefined,
) => Context<HostedServer>;

/**
 * Creates the function that the router calls once per request.
 *
 * @param findServer The server for a request. Default: that of the app.
 */
export function contextFactory(
  app: App,
  plugins: readonly Plugin[],
  emit: EmitEvent,
  findServer?: (request: HttpRequest) => HostedServer,
): CreateContext {
  const changing = plugins.filter((plugin) => plugin.forRequest !== undefined).reverse();
  const pluginsListen = plugins.some((plugin) => plugin.onEvent !== undefined);
  const recording = plugins.filter((plugin) => plugin.onPassed !== undefined);
  const acceptsAny = app.server.policy.acceptsAny.length > 0;
  return (request, target, route) => {
    const context = new HostedContext(app, request, target, route);
    const server = findServer?.(request) ?? app.server;
    const trace: Trace = pluginsListen ? (event) => emit(event, context) : server.trace;
    const passed: RulePassed = recording.length === 0 ? server.passed : (rule, value) => {
      server.passed(rule, value);
      notify(recording, (plugin) => plugin.onPassed!(rule, value, context));
    };
    // A copy per request, because the functions of the protocol receive the server, but not the context.
    context.server = { ...server, trace, passed, sender: new RequestSender(context) };
    for (const plugin of changing) {
      const members = fromPlugin(plugin, "forRequest", plugin.forRequest!(context.server, context));
      if (members === undefined) continue;
      context.server = { ...context.server, ...withCheckedFunctions(context.server, members, pluginLabel(plugin)) };
    }
    if (acceptsAny) {
      const isOwnEndpoint = (uri: string) => leadsToOwnEndpoint(app, context, uri);
      context.server = { ...context.server, passed: observeAny(context.server), isOwnEndpoint };
    }
    return context;
  };
}

/**
 * Whether a URI leads to an endpoint, except `/authorized`, by any name of this server. CSRF: a response that is sent
 * there comes from a page of this server, not from the site that started the login.
 */
function leadsToOwnEndpoint(app: App, { server, request }: HostedContext, uri: string): boolean {
  if (!/^https?:/i.test(uri)) return false;
  const { host, port, pathname } = new URL(uri);
  const [, ownPort = ""] = /:(\d+)$/.exec(request.headers.get("host") ?? new URL(server.names.frontChannel).host) ?? [];
  if (port !== ownPort || !isTrustedHost(server, { headers: new Headers({ host }) })) return false;
  // Another issuer of the host has the same endpoints.
  const endpoint = app.findEndpoint(pathname) ?? app.findEndpoint(pathname.replace(/^\/[^/]+(?=\/.)/, app.site.base));
  return endpoint !== undefined && endpoint.name !== "authorized";
}

/** A context whose pages lead to the pages for developers. */
export class HostedContext extends RequestContext<HostedServer> {
  declare readonly endpoint: EndpointDescription | undefined;
  readonly #app: App;
  #site: Site | undefined;

  constructor(app: App, request: HttpRequest, target: RequestTarget, route: EndpointRoute | undefined) {
    super(app, request, target, route);
    this.#app = app;
  }

  /** Computed when a page is rendered, because most requests need no link to their flow. */
  override get site(): Site {
    const { site, developerPages: { rulesPath, flowLink } } = this.#app;
    return this.#site ??= { ...site, issuer: this.server.issuer, rulesPath, flowLink: flowLink?.(this.request) };
  }
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
    // Over plain http a GET request need not name its page, under another host (DNS rebinding) or a public name.
    const isUnnamed = request.method === "GET" && (!isTrustedHost(server, request) || isUnstated(this.#context));
    if (isUnnamed || isCrossSite(this.#context)) return "cross-site";
    return request.headers.get("origin") === null ? "none" : "own";
  }

  get pageOrigin(): string | undefined {
    return findPageOrigin(this.#context.request.headers);
  }

  get isEmbedded(): boolean {
    const { request: { headers }, endpoint } = this.#context;
    const [destination, mode] = [headers.get("sec-fetch-dest"), headers.get("sec-fetch-mode")];
    const isVisit = (destination ?? "document") === "document" && (mode ?? "navigate") === "navigate" &&
      headers.get("sec-purpose") === null;
    // Applications in browsers send requests to endpoints for programs by CORS, on test hosts as HT-22 says.
    const isOfApplication = mode === "cors" && endpoint?.caller !== "browser";
    return !isVisit && !isOfApplication && isCrossSite(this.#context);
  }
}

/** Emits an event; `context` is the request of the event. It never throws. */
export type EmitEvent = (event: TraceEvent, context?: Context) => void;

/** Creates the function that emits events: to the plugins in their order, then to `trace`, which redacts them. */
export function eventEmitter(
  plugins: readonly Plugin[],
  trace: Trace | undefined,
): EmitEvent {
  const listening = plugins.filter((plugin) => plugin.onEvent !== undefined);
  if (trace !== undefined) listening.push({ onEvent: (event) => trace(event) });
  return (event, context) => notify(listening, (plugin) => plugin.onEvent!(event, context));
}

/** Calls plugins that listen. They must not break the server, so an exception is ignored. */
function notify(listening: readonly Plugin[], call: (plugin: Plugin) => unknown): void {
  for (const plugin of listening) {
    try {
      ignoreRejection(call(plugin));
    } catch {
      // The others are called.
    }
  }
}
