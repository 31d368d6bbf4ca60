/** The login page, and its handlers: where users log in, or where automatic login lets them select an account. */

import { demandedLevels } from "../token/levels.ts";
import type { Approver } from "../../core/authorize/approver.ts";
import { decideRequest } from "../../core/authorize/authorize.ts";
import { type Context, readParams } from "../../core/http/context.ts";
import { rejectUntrustedHost } from "../../core/http/cross_site.ts";
import { endpointPath } from "../../core/http/endpoint.ts";
import { assertCsrfToken, type CsrfBinding, readSameOriginForm, withCsrfToken } from "../pages/csrf.ts";
import type { Pages } from "../pages.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import { Login } from "./pages/login.tsx";
import { readSession } from "../../core/sessions/cookies.ts";
import { emptyHeadResponse, type HttpResponse } from "../../core/http/message.ts";
import { withErrors } from "../../core/responses/error_response.ts";
import type { Handlers } from "../../core/route.ts";
import type { Session } from "../../core/sessions/session.ts";
import { htmlWithForms } from "../../platform/http/response.ts";
import { usableSession } from "../../core/authorize/login.ts";
import type { Params } from "../../core/http/params.ts";
import { accountsToOffer, guestFields, hasPassword, toUserSummary } from "./account_picker.ts";
import { presentClient } from "./client_presentation.ts";
import type { LoginRetry } from "./authenticate_user.ts";
import { pagePath } from "./pages_approver.ts";
import { continuePending, type Interaction, loginCancellation } from "./pending.ts";
import type { HostedServer } from "../hosted_server.ts";

interface LoginPage {
  readonly name: "login" | "select_account";
  /** Whether users without a password can log in, and are listed. */
  readonly openLogin: boolean;
  readonly replacement: Pages["login"];
}

/** Continues with what the user sent; the form was of this server, and of this browser. */
type Submit = (
  context: Context<HostedServer>,
  pending: Interaction,
  params: Params,
  previousSession: Session | undefined,
) => Promise<HttpResponse | Response>;

/**
 * The handlers of the page.
 *
 * @param approver Decides a request that another site posted: the page is the first that has the cookies.
 */
export function loginPageHandlers(page: LoginPage, approver: Approver, submit: Submit): Handlers<HostedServer> {
  const cancel = loginCancellation();
  return {
    async GET(context) {
      if (page.openLogin) rejectUntrustedHost(context.server, context.request, "UI-20");
      const params = await readParams(context);
      return await continuePending(context, params.get("interaction"), async (pending) => {
        if (pending.browser !== undefined) return await showLogin(context, pending, page, params);
        return await withErrors(context, pending, () => decideRequest(context, pending, approver));
      });
    },
    HEAD: () => emptyHeadResponse,
    async POST(context) {
      if (page.openLogin) rejectUntrustedHost(context.server, context.request, "UI-20");
      const params = await readSameOriginForm(context);
      return await continuePending(context, params.get("interaction"), async (pending) => {
        await assertCsrfToken(context, params, loginCsrfBinding(pending));
        const previousSession = await readSession(context);
        return params.get("cancel") !== undefined
          ? await cancel(context, pending, previousSession)
          : await submit(context, pending, params, previousSession);
      });
    },
  };
}

/**
 * The response with the login page.
 *
 * @param params The parameters of the request: the page keeps what the user typed.
 */
export async function showLogin(
  context: Context,
  pending: Interaction,
  { name, openLogin, replacement }: LoginPage,
  params: Params,
  { status, error, part, headers }: LoginRetry = { status: 200, part: "password" },
): Promise<HttpResponse> {
  const { server, site } = context;
  const { client, request: { loginRequirements } } = pending;
  const isAutomatic = name === "select_account";
  const previousSession = await readSession(context);
  const currentSession = await usableSession(server, pending, previousSession);
  const accounts = await accountsToOffer(context, pending, previousSession, openLogin);
  const selectedSub = params.get("sub") ?? params.get("username") ?? params.get("as");
  // A password manager needs a user name in the field. User enumeration: the hint of the client is not looked up.
  const suggestedSub = [...accounts, ...openLogin ? server.users.known().values() : []].find(hasPassword)?.sub;
  const sub = selectedSub ?? (openLogin ? undefined : loginRequirements.loginHint) ?? suggestedSub ?? "";
  const { presentation, headers: imageHeaders } = presentClient(server, pending);
  return htmlWithForms(
    status,
    renderPage(Login, {
      ...site,
      client: { id: client.id, name: client.name, ...presentation },
      action: endpointPath(context.app, name),
      fields: await withCsrfToken(context, [["interaction", pending.id]], loginCsrfBinding(pending)),
      accounts: accounts.map((user) => {
        const isCurrent = currentSession?.sub === user.sub;
        const needsPassword = !isAutomatic && !isCurrent && (hasPassword(user) || !openLogin);
        const href = `${pagePath(context, name, pending.id)}&as=${encodeURIComponent(user.sub)}`;
        return { ...toUserSummary(user), current: isCurrent, passwordHref: needsPassword ? href : undefined };
      }),
      passwordForm: !isAutomatic && (suggestedSub !== undefined || !openLogin) ? { sub } : undefined,
      guestForm: !isAutomatic && openLogin && loginRequirements.demandedSubs === undefined
        ? guestFields(params)
        : undefined,
      requiredAcr: currentSession === undefined ? demandedLevels.of(loginRequirements) : undefined,
      isReauthentication: previousSession !== undefined && currentSession === undefined,
      retry: error !== undefined || selectedSub !== undefined ? { part, fault: error } : undefined,
    }, replacement),
    { ...headers, ...imageHeaders },
  );
}

/** The CSRF binding of the forms of the page. */
function loginCsrfBinding({ id, browser }: Interaction): CsrfBinding {
  return { name: `login ${id}`, holder: browser! };
}
