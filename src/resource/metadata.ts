/** Protected resource metadata: the document and its URL (RFC 9728 §2, §3.1). */

import { type Route, router } from "../core/http/router.ts";
import { HttpError, type HttpRequest, type HttpResponse, json, toResponse } from "../core/http/message.ts";
import { scopeToken } from "../core/http/params.ts";
import { isAbsoluteUri } from "../platform/http/absolute_uri.ts";
import { allowsPlainHttp } from "../server/config/host_kinds.ts";
import type { ProtectedResource } from "./protected_resource.ts";

const wellKnownPath = "/.well-known/oauth-protected-resource";

const identifierParts = /^(https?:\/\/[^/?#@]+)(\/[^?#]*)?(\?[^#]*)?$/i;

/**
 * The URL of the metadata document: the identifier with the well-known path between host and path (RFC 9728 §3.1).
 *
 * @param resource The identifier of the resource.
 * @throws {TypeError} If it is not an absolute URL without a fragment, or uses http on a host that is neither a test
 *   host nor a host of one network.
 */
export function metadataUrl(resource: string): string {
  const [, origin, path = "", query = ""] = identifierParts.exec(resource) ?? [];
  if (origin === undefined || !isAbsoluteUri(resource) || !allowsScheme(resource)) {
    throw new TypeError(
      `resource: expected an absolute https URL without a fragment, or an http URL on a test host or a host of one network, received ${
        JSON.stringify(resource)
      }. Write the URL of the resource as its clients send it.`,
    );
  }
  return `${origin}${wellKnownPath}${path === "/" ? "" : path}${query}`;
}

function allowsScheme(resource: string): boolean {
  const { protocol, hostname } = new URL(resource);
  return protocol === "https:" || allowsPlainHttp(hostname);
}

/**
 * Rejects values that are not scope values (OAuth 2.1 §1.4.1), and `offline_access`, which requests a refresh token
 * from the authorization server and is not a scope value of a resource.
 *
 * @throws {TypeError}
 */
export function assertResourceScopes(scopes: readonly string[]): void {
  const invalid = scopes.find((value) => value === "offline_access" || !scopeToken.test(value));
  if (invalid === undefined) return;
  const hint = invalid === "offline_access"
    ? "Remove it."
    : "Write one value for each string, without spaces and quotes.";
  throw new TypeError(`scopes: expected scope values of the resource, received ${JSON.stringify(invalid)}. ${hint}`);
}

/** The response with the metadata document, of which no member is empty (RFC 9728 §3.2). */
export function metadataResponse(
  { resource, verifier, scopes = [], authorizationDetailsTypes = [], name, dpop }: ProtectedResource,
): HttpResponse {
  assertResourceScopes(scopes);
  const document = {
    resource,
    authorization_servers: [verifier.issuer],
    ...scopes.length > 0 && { scopes_supported: scopes },
    ...authorizationDetailsTypes.length > 0 && { authorization_details_types_supported: authorizationDetailsTypes },
    bearer_methods_supported: ["header"],
    ...dpop !== undefined && { dpop_signing_alg_values_supported: dpop.algorithms },
    ...dpop?.required && { dpop_bound_access_tokens_required: true },
    ...name !== undefined && { resource_name: name },
  };
  return json(200, document, { "cache-control": "public, max-age=60" });
}

/**
 * Handles a request for the metadata document of a resource; `undefined` for any other request. The path and query of
 * the request count, not its host.
 *
 * @throws {TypeError} If the identifier of the resource is invalid.
 *
 * @example
 * ```ts ignore
 * const document = await resourceMetadata(request, api);
 * if (document !== undefined) return document;
 * ```
 */
export async function resourceMetadata(
  request: Request,
  resource: ProtectedResource,
): Promise<Response | undefined> {
  const { pathname, search } = new URL(metadataUrl(resource.resource));
  const requested = new URL(request.url);
  if (requested.pathname !== pathname || (search !== "" && requested.search !== search)) return undefined;
  const document = metadataResponse(resource);
  const route: Route<HttpRequest> = {
    path: pathname,
    methods: ["GET"],
    cors: true,
    handle: () => document,
  };
  const handle = router(() => route, {
    createContext: (received) => received,
    handleError: rejectionOf,
    lastResort: rejectionOf,
  });
  return toResponse(await handle(request));
}

/** The response to a request that is invalid as HTTP, such as 405. */
function rejectionOf(error: unknown): HttpResponse {
  if (!(error instanceof HttpError)) return json(500, { error: "server_error" });
  return json(error.status, { error: "invalid_request", error_description: error.message });
}
