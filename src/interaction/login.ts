/** GET and POST /oauth2/login: who is there. */

import { errorPage, redirectError } from "../app/error_response.ts";
import { emptyHeadResponse, respondWithCode } from "../endpoints/authorize.ts";
import type { App, Endpoint } from "../app/endpoint.ts";
import { rejectForeignHost } from "../app/host_check.ts";
import { readSession, setSessionCookie } from "../app/session_cookie.ts";
import { parseFields } from "../http/form.ts";
import type { RequestLike, ResponseLike } from "../http/message.ts";
import { redirect } from "../http/responses.ts";
import type { RequestTarget } from "../http/router.ts";
import { OAuthError } from "../oauth/errors.ts";
import { paramsFromFields } from "../oauth/params.ts";
import { createSession, endForgottenSessions } from "../oauth/session/session.ts";
import type { Session } from "../oauth/session/session.ts";
import { consentPath, continueInteraction } from "./start_interaction.ts";
import { reusableConsent } from "../oauth/session/consent.ts";
import { assertCsrfToken, readSameOriginForm } from "./csrf_form.ts";
import { authenticateUser } from "./authenticate_user.ts";
import type { AuthenticatedUser, LoginOptions } from "./authenticate_user.ts";
import { loginCsrfBinding, showLogin } from "./login_page.ts";
import { cancellationLimiter, consumePending, findPending, isExpiredInteraction } from "./pending.ts";
import type { PendingAuthorization } from "./pending.ts";
import { rememberAccount } from "./account_picker.ts";

/** The login page. */
export function loginEndpoint(app: App, options: LoginOptions): Endpoint {
  const allowCancellation = cancellationLimiter();

  async function handleGet(httpRequest: RequestLike, target: RequestTarget): Promise<ResponseLike> {
    const context = app.contextFor(httpRequest);
    let pending: PendingAuthorization;
    try {
      if (options.openLogin) rejectForeignHost(context.server.issuer, httpRequest, "UI-20");
      const params = paramsFromFields(parseFields(target.query));
      pending = await findPending(context, httpRequest, params.get("interaction"));
      if (pending.browser !== undefined) {
        return await showLogin(context, httpRequest, pending, options.openLogin, params);
      }
    } catch (error) {
      return await errorPage(context, target, error);
    }
    try {
      return await continueInteraction(context, httpRequest, pending.request, pending);
    } catch (error) {
      if (isExpiredInteraction(error)) return await errorPage(context, target, error);
      return await redirectError(context, target, httpRequest, pending.request.destination, error);
    }
  }

  async function handlePost(httpRequest: RequestLike, target: RequestTarget): Promise<ResponseLike> {
    const context = app.contextFor(httpRequest);
    let pending: PendingAuthorization;
    let authenticated: AuthenticatedUser;
    let previousSession: Session | undefined;
    try {
      if (options.openLogin) rejectForeignHost(context.server.issuer, httpRequest, "UI-20");
      const params = await readSameOriginForm(context, httpRequest);
      pending = await findPending(context, httpRequest, params.get("interaction"));
      await assertCsrfToken(context, params, loginCsrfBinding(pending));
      previousSession = await readSession(context, httpRequest);
      if (params.get("cancel") !== undefined) {
        if (previousSession !== undefined || allowCancellation(context.server.now(), target.clientAddress.address)) {
          await consumePending(context.server, pending);
        }
        return await redirectError(context, target, httpRequest, pending.request.destination, loginCancelled());
      }
      const result = await authenticateUser(context, target, pending, previousSession, params, options);
      if ("status" in result) return await showLogin(context, httpRequest, pending, options.openLogin, params, result);
      authenticated = result;
    } catch (error) {
      return await errorPage(context, target, error);
    }
    const { user, session = createSession(context.server, user.sub, context.server.now(), previousSession) } =
      authenticated;
    return await completeLogin(context, httpRequest, target, pending, { user, session, former: previousSession });
  }

  return {
    path: `${app.site.base}/oauth2/login`,
    GET: handleGet,
    HEAD: () => emptyHeadResponse,
    POST: handlePost,
    reject: (error, target, request) => errorPage(app.contextFor(request), target, error),
  };
}

/** Who is there is known: on to consent, or to the client where that is settled. */
async function completeLogin(
  context: App,
  httpRequest: RequestLike,
  target: RequestTarget,
  pending: PendingAuthorization,
  { user, session, former }: Required<AuthenticatedUser> & { readonly former?: Session },
): Promise<ResponseLike> {
  const { server } = context;
  const { request } = pending;
  const isNew = session.sid !== former?.sid;
  try {
    const consent = await reusableConsent(server, request, user.sub);
    if (consent !== undefined) await consumePending(server, pending);
    if (former !== undefined) await endForgottenSessions(server, former, session);
    await rememberAccount(server, pending.browser!, user.sub);
    if (consent === undefined) {
      const headers = isNew ? await setSessionCookie(context, session) : {};
      return redirect(httpRequest.method, await consentPath(context, pending.id, session), headers);
    }
    const approval = { user, scope: request.scope, authTime: session.authTime, consent: consent.name };
    return await respondWithCode(context, httpRequest, request, approval, session, isNew);
  } catch (error) {
    if (isExpiredInteraction(error)) return await errorPage(context, target, error);
    return await redirectError(context, target, httpRequest, request.destination, error);
  }
}

function loginCancelled(): OAuthError {
  return new OAuthError("access_denied", "the user cancelled the login", {
    rule: "AZ-21",
    expected: "a login",
    received: "Cancel",
  });
}
