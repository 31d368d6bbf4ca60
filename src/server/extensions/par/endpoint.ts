/** POST /oauth2/par (RFC 9126 §2): stores an authorization request, for the authorization endpoint. */

import { json } from "../../../core/http/message.ts";
import { pushRequest } from "./pushed_request.ts";
import { reject } from "./rules.ts";
import { clientEndpoint } from "../../../core/client_endpoint.ts";
import type { Handlers } from "../../../core/route.ts";

/** The handlers of the pushed authorization request endpoint. */
export const par: Handlers = clientEndpoint(
  async (server, request) => json(201, await pushRequest(server, request)),
  {
    isAudience: true,
    identifyClient: () => Promise.reject(reject("PA-01", { problem: "no client_id" })),
    provenKey: (server, request) => server.possession.byProof?.provenKey(server, request),
  },
);
