/** Endpoints with their handlers, their routes, and the one handler of all requests. */

import type { HttpResponse } from "./http/message.ts";
import { type Method, type RequestHandler, type Route, router, type RouterOptions } from "./http/router.ts";
import type { ParameterDescription } from "./http/params.ts";
import type { Context } from "./http/context.ts";
import { rejectCrossSite } from "./http/cross_site.ts";
import type { EndpointDescription } from "./http/endpoint.ts";
import type { Server } from "./server.ts";
import { lastResortError } from "./http/json_error.ts";
import { leadsToLoopback } from "./http/test_hosts.ts";

/**
 * Handles one method of one endpoint. The error channel of the endpoint converts a thrown value to a response.
 * Declared as a method, so that a handler may require the context of a wider server.
 */
export type Handler<Own extends Server = Server> = {
  handle(context: Context<Own>): HttpResponse | Response | Promise<HttpResponse | Response>;
}["handle"];

/** @internal The handlers of an endpoint, by method. */
export type Handlers<Own extends Server = Server> = Readonly<Partial<Record<Method, Handler<Own>>>>;

/** An endpoint: its description, and how to load its handlers. */
export interface Endpoint extends EndpointDescription {
  /** Loads a handler for each method, at the first request. After a failure the next request tries again. */
  load(): Handlers | Promise<Handlers>;
}

/** An endpoint as the router uses it. */
export interface EndpointRoute extends Route<Context> {
  readonly endpoint: EndpointDescription;
  /** Names of parameters that one request may contain only once. */
  readonly unrepeatable: ReadonlySet<string>;
}

/** Creates the routes of endpoints. Of two endpoints at one path, the last one counts. */
export function endpointRoutes(endpoints: readonly Endpoint[]): EndpointRoute[] {
  const protocolParameters: readonly ParameterDescription[] = endpoints.flatMap(({ metadataName, parameters = [] }) =>
    metadataName === undefined ? [] : parameters
  );
  return endpoints.flatMap((endpoint) =>
    [endpoint.path, ...endpoint.aliases ?? []].map((path) => endpointRoute({ ...endpoint, path }, protocolParameters))
  );
}

interface HandlerOptions extends Pick<RouterOptions<Context, EndpointRoute>, "createContext" | "crossOriginHeaders"> {
  /** The server outside of requests. */
  readonly server: Server;
}

export function createHandler(
  findRoute: (path: string) => EndpointRoute | undefined,
  { server, createContext, crossOriginHeaders }: HandlerOptions,
): RequestHandler {
  return router(findRoute, {
    createContext,
    crossOriginHeaders,
    handleError: (error, context) => context.app.handleError(error, context),
    lastResort: (cause, target, context) => lastResortError(context?.server ?? server, target, cause),
    permissiveCors: server.policy.allows.unknownClients,
    headers: () => securityHeaders(server.issuer),
  });
}

/**
 * Creates the route of an endpoint.
 *
 * @param protocolParameters The parameters of all endpoints that metadata lists. Such an endpoint rejects a repetition
 *   of any of them, even if it does not read the parameter (OAuth 2.1 §3.1, §3.2).
 */
export function endpointRoute(
  endpoint: Endpoint,
  protocolParameters: readonly ParameterDescription[] = [],
): EndpointRoute {
  const { path, methods, cors, metadataName, parameters = [] } = endpoint;
  const isForPrograms = endpoint.caller !== "browser" && endpoint.role !== "document";
  const declared = metadataName === undefined ? parameters : [...protocolParameters, ...parameters];
  let loading: Promise<Handlers> | undefined;
  const load = async (): Promise<Handlers> => {
    try {
      return await endpoint.load();
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  return {
    endpoint,
    path,
    methods,
    cors,
    unrepeatable: new Set(declared.flatMap(({ name, repeatable }) => repeatable ? [] : [name])),
    async handle(method, context) {
      if (isForPrograms) rejectCrossSite(context);
      const handlers = await (loading ??= load());
      return await handlers[method]!(context);
    },
  };
}

/** HSTS (RFC 6797), except on a loopback host, where other programs use http on the same host. */
function securityHeaders(issuer: string): Readonly<Record<string, string>> | undefined {
  return issuer.startsWith("https:") && !leadsToLoopback(new URL(issuer).hostname)
    ? { "strict-transport-security": "max-age=31536000" }
    : undefined;
}
