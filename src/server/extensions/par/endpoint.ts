/** POST /oauth2/par (RFC 9126 §2): stores an authorization request, for the authorization endpoint. */

import type { AuthenticatedRequest } from "../../../core/grants/authenticated_request.ts";
import { json } from "../../../core/http/message.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { respondWithKey } from "../dpop/respond.ts";
import { canProve } from "../dpop/settings.ts";
import { pushRequest } from "./pushed_request.ts";
import { reject } from "./rules.ts";
import { clientEndpoint } from "../../../core/client_endpoint.ts";
import type { Handlers } from "../../../core/route.ts";

/** The handlers of the pushed authorization request endpoint. */
export const par: Handlers = clientEndpoint(
  (server: HostedServer, request) => {
    const push = async (proven: AuthenticatedRequest) => json(201, await pushRequest(server, proven));
    const hasProof = canProve(server) && request.header("dpop") !== null;
    return hasProof ? respondWithKey(server, request, push) : push(request);
  },
  {
    isAudience: true,
    identifyClient: () => Promise.reject(reject("PA-01", { problem: "no client_id" })),
  },
);
