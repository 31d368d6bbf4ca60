/** GET and POST /oauth2/consent: what the person allows. */

import { asPage, refuseToClient } from "../app/error_response.ts";
import { bareHead, sendCode } from "../endpoints/authorize.ts";
import type { Desk, Endpoint } from "../app/endpoint.ts";
import { refuseForeignHost } from "../app/host_check.ts";
import { readSession } from "../app/session_cookie.ts";
import { parseFields } from "../http/form.ts";
import type { Answer, Incoming } from "../http/message.ts";
import { htmlWithForms, redirect } from "../http/responses.ts";
import type { Target } from "../http/router.ts";
import { OAuthError } from "../oauth/errors.ts";
import { findUser } from "../oauth/users/guest_user.ts";
import { readParams } from "../oauth/params.ts";
import { equalInConstantTime } from "../oauth/secrets.ts";
import type { Session } from "../oauth/session/session.ts";
import { pathOf, proofOfLogin } from "./start.ts";
import {
  allowedBefore,
  claimsByName,
  doubtOf,
  findConsent,
  rememberConsent,
  staysOnDevice,
} from "../oauth/session/consent.ts";
import { formFields, readOwnForm, requireOwnForm } from "./form.ts";
import type { FormPurpose } from "./form.ts";
import { findPending, finish } from "./pending.ts";
import type { Pending } from "./pending.ts";
import { personOf } from "./account_picker.ts";

/**
 * The consent page.
 *
 * @param open Whether users without a password can log in.
 */
export function consentEndpoint(desk: Desk, open: boolean): Endpoint {
  async function ask(http: Incoming, target: Target): Promise<Answer> {
    const here = desk.during(http);
    try {
      if (open) refuseForeignHost(here.server.issuer, http, "UI-20");
      const params = readParams(parseFields(target.query));
      const pending = await findPending(here, http, params.get("interaction"));
      const session = await readSession(here, http);
      // Somebody else has logged in since in another tab, or nobody is logged in any more: so who is there?
      const proved = session !== undefined && pending.browser !== undefined &&
        equalInConstantTime(params.get("login") ?? "", await proofOfLogin(here, pending.id, session));
      if (!proved) return redirect(http.method, pathOf(here, "login", pending.id));
      return await show(here, pending, session);
    } catch (refusal) {
      return await asPage(here, target, refusal);
    }
  }

  async function answer(http: Incoming, target: Target): Promise<Answer> {
    const here = desk.during(http);
    const { server } = here;
    let pending: Pending;
    let session: Session | undefined;
    let scope: readonly string[] | undefined;
    try {
      if (open) refuseForeignHost(here.server.issuer, http, "UI-20");
      const params = await readOwnForm(here, http);
      pending = await findPending(here, http, params.get("interaction"));
      session = await readSession(here, http);
      await requireOwnForm(here, params, purposeOf(pending, session));
      const decision = params.get("decision");
      if (decision !== "allow" && decision !== "deny") throw undecided();
      const ticked = params.all("scope");
      // A login that does not say who it is would be none.
      const granted = pending.asked.scope.filter((token) => token === "openid" || ticked.includes(token));
      scope = decision === "allow" ? granted : undefined;
      await finish(server, pending);
    } catch (refusal) {
      return await asPage(here, target, refusal);
    }
    const { asked } = pending;
    try {
      if (scope === undefined) throw denied();
      const { sub, authTime } = session!;
      const user = (await findUser(server, sub))!;
      const consent = await rememberConsent(server, asked, sub, scope);
      return await sendCode(here, http, asked, { user, scope, authTime, consent }, session!, false);
    } catch (refusal) {
      return await refuseToClient(here, target, http, asked.destination, refusal);
    }
  }

  return {
    path: `${desk.site.base}/oauth2/consent`,
    GET: ask,
    HEAD: () => bareHead,
    POST: answer,
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
  };
}

async function show(here: Desk, pending: Pending, session: Session): Promise<Answer> {
  const { server, site } = here;
  const { asked } = pending;
  const { client, destination, scope, resources } = asked;
  const before = allowedBefore(server, asked, (await findConsent(server, session.sub, client.id))?.value);
  const pages = await here.pages();
  return htmlWithForms(
    200,
    pages.consent({
      ...site,
      client: { id: client.id, name: client.name, confidential: client.confidential },
      user: personOf((await findUser(server, session.sub))!),
      fields: await formFields(here, [["interaction", pending.id]], purposeOf(pending, session)),
      redirectUri: destination.uri,
      scope: scope.map((value) => ({
        value,
        fixed: value === "openid",
        known: before.includes(value),
        claims: server.claims.ofScope.get(value) ?? [],
      })),
      claims: claimsByName(server, asked),
      resources,
      onDevice: staysOnDevice(destination.uri),
      remembered: doubtOf(asked) ?? server.lifetimes.refresh_token,
      otherAccountHref: pathOf(here, "login", pending.id),
    }),
  );
}

/** Shown to a person in a browser: another login in it, or another browser, makes the form void. */
function purposeOf({ id, browser = "" }: Pending, session: Session | undefined): FormPurpose {
  return { name: `consent ${id}`, holder: `${browser} ${session?.sid ?? ""}` };
}

function denied(): OAuthError {
  return new OAuthError("access_denied", "the user said no", {
    rule: "AZ-21",
    expected: "the user's consent",
    received: "Deny",
  });
}

function undecided(): OAuthError {
  return new OAuthError("invalid_request", "the form says neither allow nor deny", {
    rule: "UI-10",
    expected: "decision with allow or deny",
    received: "neither",
  });
}
