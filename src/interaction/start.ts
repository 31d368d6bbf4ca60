/** An authorization request arrives: a code at once where nothing is to be asked, otherwise the way to the right page. */

import type { Soon } from "../oauth/maybe_promise.ts";
import { sendCode } from "../endpoints/authorize.ts";
import type { Decide } from "../endpoints/authorize.ts";
import { recogniseBrowser } from "../app/browser_cookie.ts";
import type { Desk } from "../app/endpoint.ts";
import { readSession } from "../app/session_cookie.ts";
import type { Answer, Incoming } from "../http/message.ts";
import { redirect } from "../http/responses.ts";
import type { AuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import { OAuthError } from "../oauth/errors.ts";
import { usableSession } from "../oauth/authorize/openid.ts";
import { findUser } from "../oauth/users/guest_user.ts";
import { formToken } from "../oauth/session/session.ts";
import type { Session } from "../oauth/session/session.ts";
import { recallConsent } from "../oauth/session/consent.ts";
import { finish, sealRequest } from "./pending.ts";
import type { Pending } from "./pending.ts";

/**
 * Answers a request as it comes. A form that another site posted brings no cookies along, so it may only seem that
 * nobody is logged in: the browser is sent here once more, by GET.
 */
export const arrive: Decide = async (here, http, asked) => {
  if (http.method !== "POST" || await readSession(here, http) !== undefined) return await goOn(here, http, asked);
  return redirect(http.method, pathOf(here, "login", await sealRequest(here.server, asked)));
};

/** Handles a request that was sent with its cookies; `parked` is the request if it was redirected to this origin. */
export async function goOn(
  here: Desk,
  http: Incoming,
  asked: AuthorizationRequest,
  parked?: Pending,
): Promise<Answer> {
  const { server } = here;
  const { wishes } = asked;
  const silent = wishes.prompt.includes("none");
  const session = usableSession(server, wishes, await readSession(here, http));
  const settled = session !== undefined && !await isChoiceWanted(here, asked, session);
  if (settled) {
    const consent = await recallConsent(server, asked, session.sub);
    if (consent !== undefined) {
      if (parked !== undefined) await finish(server, parked);
      const user = (await findUser(server, session.sub))!;
      const approval = { user, scope: asked.scope, authTime: session.authTime, consent: consent.name };
      return await sendCode(here, http, asked, approval, session, false);
    }
  }
  if (silent) {
    throw settled ? mustAsk("consent_required", "consent") : mustAsk("account_selection_required", "a choice");
  }
  const browser = await recogniseBrowser(here, http);
  const pending = await sealRequest(server, asked, { name: parked?.name, browser: browser.secret });
  const way = settled ? await consentPath(here, pending, session) : pathOf(here, "login", pending);
  return redirect(http.method, way, browser.headers);
}

/** Whether somebody is logged in, but the client wants it to be asked who is there, or means somebody else. */
async function isChoiceWanted({ server }: Desk, { wishes }: AuthorizationRequest, session: Session): Promise<boolean> {
  if (wishes.prompt.includes("select_account")) return true;
  const { loginHint: hint } = wishes;
  if (hint === undefined || hint === session.sub) return false;
  // Whether anybody else is meant must not depend on whether there is such a user: any client may guess names.
  const { email } = (await findUser(server, session.sub))!;
  return typeof email !== "string" || email.toLowerCase() !== hint.toLowerCase();
}

/** The page that asks for consent, and the proof that this session is the one to be asked. */
export async function consentPath(here: Desk, id: string, session: Session): Promise<string> {
  return `${pathOf(here, "consent", id)}&login=${await proofOfLogin(here, id, session)}`;
}

/** A proof that the question who is there was answered, for one request, with this session. */
export function proofOfLogin({ server }: Desk, id: string, { sid }: Session): Soon<string> {
  return formToken(server, sid, `logged in for ${id}`);
}

/** The page that asks who is there, or for consent. */
export function pathOf({ site }: Desk, page: "login" | "consent", id: string): string {
  return `${site.base}/oauth2/${page}?interaction=${id}`;
}

function mustAsk(code: "consent_required" | "account_selection_required", what: string): OAuthError {
  return new OAuthError(code, `the user would have to be asked for ${what}, and prompt=none forbids it`, {
    rule: "OI-03",
    expected: "a request that can be answered without a page",
    received: "prompt=none",
  });
}
