/**
 * POST /oauth2/introspect (RFC 7662 §2), without CORS, because its callers are servers. The response is JSON, or signed
 * by an extension if the caller asks for it.
 */

import { clientEndpoint } from "./shared/client_endpoint.ts";
import { jwtResponse } from "./shared/jwt_response.ts";
import type { Handlers } from "../assembly/route.ts";
import { json } from "../../platform/http/message.ts";
import { introspect } from "../oauth/tokens/introspection.ts";

/** The handlers of the introspection endpoint. */
export const introspection: Handlers = clientEndpoint(async (server, request) => {
  const response = await introspect(server, request);
  const signed = await server.signIntrospection(server, request, response);
  return signed === undefined ? json(200, response) : jwtResponse(signed.contentType, signed.jwt);
  // RFC 7662 §2.3: 401.
}, { isChallenged: true });
