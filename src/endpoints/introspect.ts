/** POST /oauth2/introspect (RFC 7662 §2): for servers, so no script of another origin may call it. */

import { json } from "../http/responses.ts";
import { introspect } from "../oauth/tokens/introspection.ts";
import { clientEndpoint } from "../app/client_endpoint.ts";
import type { App, Handlers } from "../app/endpoint.ts";

/** The introspection endpoint. */
export function introspection(app: App): Handlers {
  return clientEndpoint(app, async (server, request) => json(200, await introspect(server, request)));
}
