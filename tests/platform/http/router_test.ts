/** The router: methods, paths, hosts and errors. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import {
  HttpError,
  type HttpRequest,
  type HttpResponse,
  json,
  redirect,
  toResponse,
} from "../../../src/core/http/message.ts";
import { maxTargetLength, routeFinder, router as routerOf } from "../../../src/core/http/router.ts";
import type { Method, RequestTarget, Route as RouteOf, RouterOptions } from "../../../src/core/http/router.ts";
import { forEachCase } from "../../kit.ts";

/** The context of these tests: what the router hands over. */
interface Context {
  readonly request: HttpRequest;
  readonly target: RequestTarget;
  readonly route?: Route;
}

type Route = RouteOf<Context>;
type Handler = (context: Context) => HttpResponse | Response | Promise<HttpResponse | Response>;

/** Responds with the request, as `GET /path?query`. */
const echo: Handler = ({ request, target: { path, query } }) => new Response(`${request.method} ${path}?${query}`);

function route(path: string, handlers: Partial<Record<Method, Handler>>, cors?: boolean): Route {
  const methods = Object.keys(handlers) as Method[];
  return { path, cors, methods, handle: (method, context) => handlers[method]!(context) };
}

const routes: readonly Route[] = [
  route("/", { GET: echo }),
  route("/page", { GET: echo }),
  route("/effect", { GET: () => redirect("GET", "/gone"), HEAD: () => new Response("never seen"), POST: echo }),
  route("/token", { POST: echo }, true),
  route("/keys", { GET: echo }, true),
  route("/static/*", { GET: echo }),
];

const options: RouterOptions<Context, Route> = {
  createContext: (request, target, route) => ({ request, target, route }),
  handleError(error, { route }) {
    if (!(error instanceof HttpError)) throw error;
    const { status, rule, message } = error;
    return json(status, { who: route === undefined ? "router" : "route", rule, message });
  },
  lastResort: (cause) => json(500, { cause: String(cause) }),
};

/** The same, with Response objects. */
function router(
  routes: readonly Route[],
  options: RouterOptions<Context, Route>,
): (request: Request) => Promise<Response> {
  const result = routerOf(routeFinder(routes), options);
  return async (request) => toResponse(await result(request));
}

const result = router(routes, options);

function ask(method: string, path: string, to = result): Promise<Response> {
  return to(new Request(`https://any.test${path}`, { method }));
}

/** A request whose URL is text that a runtime hands over and `new Request` would not take. */
function asWritten(url: string, method = "GET"): Request {
  return { url, method, headers: new Headers(), body: null } as Request;
}

function corsHeaders(response: Response): string[] {
  return [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
}

test("[HT-01] an unsupported method of a path is 405 with Allow", async () => {
  const allow = {
    "/": "GET, HEAD",
    "/page?a=b": "GET, HEAD",
    "/effect": "GET, HEAD, POST",
    "/token": "POST, OPTIONS",
    "/keys": "GET, HEAD, OPTIONS",
    "/static/x.css": "GET, HEAD",
  };
  await forEachCase(Object.entries(allow), async ([path, served]) => {
    for (const method of ["GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE", "PROPFIND"]) {
      const response = await ask(method, path);
      assertEquals(response.status === 405, !served.split(", ").includes(method), method);
      assertEquals(response.headers.get("allow"), response.status === 405 ? served : null, method);
    }
  });
});

test("[HT-01] a 405 and a 414 use the error format of the route, a 404 that of the router", async () => {
  const long = `?${"a".repeat(maxTargetLength)}`;
  const cases = [
    ["DELETE", "/token", 405, "route", "HT-01"],
    ["GET", `/page${long}`, 414, "route", "HT-08"],
    ["GET", "/nowhere", 404, "router", "HT-01"],
    ["GET", `/nowhere${long}`, 414, "router", "HT-08"],
  ] as const;
  await forEachCase(cases, async ([method, path, status, who, rule]) => {
    const response = await ask(method, path);
    assertEquals(response.status, status);
    const body = await response.json();
    assertEquals([body.who, body.rule], [who, rule]);
  });
});

test("[HT-01] a path matches exactly as written", async () => {
  const nowhere = ["/Page", "/page/", "/pag%65", "/page;x", "//page", "/page%00", "/static", "/static/", "/static/a/b"];
  await forEachCase(
    nowhere,
    async (path) => assertEquals((await result(asWritten(`https://any.test${path}`))).status, 404),
  );
  await forEachCase(["/static/a", "/static/a%2Fb", "/static/*"], async (path) => {
    assertEquals(await (await ask("GET", path)).text(), `GET ${path}?`);
  });
});

test("[HT-02] HEAD is GET without the body, and does not call a GET that has effects", async () => {
  const page = await ask("HEAD", "/page");
  assertEquals([page.status, page.body], [200, null]);
  assertEquals(page.headers.get("content-type"), (await ask("GET", "/page")).headers.get("content-type"));
  const effect = await ask("HEAD", "/effect");
  assertEquals([effect.status, effect.body, effect.headers.get("location")], [200, null, null]);
});

test("[HT-02] HEAD has no body in a rejection either", async () => {
  const fails = router([route("/bug", { GET: () => Promise.reject(new Error("bug")) })], options);
  await forEachCase([["/token", result], ["/nowhere", result], ["/bug", fails]] as const, async ([path, to]) => {
    assertEquals((await ask("HEAD", path, to)).body, null);
  });
});

test("[HT-03] without cors there is no Access-Control header, for any method", async () => {
  await forEachCase(["/page", "/effect", "/nowhere", `/page?${"a".repeat(maxTargetLength)}`], async (path) => {
    for (const method of ["GET", "HEAD", "POST", "OPTIONS", "DELETE"]) {
      assertEquals(corsHeaders(await ask(method, path)), [], method);
    }
  });
});

test("[HT-04] with cors a preflight is 204 and permits the methods of the route", async () => {
  const { status, body, headers } = await ask("OPTIONS", "/token");
  assertEquals([status, body], [204, null]);
  assertEquals(headers.get("access-control-allow-origin"), "*");
  assertEquals(headers.get("access-control-allow-methods"), "POST, OPTIONS");
  assertEquals(headers.get("access-control-allow-headers"), "authorization, content-type, traceparent, tracestate");
  assertEquals(headers.get("access-control-allow-credentials"), null);
  const own = router(routes, { ...options, crossOriginHeaders: { request: "dpop", response: "DPoP-Nonce" } });
  assertEquals((await ask("OPTIONS", "/token", own)).headers.get("access-control-allow-headers"), "dpop");
  assertEquals((await ask("POST", "/token", own)).headers.get("access-control-expose-headers"), "DPoP-Nonce");
});

test("[HT-05] with cors scripts can read rejections and errors too", async () => {
  const broken = router([route("/broken", { GET: () => Promise.reject(new Error("asked")) }, true)], {
    ...options,
    handleError() {
      throw new Error("rejected");
    },
  });
  const responses = [
    await ask("DELETE", "/token"),
    await ask("POST", `/token?${"a".repeat(maxTargetLength)}`),
    await ask("GET", "/broken", broken),
    await ask("DELETE", "/broken", broken),
  ];
  assertEquals(responses.map((response) => response.status), [405, 414, 500, 500]);
  await forEachCase(responses, ({ headers }) => {
    assertEquals(headers.get("access-control-allow-origin"), "*");
    assertStringIncludes(headers.get("access-control-expose-headers") ?? "", "WWW-Authenticate");
  });
});

test("[HT-08] path and query have a limit, to the character", async () => {
  const query = (length: number) => `/page?${"a".repeat(length - "/page".length)}`;
  assertEquals((await ask("GET", query(maxTargetLength))).status, 200);
  assertEquals((await ask("GET", query(maxTargetLength + 1))).status, 414);
  assertEquals((await ask("GET", `/${"a".repeat(maxTargetLength)}`)).status, 414);
  assertEquals(maxTargetLength <= 16 * 1024 && maxTargetLength >= 8 * 1024, true);
});

test("[HT-16] path and query are taken from the URL as written, without its host", async () => {
  const asked = {
    "http://any.test/page?a=b": "/page?a=b",
    "https://evil.example/page": "/page?",
    "http://user:password@any.test:80/page?": "/page?",
    "http://any.test": "/?",
    "http://any.test?a=b": "/?a=b",
    "http://any.test/page#/token": "/page?",
    "http://any.test/page?a#b?c": "/page?a",
    "http://any.test/page?a=/static/&b=://x/": "/page?a=/static/&b=://x/",
    "http://a b:x/page?c@d": "/page?c@d",
    "http://[::1]:9000/page": "/page?",
    "http:///page": "/page?",
    // What a runtime hands over when a request names no host at all, as HTTP/1.0 allows.
    "/page?a=b": "/page?a=b",
    "/page?next=http://evil.example/token": "/page?next=http://evil.example/token",
  };
  await forEachCase(Object.entries(asked), async ([url, found]) => {
    assertEquals(await (await result(asWritten(url))).text(), `GET ${found}`);
  });
});

test("[HT-18] any thrown value yields the internal error response, and the function neither throws nor rejects", async () => {
  const thrown: Record<string, Route> = {
    "a handler that throws": route("/", {
      GET: () => {
        throw new Error("now");
      },
    }),
    "a handler that rejects": route("/", { GET: () => Promise.reject("later") }),
    "a HEAD that throws": route("/", {
      HEAD: () => {
        throw new TypeError("head");
      },
    }),
  };
  await forEachCase(Object.entries(thrown), async ([, failing]) => {
    const method = failing.methods[0]!;
    assertEquals((await ask(method, "/", router([failing], options))).status, 500);
  });
  const fails = () => {
    throw new Error("no");
  };
  const broken: Record<string, Partial<typeof options>> = {
    "an error response that throws": { handleError: fails },
    "an error response that rejects": { handleError: () => Promise.reject(new Error("no")) },
    "a context that throws": { createContext: fails },
  };
  await forEachCase(Object.entries(broken), async ([, failing]) => {
    assertEquals((await ask("DELETE", "/", router(routes, { ...options, ...failing }))).status, 500);
  });
  const unreadable = Object.defineProperty(asWritten("/"), "url", {
    get: () => {
      throw new TypeError("Invalid URL");
    },
  });
  assertEquals((await result(unreadable)).status, 500);
});

test("[HT-17] common headers are on every response, also on one with immutable headers", async () => {
  const headers = { "strict-transport-security": "max-age=1" };
  const strict = router([
    ...routes,
    route("/redirected", { GET: () => Response.redirect("https://c.example/cb") }),
    route("/bug", { GET: () => Promise.reject(new Error("bug")) }),
  ], { ...options, headers: () => headers });
  const paths = ["/page", "/nowhere", "/bug", "/redirected", `/page?${"a".repeat(maxTargetLength)}`, "/token"];
  await forEachCase(paths, async (path) => {
    for (const method of ["GET", "HEAD", "OPTIONS", "PUT"]) {
      assertEquals((await ask(method, path, strict)).headers.get("strict-transport-security"), "max-age=1", method);
    }
  });
  assertEquals((await ask("GET", "/redirected", strict)).headers.get("location"), "https://c.example/cb");
  assertEquals((await ask("GET", "/page")).headers.get("strict-transport-security"), null);
});
