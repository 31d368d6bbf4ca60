/**
 * GET and POST /oauth2/authorize (OAuth 2.1 §4.1.1): from an authorization request to the response to its client.
 *
 * The pages of the whole server call {@link decideRequest} or {@link completeAuthorization} when the user has acted.
 */

import type { Approver } from "./approver.ts";
import { authorizationResponse } from "../responses/authorization_response.ts";
import type { Client } from "../clients/clients.ts";
import type { Approval } from "./approval.ts";
import { acceptApproval } from "./code.ts";
import { type Context, readParams } from "../http/context.ts";
import { rejectUntrustedHost } from "../http/cross_site.ts";
import { withErrors } from "../responses/error_response.ts";
import { emptyHeadResponse, type HttpResponse, isResponse, withHeaders } from "../http/message.ts";
import type { Params } from "../http/params.ts";
import { reject } from "../rules/reject.ts";
import { readRequest, warnAcceptedRequest } from "./checks.ts";
import { rejectOldLogin, usableSession } from "./login.ts";
import type { Destination, PendingAuthorization } from "./authorization_request.ts";
import { findDestination } from "./destination.ts";
import type { Handlers } from "../route.ts";
import type { Server } from "../server.ts";
import { endForgottenSessions, type Session } from "../sessions/session.ts";
import { readSession, setSessionCookie } from "../sessions/cookies.ts";

/** Decides a valid request: `decideRequest` with an approver. */
export type Decide = (context: Context, pending: PendingAuthorization) => Promise<HttpResponse | Response>;

export function authorizeHandlers(decide: Decide): Handlers {
  async function authorize(context: Context): Promise<HttpResponse | Response> {
    const { server, unrepeatable } = context;
    const received = await readParams(context);
    try {
      const { params, origin } = await server.resolveRequest(server, received, unrepeatable);
      const { client, destination } = await findDestination(server, params, origin);
      rejectUntrustedForm(context, destination);
      // From here on, an error is sent to the client.
      return await withErrors(context, { client, destination }, async () => {
        const from = { server, client, params, mode: destination.mode, ...origin };
        const request = await readRequest(from);
        warnAcceptedRequest(from, request);
        return await decide(context, { request, client, destination });
      });
    } catch (error) {
      // A page: the redirect URI is not verified, or the response would be a form under a host that is not trusted.
      return await context.app.handleError(error, context, { client: namedClient(server, received) });
    }
  }
  // A HEAD request must not issue a code.
  return { GET: authorize, POST: authorize, HEAD: () => emptyHeadResponse };
}

/** DNS rebinding: with automatic login, a page under an attacker's host name could read the code in the form. */
function rejectUntrustedForm({ server, request }: Context, { mode }: Destination): void {
  const isForm = server.responseModes.get(mode)?.carrier === "form";
  if (isForm && server.policy.allows.openLogin) rejectUntrustedHost(server, request, "FP-04");
}

/** The known client that a request names; `undefined` if it names several. */
function namedClient({ clients }: Server, received: Params): Client | undefined {
  return received.isRepeated("client_id") ? undefined : clients.known().get(received.get("client_id") ?? "");
}

/** Asks the approver, and sends the response to the client, or shows the page that the user must act on first. */
export async function decideRequest(
  context: Context,
  pending: PendingAuthorization,
  approve: Approver,
): Promise<HttpResponse | Response> {
  const { server, request: httpRequest } = context;
  const { users, now, trace } = server;
  const { loginRequirements } = pending.request;
  const isPromptNone = loginRequirements.prompt.includes("none");
  const startedAt = now();
  const previousSession = await readSession(context);
  const session = await usableSession(server, pending, previousSession);
  const situation = { pending, session, previousSession, users, now, trace, httpRequest, context };
  const decision = await approve(pending.request, situation);
  if (!("user" in decision)) {
    if (isPromptNone) throw reject("OI-03", { needs: "user interaction" });
    return isResponse(decision) ? withHeaders(decision, approverPageHeaders) : decision;
  }
  const approvedSession = await server.sessionFor(server, decision, session, previousSession);
  if (approvedSession !== session) {
    if (isPromptNone) throw reject("OI-03", { problem: "other user approved" });
    rejectOldLogin(loginRequirements, startedAt, decision.authTime, previousSession);
  }
  return await completeAuthorization(context, pending, decision, approvedSession, previousSession);
}

/** Keeps the page of an embedding program's approver out of caches and referrers. */
const approverPageHeaders = { "cache-control": "no-store", "referrer-policy": "no-referrer" };

/**
 * Issues the response to an approved request and sends it to the client.
 *
 * @param session The session that the user approved in. A new one replaces the previous one in the browser.
 * @param previousSession The session that the browser has; absent if it has none.
 */
export async function completeAuthorization(
  context: Context,
  pending: PendingAuthorization,
  approval: Approval,
  session: Session,
  previousSession: Session | undefined,
): Promise<HttpResponse | Response> {
  const { server } = context;
  const { client, destination } = pending;
  const grant = await acceptApproval(server, pending, approval, session);
  // Issuing the response consumes a stored request. The error of a later failure must not consume it again.
  const recipient = { client, destination: { ...destination, extensions: undefined } };
  return await withErrors(context, recipient, async () => {
    const response = await server.grants.issueResponse(server, pending, grant);
    if (session.sid === previousSession?.sid) return await authorizationResponse(context, recipient, response);
    const headers = await setSessionCookie(context, session);
    const sent = await authorizationResponse(context, recipient, response, headers);
    if (previousSession !== undefined) await endForgottenSessions(server, previousSession, session);
    return sent;
  });
}
