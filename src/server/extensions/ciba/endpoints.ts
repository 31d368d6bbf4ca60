/**
 * POST /oauth2/backchannel_authentication (CIBA §7): a client starts the login of a user. GET /backchannel: the
 * requests that wait for the user of the session, each with a link to its decision.
 */

import type { Approver } from "../../../core/authorize/approver.ts";
import { decideRequest } from "../../../core/authorize/authorize.ts";
import { type Context, readParams } from "../../../core/http/context.ts";
import { endpointPath } from "../../../core/http/endpoint.ts";
import { withErrors } from "../../../core/responses/error_response.ts";
import { rejectUntrustedHost } from "../../../core/http/cross_site.ts";
import { clientEndpoint } from "../../../core/token/client_endpoint.ts";
import type { Handlers } from "../../../core/route.ts";
import { readSession } from "../../../core/sessions/cookies.ts";
import { htmlWithForms } from "../../../platform/http/response.ts";
import { Backchannel, type BackchannelProps } from "../../login/pages/backchannel.tsx";
import type { Pages } from "../../pages.ts";
import { renderPage } from "../../../core/pages/render_page.ts";
import { describePolledRequest, findPending, type PendingRequest } from "../polled/polled_request.ts";
import { listRequests, startAuthentication } from "./authentication_request.ts";
import { reject } from "./rules.ts";
import { cibaGrant } from "./settings.ts";
import { json } from "../../../core/http/message.ts";
import { decideImmediately } from "../polled/decide_immediately.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { searchedClients } from "../../clients/clients.ts";
import type { Server } from "../../../core/server.ts";

/**
 * The handlers of the page.
 *
 * @param approver Decides about a request: login pages, or immediately.
 * @param openLogin Whether logins need no password.
 * @param replacement The page of the embedding program.
 */
export function backchannelPage(
  approver: Approver,
  openLogin: boolean,
  replacement: Pages["backchannel"],
): Handlers {
  const showPage = ({ site }: Context, part: Pick<BackchannelProps, "requests" | "result">) =>
    htmlWithForms(200, renderPage(Backchannel, { ...site, ...part }, replacement));
  return {
    async GET(context) {
      const { server } = context;
      if (openLogin) rejectUntrustedHost(server, context.request, "UI-20");
      const params = await readParams(context);
      if (params.get("error") !== undefined) return showPage(context, { result: "denied" });
      if (params.get("result") !== undefined) return showPage(context, { result: "approved" });
      const id = params.get("request_id");
      if (id === undefined) return showPage(context, { requests: await findRequests(context) });
      const found = await findRequest(server, id, endpointPath(context.app, "backchannel"));
      if (found === undefined) throw reject("CB-07", {}, { forUser: true });
      const { pending } = found;
      return await withErrors(context, pending, () => decideRequest(context, pending, approver));
    },
  };
}

/** The undecided requests for the user of the session; `undefined` without a session. */
async function findRequests(context: Context): Promise<BackchannelProps["requests"]> {
  const { server, target } = context;
  const session = await readSession(context);
  if (session === undefined) return undefined;
  const page = endpointPath(context.app, "backchannel");
  const requests = [];
  for (const client of await searchedClients(server)) {
    if (!client.grantTypes.includes(cibaGrant.type)) continue;
    for (const { id } of await listRequests(server, client, session.sub)) {
      const found = await findRequest(server, id, page);
      if (found === undefined) continue;
      const { record, pending: { request, destination } } = found;
      requests.push({
        client: { id: client.id, name: client.name },
        scope: request.scope,
        facts: describePolledRequest(destination, record, target.clientAddress.address),
        href: destination.uri,
      });
    }
  }
  return requests;
}

/**
 * The handlers of the backchannel authentication endpoint.
 *
 * @param approver Decides immediately. If it returns a response, the user decides on the page. Default: the user always
 *   does.
 */
export function backchannelHandlers(approver?: Approver): Handlers {
  return clientEndpoint(async (server: HostedServer, { client, params }, context) => {
    // DNS rebinding: a page of an attacker knows the secret of the demo client.
    if (approver !== undefined) rejectUntrustedHost(server, context.request, "UI-20");
    const { address } = context.target.clientAddress;
    const { id, authReqId, expiresIn } = await startAuthentication(server, client, params, address);
    if (approver !== undefined) {
      const found = await findRequest(server, id, endpointPath(context.app, "backchannel"));
      await decideImmediately(context, found!, approver);
    }
    return json(200, { auth_req_id: authReqId, expires_in: expiresIn, interval: cibaGrant.interval(server) });
  }, { isAudience: true, isChallenged: true });
}

/** The undecided request of an id; `undefined` if there is none. The page then shows the result. */
function findRequest(server: Server, id: string, page: string): Promise<PendingRequest | undefined> {
  return findPending(server, cibaGrant, id, { uri: `${page}?request_id=${id}` });
}
