/** GET and POST /oauth2/authorize (OAuth 2.1 §4.1.1): destination, request, session, approval, code. */

import { parseFields, readForm } from "../http/form.ts";
import { isResponse } from "../http/message.ts";
import type { Answer, Incoming } from "../http/message.ts";
import type { Target } from "../http/router.ts";
import { findDestination, issueCode, readAuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import type { Approval, AuthorizationRequest, Destination } from "../oauth/authorize/authorization_request.ts";
import { meet } from "../oauth/clients/repository.ts";
import { OAuthError } from "../oauth/errors.ts";
import { loginRequired, refuseOldLogin, usableSession } from "../oauth/authorize/openid.ts";
import { hasTestHost } from "../oauth/config/settings.ts";
import { readParams } from "../oauth/params.ts";
import type { Params } from "../oauth/params.ts";
import { beginSession, endForgotten } from "../oauth/session/session.ts";
import type { Session } from "../oauth/session/session.ts";
import { asPage, refuseToClient, toClient } from "../app/error_response.ts";
import type { Approver } from "../app/approver.ts";
import type { Desk, Endpoint } from "../app/endpoint.ts";
import { refuseForeignHost } from "../app/host_check.ts";
import { keepSession, readSession } from "../app/session_cookie.ts";

/** Answers a request that is in order; what it throws travels to the client. */
export type Decide = (here: Desk, http: Incoming, asked: AuthorizationRequest) => Promise<Answer>;

/** The authorization endpoint. */
export function authorizeEndpoint(desk: Desk, decide: Decide): Endpoint {
  async function answer(request: Incoming, target: Target): Promise<Answer> {
    const here = desk.during(request);
    let params: Params | undefined;
    let destination: Destination;
    try {
      params = readParams(request.method === "POST" ? await readForm(request) : parseFields(target.query));
      await meet(here.server.clients, params.get("client_id"));
      destination = findDestination(here.server, params);
      // DNS rebinding: with automatic login an attacker's page could read the code in the form_post page.
      const isReadable = destination.mode === "form_post" && hasTestHost(here.server.issuer);
      if (isReadable) refuseForeignHost(here.server.issuer, request, "FP-04");
    } catch (refusal) {
      const named = params?.repeats("client_id") ? undefined : params?.get("client_id");
      const client = named === undefined ? undefined : here.server.clients.find(named);
      return await asPage(here, target, refusal, request, client?.id);
    }
    try {
      return await decide(here, request, await readAuthorizationRequest(here.server, params, destination));
    } catch (refusal) {
      return await refuseToClient(here, target, request, destination, refusal);
    }
  }

  return {
    name: "authorization_endpoint",
    path: `${desk.site.base}/oauth2/authorize`,
    GET: answer,
    // A code must not be issued for a question about headers.
    HEAD: () => bareHead,
    POST: answer,
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
  };
}

/** What is answered to a question about headers where the answer itself would change something. */
export const bareHead: Answer = {
  status: 200,
  headers: { "cache-control": "no-store", "referrer-policy": "no-referrer" },
  body: null,
};

/** Decides as an approver says. */
export function askApprover(approve: Approver): Decide {
  return async (here, http, asked) => {
    const { server } = here;
    const { users, now, trace } = server;
    const begun = now();
    const former = await readSession(here, http);
    const session = usableSession(server, asked.wishes, former);
    const decision = await approve(asked, { session, former, users, now, trace, http });
    if (isResponse(decision)) {
      if (asked.wishes.prompt.includes("none")) throw interactionRequired();
      return withoutTraces(decision);
    }
    const goesOn = session?.sub === decision.user.sub && session.authTime === decision.authTime;
    if (!goesOn && asked.wishes.prompt.includes("none")) throw loginRequired("another user is there than logged in");
    if (!goesOn) refuseOldLogin(asked.wishes, begun, decision.authTime, former);
    const current = goesOn ? session : beginSession(server, decision.user.sub, decision.authTime, former);
    const answer = await sendCode(here, http, asked, decision, current, !goesOn);
    if (former !== undefined && !goesOn) await endForgotten(server, former, current);
    return answer;
  };
}

/** Sends the client a code for what a person allowed, and begins their session in this browser where it is a new one. */
export async function sendCode(
  here: Desk,
  http: Incoming,
  asked: AuthorizationRequest,
  approval: Approval,
  session: Session,
  isNew: boolean,
): Promise<Answer> {
  const code = await issueCode(here.server, asked, approval, session.sid);
  const headers = isNew ? await keepSession(here, session) : {};
  return await toClient(here, http, asked.destination, [["code", code]], headers);
}

/** What an approver shows is kept out of caches and referrers, like all that this endpoint answers. */
function withoutTraces(shown: Response): Response {
  const answer = new Response(shown.body, shown);
  answer.headers.set("cache-control", "no-store");
  answer.headers.set("referrer-policy", "no-referrer");
  return answer;
}

function interactionRequired(): OAuthError {
  return new OAuthError("interaction_required", "the user would have to be asked, and prompt=none forbids it", {
    rule: "OI-03",
    expected: "a request that can be answered without a page",
    received: "prompt=none",
  });
}
