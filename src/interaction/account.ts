/** GET and POST /account: what the person who is logged in has allowed, and how they take it back. */

import { errorPage } from "../app/error_response.ts";
import type { App, Endpoint } from "../app/endpoint.ts";
import { rejectForeignHost } from "../app/host_check.ts";
import type { AccountProps } from "../ui/account.tsx";
import { readSession } from "../app/session_cookie.ts";
import type { RequestLike, ResponseLike } from "../http/message.ts";
import { htmlWithForms, redirect } from "../http/responses.ts";
import type { RequestTarget } from "../http/router.ts";
import { findUser } from "../oauth/users/users.ts";
import type { Session } from "../oauth/session/session.ts";
import { findConsent, revokeConsent } from "../oauth/session/consent.ts";
import { assertCsrfToken, readSameOriginForm, withCsrfToken } from "./csrf_form.ts";
import type { CsrfBinding } from "./csrf_form.ts";
import { toUserSummary } from "./account_picker.ts";

/**
 * The user's account page.
 *
 * @param openLogin Whether users without a password can log in.
 */
export function accountEndpoint(app: App, openLogin: boolean): Endpoint {
  const path = `${app.site.base}/account`;

  async function handleGet(httpRequest: RequestLike, target: RequestTarget): Promise<ResponseLike> {
    const context = app.contextFor(httpRequest);
    try {
      if (openLogin) rejectForeignHost(context.server.issuer, httpRequest, "UI-20");
      const pages = await context.pages();
      const session = await readSession(context, httpRequest);
      return htmlWithForms(
        200,
        pages.account({ ...context.site, account: session && await accountProps(context, session) }),
      );
    } catch (error) {
      return await errorPage(context, target, error);
    }
  }

  async function handlePost(httpRequest: RequestLike, target: RequestTarget): Promise<ResponseLike> {
    const context = app.contextFor(httpRequest);
    try {
      if (openLogin) rejectForeignHost(context.server.issuer, httpRequest, "UI-20");
      const params = await readSameOriginForm(context, httpRequest);
      const session = await readSession(context, httpRequest);
      await assertCsrfToken(context, params, csrfBinding(session));
      await revokeConsent(context.server, session!.sub, params.get("client_id") ?? "");
      return redirect(httpRequest.method, path);
    } catch (error) {
      return await errorPage(context, target, error);
    }
  }

  return {
    path,
    GET: handleGet,
    POST: handlePost,
    reject: (error, target, request) => errorPage(app.contextFor(request), target, error),
  };
}

async function accountProps(context: App, session: Session): Promise<AccountProps["account"]> {
  const { server } = context;
  const consents = [];
  for (const { id, name } of server.clients.all()) {
    const record = await findConsent(server, session.sub, id);
    if (record === undefined) continue;
    const { scopes = {}, claims, at, validUntil } = record.value;
    const allowed = Object.entries(scopes).map(([uri, scope]) => ({
      scope,
      resource: uri === server.audience ? undefined : uri,
    }));
    const fields = await withCsrfToken(context, [["client_id", id]], csrfBinding(session));
    consents.push({ client: { id, name }, allowed, claims, at, validUntil, fields });
  }
  return {
    user: toUserSummary((await findUser(server, session.sub))!),
    since: session.authTime,
    consents,
  };
}

/** A session that is there holds its own name; without one no form was ever made. */
function csrfBinding(session: Session | undefined): CsrfBinding {
  return { name: "account", holder: session?.sid ?? "" };
}
