/**
 * The plugin of the profiles of providers: it changes requests before the server reads them, claims before they are
 * signed, and responses before they are sent. The server itself follows the standards, and so does its log.
 */

import type { Context } from "../endpoint.ts";
import type { App } from "../app.ts";
import type { Plugin } from "../hosting/options.ts";
import type { Members, ProviderResponse, RequestFacts, ResponseFacts } from "../config/provider_functions.ts";
import type { ProviderData } from "../config/provider_profile.ts";
import { type HttpRequest, type HttpResponse, isResponse } from "../../core/http/message.ts";
import { getHeader } from "../../platform/http/response.ts";
import { parseJsonObject } from "../../platform/http/json_body.ts";
import { parseTarget, type RequestHandler } from "../../core/http/router.ts";
import { warn } from "../trace.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { ClaimChange } from "../token/claim_change.ts";
import { changeRequest } from "./shared/change_request.ts";
import { omit } from "./shared/members.ts";
import type { Provider } from "./shared/provider.ts";
import { replaceParts } from "../../platform/http/changed_request.ts";
import { changeCallback } from "./shared/change_callback.ts";

type Facts = ResponseFacts<HostedServer>;

/** What the server says about a request in progress. */
interface Exchange {
  readonly context: Context<HostedServer>;
  client?: string;
  rejection?: Facts["rejection"];
  issued?: Facts["issued"];
}

/**
 * Creates the plugin of one server.
 *
 * @param name The names of the profiles, for warnings.
 * @param providers Their functions; of two, the later one receives what the earlier one returns.
 */
export function providerPlugin(
  name: string,
  { accepts = {}, metadataMembers, fixedClaims }: ProviderData,
  providers: readonly Provider[],
): Plugin {
  const exchanges = new WeakMap<HttpRequest, Exchange>();
  let app: App;

  const respond = async (request: HttpRequest, peer: Parameters<RequestHandler>[1], next: RequestHandler) => {
    const { path } = parseTarget(request.url, {});
    const ownPath = providers.reduce((path, provider) => provider.path?.(path, app) ?? path, path);
    const moved = ownPath === path ? request : atPath(request, path, ownPath);
    const { metadataName, name: ownName = "" } = app.findEndpoint(ownPath) ?? {};
    const endpoint = metadataName ?? ownName;
    const accepted = accepts[endpoint] ?? [];
    const warnings: Parameters<RequestFacts["warn"]>[0][] = [];
    const { server } = app;
    const facts = {
      endpoint,
      method: request.method,
      server,
      warn: (warning: typeof warnings[number]) => void warnings.push(warning),
    };
    const isRead = request.method !== "OPTIONS" && (metadataName !== undefined || accepted.length > 0);
    const { request: changed, parameters } = !isRead
      ? { request: moved, parameters: [] }
      : await changeRequest(moved, accepted, name, facts, (given, isJson) =>
        providers.reduce((request, provider) =>
          provider.request?.(request, { ...facts, isJson }) ?? request, given));
    const response = await next(changed, peer);
    const exchange = exchanges.get(changed);
    if (exchange === undefined || isResponse(response)) return response;
    const { context: { server: extended }, rejection, issued, client: clientId = rejection?.client } = exchange;
    for (const warning of warnings) warn(extended, clientId, warning);
    return await changeResponse(response, exchange.context, {
      ...{ endpoint, request, parameters, server: extended, clientId, rejection, issued },
    });
  };

  const changeResponse = async (
    response: Exclude<HttpResponse | Response, Response>,
    { app, endpoint }: Context,
    facts: Facts,
  ): Promise<HttpResponse | Response> => {
    if (endpoint?.responseParameters?.some(({ name }) => name === "code")) {
      const changed = await changeCallback(app, response, async (fields) => {
        let parameters: Readonly<Record<string, string>> = Object.fromEntries(fields);
        for (const { callback } of providers) parameters = await callback?.(parameters, facts) ?? parameters;
        return Object.entries(parameters);
      });
      if (changed !== undefined) return changed;
    }
    const isJson = /^application\/json\b/.test(getHeader(response, "content-type") ?? "");
    const members = isJson ? parseJsonObject(response.body ?? "") : undefined;
    const { status, headers } = response;
    const given: ProviderResponse = { status, headers, body: members ?? response.body };
    let changed = given;
    if (members !== undefined && metadataMembers !== undefined && facts.endpoint === "discovery") {
      const names = [...metadataMembers, ...Object.keys(facts.server.policy.metadata)];
      changed = {
        ...changed,
        body: Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name))),
      };
    }
    for (const provider of providers) {
      changed = (status >= 400 ? provider.error?.(changed, facts) : await provider.response?.(changed, facts)) ??
        changed;
    }
    if (changed === given) return response;
    const { body } = changed;
    return {
      ...response,
      status: changed.status,
      // A challenge belongs to 401 (RFC 9110 §11.6.1).
      headers: changed.status === status ? changed.headers : omit(changed.headers, "www-authenticate"),
      body: body === members ? response.body : typeof body === "object" && body !== null ? JSON.stringify(body) : body,
    };
  };

  const claimChange: ClaimChange<HostedServer> = {
    change(server, kind, given, context) {
      const facts = { ...context, kind, server };
      const isOfClient = kind === "access_token" && context.user === undefined;
      let claims: Members = isOfClient ? { ...given, ...fixedClaims?.client_credentials?.[context.client.id] } : given;
      for (const provider of providers) claims = provider.claims?.(claims, facts) ?? claims;
      const fixed = fixedClaims?.[kind as keyof typeof fixedClaims];
      if (fixed !== undefined) {
        for (const scope of ["*", ...context.grant.scope]) claims = withFixed(claims, fixed[scope]);
      }
      // A token without `aud` is for the default audience. Only one for another resource needs `aud`.
      const isForResource = kind === "access_token" && context.grant.resources.length > 0;
      return isForResource && claims.aud === undefined ? { ...claims, aud: given.aud } : claims;
    },
    original(claims) {
      const { sub, aud, client_id, scope } = providers.reduceRight(
        (claims, provider) => provider.originalClaims?.(claims) ?? claims,
        claims as Members,
      ) as { readonly sub: string; readonly aud?: string; readonly client_id: string; readonly scope?: string };
      return { sub, aud, others: { client_id, scope } };
    },
  };

  return {
    name: "profile of a provider",
    setup(assembled, changes) {
      app = assembled;
      for (const provider of providers) provider.setup?.(assembled, changes);
    },
    routes: (app) => providers.flatMap((provider) => provider.routes?.(app) ?? []),
    extend: (server) => ({
      ...providers.reduce((server, provider) => provider.extend?.(server) ?? server, server),
      claimChange,
    }),
    approve: (next, showsPages) =>
      providers.reduceRight((inner, provider) => provider.approve?.(inner, showsPages) ?? inner, next),
    forRequest(server, context) {
      const exchange: Exchange = { context };
      // Plugins find the exchange by the request that they received.
      for (
        let request: HttpRequest | undefined = context.request;
        request !== undefined;
        request = request.original
      ) {
        exchanges.set(request, exchange);
      }
      return Object.assign({}, ...providers.map((provider) => provider.forRequest?.(server, context)));
    },
    onPassed(rule, value, context) {
      const exchange = exchanges.get(context.request);
      if (exchange !== undefined && (rule === "AZ-02" || rule === "CA-07")) exchange.client = String(value);
    },
    onEvent(event, context) {
      const exchange = context && exchanges.get(context.request);
      if (exchange === undefined) return;
      if (event.type === "code_issued") exchange.issued = event;
      if (event.type !== "rejected") return;
      exchange.rejection = { error: event.error, rule: event.explanation.rule, client: event.client };
    },
    handle: (next) =>
      providers.reduceRight<RequestHandler>(
        (inner, provider) => provider.handle?.(inner) ?? inner,
        (request, peer) => respond(request, peer, next),
      ),
  };
}

/** The request at another path of the same host. */
export function atPath(original: HttpRequest, path: string, newPath: string): HttpRequest {
  const { url } = original;
  // The host may contain the text of the path.
  const start = url.indexOf(path, url.startsWith("/") ? 0 : url.indexOf("//") + 2);
  return replaceParts(original, { url: url.slice(0, start) + newPath + url.slice(start + path.length), original });
}

/** The claims, with others instead of them; of two lists of audiences both count. */
function withFixed(claims: Members, fixed: Members = {}): Members {
  const aud = Array.isArray(claims.aud) && Array.isArray(fixed.aud) ? [...new Set([...claims.aud, ...fixed.aud])] : [];
  return { ...claims, ...fixed, ...aud.length > 0 && { aud } };
}
