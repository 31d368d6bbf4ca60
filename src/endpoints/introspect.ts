/** POST /oauth2/introspect (RFC 7662 §2): for servers, so no script of another origin may call it. */

import { json } from "../http/respond.ts";
import { refuseClient } from "../oauth/client_auth/method.ts";
import { introspect } from "../oauth/introspection.ts";
import { requireTokenParameter } from "../oauth/revocation.ts";
import { clientRequestEndpoint } from "./client_request.ts";
import type { Desk, Endpoint } from "./endpoint.ts";

/** The introspection endpoint. */
export function introspectEndpoint(desk: Desk): Endpoint {
  const place = { name: "introspection_endpoint", path: "/oauth2/introspect", cors: false };
  return clientRequestEndpoint(desk, place, async (server, client, params) => {
    if (!client.confidential) throw refuseClient("introspection is for clients that authenticate", "a secret", "none");
    return json(200, await introspect(server, client, requireTokenParameter(params, "IN-01")));
  });
}
