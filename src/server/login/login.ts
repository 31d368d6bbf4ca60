/** GET and POST /oauth2/login: authenticates the user. */

import type { Approver } from "../../core/authorize/approver.ts";
import { completeAuthorization } from "../../core/authorize/authorize.ts";
import type { Context } from "../../core/http/context.ts";
import { withErrors } from "../../core/responses/error_response.ts";
import type { Pages } from "../pages.ts";
import type { Handlers } from "../../core/route.ts";
import { setSessionCookie } from "../../core/sessions/cookies.ts";
import { type HttpResponse, redirect } from "../../core/http/message.ts";
import type { User } from "../../core/clients/client.ts";
import { endForgottenSessions, type Session } from "../../core/sessions/session.ts";
import { reusableConsent } from "./stored_consent.ts";
import { consentPath } from "./pages_approver.ts";
import { authenticateUser, type AuthenticationOptions } from "./authenticate_user.ts";
import { loginPageHandlers, showLogin } from "./login_page.ts";
import { consumePending, type Interaction } from "./pending.ts";
import { rememberAccount } from "./account_picker.ts";
import type { HostedServer } from "../hosted_server.ts";

export function loginHandlers(
  options: AuthenticationOptions,
  approver: Approver,
  replacement: Pages["login"],
): Handlers<HostedServer> {
  const page = { name: "login", openLogin: options.openLogin, replacement } as const;
  return loginPageHandlers(page, approver, async (context, pending, params, previousSession) => {
    const { server } = context;
    const result = await authenticateUser(context, pending, previousSession, params, options);
    if ("status" in result) return await showLogin(context, pending, page, params, result);
    const { user, level } = result;
    const approval = { user, scope: pending.request.scope, authTime: server.now(), ...level };
    const { session = await server.sessionFor(server, approval, undefined, previousSession) } = result;
    return await withErrors(context, pending, () => completeLogin(context, pending, user, session, previousSession));
  });
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
