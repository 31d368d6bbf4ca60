/**
 * POST /oauth2/introspect (RFC 7662 §2), without CORS: its callers are servers. The response is JSON, or a JWT if the
 * caller asks for it (RFC 9701 §4).
 */

import { json } from "../http/responses.ts";
import { introspect } from "../oauth/tokens/introspection.ts";
import { clientEndpoint } from "../app/client_endpoint.ts";
import { jwtResponse } from "../app/jwt_response.ts";
import type { Handlers } from "../app/route.ts";

const jwtType = "application/token-introspection+jwt";

/** The handlers of the introspection endpoint. */
export const introspection: Handlers = clientEndpoint(async (server, request) => {
  const response = await introspect(server, request);
  if (!acceptsJwt(request.header("accept"))) return json(200, response);
  const { signIntrospection } = await import("../oauth/tokens/signed_introspection.ts");
  return jwtResponse(jwtType, await signIntrospection(server, request.client, response));
});

/** Whether an `Accept` header names the type of signed responses; wildcards mean JSON. */
function acceptsJwt(accept: string | null): boolean {
  return (accept ?? "").toLowerCase().split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    return type === jwtType && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
