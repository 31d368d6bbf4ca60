/** What stands around the router: one list, which becomes one handler. `deno task endpoints` prints it. */

import { type HttpResponse, isResponse } from "../../core/http/message.ts";
import { lastResortError } from "../../core/http/json_error.ts";
import { parseTarget, type RequestHandler } from "../../core/http/router.ts";
import type { HostedServer } from "../hosted_server.ts";
import { rememberCookies } from "./with_redaction.ts";
import type { Maintenance } from "./maintenance.ts";
import { nameFunctions } from "../../core/replacements.ts";
import type { Plugin } from "./options.ts";
import { fromPlugin, pluginLabel } from "./plugin_call.ts";
import { addressReader } from "./trusted_proxies.ts";

/** Something that stands around the router. */
interface Part {
  /** What it does, for a list. */
  readonly name: string;
  readonly wrap: (next: RequestHandler) => RequestHandler;
}

/** What stands around the router of an app, the outermost first. */
export interface Around {
  readonly names: readonly string[];
  /** The handler of requests in process: an exception of a plugin is that of the caller. */
  wrap(router: RequestHandler): RequestHandler;
  /** The handler of requests of the network, which never rejects. */
  wrapForNetwork(handle: RequestHandler): RequestHandler;
}

/** Lists what stands around the router. */
export function aroundRouter(server: HostedServer, plugins: readonly Plugin[], { runIfDue }: Maintenance): Around {
  const { policy } = server;
  const forNetwork: readonly Part[] = plugins.length === 0 ? [] : [
    { name: "a response if a plugin fails", wrap: (next) => withoutExceptions(server, next) },
  ];
  const onlyResponses: Part = {
    name: "a response instead of anything else",
    wrap: (next) => withOnlyResponses(server, next),
  };
  const parts: readonly Part[] = [
    ...plugins.length === 0 ? [] : [onlyResponses],
    {
      name: "maintenance, if it is due",
      wrap: (next) => (request, peer) => {
        runIfDue();
        return next(request, peer);
      },
    },
    ...plugins.length === 0 ? [] : [{
      name: "a copy of the address, which plugins may change or keep",
      wrap: (next: RequestHandler): RequestHandler => (request, peer) =>
        next(request, peer && { address: peer.address, ...peer }),
    }],
    ...policy.trustProxy.length === 0 ? [] : [{
      name: "the address that a trusted proxy names",
      wrap: (next: RequestHandler) => withProxyAddress(addressReader(policy), next),
    }],
    ...plugins.flatMap((plugin): readonly Part[] =>
      plugin.handle === undefined ? [] : [{
        name: `plugin: ${plugin.name ?? "without a name"}`,
        wrap: (next) => handlerOf(plugin, next),
      }]
    ),
    { name: "issued cookies, for redaction", wrap: rememberCookies },
    ...policy.seeOther ? [{ name: "303 instead of 302", wrap: seeOther }] : [],
    onlyResponses,
  ];
  const fold = (list: readonly Part[], inner: RequestHandler) =>
    list.reduceRight((next, { wrap }) => wrap(next), inner);
  return {
    names: [...forNetwork, ...parts].map(({ name }) => name),
    wrap: (router) => fold(parts, router),
    wrapForNetwork: (handle) => fold(forNetwork, handle),
  };
}

function handlerOf(plugin: Plugin, next: RequestHandler): RequestHandler {
  const handle = fromPlugin(plugin, "handle", plugin.handle!(next));
  if (handle === undefined) return next;
  nameFunctions([handle], `handle of ${pluginLabel(plugin)}`);
  return handle;
}

/** Replaces what a plugin or an approver returns although no runtime can send it as a response. */
function withOnlyResponses(server: HostedServer, next: RequestHandler): RequestHandler {
  return async function onlyResponses(request, peer = {}) {
    const response: unknown = await next(request, peer);
    if (canBeSent(response)) return response;
    const cause = new TypeError(
      "expected a Response that can be sent; a plugin or the approver returned another value",
    );
    return lastResortError(server, parseTarget(request.url, peer), cause);
  };
}

/** Whether a value is a response. Its class has checked a Response; of any other, a header could drop the connection. */
function canBeSent(value: unknown): value is Response | HttpResponse {
  if (typeof value !== "object" || value === null) return false;
  if (isResponse(value)) return true;
  const { status, headers, body = null }: { status?: unknown; headers?: unknown; body?: unknown } = value;
  return Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599 &&
    (body === null || typeof body === "string") && typeof headers === "object" && headers !== null &&
    Object.entries(headers).every(([name, text]) =>
      headerName.test(name) && (typeof text === "string" || typeof text === "number") && headerValue.test(String(text))
    );
}

/** RFC 9110 §5.1, §5.5: a token, and text without control characters. */
const [headerName, headerValue] = [/^[\w!#$%&'*+.^`|~-]+$/, /^[\t\x20-\x7E\x80-\xFF]*$/];

/** Catches exceptions of plugins, because a request of the network has no caller that catches them. */
function withoutExceptions(server: HostedServer, next: RequestHandler): RequestHandler {
  return async (request, peer = {}) => {
    try {
      return await next(request, peer);
    } catch (cause) {
      return lastResortError(server, parseTarget(request.url, peer), cause);
    }
  };
}

function withProxyAddress(read: ReturnType<typeof addressReader>, next: RequestHandler): RequestHandler {
  return (request, peer) => next(request, peer && read(request, peer));
}

/** Replaces 302 by 303, with which a browser never repeats the method and the body of its request (RFC 9700 §4.12). */
function seeOther(next: RequestHandler): RequestHandler {
  return async (request, peer) => {
    const response = await next(request, peer);
    return response.status !== 302 || isResponse(response) ? response : { ...response, status: 303 };
  };
}
