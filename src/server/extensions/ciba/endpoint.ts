/** POST /oauth2/backchannel_authentication (CIBA §7): a client starts the login of a user. */

import type { Approver } from "../../../core/approver.ts";
import { clientEndpoint } from "../../../core/client_endpoint.ts";
import { endpointPath } from "../../../core/endpoint.ts";
import { rejectUntrustedHost } from "../../../core/cross_site.ts";
import type { Handlers } from "../../../core/route.ts";
import { json } from "../../../core/http/message.ts";
import { decideImmediately } from "../polled/decide_immediately.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { startAuthentication } from "./authentication_request.ts";
import type { Server } from "../../../core/server.ts";
import { findPending, type PendingRequest } from "../polled/polled_request.ts";
import { cibaGrant } from "./settings.ts";

/**
 * The handlers of the backchannel authentication endpoint.
 *
 * @param approver Decides immediately. If it returns a response, the user decides on the page. Default: the user always
 *   does.
 */
export function backchannelHandlers(approver?: Approver): Handlers {
  return clientEndpoint(async (server: HostedServer, { client, parameters }, context) => {
    // DNS rebinding: a page of an attacker knows the secret of the demo client.
    if (approver !== undefined) rejectUntrustedHost(server, context.request, "UI-20");
    const { address } = context.target.clientAddress;
    const { id, authReqId, expiresIn } = await startAuthentication(server, client, parameters, address);
    if (approver !== undefined) {
      const found = await findRequest(server, id, endpointPath(context.app, "backchannel"));
      await decideImmediately(context, found!, approver);
    }
    return json(200, { auth_req_id: authReqId, expires_in: expiresIn, interval: cibaGrant.interval(server) });
  }, { isAudience: true, isChallenged: true });
}

/** The undecided request of an id; `undefined` if there is none. The page then shows the result. */
export function findRequest(server: Server, id: string, page: string): Promise<PendingRequest | undefined> {
  return findPending(server, cibaGrant, id, { uri: `${page}?request_id=${id}` });
}
