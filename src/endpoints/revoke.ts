/** POST /oauth2/revoke (RFC 7009 §2). */

import { json } from "../http/responses.ts";
import { revokeToken } from "../oauth/tokens/revocation.ts";
import { clientEndpoint } from "../app/client_endpoint.ts";
import type { App, Handlers } from "../app/endpoint.ts";

/** The revocation endpoint. */
export function revocation(app: App): Handlers {
  return clientEndpoint(app, async (server, request) => {
    await revokeToken(server, request);
    return json(200, {});
  });
}
