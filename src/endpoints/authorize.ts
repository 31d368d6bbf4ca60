/** GET and POST /oauth2/authorize (OAuth 2.1 §4.1.1): destination, request, session, approval, code. */

import { isResponse } from "../http/message.ts";
import type { ResponseLike } from "../http/message.ts";
import { emptyHeadResponse } from "../http/responses.ts";
import { findDestination } from "../oauth/authorize/destination.ts";
import type { Destination } from "../oauth/authorize/destination.ts";
import { issueCode } from "../oauth/authorize/code.ts";
import { parseAuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import type { Approval, AuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import { OAuthError } from "../oauth/errors.ts";
import { loginRequired, rejectOldLogin, usableSession } from "../oauth/authorize/openid.ts";
import { hasTestHost } from "../oauth/config/settings.ts";
import { createSession, endForgottenSessions } from "../oauth/session/session.ts";
import type { Session } from "../oauth/session/session.ts";
import { authorizationResponse } from "../app/error_response.ts";
import type { Approver } from "../app/approver.ts";
import type { Context } from "../app/context.ts";
import { rejectForeignHost } from "../app/host_check.ts";
import { readParams } from "../app/read_params.ts";
import type { Handlers } from "../app/route.ts";
import { readSession, setSessionCookie } from "../app/session_cookie.ts";

/** Answers a valid authorization request. What it throws goes to the client. */
export type AuthorizationHandler = (context: Context, request: AuthorizationRequest) => Promise<ResponseLike>;

/** The handlers of the authorization endpoint. */
export function authorizeHandlers(handleAuthorization: AuthorizationHandler): Handlers {
  async function handle(context: Context): Promise<ResponseLike> {
    const { server, request } = context;
    const params = await readParams(context);
    const clientId = params.get("client_id");
    let destination: Destination;
    try {
      destination = await findDestination(server, params);
    } finally {
      if (clientId !== undefined && !params.isRepeated("client_id")) {
        context.clientId = server.clients.findCached(clientId)?.id;
      }
    }
    // DNS rebinding: with automatic login an attacker's page could read the code in the form_post page.
    const isReadableByPage = destination.mode === "form_post" && hasTestHost(server.issuer);
    if (isReadableByPage) rejectForeignHost(server.issuer, request, "FP-04");
    context.destination = destination;
    return await handleAuthorization(context, await parseAuthorizationRequest(server, params, destination));
  }

  return {
    GET: handle,
    // A HEAD request must not issue a code.
    HEAD: () => emptyHeadResponse,
    POST: handle,
  };
}

/** Asks an approver. */
export function approverHandler(approve: Approver): AuthorizationHandler {
  return async (context, request) => {
    const { server, request: httpRequest } = context;
    const { users, now, trace } = server;
    const startedAt = now();
    const previousSession = await readSession(context);
    const session = usableSession(server, request.loginRequirements, previousSession);
    const approval = await approve(request, { session, previousSession, users, now, trace, httpRequest });
    if (isResponse(approval)) {
      if (request.loginRequirements.prompt.includes("none")) throw interactionRequired();
      return withNoStore(approval);
    }
    const continuesSession = session?.sub === approval.user.sub && session.authTime === approval.authTime;
    if (!continuesSession && request.loginRequirements.prompt.includes("none")) {
      throw loginRequired("another user is there than logged in");
    }
    if (!continuesSession) rejectOldLogin(request.loginRequirements, startedAt, approval.authTime, previousSession);
    const currentSession = continuesSession
      ? session
      : createSession(server, approval.user.sub, approval.authTime, previousSession);
    const response = await respondWithCode(context, request, approval, currentSession, !continuesSession);
    if (previousSession !== undefined && !continuesSession) {
      await endForgottenSessions(server, previousSession, currentSession);
    }
    return response;
  };
}

/** Sends the client a code for an approval; `isNew` sets the cookie of a session that begins here. */
export async function respondWithCode(
  context: Context,
  request: AuthorizationRequest,
  approval: Approval,
  session: Session,
  isNew: boolean,
): Promise<ResponseLike> {
  const code = await issueCode(context.server, request, approval, session.sid);
  const headers = isNew ? await setSessionCookie(context, session) : {};
  return await authorizationResponse(context, request.destination, [["code", code]], headers);
}

/** Keeps the page of an approver out of caches and referrers. */
function withNoStore(page: Response): Response {
  const response = new Response(page.body, page);
  response.headers.set("cache-control", "no-store");
  response.headers.set("referrer-policy", "no-referrer");
  return response;
}

function interactionRequired(): OAuthError {
  return new OAuthError("interaction_required", "user interaction is required, but prompt=none forbids it", {
    rule: "OI-03",
    expected: "a request that needs no page",
    received: "prompt=none",
  });
}
