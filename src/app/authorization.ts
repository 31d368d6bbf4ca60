/**
 * Decides and completes authorization requests, for every endpoint and page that starts one.
 *
 * 1. `authorize` reads the session and decides whether it may be used (`prompt`, `max_age`, expected users).
 * 2. It calls the approver: `autoApprover`, the login pages, or an approver of the embedding program.
 * 3. If the approver returns a response, such as a redirect to a page, it is sent. The request stays pending.
 * 4. If it returns an approval, `completeAuthorization` issues the code and sends it to the destination.
 */

import { isResponse, withHeaders } from "../http/message.ts";
import type { ResponseLike } from "../http/message.ts";
import type { PendingAuthorization } from "../oauth/authorize/authorization_request.ts";
import { issueCode } from "../oauth/authorize/code.ts";
import type { Approval } from "../oauth/authorize/code.ts";
import { loginRequired, rejectOldLogin, usableSession } from "../oauth/authorize/login.ts";
import { OAuthError } from "../oauth/errors.ts";
import { createSession, endForgottenSessions } from "../oauth/session/session.ts";
import type { Session } from "../oauth/session/session.ts";
import type { Approver } from "./approver.ts";
import type { Context } from "./context.ts";
import { authorizationResponse } from "./error_response.ts";
import { readSession, setSessionCookie } from "./session_cookie.ts";

/** Decides a request with the session and an approver. */
export async function authorize(
  context: Context,
  pending: PendingAuthorization,
  approve: Approver,
): Promise<ResponseLike> {
  const { server, request: httpRequest } = context;
  const { users, now, trace } = server;
  const { loginRequirements } = pending.request;
  const isPromptNone = loginRequirements.prompt.includes("none");
  const startedAt = now();
  const previousSession = await readSession(context);
  const session = usableSession(server, pending, previousSession);
  const situation = { pending, session, previousSession, users, now, trace, httpRequest, context };
  const decision = await approve(pending.request, situation);
  if (!("user" in decision)) {
    if (isPromptNone) throw interactionRequired();
    return isResponse(decision) ? withHeaders(decision, approverPageHeaders) : decision;
  }
  if (session?.sub === decision.user.sub && session.authTime === decision.authTime) {
    return await completeAuthorization(context, pending, decision, session, false);
  }
  if (isPromptNone) throw loginRequired("the approver returned another user than the one logged in");
  rejectOldLogin(loginRequirements, startedAt, decision.authTime, previousSession);
  const newSession = createSession(server, decision.user.sub, decision.authTime, previousSession);
  const response = await completeAuthorization(context, pending, decision, newSession, true);
  if (previousSession !== undefined) await endForgottenSessions(server, previousSession, newSession);
  return response;
}

/**
 * Completes an approved request: issues a code and sends it to the destination.
 *
 * @param isNew Whether the session is new and its cookie must be set.
 */
export async function completeAuthorization(
  context: Context,
  pending: PendingAuthorization,
  approval: Approval,
  session: Session,
  isNew: boolean,
): Promise<ResponseLike> {
  const code = await issueCode(context.server, pending, approval, session.sid);
  const headers = isNew ? await setSessionCookie(context, session) : {};
  return await authorizationResponse(context, pending.destination, [["code", code]], headers);
}

/** Keeps the page of an embedding program's approver out of caches and referrers. */
const approverPageHeaders = { "cache-control": "no-store", "referrer-policy": "no-referrer" };

function interactionRequired(): OAuthError {
  return new OAuthError("interaction_required", "user interaction is required, but prompt=none forbids it", {
    rule: "OI-03",
    expected: "a request that needs no page",
    received: "prompt=none",
  });
}
