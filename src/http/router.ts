/** A list of routes becomes one function from request to answer: 404, 405 with Allow, HEAD, OPTIONS, one catch-all. */

import { HttpFault } from "./http_error.ts";
import { withHeaders, withoutBody } from "./message.ts";
import type { Answer, Incoming, Reply } from "./message.ts";

/** Where a request came from, as far as the runtime can tell. */
export interface Peer {
  /** The address of the other end of the connection, or of whom a trusted proxy there names. */
  readonly address?: string;
  /** The address of that proxy; absent where there is none that is trusted. */
  readonly proxy?: string;
  /** The client addresses in its forwarding headers, if they differ; then all are ignored. */
  readonly named?: readonly string[];
}

/** The parts of a request's target that may influence an answer; the host never does. */
export interface Target {
  /** The path as the runtime hands it over, not decoded; some resolve `..` before. */
  readonly path: string;
  /** The query as it was sent, without its question mark. */
  readonly query: string;
  /** Who asks. */
  readonly peer: Peer;
}

/** Answers a request; never throws, never rejects. */
export type Handle = (request: Incoming, peer?: Peer) => Promise<Answer>;

/** Answers one method of one route. */
export type Handler = (request: Incoming, target: Target) => Answer | Promise<Answer>;

/** One path and what it answers. */
export interface Route {
  /** The exact path; a `*` at its end stands for anything, slashes excepted. */
  readonly path: string;
  /** What is answered to GET. */
  readonly GET?: Handler;
  /** Default: what GET answers, without its body. Given where GET has effects. */
  readonly HEAD?: Handler;
  /** What is answered to POST. */
  readonly POST?: Handler;
  /** Whether scripts of other origins may call it and read the answer, errors included. Default: false. */
  readonly cors?: boolean;
  /** How this route says no to what the router itself refuses. */
  refuse(fault: HttpFault, target: Target, request: Incoming): Answer | Promise<Answer>;
}

/** What the router needs besides the routes. */
export interface RouterOptions {
  /** Says no where no route matches, with the method and path unknown to the list. */
  refuse(fault: HttpFault, target: Target, request: Incoming): Answer | Promise<Answer>;
  /** Told of everything that was thrown past a route; what it returns is answered. */
  bug(cause: unknown, target: Target, request: Incoming): Answer;
  /** Headers on every answer, such as HSTS. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a preflight allows every requested header, where CORS is on. Default: false. */
  readonly anyCorsHeader?: boolean;
}

/** The longest path and query that is read, in characters. */
export const targetLimit = 16 * 1024;

/** Makes the routes one function. It never throws and never rejects. */
export function router(routes: readonly Route[], options: RouterOptions): Handle {
  const exact = new Map(routes.map((route) => [route.path, route]));
  const open = routes.filter((route) => route.path.endsWith("/*"));
  const { headers } = options;

  const find = (path: string) => exact.get(path) ?? open.find((route) => startsRoute(route, path));

  return async (request, peer = {}) => {
    let target: Target = { path: "", query: "", peer };
    let answer: Answer;
    let cors = false;
    try {
      target = readTarget(request.url, peer);
      const route = find(target.path);
      cors = route?.cors === true;
      answer = await dispatch(request, target, route, options);
    } catch (cause) {
      answer = options.bug(cause, target, request);
    }
    if (request.method === "HEAD") answer = await withoutBody(answer);
    if (cors) answer = withHeaders(answer, corsHeaders);
    return headers === undefined ? answer : withHeaders(answer, headers);
  };
}

const plainHost = /^[\w.:[\]-]*$/;

/** What lets scripts of other origins read an answer. */
export const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "WWW-Authenticate, Retry-After",
};

function dispatch(
  request: Incoming,
  target: Target,
  route: Route | undefined,
  options: RouterOptions,
): Answer | Promise<Answer> {
  const refuse = (fault: HttpFault) => (route ?? options).refuse(fault, target, request);
  // Some runtimes write the Host header into the URL as it is, where it could pass for a path.
  if (!plainHost.test(request.headers.get("host") ?? "")) {
    return refuse(new HttpFault(400, "HT-16", "The Host header must be a host and a port"));
  }
  if (target.path.length + target.query.length > targetLimit) {
    return refuse(new HttpFault(414, "HT-08", `The address must not be longer than ${targetLimit} characters`));
  }
  if (route === undefined) return refuse(new HttpFault(404, "HT-01", "There is nothing at this address"));
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
  return refuseMethod(refuse, route);
}

async function refuseMethod(
  refuse: (fault: HttpFault) => Answer | Promise<Answer>,
  route: Route,
): Promise<Answer> {
  const allow = methods(route);
  const answer = await refuse(new HttpFault(405, "HT-01", `This address answers ${allow} only`));
  return withHeaders(answer, { allow });
}

/** Request headers of cross-origin clients: OAuth, DPoP, MCP (2025-06-18, Transports), and trace context (W3C). */
const corsRequestHeaders = "authorization, content-type, dpop, mcp-protocol-version, traceparent, tracestate";

/** A list of header names as browsers send it, of limited length. */
const headerNames = /^(?=.{1,1000}$)[\w!#$%&'*+.^`|~-]+(?:, *[\w!#$%&'*+.^`|~-]+)*$/;

function preflight(route: Route, request: Incoming, { anyCorsHeader }: RouterOptions): Reply {
  const asked = request.headers.get("access-control-request-headers") ?? "";
  const allowed = anyCorsHeader && headerNames.test(asked) ? `${corsRequestHeaders}, ${asked}` : corsRequestHeaders;
  return {
    status: 204,
    headers: {
      "access-control-allow-methods": methods(route),
      "access-control-allow-headers": allowed,
      "access-control-max-age": "600",
    },
    body: null,
  };
}

function methods(route: Route): string {
  const names: string[] = [];
  if (route.GET) names.push("GET", "HEAD");
  if (route.POST) names.push("POST");
  if (route.cors) names.push("OPTIONS");
  return names.join(", ");
}

/** Whether a route matches a path. */
export function matchesPath(route: Route, path: string): boolean {
  return route.path === path || route.path.endsWith("/*") && startsRoute(route, path);
}

function startsRoute(route: Route, path: string): boolean {
  const stem = route.path.slice(0, -1);
  return path.startsWith(stem) && path.length > stem.length && !path.includes("/", stem.length);
}

/** Cuts path and query out of the text of a URL. `new URL` would normalise, and throws on some Host headers. */
export function readTarget(url: string, peer: Peer): Target {
  // Without a Host header, Bun hands over the path alone.
  const host = url.startsWith("/") ? 0 : url.indexOf("://") + 3;
  const hash = url.indexOf("#", host);
  const end = hash < 0 ? url.length : hash;
  const mark = url.indexOf("?", host);
  const pathEnd = mark < 0 || mark > end ? end : mark;
  const slash = url.indexOf("/", host);
  const path = slash < 0 || slash > pathEnd ? "/" : url.slice(slash, pathEnd);
  return { path, query: pathEnd < end ? url.slice(pathEnd + 1, end) : "", peer };
}
