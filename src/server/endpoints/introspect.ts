/**
 * POST /oauth2/introspect (RFC 7662 §2), without CORS, because its callers are servers. The response is JSON, or in a
 * format of an extension that the caller asks for.
 */

import { clientEndpoint } from "./shared/client_endpoint.ts";
import type { IntrospectionFormat } from "../assembly/extension.ts";
import { jwtResponse } from "./shared/jwt_response.ts";
import type { Handlers } from "../assembly/route.ts";
import { json } from "../../platform/http/message.ts";
import { introspect } from "../oauth/tokens/introspection.ts";

/**
 * The handlers of the introspection endpoint.
 *
 * @param formats The formats besides JSON.
 */
export function introspectionHandlers(formats: readonly IntrospectionFormat[]): Handlers {
  return clientEndpoint(async (server, request) => {
    const response = await introspect(server, request);
    const accept = request.header("accept");
    const format = formats.find(({ contentType }) => accepts(accept, contentType));
    if (format === undefined) return json(200, response);
    return jwtResponse(format.contentType, await format.write(server, request.client, response));
    // RFC 7662 §2.3: 401.
  }, { isChallenged: true });
}

/** Whether an `Accept` header names a type; wildcards mean JSON. */
function accepts(accept: string | null, contentType: string): boolean {
  return (accept ?? "").toLowerCase().split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    return type === contentType && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
