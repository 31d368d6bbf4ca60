/** POST /oauth2/token (OAuth 2.1 §3.2): the phases that all grants share, in reading order. */

import { json } from "../http/responses.ts";
import { pickGrant } from "../oauth/grants/grant.ts";
import { issueTokens } from "../oauth/tokens/mod.ts";
import { answerClients } from "../app/client_endpoint.ts";
import type { Desk, Endpoint } from "../app/endpoint.ts";

/** The token endpoint. */
export function tokenEndpoint(desk: Desk): Endpoint {
  const answers = answerClients(desk, async (server, client, params) => {
    const grant = pickGrant(server, client, params);
    const authorized = await grant.authorize(server, client, params);
    return json(200, await issueTokens(server, grant.type, authorized));
  });
  return { name: "token_endpoint", path: `${desk.site.base}/oauth2/token`, cors: true, ...answers };
}
