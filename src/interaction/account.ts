/** GET and POST /account: what the person who is logged in has allowed, and how they take it back. */

import { asPage } from "../app/error_response.ts";
import type { Desk, Endpoint } from "../app/endpoint.ts";
import { refuseForeignHost } from "../app/host_check.ts";
import type { AccountProps } from "../app/pages.ts";
import { readSession } from "../app/session_cookie.ts";
import type { Answer, Incoming } from "../http/message.ts";
import { htmlWithForms, redirect } from "../http/responses.ts";
import type { Target } from "../http/router.ts";
import { findUser } from "../oauth/users/guest_user.ts";
import type { Session } from "../oauth/session/session.ts";
import { findConsent, takeBack } from "../oauth/session/consent.ts";
import { formFields, readOwnForm, requireOwnForm } from "./form.ts";
import type { FormPurpose } from "./form.ts";
import { personOf } from "./account_picker.ts";

/**
 * The user's account page.
 *
 * @param open Whether users without a password can log in.
 */
export function accountEndpoint(desk: Desk, open: boolean): Endpoint {
  const path = `${desk.site.base}/account`;

  async function show(http: Incoming, target: Target): Promise<Answer> {
    const here = desk.during(http);
    try {
      if (open) refuseForeignHost(here.server.issuer, http, "UI-20");
      const pages = await here.pages();
      const session = await readSession(here, http);
      return htmlWithForms(200, pages.account({ ...here.site, account: session && await accountOf(here, session) }));
    } catch (refusal) {
      return await asPage(here, target, refusal);
    }
  }

  async function change(http: Incoming, target: Target): Promise<Answer> {
    const here = desk.during(http);
    try {
      if (open) refuseForeignHost(here.server.issuer, http, "UI-20");
      const params = await readOwnForm(here, http);
      const session = await readSession(here, http);
      await requireOwnForm(here, params, purposeOf(session));
      await takeBack(here.server, session!.sub, params.get("client_id") ?? "");
      return redirect(http.method, path);
    } catch (refusal) {
      return await asPage(here, target, refusal);
    }
  }

  return {
    path,
    GET: show,
    POST: change,
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
  };
}

async function accountOf(here: Desk, session: Session): Promise<AccountProps["account"]> {
  const { server } = here;
  const consents = [];
  for (const { id, name } of server.clients.all()) {
    const entry = await findConsent(server, session.sub, id);
    if (entry === undefined) continue;
    const { scopes = {}, claims, at, validUntil } = entry.value;
    const allowed = Object.entries(scopes).map(([uri, scope]) => ({
      scope,
      resource: uri === server.audience ? undefined : uri,
    }));
    const fields = await formFields(here, [["client_id", id]], purposeOf(session));
    consents.push({ client: { id, name }, allowed, claims, at, validUntil, fields });
  }
  return {
    user: personOf((await findUser(server, session.sub))!),
    since: session.authTime,
    consents,
  };
}

/** A session that is there holds its own name; without one no form was ever made. */
function purposeOf(session: Session | undefined): FormPurpose {
  return { name: "account", holder: session?.sid ?? "" };
}
