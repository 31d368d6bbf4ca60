/** GET and POST /account: what the user has allowed, and how to revoke it. */

import type { Context } from "../../core/http/context.ts";
import { assertCsrfToken, type CsrfBinding, readSameOriginForm, withCsrfToken } from "../pages/csrf.ts";
import { rejectUntrustedHost } from "../../core/http/cross_site.ts";
import { endpointPath } from "../../core/http/endpoint.ts";
import type { Handlers } from "../../core/route.ts";
import type { Pages } from "../pages.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import { type AccountProps, AccountView } from "./pages/account.tsx";
import { providerPage } from "./provider_pages/mod.ts";
import { readSession } from "../../core/sessions/cookies.ts";
import { redirect } from "../../core/http/message.ts";
import { htmlWithForms } from "../../platform/http/response.ts";
import type { Session } from "../../core/sessions/session.ts";
import { findConsent, isAlwaysAsked, revokeConsent } from "./stored_consent.ts";
import { toUserSummary } from "./account_picker.ts";
import { maxSearchedClients, searchedClients } from "../clients/clients.ts";
import type { HostedServer } from "../hosted_server.ts";

/**
 * The handlers of the account page.
 *
 * @param openLogin Whether users without a password can log in.
 */
export function accountHandlers(openLogin: boolean, replacement: Pages["account"]): Handlers<HostedServer> {
  return {
    async GET(context) {
      if (openLogin) rejectUntrustedHost(context.server, context.request, "UI-20");
      const session = await readSession(context);
      const account = session && await accountProps(context, session);
      const documentTitle = providerPage(context.server.policy.loginPage)?.accountTitle;
      return htmlWithForms(200, renderPage(AccountView, { ...context.site, documentTitle, account }, replacement));
    },
    async POST(context) {
      const { server, request, site } = context;
      if (openLogin) rejectUntrustedHost(server, request, "UI-20");
      const params = await readSameOriginForm(context);
      const session = await readSession(context);
      await assertCsrfToken(context, params, csrfBinding(session));
      await revokeConsent(server, session!.user, params.get("client_id") ?? "");
      return redirect(request.method, `${site.base}/account`);
    },
  };
}

async function accountProps(context: Context<HostedServer>, session: Session): Promise<AccountProps["account"]> {
  const { server } = context;
  const consents = [];
  const isComplete = await server.clients.count() <= maxSearchedClients;
  for (const client of await searchedClients(server)) {
    const { id, name } = client;
    const record = await findConsent(server, session.user, id);
    if (record === undefined) continue;
    const { scopes = {}, claims, at } = record.value;
    const validUntil = isAlwaysAsked(client) ? undefined : record.value.validUntil;
    const allowed = Object.entries(scopes).map(([uri, scope]) => ({
      scope,
      resource: uri === server.audience ? undefined : uri,
    }));
    const fields = await withCsrfToken(context, [["client_id", id]], csrfBinding(session));
    consents.push({ client: { id, name }, allowed, claims, at, validUntil, fields });
  }
  return {
    user: toUserSummary(session.user),
    since: session.authTime,
    logoutHref: endpointPath(context.app, "logout"),
    consents,
    isComplete,
  };
}

/** The CSRF binding of the forms. Without a session the page has no form. */
function csrfBinding(session: Session | undefined): CsrfBinding {
  return { name: "account", holder: session?.sid ?? "" };
}
