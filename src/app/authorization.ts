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
import { statedLevel } from "../oauth/authorize/authentication_level.ts";
import { type PendingAuthorization, storedRequests } from "../oauth/authorize/destination.ts";
import { issueCode } from "../oauth/authorize/code.ts";
import type { Approval } from "../oauth/authorize/code.ts";
import { loginRequired, rejectOldLogin, usableSession } from "../oauth/authorize/login.ts";
import { OAuthError } from "../oauth/errors.ts";
import { isPromise } from "../oauth/maybe_promise.ts";
import { endForgottenSessions } from "../oauth/session/end_session.ts";
import { createSession } from "../oauth/session/session.ts";
import type { Session } from "../oauth/session/session.ts";
import type { Approver } from "./approver.ts";
import type { Context } from "./context.ts";
import { authorizationResponse } from "./authorization_response.ts";
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
  const readingSession = readSession(context);
  const previousSession = isPromise(readingSession) ? await readingSession : readingSession;
  const findingSession = usableSession(server, pending, previousSession);
  const session = isPromise(findingSession) ? await findingSession : findingSession;
  const situation = { pending, session, previousSession, users, now, trace, httpRequest, context };
  const decision = await approve(pending.request, situation);
  if (!("user" in decision)) {
    if (isPromptNone) throw interactionRequired();
    const { storedRequest } = pending.destination;
    if (storedRequest !== undefined) {
      const { address } = context.target.clientAddress;
      await storedRequests(server).keep(server, pending.client, storedRequest, address);
    }
    return isResponse(decision) ? withHeaders(decision, approverPageHeaders) : decision;
  }
  const { user, authTime, acr, amr } = decision;
  if (session?.sub === user.sub && session.authTime === authTime && (acr ?? session.acr) === session.acr) {
    return await completeAuthorization(context, pending, decision, session, false);
  }
  if (isPromptNone) throw loginRequired("the approver returned another user than the one logged in");
  rejectOldLogin(loginRequirements, startedAt, authTime, previousSession);
  const level = acr === undefined && amr === undefined ? undefined : statedLevel(server, decision);
  const newSession = createSession(server, user.sub, authTime, previousSession, level);
  const response = await completeAuthorization(context, pending, decision, newSession, true);
  if (previousSession !== undefined) {
    await endForgottenSessions(server, previousSession, newSession);
  }
  return response;
}

/**
 * Completes an approved request: issues a code and sends it to the destination; or approves a device.
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
  const code = await issueCode(context.server, pending, approval, session);
  const setting = isNew ? setSessionCookie(context, session) : {};
  const headers = isPromise(setting) ? await setting : setting;
  const response = code === undefined ? ["result", "approved"] as const : ["code", code] as const;
  return authorizationResponse(context, pending.destination, [response], headers);
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
