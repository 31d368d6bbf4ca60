/** POST /oauth2/introspect (RFC 7662 §2), without CORS: its callers are servers. */

import { json } from "../http/responses.ts";
import { introspect } from "../oauth/tokens/introspection.ts";
import { clientEndpoint } from "../app/client_endpoint.ts";
import type { Handlers } from "../app/route.ts";

/** The handlers of the introspection endpoint. */
export const introspection: Handlers = clientEndpoint(async (server, request) =>
  json(200, await introspect(server, request))
);
