/** POST /oauth2/revoke (RFC 7009 §2). */

import { json } from "../../platform/http/message.ts";
import { revokeToken } from "../oauth/tokens/revocation.ts";
import { clientEndpoint } from "./shared/client_endpoint.ts";
import type { Handlers } from "../assembly/route.ts";

/** The handlers of the revocation endpoint. */
export const revoke: Handlers = clientEndpoint(async (server, request) => {
  await revokeToken(server, request);
  return json(200, {});
});
