/** Reads a request for fault rules, and leaves its body readable for the server. */

import type { App } from "../../server/app.ts";
import type { EndpointDescription } from "../../server/endpoint.ts";
import { isForm } from "../../core/http/form.ts";
import { peekForm } from "../../platform/http/changed_request.ts";
import type { HttpRequest } from "../../core/http/message.ts";
import { parseTarget } from "../../core/http/router.ts";
import { type RecordedRequest, unknownEndpoint } from "../../recorder/exchange.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { findBearerToken, findClientId, recordRequest } from "../../recorder/record_request.ts";
import type { RequestView } from "./fault.ts";

/**
 * Reads a request.
 *
 * @param findAuthorizationRequest Returns the authorization request that an interaction belongs to, if it is known.
 */
export async function readRequestView(
  app: App,
  request: HttpRequest,
  findAuthorizationRequest: (interaction: string) => RequestView | undefined,
): Promise<RequestView> {
  const target = parseTarget(request.url, {});
  const endpoint = app.findEndpoint(target.path);
  const withoutForm = recordRequest(request, target);
  const recorded = request.method === "POST" && isForm(request)
    // The server rejects an invalid form and explains why.
    ? { ...withoutForm, form: await peekForm(request).catch(() => []), query: [] }
    : withoutForm;
  const view = requestView(endpoint, recorded, request);
  const authorizationRequest = isLoginPage(endpoint)
    ? findAuthorizationRequest(view.params.interaction ?? "")
    : undefined;
  return { ...view, client: authorizationRequest?.client ?? view.client, authorizationRequest };
}

/** A recorded request with all properties that a fault rule may match. */
export function requestView(
  description: EndpointDescription | undefined,
  recorded: RecordedRequest,
  { headers }: HttpRequest,
): RequestView {
  const params: Record<string, string> = {};
  for (const [name, value] of [...recorded.form, ...recorded.query]) {
    if (!Object.hasOwn(params, name)) params[name] = value;
  }
  return {
    endpoint: description?.name ?? unknownEndpoint,
    description,
    method: recorded.method,
    path: recorded.path,
    params,
    client: findClientId(recorded) ?? findTokenClient(findBearerToken(recorded)),
    header: (name) => headers.get(name),
  };
}

/** The `client_id` claim of a JWT access token. */
function findTokenClient(token: string | undefined): string | undefined {
  const { client_id } = decodeJwtPart(token ?? "", 1);
  return typeof client_id === "string" ? client_id : undefined;
}

/** Whether an endpoint receives authorization requests. */
export function isAuthorizationEndpoint(endpoint: EndpointDescription | undefined): boolean {
  return endpoint?.errors === "redirect" && endpoint.metadataName !== undefined;
}

/** Whether an endpoint is a page on the way from the authorization request to its response. */
function isLoginPage(endpoint: EndpointDescription | undefined): boolean {
  return endpoint?.errors === "redirect" && endpoint.metadataName === undefined;
}
