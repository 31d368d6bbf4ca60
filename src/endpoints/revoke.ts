/** POST /oauth2/revoke (RFC 7009 §2). */

import { json } from "../http/respond.ts";
import { requireTokenParameter, revokeToken } from "../oauth/revocation.ts";
import { clientRequestEndpoint } from "./client_request.ts";
import type { Desk, Endpoint } from "./endpoint.ts";

/** The revocation endpoint. */
export function revokeEndpoint(desk: Desk): Endpoint {
  const place = { name: "revocation_endpoint", path: "/oauth2/revoke", cors: true };
  return clientRequestEndpoint(desk, place, async (server, client, params) => {
    await revokeToken(server, client, requireTokenParameter(params, "RV-01"));
    return json(200, {});
  });
}
