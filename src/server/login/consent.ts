/** GET and POST /oauth2/consent: asks the user which scope values to allow. */

import type { WithExtensions } from "../../core/slot.ts";
import { type ConsentItem, detailsSlot } from "../token/authorization_details.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import { Consent } from "./pages/consent.tsx";
import { completeAuthorization } from "../../core/authorize/authorize.ts";
import { type Context, readParams } from "../../core/http/context.ts";
import { endpointPath } from "../../core/http/endpoint.ts";
import { withErrors } from "../../core/responses/error_response.ts";
import { assertCsrfToken, type CsrfBinding, readSameOriginForm, withCsrfToken } from "../pages/csrf.ts";
import { rejectUntrustedHost } from "../../core/http/cross_site.ts";
import type { Pages } from "../pages.ts";
import type { Handlers } from "../../core/route.ts";
import { readSession } from "../../core/sessions/cookies.ts";
import { emptyHeadResponse, type HttpResponse, redirect } from "../../core/http/message.ts";
import { htmlWithForms } from "../../platform/http/response.ts";
import type { HostedServer } from "../hosted_server.ts";
import { deliveryTo, isPolled } from "../stored/delivery.ts";
import { clientIdentity } from "../clients/changed_client.ts";
import type { HostedClient } from "../config/client_metadata.ts";
import { standingFor } from "../config/standing.ts";
import { redirectsToDevice } from "../../core/clients/redirect_uri.ts";
import { reject } from "../rules/mod.ts";
import { constantTimeEqual } from "../../core/keys/secrets.ts";
import type { Session } from "../../core/sessions/session.ts";
import {
  findConsent,
  impersonationRisk,
  individuallyRequestedClaims,
  previouslyAllowedScope,
  saveConsent,
} from "./stored_consent.ts";
import { toUserSummary } from "./account_picker.ts";
import { presentClient } from "./client_presentation.ts";
import { pagePath } from "./pages_approver.ts";
import { consumePending, continuePending, denyPending, type Interaction, loginProof } from "./pending.ts";
import { resourcesOf } from "../token/resources.ts";

/**
 * The handlers of the consent page.
 *
 * @param openLogin Whether users without a password can log in.
 */
export function consentHandlers(openLogin: boolean, replacement: Pages["consent"]): Handlers {
  async function handleGet(context: Context<HostedServer>): Promise<HttpResponse | Response> {
    const { server, request } = context;
    if (openLogin) rejectUntrustedHost(server, request, "UI-20");
    const params = await readParams(context);
    return await continuePending(context, params.get("interaction"), async (pending) => {
      const session = await readSession(context);
      // Without the proof the session ended or another user logged in since, in another tab: back to the login page.
      const hasLoginProof = session !== undefined && pending.browser !== undefined &&
        constantTimeEqual(params.get("login") ?? "", await loginProof(context, pending.id, session));
      if (!hasLoginProof) return redirect(request.method, pagePath(context, "login", pending.id));
      return await consentPage(context, pending, session, replacement);
    });
  }

  async function handlePost(context: Context<HostedServer>): Promise<HttpResponse | Response> {
    const { server } = context;
    if (openLogin) rejectUntrustedHost(server, context.request, "UI-20");
    const params = await readSameOriginForm(context);
    return await continuePending(context, params.get("interaction"), async (pending) => {
      const session = await readSession(context);
      await assertCsrfToken(context, params, csrfBinding(pending, session));
      const decision = params.get("decision");
      if (decision !== "allow" && decision !== "deny") throw reject("UI-10");
      if (decision === "deny") return await denyPending(context, pending, "consent");
      const { request } = pending;
      const allowedScope = params.getAll("scope");
      // `openid` identifies the user; without it the request would be no login.
      const scope = request.scope.filter((token) => token === "openid" || allowedScope.includes(token));
      const allowedDetails = params.getAll("detail");
      let index = 0;
      const items = detailsSlot.of(request)?.filter(({ type }) => allowedDetails.includes(choiceOf(type, index++)));
      await consumePending(server, pending);
      return await withErrors(context, pending, async () => {
        const { user, authTime } = session!;
        const decided = detailsSlot.put({ user, scope, authTime }, items);
        const approval = { ...decided, consent: await saveConsent(server, pending, user, decided) };
        return await completeAuthorization(context, pending, approval, session!, session);
      });
    });
  }

  return { GET: handleGet, HEAD: () => emptyHeadResponse, POST: handlePost };
}

async function consentPage(
  context: Context<HostedServer>,
  pending: Interaction,
  session: Session,
  replacement: Pages["consent"],
): Promise<HttpResponse | Response> {
  const { server, site } = context;
  const { request, destination } = pending;
  const client: HostedClient = pending.client;
  const { scope } = request;
  const device = isPolled(destination)
    ? await deliveryTo(server, destination).describe(server, destination, context.target.clientAddress.address)
    : undefined;
  const consent = await findConsent(server, session.user, client.id);
  const previouslyAllowed = previouslyAllowedScope(server, pending, consent?.value);
  const { presentation, headers } = presentClient(server, pending);
  return htmlWithForms(
    200,
    renderPage(Consent, {
      ...site,
      client: {
        id: client.id,
        name: client.name,
        confidential: client.confidential,
        ...client.document && { documentHost: new URL(client.id).host },
        registeredItself: client.registration !== undefined &&
          ["client_name", "redirect_uris"].some((member) => standingFor(client, member) === "unknown"),
        isUnregistered: client.isUnregistered,
        isOnDeviceOnly: standingFor(client, "redirect_uris") === "unknown" &&
          client.redirectUris.every(redirectsToDevice),
        ...presentation,
      },
      user: toUserSummary(session.user),
      action: endpointPath(context.app, "consent"),
      fields: await withCsrfToken(context, [["interaction", pending.id]], csrfBinding(pending, session)),
      redirectUri: device === undefined ? destination.uri : undefined,
      device,
      scope: scope.map((value) => ({
        value,
        required: value === "openid",
        previouslyAllowed: previouslyAllowed.includes(value),
        claims: server.claims.claimsByScope.get(value) ?? [],
      })),
      details: (await describeDetails(server, request)).map((item, i) => ({ ...item, choice: choiceOf(item.type, i) })),
      claims: individuallyRequestedClaims(server, request),
      resources: resourcesOf(request),
      redirectsToDevice: device === undefined && redirectsToDevice(destination.uri),
      remembered: impersonationRisk(pending) ?? server.policy.lifetimes.refresh_token,
      otherAccountHref: pagePath(context, "login", pending.id),
    }, replacement),
    headers,
  );
}

/** The value of the checkbox of an object: its place in the request, and its type for test browsers. */
function choiceOf(type: string, index: number): string {
  return `${index} ${type}`;
}

/**
 * The CSRF binding of the form: another browser, another login in it, or a client that has changed since the page was
 * shown makes the form invalid.
 */
function csrfBinding({ id, client, browser = "" }: Interaction, session: Session | undefined): CsrfBinding {
  return { name: `consent ${id}`, holder: `${browser} ${session?.sid ?? ""} ${clientIdentity(client) ?? ""}` };
}

/** The questions of the consent page about the authorization details of a request, in the order of its objects. */
async function describeDetails(server: HostedServer, request: WithExtensions): Promise<readonly ConsentItem[]> {
  const items = detailsSlot.of(request);
  return items === undefined ? [] : await server.details?.describe(server, items) ?? [];
}
