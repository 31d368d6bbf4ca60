/** POST /oauth2/token (OAuth 2.1 §3.2): authenticate the client, validate the grant, issue the tokens. */

import { json } from "../http/responses.ts";
import { findGrantType, identifyClient } from "../oauth/grants/grant_type.ts";
import { issueTokens } from "../oauth/tokens/mod.ts";
import { clientEndpoint } from "../app/client_endpoint.ts";
import type { Handlers } from "../app/route.ts";

/** The handlers of the token endpoint. */
export const token: Handlers = clientEndpoint(async (server, request) => {
  const grantType = findGrantType(server, request);
  const authorization = await grantType.authorize(server, request);
  return json(200, await issueTokens(server, request, authorization));
}, { identifyClient, provenKey: (server, request) => server.keyProofs?.tokenKey(server, request) });
