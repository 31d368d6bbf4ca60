/**
 * Where the parameters of an authorization request come from: the request itself, a pushed request (RFC 9126) or a
 * request object (RFC 9101). Loaded with the first request that contains `request` or `request_uri`.
 */

import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import type { Server } from "../server.ts";
import type { ResolvedRequest } from "./destination.ts";
import { readPushedRequest, requestUriPrefix } from "./pushed_request.ts";
import { readRequestObject } from "./request_object.ts";

/**
 * Finds the parameters of a request. It changes nothing, so that a user may reload the page. No `request_uri` is ever
 * fetched (SSRF).
 *
 * @param received The parameters that the authorization endpoint received.
 * @param unrepeatable See {@link paramsFromFields}.
 * @throws {OAuthError} `invalid_request_uri` if the `request_uri` of a pushed request cannot be used.
 */
export async function resolveRequest(
  server: Server,
  received: Params,
  unrepeatable: ReadonlySet<string>,
): Promise<ResolvedRequest> {
  const [request, requestUri] = [received.get("request"), received.get("request_uri")];
  if (request === undefined && requestUri === undefined) return { params: received, origin: {} };
  try {
    if (requestUri === undefined) return await readRequestObject(server, received, unrepeatable);
    if (request !== undefined) {
      throw new OAuthError("invalid_request", "request and request_uri are mutually exclusive", {
        rule: "JR-01",
        expected: "one of them",
        received: "both",
      });
    }
    if (!requestUri.startsWith(requestUriPrefix)) {
      throw new OAuthError("request_uri_not_supported", "request_uri is not supported by this server", {
        rule: "JR-01",
        expected: `the request_uri of a pushed request, which begins with ${requestUriPrefix}`,
        received: "another request_uri, which is not fetched",
      });
    }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return { params: received, origin: { rejection: error } };
  }
  return await readPushedRequest(server, received, unrepeatable);
}
