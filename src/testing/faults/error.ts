/** Any OAuth error, said the way the endpoint says its own (OAuth 2.1 §3.2.4, §4.1.2.1; RFC 6750 §3). */

import { authorizationResponse, basicChallenge, bearerChallenge } from "../../app/error_response.ts";
import type { RequestLike, ResponseLike } from "../../http/message.ts";
import { json } from "../../http/responses.ts";
import { findDestination } from "../../oauth/authorize/authorization_request.ts";
import type { Destination } from "../../oauth/authorize/authorization_request.ts";
import { errorStatus } from "../../oauth/errors.ts";
import type { ErrorCode } from "../../oauth/errors.ts";
import { paramsFromFields } from "../../oauth/params.ts";
import { withCorsHeaders } from "./response_body.ts";
import type { Fault, FaultContext, RequestView } from "./fault.ts";

/** What an error says besides its code. */
export interface ErrorOptions {
  /** `error_description`. Default: a sentence that says where it comes from. */
  readonly description?: string;
  /** `error_uri`. Default: none. */
  readonly uri?: string;
  /** The status where it is answered as JSON. Default: the one that belongs to the code, 400 for a code unknown here. */
  readonly status?: number;
  /** Seconds, sent as `Retry-After` where it is answered as JSON. Default: not sent. */
  readonly retryAfter?: number;
}

/**
 * Answers with an OAuth error, and the server is not asked: JSON at the endpoints for clients, with the challenge that
 * belongs to the status. At authorize, login and consent it travels to the client, with `state` and `iss`, by redirect or
 * form; a request that names no good redirect URI meets the server's own refusal and does not count.
 *
 * @param code Any code, known to this server or not.
 */
export function error(code: ErrorCode | (string & Record<never, never>), options: ErrorOptions = {}): Fault {
  const { description = "a fault in the test says so", uri } = options;
  const fields: readonly (readonly [string, string])[] = [
    ["error", code],
    ["error_description", description],
    ...uri === undefined ? [] : [["error_uri", uri] as const],
  ];
  return {
    name: code,
    endpoints: [
      ...["authorize", "login", "consent", "token", "jwks", "userinfo", "revoke", "introspect", "discovery"] as const,
    ],
    waitsFor: "named a client and a redirect URI that an error may be sent to",
    handle: (next, context) => async (request, peer) => {
      const { endpoint } = context.request;
      if (endpoint === "authorize" || endpoint === "login" || endpoint === "consent") {
        const destination = findDestinationOf(context, context.request.authorizationRequest ?? context.request);
        if (destination === undefined || !context.consume()) return await next(request, peer);
        return await authorizationResponse(context.app, request, destination, fields);
      }
      return context.consume() ? jsonErrorResponse(context, request, code, fields, options) : await next(request, peer);
    },
  };
}

function findDestinationOf({ app }: FaultContext, { endpoint, params }: RequestView): Destination | undefined {
  if (endpoint !== "authorize") return undefined;
  try {
    return findDestination(app.server, paramsFromFields(Object.entries(params)));
  } catch {
    return undefined;
  }
}

function jsonErrorResponse(
  { request: { endpoint }, app: { server: { issuer } } }: FaultContext,
  request: RequestLike,
  code: string,
  fields: readonly (readonly [string, string])[],
  { status = Object.hasOwn(errorStatus, code) ? errorStatus[code as ErrorCode] : 400, retryAfter }: ErrorOptions,
): ResponseLike {
  const challenge = endpoint === "userinfo"
    ? status === 401 || status === 403 ? bearerChallenge(issuer, Object.fromEntries(fields)) : undefined
    : status === 401
    ? basicChallenge(issuer)
    : undefined;
  const response = json(status, Object.fromEntries(fields), {
    ...challenge !== undefined && { "www-authenticate": challenge },
    ...retryAfter !== undefined && { "retry-after": String(retryAfter) },
  });
  return withCorsHeaders(endpoint, request.method === "HEAD" ? { ...response, body: null } : response);
}
