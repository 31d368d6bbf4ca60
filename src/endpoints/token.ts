/** POST /oauth2/token (OAuth 2.1 §3.2): the phases that all grants share, in reading order. */

import { json } from "../http/respond.ts";
import { pickGrant } from "../oauth/grants/grant.ts";
import { grants } from "../oauth/grants/mod.ts";
import { issueTokens } from "../oauth/tokens/mod.ts";
import { clientRequestEndpoint } from "./client_request.ts";
import type { Desk, Endpoint } from "./endpoint.ts";

/** The token endpoint. */
export function tokenEndpoint(desk: Desk): Endpoint {
  const { server } = desk;
  const place = { name: "token_endpoint", path: "/oauth2/token", cors: true };
  return clientRequestEndpoint(desk, place, async (client, params) => {
    const grant = pickGrant(grants, client, params);
    const authorized = await grant.authorize(server, client, params);
    return json(200, await issueTokens(server, grant.type, authorized));
  });
}
