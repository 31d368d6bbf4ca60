/**
 * POST /oauth2/introspect (RFC 7662 §2), without CORS, because its callers are servers. The response is JSON, or signed
 * by an extension if the caller asks for it.
 */

import { clientEndpoint } from "./client_endpoint.ts";
import { jwtResponse } from "./jwt_response.ts";
import type { Handlers } from "./route.ts";
import { json } from "./http/message.ts";
import { introspect } from "./tokens/introspection.ts";

/** The handlers of the introspection endpoint. */
export const introspection: Handlers = clientEndpoint(async (server, request) => {
  const response = await introspect(server, request);
  const signed = await server.signIntrospection(server, request, response);
  return signed === undefined ? json(200, response) : jwtResponse(signed.contentType, signed.jwt);
  // RFC 7662 §2.3: 401.
}, { isChallenged: true });
