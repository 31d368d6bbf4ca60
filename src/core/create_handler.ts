/** Makes one request handler of endpoints. */

import type { Context } from "./context.ts";
import type { EndpointDescription } from "./endpoint.ts";
import { lastResortError } from "./json_error.ts";
import type { ParameterDescription } from "./params.ts";
import { type Endpoint, type EndpointRoute, endpointRoute, seeOther } from "./route.ts";
import { type RequestHandler, routeFinder, router, type RouterOptions } from "./router.ts";
import type { Server } from "./server.ts";
import { leadsToLoopback } from "./test_hosts.ts";

/** The functions that surround the endpoints. */
interface HandlerOptions extends Pick<RouterOptions<Context, EndpointRoute>, "createContext" | "handleError"> {
  /** The server outside of requests. */
  readonly server: Server;
}

/** The handler of all requests. */
export interface Handler {
  readonly handle: RequestHandler;
  /** Finds the endpoint at a path as received; `undefined` if no route matches. */
  findEndpoint(path: string): EndpointDescription | undefined;
  /** Adds an endpoint, which replaces the one at the same path. */
  add(endpoint: Endpoint): void;
  /** Reads the issuer of the server again. */
  issuerChanged(): void;
}

/** Creates the handler. Of two endpoints at one path, the last one counts. */
export function createHandler(
  endpoints: readonly Endpoint[],
  { server, createContext, handleError }: HandlerOptions,
): Handler {
  const { settings } = server;
  const protocolParameters: readonly ParameterDescription[] = endpoints.flatMap(({ metadataName, parameters = [] }) =>
    metadataName === undefined ? [] : parameters
  );
  const routes = endpoints.flatMap((endpoint) =>
    [endpoint.path, ...endpoint.aliases ?? []].map((path) => endpointRoute({ ...endpoint, path }, protocolParameters))
  );
  let findRoute = routeFinder(routes);
  let headers = securityHeaders(server.issuer);
  const handle = router((path) => findRoute(path), {
    createContext,
    handleError,
    lastResort: (cause, target, context) => lastResortError(context?.server ?? server, target, cause),
    permissiveCors: settings.allows.unknownClients,
    headers: () => headers,
  });
  return {
    handle: settings.seeOther ? seeOther(handle) : handle,
    findEndpoint: (path) => findRoute(path)?.endpoint,
    add(endpoint) {
      replaceByPath(routes, endpointRoute(endpoint));
      findRoute = routeFinder(routes);
    },
    issuerChanged: () => void (headers = securityHeaders(server.issuer)),
  };
}

/** Replaces the item with the same path, or adds the item. */
export function replaceByPath<T extends { readonly path: string }>(list: T[], item: T): void {
  const index = list.findIndex(({ path }) => path === item.path);
  list.splice(index < 0 ? list.length : index, 1, item);
}

/** HSTS (RFC 6797), except on a loopback host, where other programs use http on the same host. */
function securityHeaders(issuer: string): Readonly<Record<string, string>> | undefined {
  const { protocol, hostname } = new URL(issuer);
  return protocol === "https:" && !leadsToLoopback(hostname)
    ? { "strict-transport-security": "max-age=31536000" }
    : undefined;
}
