/** POST /oauth2/par (RFC 9126 §2): stores an authorization request, for the authorization endpoint. */

import { json } from "../http/responses.ts";
import { missingClientId, pushRequest } from "../oauth/authorize/pushed_request.ts";
import { clientEndpoint } from "../app/client_endpoint.ts";
import type { Handlers } from "../app/route.ts";

/** The handlers of the pushed authorization request endpoint. */
export const par: Handlers = clientEndpoint(
  async (server, { client, parameters }) => json(201, await pushRequest(server, client, parameters)),
  () => Promise.reject(missingClientId()),
);
