/**
 * From a request to the handler of its path, and back to a response. This file contains no OAuth and no sockets.
 *
 * 1. {@link router} parses the target, finds the route and creates the context of the request.
 * 2. It calls the handler of the method; it handles HEAD, CORS preflights, 404 and 405 itself.
 * 3. `handleError` converts an error of a handler to a response.
 * 4. If that fails too, `lastResort` returns the response. A handler never throws to the runtime.
 */

import { HttpError, type HttpRequest, type HttpResponse, withHeaders, withoutBody } from "./message.ts";

/** @internal What the runtime knows of a connection. An extension may know more of it. */
export interface ClientAddress {
  /** The peer of the connection, or the client that a trusted proxy names. */
  readonly address?: string;
  /** The address of the trusted proxy; absent without one. */
  readonly proxy?: string;
  /** The client addresses in the forwarding headers, if they differ. Then all of them are ignored. */
  readonly conflicting?: readonly string[];
}

/** @internal The parts of a request's target that may influence the response. The host is not one of them. */
export interface RequestTarget {
  /** The path as the runtime passes it, not decoded. Some runtimes resolve `..`. */
  readonly path: string;
  /** The query as received, without the question mark. */
  readonly query: string;
  readonly clientAddress: ClientAddress;
}

/** @internal Handles a request. It never throws and never rejects. */
export type RequestHandler = (request: HttpRequest, peer?: ClientAddress) => Promise<HttpResponse | Response>;

/** @internal A method that routes can handle. */
export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One path and its handler. `Context` is the type of the value that the server creates for each request. */
export interface Route<Context> {
  /** The exact path. A final `*` matches any text without slashes, a final `**` any text. */
  readonly path: string;
  /** The methods of {@link Route.handle}. Without HEAD, a HEAD request is a GET without the response body. */
  readonly methods: readonly Method[];
  /** Whether scripts of other origins may call it and read the response, errors included. Default: false. */
  readonly cors?: boolean;
  /** Handles a request. The router passes a thrown error to {@link RouterOptions.handleError}. */
  handle(method: Method, context: Context): HttpResponse | Response | Promise<HttpResponse | Response>;
}

/** The headers that scripts of other origins may send and read: names, separated by commas (Fetch §3.2.3). */
export interface CrossOriginHeaders {
  readonly request: string;
  readonly response: string;
}

export interface RouterOptions<Context, R extends Route<Context>> {
  /** Creates the context of a request, once; `route` is `undefined` if no route matches the path. */
  createContext(request: HttpRequest, target: RequestTarget, route: R | undefined): Context;
  /** Creates the response for an error that a route throws, and for an {@link HttpError} of the router itself. */
  handleError(error: unknown, context: Context): HttpResponse | Response | Promise<HttpResponse | Response>;
  /** Creates the response if the context or the error response failed. It must not fail. */
  lastResort(
    cause: unknown,
    target: RequestTarget,
    context: Context | undefined,
  ): HttpResponse | Response | Promise<HttpResponse | Response>;
  /** Default: those of OAuth and of trace context. */
  readonly crossOriginHeaders?: CrossOriginHeaders;
  /**
   * Whether a preflight allows any request header (Fetch §3.2.5), not only those above, and scripts of other origins
   * may read the JSON response for an unknown path. Default: false.
   */
  readonly permissiveCors?: boolean;
  headers?(): Readonly<Record<string, string>> | undefined;
}

/** The maximum length of path and query, in characters. */
export const maxTargetLength = 16 * 1024;

/** The maximum length of a header with tokens or cookies, in characters. */
export const maxHeaderLength = 64 * 1024;

export function routeFinder<R extends { readonly path: string }>(
  routes: readonly R[],
): (path: string) => R | undefined {
  const exact = new Map(routes.map((route) => [route.path, route]));
  const wildcard = routes.filter(({ path }) => path.endsWith("/*") || path.endsWith("/**"));
  return (path) => exact.get(path) ?? wildcard.find((route) => matchesWildcard(route, path));
}

/** Creates the request handler of the routes. It never throws and never rejects. */
export function router<Context, R extends Route<Context>>(
  findRoute: (path: string) => R | undefined,
  options: RouterOptions<Context, R>,
): RequestHandler {
  const { crossOriginHeaders = ownCrossOriginHeaders } = options;
  const readable = corsHeaders(crossOriginHeaders);
  return async function handleRequest(request, clientAddress = {}) {
    let target: RequestTarget = { path: "", query: "", clientAddress };
    let context: Context | undefined;
    let response: HttpResponse | Response;
    let cors = false;
    let isUnknown = false;
    try {
      target = parseTarget(request.url, clientAddress);
      const route = findRoute(target.path);
      cors = route?.cors === true;
      isUnknown = route === undefined;
      context = options.createContext(request, target, route);
      try {
        response = await dispatch(request, target, route, context, options);
      } catch (error) {
        response = await options.handleError(error, context);
      }
    } catch (cause) {
      response = await options.lastResort(cause, target, context);
    }
    if (request.method === "HEAD") response = await withoutBody(response);
    if (cors || isUnknown && options.permissiveCors === true && isJson(response)) {
      response = withHeaders(response, readable);
    }
    const headers = options.headers?.();
    return headers === undefined ? response : withHeaders(response, headers);
  };
}

function isJson({ headers }: HttpResponse | Response): boolean {
  return /^application\/json\b/.test(new Headers(headers).get("content-type") ?? "");
}

const hostCharacters = /^[\w.:[\]-]*$/;

/** Of OAuth, and of trace context (W3C). */
const ownCrossOriginHeaders: CrossOriginHeaders = {
  request: "authorization, content-type, traceparent, tracestate",
  response: "WWW-Authenticate, Retry-After",
};

/** CORS headers: scripts of other origins may read the response. */
export function corsHeaders({ response }: CrossOriginHeaders): Readonly<Record<string, string>> {
  return { "access-control-allow-origin": "*", "access-control-expose-headers": response };
}

function dispatch<Context, R extends Route<Context>>(
  request: HttpRequest,
  target: RequestTarget,
  route: R | undefined,
  context: Context,
  options: RouterOptions<Context, R>,
): HttpResponse | Response | Promise<HttpResponse | Response> {
  // Some runtimes copy the Host header into the URL unchecked, so a slash in it would change the path.
  if (!hostCharacters.test(request.headers.get("host") ?? "")) {
    throw new HttpError(400, "HT-16", "The Host header must be a host and a port");
  }
  if (target.path.length + target.query.length > maxTargetLength) {
    throw new HttpError(414, "HT-08", `The address must not be longer than ${maxTargetLength} characters`);
  }
  for (const name of ["Authorization", "Cookie"]) {
    const { length } = request.headers.get(name.toLowerCase()) ?? "";
    if (length <= maxHeaderLength) continue;
    const texts = { expected: `at most ${maxHeaderLength} characters`, received: `${length} characters` };
    throw new HttpError(431, "HT-25", `The header ${name} is too long`, texts);
  }
  if (route === undefined) throw new HttpError(404, "HT-01", "This address does not exist");
  const { method } = request;
  if (isMethod(method) && route.methods.includes(method)) return route.handle(method, context);
  if (method === "HEAD" && route.methods.includes("GET")) return route.handle("GET", context);
  if (method === "OPTIONS" && route.cors) return preflight(route, request, options);
  return rejectMethod(method, route, context, options);
}

function isMethod(method: string): method is Method {
  return method === "GET" || method === "POST" || method === "HEAD" || method === "PUT" || method === "PATCH" ||
    method === "DELETE";
}

async function rejectMethod<Context, R extends Route<Context>>(
  method: string,
  route: R,
  context: Context,
  options: RouterOptions<Context, R>,
): Promise<HttpResponse | Response> {
  const allow = allowedMethods(route);
  const methods = route.methods.filter((supported) => supported !== "HEAD").join(" or ");
  const fix = `Send ${methods}${method === "GET" ? "; a browser that opens the address sends GET" : ""}.`;
  const texts = { expected: allow, received: method.slice(0, 16), fix };
  const error = new HttpError(405, "HT-01", `This address allows only ${allow}`, texts);
  return withHeaders(await options.handleError(error, context), { allow });
}

/** A list of header names in the format of browsers, of limited length. */
const headerNames = /^(?=.{1,1000}$)[\w!#$%&'*+.^`|~-]+(?:, *[\w!#$%&'*+.^`|~-]+)*$/;

function preflight(
  route: Pick<Route<never>, "methods" | "cors">,
  request: HttpRequest,
  { crossOriginHeaders = ownCrossOriginHeaders, permissiveCors }: Pick<
    RouterOptions<never, never>,
    "crossOriginHeaders" | "permissiveCors"
  >,
): HttpResponse {
  const requested = request.headers.get("access-control-request-headers") ?? "";
  const { request: usual } = crossOriginHeaders;
  const allowed = permissiveCors && headerNames.test(requested) ? `${usual}, ${requested}` : usual;
  return {
    status: 204,
    headers: {
      "access-control-allow-methods": allowedMethods(route),
      "access-control-allow-headers": allowed,
      "access-control-max-age": "600",
    },
    body: null,
  };
}

function allowedMethods({ methods, cors }: Pick<Route<never>, "methods" | "cors">): string {
  const names: string[] = [];
  if (methods.includes("GET")) names.push("GET", "HEAD");
  for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) if (methods.includes(method)) names.push(method);
  if (cors) names.push("OPTIONS");
  return names.join(", ");
}

function matchesWildcard(route: { readonly path: string }, path: string): boolean {
  const prefix = route.path.slice(0, route.path.indexOf("*"));
  if (route.path.endsWith("**")) return path.startsWith(prefix);
  return path.startsWith(prefix) && path.length > prefix.length && !path.includes("/", prefix.length);
}

/** Extracts path and query from a URL. Not by `new URL`, which normalizes them and throws on some Host headers. */
export function parseTarget(url: string, clientAddress: ClientAddress): RequestTarget {
  // Without a Host header, Bun passes the path only.
  const host = url.startsWith("/") ? 0 : url.indexOf("://") + 3;
  const hash = url.indexOf("#", host);
  const end = hash < 0 ? url.length : hash;
  const queryIndex = url.indexOf("?", host);
  const pathEnd = queryIndex < 0 || queryIndex > end ? end : queryIndex;
  const slash = url.indexOf("/", host);
  const path = slash < 0 || slash > pathEnd ? "/" : url.slice(slash, pathEnd);
  return { path, query: pathEnd < end ? url.slice(pathEnd + 1, end) : "", clientAddress };
}
