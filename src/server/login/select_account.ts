/**
 * GET and POST /oauth2/select_account: the list of users for `prompt=select_account`, where `login: "auto"` asks for
 * nothing else. One click selects a user, whom the approver then logs in as if `login_hint` named them.
 */

import type { Approver, ApproverContext } from "../../core/authorize/approver.ts";
import { decideRequest } from "../../core/authorize/authorize.ts";
import { ensureBrowserCookie } from "../../core/sessions/browser_cookie.ts";
import type { Context } from "../../core/http/context.ts";
import { withErrors } from "../../core/responses/error_response.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { Pages } from "../pages.ts";
import type { Handlers } from "../../core/route.ts";
import { type HttpResponse, redirect } from "../../core/http/message.ts";
import type { AuthorizationRequest, PendingAuthorization } from "../../core/authorize/authorization_request.ts";
import { allowsUser } from "../../core/authorize/login.ts";
import { loginPageHandlers, showLogin } from "./login_page.ts";
import { pagePath } from "./pages_approver.ts";
import { consumePending, encodePending } from "./pending.ts";
import { autoApprover } from "./auto_approver.ts";
import { rejectCrossSiteLogin } from "./cross_site_login.ts";
import { isSentByBrowser } from "../pages/missing_page.ts";
import type { Approval } from "../../core/authorize/approval.ts";

/** Redirects to the page. */
export async function showAccounts(context: Context, pending: PendingAuthorization): Promise<HttpResponse | Response> {
  const browser = await ensureBrowserCookie(context, "login");
  const id = await encodePending(context.server, pending, { browser: browser.secret });
  return redirect(context.request.method, pagePath(context, "select_account", id), browser.headers);
}

/** Creates the handlers of the page. */
export function selectAccountHandlers(approver: Approver, replacement: Pages["login"]): Handlers<HostedServer> {
  const page = { name: "select_account", openLogin: true, replacement } as const;
  return loginPageHandlers(page, approver, async (context, pending, params) => {
    const { server } = context;
    const sub = params.get("sub") ?? "";
    if (await server.users.find(sub) === undefined || !await allowsUser(server, pending, sub)) {
      const error = "Select a user of this list.";
      return await showLogin(context, pending, page, params, { status: 400, error, part: "password" });
    }
    await consumePending(server, pending);
    const { prompt } = pending.request.loginRequirements;
    const loginRequirements = {
      ...pending.request.loginRequirements,
      loginHint: sub,
      prompt: prompt.filter((value) => value !== "select_account"),
    };
    const selected = { ...pending, request: { ...pending.request, loginRequirements } };
    return await withErrors(context, selected, () => decideRequest(context, selected, approver));
  });
}

/**
 * Redirects a browser to the list of users. For a program, such as a test without a browser, `select_account` has no
 * effect.
 */
export async function approveOrAsk(
  request: AuthorizationRequest,
  situation: ApproverContext,
): Promise<Approval | HttpResponse | Response> {
  const { context, pending } = situation;
  if (context.endpoint?.name !== "authorize" || !isSentByBrowser(context.request)) {
    return await autoApprover(request, situation);
  }
  rejectCrossSiteLogin(context, pending);
  return await showAccounts(context, pending);
}
