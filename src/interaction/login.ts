/** GET and POST /oauth2/login: who is there. */

import { asPage, refuseToClient } from "../app/error_response.ts";
import { bareHead, sendCode } from "../endpoints/authorize.ts";
import type { Desk, Endpoint } from "../app/endpoint.ts";
import { refuseForeignHost } from "../app/host_check.ts";
import { keepSession, readSession } from "../app/session_cookie.ts";
import { parseFields } from "../http/form.ts";
import type { Answer, Incoming } from "../http/message.ts";
import { redirect } from "../http/responses.ts";
import type { Target } from "../http/router.ts";
import { OAuthError } from "../oauth/errors.ts";
import { readParams } from "../oauth/params.ts";
import { beginSession, endForgotten } from "../oauth/session/session.ts";
import type { Session } from "../oauth/session/session.ts";
import { consentPath, goOn } from "./start.ts";
import { recallConsent } from "../oauth/session/consent.ts";
import { readOwnForm, requireOwnForm } from "./form.ts";
import { identify } from "./authenticate.ts";
import type { Identity, LoginRules } from "./authenticate.ts";
import { loginPurpose, showLogin } from "./login_page.ts";
import { findPending, finish, isStale, markRoom } from "./pending.ts";
import type { Pending } from "./pending.ts";
import { rememberPerson } from "./account_picker.ts";

/** The login page. */
export function loginEndpoint(desk: Desk, rules: LoginRules): Endpoint {
  const hasRoom = markRoom();

  async function ask(http: Incoming, target: Target): Promise<Answer> {
    const here = desk.during(http);
    let pending: Pending;
    try {
      if (rules.open) refuseForeignHost(here.server.issuer, http, "UI-20");
      const params = readParams(parseFields(target.query));
      pending = await findPending(here, http, params.get("interaction"));
      if (pending.browser !== undefined) return await showLogin(here, http, pending, rules.open, params);
    } catch (refusal) {
      return await asPage(here, target, refusal);
    }
    try {
      return await goOn(here, http, pending.asked, pending);
    } catch (refusal) {
      if (isStale(refusal)) return await asPage(here, target, refusal);
      return await refuseToClient(here, target, http, pending.asked.destination, refusal);
    }
  }

  async function answer(http: Incoming, target: Target): Promise<Answer> {
    const here = desk.during(http);
    let pending: Pending;
    let person: Identity;
    let former: Session | undefined;
    try {
      if (rules.open) refuseForeignHost(here.server.issuer, http, "UI-20");
      const params = await readOwnForm(here, http);
      pending = await findPending(here, http, params.get("interaction"));
      await requireOwnForm(here, params, loginPurpose(pending));
      former = await readSession(here, http);
      if (params.get("cancel") !== undefined) {
        if (former !== undefined || hasRoom(here.server.now(), target.peer.address)) await finish(here.server, pending);
        return await refuseToClient(here, target, http, pending.asked.destination, cancelled());
      }
      const found = await identify(here, target, pending, former, params, rules);
      if ("status" in found) return await showLogin(here, http, pending, rules.open, params, found);
      person = found;
    } catch (refusal) {
      return await asPage(here, target, refusal);
    }
    const { user, session = beginSession(here.server, user.sub, here.server.now(), former) } = person;
    return await welcome(here, http, target, pending, { user, session, former });
  }

  return {
    path: `${desk.site.base}/oauth2/login`,
    GET: ask,
    HEAD: () => bareHead,
    POST: answer,
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
  };
}

/** Who is there is known: on to consent, or to the client where that is settled. */
async function welcome(
  here: Desk,
  http: Incoming,
  target: Target,
  pending: Pending,
  { user, session, former }: Required<Identity> & { readonly former?: Session },
): Promise<Answer> {
  const { server } = here;
  const { asked } = pending;
  const isNew = session.sid !== former?.sid;
  try {
    const consent = await recallConsent(server, asked, user.sub);
    if (consent !== undefined) await finish(server, pending);
    if (former !== undefined) await endForgotten(server, former, session);
    await rememberPerson(server, pending.browser!, user.sub);
    if (consent === undefined) {
      const headers = isNew ? await keepSession(here, session) : {};
      return redirect(http.method, await consentPath(here, pending.id, session), headers);
    }
    const approval = { user, scope: asked.scope, authTime: session.authTime, consent: consent.name };
    return await sendCode(here, http, asked, approval, session, isNew);
  } catch (refusal) {
    if (isStale(refusal)) return await asPage(here, target, refusal);
    return await refuseToClient(here, target, http, asked.destination, refusal);
  }
}

function cancelled(): OAuthError {
  return new OAuthError("access_denied", "the user cancelled the login", {
    rule: "AZ-21",
    expected: "a login",
    received: "Cancel",
  });
}
