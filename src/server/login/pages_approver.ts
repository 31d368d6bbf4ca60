/**
 * The approver of `login: "interactive"`: an approval if session and consent suffice, otherwise a redirect to a page.
 */

import type { Approver } from "../../core/authorize/approver.ts";
import { readSession } from "../../core/sessions/cookies.ts";
import { ensureBrowserCookie } from "../../core/sessions/browser_cookie.ts";
import type { Context } from "../../core/http/context.ts";
import { endpointPath } from "../../core/http/endpoint.ts";
import { type HttpResponse, redirect } from "../../core/http/message.ts";
import type { LoginRequirements, PendingAuthorization } from "../../core/authorize/authorization_request.ts";
import { reject } from "../../core/rules/reject.ts";
import { isPolled } from "../stored/delivery.ts";
import { leadsToOthers } from "./cross_site_login.ts";
import { reusableConsent } from "./stored_consent.ts";
import type { HostedClient } from "../config/client_metadata.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { Session } from "../../core/sessions/session.ts";
import { consumePending, encodePending, type Interaction, loginProof } from "./pending.ts";
import { approveByForm, providerPageFor, showApproval, showFirstScreen } from "./provider_login.ts";

/**
 * Redirects a POST without a session to the login page. A form from another site arrives without SameSite cookies, so
 * the user may be logged in; the redirected GET has the cookies.
 *
 * @returns `undefined` for other requests.
 */
export async function repeatWithCookies(
  context: Context,
  pending: PendingAuthorization,
): Promise<HttpResponse | Response | undefined> {
  const { method } = context.request;
  if (method !== "POST" || await readSession(context) !== undefined) return undefined;
  return redirect(method, pagePath(context, "login", await encodePending(context.server, pending)));
}

/** The approver. A redirected POST continues an interaction. */
export const pagesApprover: Approver = async (request, { pending, session, context }) => {
  const interaction = "id" in pending ? pending as Interaction : undefined;
  const { server } = context;
  const { loginRequirements, scope } = request;
  const page = providerPageFor(server as HostedServer, pending);
  if (page?.isStateless) {
    if (loginRequirements.prompt.includes("none")) throw reject("OI-03", { needs: "user interaction" });
    return await approveByForm(context as Context<HostedServer>, page, pending);
  }
  const isUserKnown = session !== undefined && !needsAccountSelection(loginRequirements, session);
  const needsConsent = page === undefined || page.approval?.isConsent === true;
  const consent = !isUserKnown || needsQuestion(server as HostedServer, pending, needsConsent)
    ? undefined
    : needsConsent
    ? await reusableConsent(server, pending, session.user)
    : {};
  if (isUserKnown && consent !== undefined) {
    if (interaction !== undefined) await consumePending(server, interaction);
    return { user: session.user, scope, authTime: session.authTime, consent: consent.name };
  }
  if (loginRequirements.prompt.includes("none")) {
    throw reject("OI-03", { needs: isUserKnown ? "consent" : "a choice" });
  }
  if (page !== undefined && (!isUserKnown || page.approval === undefined)) {
    return await showFirstScreen(context as Context<HostedServer>, page, pending, interaction?.name);
  }
  const browser = await ensureBrowserCookie(context, "login");
  const id = await encodePending(server, pending, { name: interaction?.name, browser: browser.secret });
  if (page !== undefined) {
    const carried = { ...pending, id, name: "", browser: browser.secret };
    return await showApproval(context as Context<HostedServer>, page, carried, session!, browser.headers);
  }
  const location = isUserKnown ? await consentPath(context, id, session) : pagePath(context, "login", id);
  return redirect(context.request.method, location, browser.headers);
};

/**
 * Whether the user must act although there is a session, because a stranger may have started the login to get its code
 * (OAuth 2.1 §7.13.2). A consent covers the registered redirect URIs, so it is asked for again for others; pages without
 * consent ask for those of every client that the operator does not trust.
 */
function needsQuestion(server: HostedServer, pending: PendingAuthorization, hasConsent: boolean): boolean {
  const { destination, client } = pending;
  if (isPolled(destination)) return false;
  const { isUnregistered }: HostedClient = client;
  const isCovered = hasConsent && !isUnregistered && client.hasRedirectUri(destination.uri);
  return !isCovered && leadsToOthers(server, pending);
}

/**
 * Whether the login page must be shown to a user with a usable session: `select_account`, or a hint at another user.
 */
function needsAccountSelection({ prompt, loginHint }: LoginRequirements, { sub, user: { email } }: Session): boolean {
  if (prompt.includes("select_account")) return true;
  if (loginHint === undefined || loginHint === sub) return false;
  // User enumeration: whether the hinted user exists must not change the response.
  return typeof email !== "string" || email.toLowerCase() !== loginHint.toLowerCase();
}

/** The consent page of an interaction, with the proof that the user of the session has passed the login page. */
export async function consentPath(context: Context, id: string, session: Session): Promise<string> {
  return `${pagePath(context, "consent", id)}&login=${await loginProof(context, id, session)}`;
}

/** The path and query of a page of an interaction. */
export function pagePath({ app }: Context, page: "login" | "consent" | "select_account", id: string): string {
  return `${endpointPath(app, page)}?interaction=${id}`;
}
