/** GET and POST /oauth2/consent: what the person allows. */

import { errorPage, redirectError } from "../app/error_response.ts";
import { emptyHeadResponse, respondWithCode } from "../endpoints/authorize.ts";
import type { App, Endpoint } from "../app/endpoint.ts";
import { rejectForeignHost } from "../app/host_check.ts";
import { readSession } from "../app/session_cookie.ts";
import { parseFields } from "../http/form.ts";
import type { RequestLike, ResponseLike } from "../http/message.ts";
import { htmlWithForms, redirect } from "../http/responses.ts";
import type { RequestTarget } from "../http/router.ts";
import { OAuthError } from "../oauth/errors.ts";
import { findUser } from "../oauth/users/users.ts";
import { paramsFromFields } from "../oauth/params.ts";
import { constantTimeEqual } from "../oauth/secrets.ts";
import type { Session } from "../oauth/session/session.ts";
import { loginProof, pagePath } from "./start_interaction.ts";
import {
  findConsent,
  impersonationRisk,
  individuallyRequestedClaims,
  previouslyAllowedScope,
  redirectsToDevice,
  saveConsent,
} from "../oauth/session/consent.ts";
import { assertCsrfToken, readSameOriginForm, withCsrfToken } from "./csrf_form.ts";
import type { CsrfBinding } from "./csrf_form.ts";
import { consumePending, findPending } from "./pending.ts";
import type { PendingAuthorization } from "./pending.ts";
import { toUserSummary } from "./account_picker.ts";

/**
 * The consent page.
 *
 * @param openLogin Whether users without a password can log in.
 */
export function consentEndpoint(app: App, openLogin: boolean): Endpoint {
  async function handleGet(httpRequest: RequestLike, target: RequestTarget): Promise<ResponseLike> {
    const context = app.contextFor(httpRequest);
    try {
      if (openLogin) rejectForeignHost(context.server.issuer, httpRequest, "UI-20");
      const params = paramsFromFields(parseFields(target.query));
      const pending = await findPending(context, httpRequest, params.get("interaction"));
      const session = await readSession(context, httpRequest);
      // Somebody else has logged in since in another tab, or nobody is logged in any more: so who is there?
      const hasLoginProof = session !== undefined && pending.browser !== undefined &&
        constantTimeEqual(params.get("login") ?? "", await loginProof(context, pending.id, session));
      if (!hasLoginProof) return redirect(httpRequest.method, pagePath(context, "login", pending.id));
      return await consentPage(context, pending, session);
    } catch (error) {
      return await errorPage(context, target, error);
    }
  }

  async function handlePost(httpRequest: RequestLike, target: RequestTarget): Promise<ResponseLike> {
    const context = app.contextFor(httpRequest);
    const { server } = context;
    let pending: PendingAuthorization;
    let session: Session | undefined;
    let scope: readonly string[] | undefined;
    try {
      if (openLogin) rejectForeignHost(context.server.issuer, httpRequest, "UI-20");
      const params = await readSameOriginForm(context, httpRequest);
      pending = await findPending(context, httpRequest, params.get("interaction"));
      session = await readSession(context, httpRequest);
      await assertCsrfToken(context, params, csrfBinding(pending, session));
      const decision = params.get("decision");
      if (decision !== "allow" && decision !== "deny") throw invalidDecision();
      const allowedScope = params.getAll("scope");
      // A login that does not say who it is would be none.
      const granted = pending.request.scope.filter((token) => token === "openid" || allowedScope.includes(token));
      scope = decision === "allow" ? granted : undefined;
      await consumePending(server, pending);
    } catch (error) {
      return await errorPage(context, target, error);
    }
    const { request } = pending;
    try {
      if (scope === undefined) throw consentDenied();
      const { sub, authTime } = session!;
      const user = (await findUser(server, sub))!;
      const consent = await saveConsent(server, request, sub, scope);
      return await respondWithCode(context, httpRequest, request, { user, scope, authTime, consent }, session!, false);
    } catch (error) {
      return await redirectError(context, target, httpRequest, request.destination, error);
    }
  }

  return {
    path: `${app.site.base}/oauth2/consent`,
    GET: handleGet,
    HEAD: () => emptyHeadResponse,
    POST: handlePost,
    reject: (error, target, request) => errorPage(app.contextFor(request), target, error),
  };
}

async function consentPage(context: App, pending: PendingAuthorization, session: Session): Promise<ResponseLike> {
  const { server, site } = context;
  const { request } = pending;
  const { client, destination, scope, resources } = request;
  const previouslyAllowed = previouslyAllowedScope(
    server,
    request,
    (await findConsent(server, session.sub, client.id))?.value,
  );
  const pages = await context.pages();
  return htmlWithForms(
    200,
    pages.consent({
      ...site,
      client: { id: client.id, name: client.name, confidential: client.confidential },
      user: toUserSummary((await findUser(server, session.sub))!),
      fields: await withCsrfToken(context, [["interaction", pending.id]], csrfBinding(pending, session)),
      redirectUri: destination.uri,
      scope: scope.map((value) => ({
        value,
        required: value === "openid",
        previouslyAllowed: previouslyAllowed.includes(value),
        claims: server.claims.claimsByScope.get(value) ?? [],
      })),
      claims: individuallyRequestedClaims(server, request),
      resources,
      redirectsToDevice: redirectsToDevice(destination.uri),
      remembered: impersonationRisk(request) ?? server.lifetimes.refresh_token,
      otherAccountHref: pagePath(context, "login", pending.id),
    }),
  );
}

/** Shown to a person in a browser: another login in it, or another browser, makes the form void. */
function csrfBinding({ id, browser = "" }: PendingAuthorization, session: Session | undefined): CsrfBinding {
  return { name: `consent ${id}`, holder: `${browser} ${session?.sid ?? ""}` };
}

function consentDenied(): OAuthError {
  return new OAuthError("access_denied", "the user denied the request", {
    rule: "AZ-21",
    expected: "the user's consent",
    received: "Deny",
  });
}

function invalidDecision(): OAuthError {
  return new OAuthError("invalid_request", "decision is neither allow nor deny", {
    rule: "UI-10",
    expected: "decision=allow or decision=deny",
    received: "neither",
  });
}
