/** Any OAuth error, in the form that the endpoint itself uses (OAuth 2.1 §3.2.4, §4.1.2.1; RFC 6750 §3). */

import { authorizationResponse } from "../../core/responses/authorization_response.ts";
import { basicChallenge } from "../../core/http/json_error.ts";
import { challenge, type HttpRequest, type HttpResponse, json } from "../../core/http/message.ts";
import { findDestination } from "../../core/authorize/destination.ts";
import { type ErrorCode, statusOf } from "../../core/rules/rule.ts";
import { paramsFromFields } from "../../core/http/params.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import { numberParameter, textParameter } from "./parameters.ts";
import { isAuthorizationEndpoint } from "./request_view.ts";
import { withCorsHeaders } from "./response_body.ts";
import type { Fault, FaultContext, RequestView } from "./fault.ts";

/** The parts of the error response other than the code. */
export interface ErrorOptions {
  /** `error_description`. Default: a sentence that names the fault as its origin. */
  readonly description?: string;
  /** `error_uri`. Default: none. */
  readonly uri?: string;
  /** The status of a JSON response. Default: the status of the code, 400 for an unknown code. */
  readonly status?: number;
  /** `Retry-After` of a JSON response, in seconds. Default: not sent. */
  readonly retryAfter?: number;
}

/** Any code, known to this server or not. */
type AnyErrorCode = ErrorCode | (string & Record<never, never>);

/**
 * Responds with an OAuth error instead of the server. The endpoints for clients respond with JSON and the
 * `WWW-Authenticate` challenge of the status. At `authorize`, `login` and `consent` the client receives the error with
 * `state` and `iss`, by redirect or form. A request without a valid redirect URI is rejected by the server and does not
 * count.
 */
export const error: FaultFactory<(code?: AnyErrorCode, options?: ErrorOptions) => Fault> = defineFault({
  id: "error",
  title: "OAuth error response",
  endpoints: [
    ...["authorize", "login", "consent", "token", "jwks", "userinfo", "revoke", "introspect", "discovery", "par"],
    ...["register", "client_configuration", "resource", "resource_metadata"],
  ],
  correctClient:
    "The client reports the error code, and starts a new login if the code requires one, as invalid_grant does.",
  parameters: [
    textParameter("code", "server_error", "The member error.", "Error code"),
    {
      ...textParameter(
        "description",
        "caused by an injected fault",
        "The member error_description.",
        "Error description",
      ),
      option: true,
    },
    { ...textParameter("uri", undefined, "The member error_uri; left out by default.", "Error URI"), option: true },
    numberParameter("status", undefined, "The status of a JSON response; by default the one of the error code.", {
      min: 200,
      max: 599,
      label: "Status code",
      option: true,
    }),
    numberParameter("retryAfter", undefined, "The header Retry-After of a JSON response; left out by default.", {
      min: 0,
      label: "Retry after, in seconds",
      option: true,
    }),
  ],
  create({ code, description, uri, ...options }) {
    const fields: readonly (readonly [string, string])[] = [
      ["error", code],
      ["error_description", description],
      ...uri === undefined ? [] : [["error_uri", uri] as const],
    ];
    return {
      name: code,
      waitsFor: "had a client and a redirect URI that can receive the error",
      handle: (next, context) => async (request, peer) => {
        if (context.request.description?.errors === "redirect") {
          const found = await findDestinationOf(context, context.request.authorizationRequest ?? context.request);
          if (found === undefined || !context.consume()) return await next(request, peer);
          const { app, app: { server, site } } = context;
          return await authorizationResponse({ app, server, site, request }, found, fields);
        }
        return context.consume()
          ? jsonErrorResponse(context, request, code, fields, options)
          : await next(request, peer);
      },
    };
  },
});

async function findDestinationOf(
  { app }: FaultContext,
  { description, params }: RequestView,
): Promise<Awaited<ReturnType<typeof findDestination>> | undefined> {
  if (!isAuthorizationEndpoint(description)) return undefined;
  const server = { ...app.server, trace: () => {}, passed: () => {} };
  try {
    const resolved = await server.resolveRequest(server, paramsFromFields(Object.entries(params)), new Set());
    return await findDestination(server, resolved.params, resolved.origin);
  } catch {
    return undefined;
  }
}

function jsonErrorResponse(
  { request: view, app: { server } }: FaultContext,
  request: HttpRequest,
  code: string,
  fields: readonly (readonly [string, string])[],
  { status = statusOf(code), retryAfter }: Pick<
    ErrorOptions,
    "status" | "retryAfter"
  >,
): HttpResponse | Response {
  const attributes = Object.fromEntries(fields);
  const isBearer = view.description?.errors === "bearer" || view.description?.errors === "resource";
  const challenged = isBearer && (status === 401 || status === 403)
    ? challenge("Bearer", { realm: server.issuer, ...attributes })
    : !isBearer && status === 401
    ? basicChallenge(server, attributes)
    : undefined;
  const response = json(status, attributes, {
    ...challenged !== undefined && { "www-authenticate": challenged },
    ...retryAfter !== undefined && { "retry-after": String(retryAfter) },
  });
  return withCorsHeaders(view, request.method === "HEAD" ? { ...response, body: null } : response);
}
