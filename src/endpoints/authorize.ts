/** GET and POST /oauth2/authorize (OAuth 2.1 §4.1.1): destination, request, session, approval, code. */

import { parseFields, readForm } from "../http/form.ts";
import { isResponse } from "../http/message.ts";
import type { RequestLike, ResponseLike } from "../http/message.ts";
import type { RequestTarget } from "../http/router.ts";
import { findDestination, issueCode, parseAuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import type { Approval, AuthorizationRequest, Destination } from "../oauth/authorize/authorization_request.ts";
import { refreshIfUnknown } from "../oauth/clients/repository.ts";
import { OAuthError } from "../oauth/errors.ts";
import { loginRequired, rejectOldLogin, usableSession } from "../oauth/authorize/openid.ts";
import { hasTestHost } from "../oauth/config/settings.ts";
import { paramsFromFields } from "../oauth/params.ts";
import type { Params } from "../oauth/params.ts";
import { createSession, endForgottenSessions } from "../oauth/session/session.ts";
import type { Session } from "../oauth/session/session.ts";
import { authorizationResponse, errorPage, redirectError } from "../app/error_response.ts";
import type { Approver } from "../app/approver.ts";
import type { App, Endpoint } from "../app/endpoint.ts";
import { rejectForeignHost } from "../app/host_check.ts";
import { readSession, setSessionCookie } from "../app/session_cookie.ts";

/** Answers a request that is in order; what it throws travels to the client. */
export type AuthorizationHandler = (here: App, http: RequestLike, asked: AuthorizationRequest) => Promise<ResponseLike>;

/** The authorization endpoint. */
export function authorizeEndpoint(app: App, handleAuthorization: AuthorizationHandler): Endpoint {
  async function handle(request: RequestLike, target: RequestTarget): Promise<ResponseLike> {
    const context = app.contextFor(request);
    let params: Params | undefined;
    let destination: Destination;
    try {
      params = paramsFromFields(request.method === "POST" ? await readForm(request) : parseFields(target.query));
      await refreshIfUnknown(context.server.clients, params.get("client_id"));
      destination = findDestination(context.server, params);
      // DNS rebinding: with automatic login an attacker's page could read the code in the form_post page.
      const isReadableByPage = destination.mode === "form_post" && hasTestHost(context.server.issuer);
      if (isReadableByPage) rejectForeignHost(context.server.issuer, request, "FP-04");
    } catch (error) {
      const clientId = params?.isRepeated("client_id") ? undefined : params?.get("client_id");
      const client = clientId === undefined ? undefined : context.server.clients.find(clientId);
      return await errorPage(context, target, error, request, client?.id);
    }
    try {
      return await handleAuthorization(
        context,
        request,
        await parseAuthorizationRequest(context.server, params, destination),
      );
    } catch (error) {
      return await redirectError(context, target, request, destination, error);
    }
  }

  return {
    name: "authorization_endpoint",
    path: `${app.site.base}/oauth2/authorize`,
    GET: handle,
    // A code must not be issued for a question about headers.
    HEAD: () => emptyHeadResponse,
    POST: handle,
    reject: (error, target, request) => errorPage(app.contextFor(request), target, error),
  };
}

/** What is answered to a question about headers where the answer itself would change something. */
export const emptyHeadResponse: ResponseLike = {
  status: 200,
  headers: { "cache-control": "no-store", "referrer-policy": "no-referrer" },
  body: null,
};

/** Decides as an approver says. */
export function approverHandler(approve: Approver): AuthorizationHandler {
  return async (context, httpRequest, request) => {
    const { server } = context;
    const { users, now, trace } = server;
    const startedAt = now();
    const previousSession = await readSession(context, httpRequest);
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
    const response = await respondWithCode(context, httpRequest, request, approval, currentSession, !continuesSession);
    if (previousSession !== undefined && !continuesSession) {
      await endForgottenSessions(server, previousSession, currentSession);
    }
    return response;
  };
}

/** Sends the client a code for what a person allowed, and begins their session in this browser where it is a new one. */
export async function respondWithCode(
  context: App,
  httpRequest: RequestLike,
  request: AuthorizationRequest,
  approval: Approval,
  session: Session,
  isNew: boolean,
): Promise<ResponseLike> {
  const code = await issueCode(context.server, request, approval, session.sid);
  const headers = isNew ? await setSessionCookie(context, session) : {};
  return await authorizationResponse(context, httpRequest, request.destination, [["code", code]], headers);
}

/** What an approver shows is kept out of caches and referrers, like all that this endpoint answers. */
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
