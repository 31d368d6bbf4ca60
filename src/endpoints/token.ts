/** POST /oauth2/token (OAuth 2.1 §3.2). */

import { json } from "../http/responses.ts";
import { findGrantType } from "../oauth/grants/grant_type.ts";
import { issueTokens } from "../oauth/tokens/mod.ts";
import { clientEndpoint } from "../app/client_endpoint.ts";
import type { App, Endpoint } from "../app/endpoint.ts";

/** The token endpoint. */
export function tokenEndpoint(app: App): Endpoint {
  const handlers = clientEndpoint(app, async (server, request) => {
    const grantType = findGrantType(server, request);
    const authorization = await grantType.authorize(server, request);
    return json(200, await issueTokens(server, request, authorization));
  });
  return { name: "token_endpoint", path: `${app.site.base}/oauth2/token`, cors: true, ...handlers };
}
