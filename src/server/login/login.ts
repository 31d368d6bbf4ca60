/** GET and POST /oauth2/login: authenticates the user. */

import type { Approver } from "../../core/authorize/approver.ts";
import { completeAuthorization, decideRequest } from "../../core/authorize/authorize.ts";
import { type Context, readParams } from "../../core/http/context.ts";
import { withErrors } from "../../core/responses/error_response.ts";
import { assertCsrfToken, readSameOriginForm } from "../pages/csrf.ts";
import { rejectUntrustedHost } from "../../core/http/cross_site.ts";
import type { Pages } from "../pages.ts";
import type { Handlers } from "../../core/route.ts";
import { readSession, setSessionCookie } from "../../core/sessions/cookies.ts";
import { emptyHeadResponse, type HttpResponse, redirect } from "../../core/http/message.ts";
import { rejectLogin } from "../rules/login.ts";
import type { User } from "../../core/clients/client.ts";
import { endForgottenSessions, type Session } from "../../core/sessions/session.ts";
import { reusableConsent } from "./stored_consent.ts";
import { consentPath } from "./pages_approver.ts";
import { authenticateUser, type AuthenticationOptions } from "./authenticate_user.ts";
import { loginCsrfBinding, showLogin } from "./login_page.ts";
import { cancellationLimiter, consumePending, continuePending, type Interaction } from "./pending.ts";
import { rememberAccount } from "./account_picker.ts";
import type { HostedServer } from "../hosted_server.ts";

export function loginHandlers(
  options: AuthenticationOptions,
  approver: Approver,
  replacement: Pages["login"],
): Handlers<HostedServer> {
  const allowCancellation = cancellationLimiter();
  const page = { name: "login", openLogin: options.openLogin, replacement } as const;

  async function handleGet(context: Context<HostedServer>): Promise<HttpResponse | Response> {
    if (options.openLogin) rejectUntrustedHost(context.server, context.request, "UI-20");
    const params = await readParams(context);
    return await continuePending(context, params.get("interaction"), async (pending) => {
      if (pending.browser !== undefined) return await showLogin(context, pending, page, params);
      return await withErrors(context, pending, () => decideRequest(context, pending, approver));
    });
  }

  async function handlePost(context: Context<HostedServer>): Promise<HttpResponse | Response> {
    const { server, request, target } = context;
    if (options.openLogin) rejectUntrustedHost(server, request, "UI-20");
    const params = await readSameOriginForm(context);
    return await continuePending(context, params.get("interaction"), async (pending) => {
      await assertCsrfToken(context, params, loginCsrfBinding(pending));
      const previousSession = await readSession(context);
      if (params.get("cancel") !== undefined) {
        if (previousSession !== undefined || allowCancellation(server.now(), target.clientAddress.address)) {
          await consumePending(server, pending);
        }
        return await withErrors(context, pending, () => {
          throw rejectLogin("AZ-21", { denied: "login" });
        });
      }
      const result = await authenticateUser(context, pending, previousSession, params, options);
      if ("status" in result) return await showLogin(context, pending, page, params, result);
      const { user, level } = result;
      const approval = { user, scope: pending.request.scope, authTime: server.now(), ...level };
      const { session = await server.sessionFor(server, approval, undefined, previousSession) } = result;
      return await withErrors(
        context,
        pending,
        () => completeLogin(context, pending, user, session, previousSession),
      );
    });
  }

  return { GET: handleGet, HEAD: () => emptyHeadResponse, POST: handlePost };
}

/** Continues after authentication: to the consent page, or to the client if consent is not needed. */
async function completeLogin(
  context: Context<HostedServer>,
  pending: Interaction,
  user: User,
  session: Session,
  previousSession: Session | undefined,
): Promise<HttpResponse | Response> {
  const { server } = context;
  const consent = await reusableConsent(server, pending, user);
  if (consent !== undefined) await consumePending(server, pending);
  await rememberAccount(server, pending.browser!, user);
  if (consent === undefined) {
    if (previousSession !== undefined) await endForgottenSessions(server, previousSession, session);
    const isNew = session.sid !== previousSession?.sid;
    const headers = isNew ? await setSessionCookie(context, session) : {};
    return redirect(context.request.method, await consentPath(context, pending.id, session), headers);
  }
  const approval = { user, scope: pending.request.scope, authTime: session.authTime, consent: consent.name };
  return await completeAuthorization(context, pending, approval, session, previousSession);
}
