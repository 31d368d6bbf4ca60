/**
 * The plugin of the shapes of a provider's profile: it rewrites requests before the server reads them, claims before
 * they are signed, and responses before they are sent. The server itself follows the standards, and so does its log.
 */

import type { App, Context } from "../../../assembly/context.ts";
import type { EndpointShape, Members, ProviderShapes } from "../../../config/provider_shapes.ts";
import { isResponse, parseJsonObject, type RequestLike, type ResponseLike } from "../../../../platform/http/message.ts";
import { parseTarget } from "../../../../platform/http/router.ts";
import { warn } from "../../../oauth/notes.ts";
import type { ResponseFields } from "../../../oauth/params.ts";
import type { Server } from "../../../oauth/server.ts";
import type { IssuedClaims, ShapeClaims } from "../../../oauth/tokens/override_claims.ts";
import type { ProviderPlugin } from "../provider_plugin.ts";
import { type Exchange, trackExchanges } from "./exchanges.ts";
import { derivedValues, fillMembers } from "./fill_members.ts";
import { type Leniency, shapeRequest } from "./shape_request.ts";
import { errorMembers, shapeResponse } from "./shape_response.ts";

/**
 * Creates the plugin of one server.
 *
 * @param provider The name of the provider, for warnings.
 */
export function shapesPlugin(shapes: ProviderShapes, provider: string): ProviderPlugin {
  const { endpoints = {}, callback } = shapes;
  const { find, hooks } = trackExchanges();
  let app: App | undefined;

  const shapeClaims: ShapeClaims<Server> = (server, kind, claims, context) => {
    const byScope = kind === "id_token"
      ? shapes.idToken
      : kind === "access_token"
      ? shapes.accessToken
      : kind === "userinfo"
      ? shapes.userinfo
      : undefined;
    if (byScope === undefined) return claims;
    const { user } = context;
    const derive = derivedValues(server, user?.sub);
    const find = (name: string) => claims[name] ?? user?.[name] ?? derive(name);
    const shaped = ["*", ...context.grant.scope].reduce(
      (members: Members, scope) => fillMembers(members, byScope[scope] ?? {}, find),
      claims,
    );
    // A token without `aud` is for the default audience. Only one for another resource needs `aud`.
    const isForResource = kind === "access_token" && context.grant.resources.length > 0;
    return isForResource && shaped.aud === undefined ? { ...shaped, aud: claims.aud } : shaped;
  };

  const shapeFields = ({ context, rejection, issued }: Exchange, fields: ResponseFields): ResponseFields => {
    const members: Members = Object.fromEntries(fields);
    const derive = derivedValues(context.server, issued?.sub);
    const { errors } = endpoints.authorization_endpoint ?? {};
    const shaped = members.error === undefined
      ? members
      : errorMembers(members, errors, { rule: rejection?.explanation.rule }, derive);
    const added = members.code === undefined ? {} : callback ?? {};
    const all = fillMembers(shaped, added, (name) => shaped[name] ?? derive(name));
    return Object.entries(all).map(([name, value]) => [name, String(value)]);
  };

  return {
    ...hooks,
    setup: (assembled) => void (app = assembled),
    claims: shapeClaims,
    issuedClaims: shapes.accessToken && ((claims) => restoreClaims(claims, shapes.accessToken!["*"] ?? {})),
    handle: (next) => async (request, peer) => {
      const { metadataName, name = "" } = app?.findEndpoint(parseTarget(request.url, {}).path) ?? {};
      const shape: EndpointShape = endpoints[metadataName ?? name] ?? {};
      const shaped = await shapeRequest(request, shape, provider);
      const response = await next(shaped.request, peer);
      const exchange = find(shaped.request);
      if (exchange === undefined) return response;
      warnLeniencies(exchange.context, shaped.leniencies);
      return withCors(await shapedResponse(request, response, shape, exchange), shape);
    },
  };

  async function shapedResponse(
    request: RequestLike,
    response: ResponseLike,
    shape: EndpointShape,
    exchange: Exchange,
  ): Promise<ResponseLike> {
    const { context, rejection } = exchange;
    const { endpoint, app, server } = context;
    if (endpoint?.responseParameters?.some(({ name }) => name === "code")) {
      const { shapeCallback } = await import("./shape_callback.ts");
      return await shapeCallback(app, response, (fields) => shapeFields(exchange, fields));
    }
    if (shapes.metadata !== undefined && endpoint?.name === "discovery") {
      return withMembers(response, [...shapes.metadata, ...Object.keys(server.settings.metadata)]);
    }
    const error = { rule: rejection?.explanation.rule };
    return shapeResponse(request, response, shape, error, derivedValues(server));
  }
}

function warnLeniencies({ server, clientId }: Context, leniencies: readonly Leniency[]): void {
  for (const leniency of leniencies) warn(server, clientId, leniency);
}

const movedClaim = /^\{(client_id|scope|\$sub)(?::list)?\}$/;

/**
 * The claims of an access token before it was shaped: with `cid: "{client_id}"`, the `client_id` is in `cid`. Nothing
 * is stored, so that every instance of a server reads the token until it expires.
 */
function restoreClaims(claims: Readonly<Record<string, unknown>>, shape: Members): IssuedClaims {
  const moved = Object.fromEntries(
    Object.entries(shape).flatMap(([name, template]) => {
      const original = movedClaim.exec(String(template))?.[1];
      return original === undefined || claims[name] === undefined ? [] : [[original, [claims[name]].flat().join(" ")]];
    }),
  );
  const { $sub = claims.sub, client_id = claims.client_id, scope = claims.scope } = moved;
  return { sub: $sub, aud: claims.aud, others: { client_id, scope } } as IssuedClaims;
}

/** The response with these members alone. */
function withMembers(response: ResponseLike, names: readonly string[]): ResponseLike {
  const document = isResponse(response) ? undefined : parseJsonObject(response.body ?? "");
  if (isResponse(response) || document === undefined) return response;
  const members = Object.entries(document).filter(([name]) => names.includes(name));
  return { ...response, body: JSON.stringify(Object.fromEntries(members)) };
}

/** The response without CORS headers, if scripts of other origins may not read it. */
function withCors(response: ResponseLike, { cors }: EndpointShape): ResponseLike {
  if (cors !== false || isResponse(response)) return response;
  const headers = Object.entries(response.headers).filter(([name]) => !name.startsWith("access-control-"));
  return { ...response, headers: Object.fromEntries(headers) };
}
