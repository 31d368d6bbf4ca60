/** POST /oauth2/revoke (RFC 7009 §2). */

import { json } from "./http/message.ts";
import { revokeToken } from "./tokens/revocation.ts";
import { clientEndpoint } from "./client_endpoint.ts";
import type { Handlers } from "./route.ts";

/** The handlers of the revocation endpoint. */
export const revoke: Handlers = clientEndpoint(async (server, request) => {
  await revokeToken(server, request);
  return json(200, {});
});
