/** A list of routes becomes one function from request to answer: 404, 405 with Allow, HEAD, OPTIONS, one catch-all. */

import { HttpError } from "./http_error.ts";
import { withHeaders, withoutBody } from "./message.ts";
import type { HttpResponse, RequestLike, ResponseLike } from "./message.ts";

/** Where a request came from, as far as the runtime can tell. */
export interface ClientAddress {
  /** The address of the other end of the connection, or of whom a trusted proxy there names. */
  readonly address?: string;
  /** The address of that proxy; absent where there is none that is trusted. */
  readonly proxy?: string;
  /** The client addresses in its forwarding headers, if they differ; then all are ignored. */
  readonly conflicting?: readonly string[];
}

/** The parts of a request's target that may influence an answer; the host never does. */
export interface RequestTarget {
  /** The path as the runtime hands it over, not decoded; some resolve `..` before. */
  readonly path: string;
  /** The query as it was sent, without its question mark. */
  readonly query: string;
  /** Who asks. */
  readonly clientAddress: ClientAddress;
}

/** Answers a request; never throws, never rejects. */
export type RequestHandler = (request: RequestLike, peer?: ClientAddress) => Promise<ResponseLike>;

/** Answers one method of one route. */
export type RouteHandler = (request: RequestLike, target: RequestTarget) => ResponseLike | Promise<ResponseLike>;

/** One path and what it answers. */
export interface Route {
  /** The exact path; a `*` at its end stands for anything, slashes excepted. */
  readonly path: string;
  /** What is answered to GET. */
  readonly GET?: RouteHandler;
  /** Default: what GET answers, without its body. Given where GET has effects. */
  readonly HEAD?: RouteHandler;
  /** What is answered to POST. */
  readonly POST?: RouteHandler;
  /** Whether scripts of other origins may call it and read the answer, errors included. Default: false. */
  readonly cors?: boolean;
  /** How this route says no to what the router itself refuses. */
  reject(fault: HttpError, target: RequestTarget, request: RequestLike): ResponseLike | Promise<ResponseLike>;
}

/** What the router needs besides the routes. */
export interface RouterOptions {
  /** Says no where no route matches, with the method and path unknown to the list. */
  reject(fault: HttpError, target: RequestTarget, request: RequestLike): ResponseLike | Promise<ResponseLike>;
  /** Told of everything that was thrown past a route; what it returns is answered. */
  onError(cause: unknown, target: RequestTarget, request: RequestLike): ResponseLike;
  /** Headers on every answer, such as HSTS. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a preflight allows every requested header, where CORS is on. Default: false. */
  readonly allowAnyCorsHeader?: boolean;
}

/** The longest path and query that is read, in characters. */
export const maxTargetLength = 16 * 1024;

/** Makes the routes one function. It never throws and never rejects. */
export function router(routes: readonly Route[], options: RouterOptions): RequestHandler {
  const exact = new Map(routes.map((route) => [route.path, route]));
  const wildcard = routes.filter((route) => route.path.endsWith("/*"));
  const { headers } = options;

  const find = (path: string) => exact.get(path) ?? wildcard.find((route) => matchesWildcard(route, path));

  return async (request, clientAddress = {}) => {
    let target: RequestTarget = { path: "", query: "", clientAddress };
    let response: ResponseLike;
    let cors = false;
    try {
      target = parseTarget(request.url, clientAddress);
      const route = find(target.path);
      cors = route?.cors === true;
      response = await dispatch(request, target, route, options);
    } catch (cause) {
      response = options.onError(cause, target, request);
    }
    if (request.method === "HEAD") response = await withoutBody(response);
    if (cors) response = withHeaders(response, corsHeaders);
    return headers === undefined ? response : withHeaders(response, headers);
  };
}

const hostHeader = /^[\w.:[\]-]*$/;

/** What lets scripts of other origins read an answer. */
export const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "WWW-Authenticate, Retry-After",
};

function dispatch(
  request: RequestLike,
  target: RequestTarget,
  route: Route | undefined,
  options: RouterOptions,
): ResponseLike | Promise<ResponseLike> {
  const reject = (error: HttpError) => (route ?? options).reject(error, target, request);
  // Some runtimes write the Host header into the URL as it is, where it could pass for a path.
  if (!hostHeader.test(request.headers.get("host") ?? "")) {
    return reject(new HttpError(400, "HT-16", "The Host header must be a host and a port"));
  }
  if (target.path.length + target.query.length > maxTargetLength) {
    return reject(new HttpError(414, "HT-08", `The address must not be longer than ${maxTargetLength} characters`));
  }
  if (route === undefined) return reject(new HttpError(404, "HT-01", "There is nothing at this address"));
  switch (request.method) {
    case "GET":
      if (route.GET) return route.GET(request, target);
      break;
    case "POST":
      if (route.POST) return route.POST(request, target);
      break;
    case "HEAD":
      if (route.HEAD ?? route.GET) return (route.HEAD ?? route.GET!)(request, target);
      break;
    case "OPTIONS":
      if (route.cors) return preflight(route, request, options);
  }
  return rejectMethod(reject, route);
}

async function rejectMethod(
  reject: (fault: HttpError) => ResponseLike | Promise<ResponseLike>,
  route: Route,
): Promise<ResponseLike> {
  const allow = allowedMethods(route);
  const response = await reject(new HttpError(405, "HT-01", `This address answers ${allow} only`));
  return withHeaders(response, { allow });
}

/** Request headers of cross-origin clients: OAuth, DPoP, MCP (2025-06-18, Transports), and trace context (W3C). */
const corsRequestHeaders = "authorization, content-type, dpop, mcp-protocol-version, traceparent, tracestate";

/** A list of header names as browsers send it, of limited length. */
const headerNames = /^(?=.{1,1000}$)[\w!#$%&'*+.^`|~-]+(?:, *[\w!#$%&'*+.^`|~-]+)*$/;

function preflight(route: Route, request: RequestLike, { allowAnyCorsHeader }: RouterOptions): HttpResponse {
  const requested = request.headers.get("access-control-request-headers") ?? "";
  const allowed = allowAnyCorsHeader && headerNames.test(requested)
    ? `${corsRequestHeaders}, ${requested}`
    : corsRequestHeaders;
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

function allowedMethods(route: Route): string {
  const names: string[] = [];
  if (route.GET) names.push("GET", "HEAD");
  if (route.POST) names.push("POST");
  if (route.cors) names.push("OPTIONS");
  return names.join(", ");
}

/** Whether a route matches a path. */
export function matchesPath(route: Route, path: string): boolean {
  return route.path === path || route.path.endsWith("/*") && matchesWildcard(route, path);
}

function matchesWildcard(route: Route, path: string): boolean {
  const prefix = route.path.slice(0, -1);
  return path.startsWith(prefix) && path.length > prefix.length && !path.includes("/", prefix.length);
}

/** Cuts path and query out of the text of a URL. `new URL` would normalise, and throws on some Host headers. */
export function parseTarget(url: string, clientAddress: ClientAddress): RequestTarget {
  // Without a Host header, Bun hands over the path alone.
  const host = url.startsWith("/") ? 0 : url.indexOf("://") + 3;
  const hash = url.indexOf("#", host);
  const end = hash < 0 ? url.length : hash;
  const queryIndex = url.indexOf("?", host);
  const pathEnd = queryIndex < 0 || queryIndex > end ? end : queryIndex;
  const slash = url.indexOf("/", host);
  const path = slash < 0 || slash > pathEnd ? "/" : url.slice(slash, pathEnd);
  return { path, query: pathEnd < end ? url.slice(pathEnd + 1, end) : "", clientAddress };
}
