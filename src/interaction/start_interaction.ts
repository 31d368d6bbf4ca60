/** An authorization request arrives: a code at once where nothing is to be asked, otherwise the way to the right page. */

import type { MaybePromise } from "../oauth/maybe_promise.ts";
import { respondWithCode } from "../endpoints/authorize.ts";
import type { AuthorizationHandler } from "../endpoints/authorize.ts";
import { ensureBrowserCookie } from "../app/browser_cookie.ts";
import type { Context } from "../app/context.ts";
import { readSession } from "../app/session_cookie.ts";
import type { ResponseLike } from "../http/message.ts";
import { redirect } from "../http/responses.ts";
import type { AuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import { OAuthError } from "../oauth/errors.ts";
import { usableSession } from "../oauth/authorize/openid.ts";
import { csrfToken } from "../oauth/session/session.ts";
import type { Session } from "../oauth/session/session.ts";
import { reusableConsent } from "../oauth/session/consent.ts";
import { consumePending, encodePending } from "./pending.ts";
import type { PendingAuthorization } from "./pending.ts";

/**
 * Answers a request as it comes. A form that another site posted brings no cookies along, so it may only seem that
 * nobody is logged in: the browser is sent here once more, by GET.
 */
export const startInteraction: AuthorizationHandler = async (context, request) => {
  const { method } = context.request;
  if (method !== "POST" || await readSession(context) !== undefined) {
    return await continueInteraction(context, request);
  }
  return redirect(method, pagePath(context, "login", await encodePending(context.server, request)));
};

/** Handles a request that was sent with its cookies; `parked` is the request if it was redirected to this origin. */
export async function continueInteraction(
  context: Context,
  request: AuthorizationRequest,
  resumed?: PendingAuthorization,
): Promise<ResponseLike> {
  const { server } = context;
  const { loginRequirements } = request;
  const isPromptNone = loginRequirements.prompt.includes("none");
  const session = usableSession(server, loginRequirements, await readSession(context));
  const isUserKnown = session !== undefined && !await needsAccountSelection(context, request, session);
  if (isUserKnown) {
    const consent = await reusableConsent(server, request, session.sub);
    if (consent !== undefined) {
      if (resumed !== undefined) await consumePending(server, resumed);
      const user = (await server.users.find(session.sub))!;
      const approval = { user, scope: request.scope, authTime: session.authTime, consent: consent.name };
      return await respondWithCode(context, request, approval, session, false);
    }
  }
  if (isPromptNone) {
    throw isUserKnown
      ? interactionRequired("consent_required", "consent")
      : interactionRequired("account_selection_required", "a choice");
  }
  const browser = await ensureBrowserCookie(context);
  const pendingId = await encodePending(server, request, { name: resumed?.name, browser: browser.secret });
  const nextPage = isUserKnown ? await consentPath(context, pendingId, session) : pagePath(context, "login", pendingId);
  return redirect(context.request.method, nextPage, browser.headers);
}

/** Whether somebody is logged in, but the client wants it to be asked who is there, or means somebody else. */
async function needsAccountSelection(
  { server }: Context,
  { loginRequirements }: AuthorizationRequest,
  session: Session,
): Promise<boolean> {
  if (loginRequirements.prompt.includes("select_account")) return true;
  const { loginHint: hintedUser } = loginRequirements;
  if (hintedUser === undefined || hintedUser === session.sub) return false;
  // Whether anybody else is meant must not depend on whether there is such a user: any client may guess names.
  const { email } = (await server.users.find(session.sub))!;
  return typeof email !== "string" || email.toLowerCase() !== hintedUser.toLowerCase();
}

/** The page that asks for consent, and the proof that this session is the one to be asked. */
export async function consentPath(context: Context, id: string, session: Session): Promise<string> {
  return `${pagePath(context, "consent", id)}&login=${await loginProof(context, id, session)}`;
}

/** A proof that the question who is there was answered, for one request, with this session. */
export function loginProof({ server }: Context, id: string, { sid }: Session): MaybePromise<string> {
  return csrfToken(server, sid, `logged in for ${id}`);
}

/** The page that asks who is there, or for consent. */
export function pagePath({ site }: Context, page: "login" | "consent", id: string): string {
  return `${site.base}/oauth2/${page}?interaction=${id}`;
}

function interactionRequired(code: "consent_required" | "account_selection_required", missing: string): OAuthError {
  return new OAuthError(code, `${missing} is required, but prompt=none forbids it`, {
    rule: "OI-03",
    expected: "a request that needs no page",
    received: "prompt=none",
  });
}
