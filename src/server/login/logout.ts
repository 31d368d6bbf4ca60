/** GET and POST /oauth2/logout (OpenID Connect RP-Initiated Logout §2, §3). */

import { isPairwise, sessionIdFor } from "../token/subjects.ts";
import { csrfToken } from "../pages/csrf.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import { LoggedOut } from "./pages/logged_out_page.tsx";
import { LoggingOut } from "./pages/logging_out_page.tsx";
import { Logout } from "./pages/logout_page.tsx";
import {
  contentSecurityPolicy,
  emptyHeadResponse,
  html,
  type HttpResponse,
  redirect,
} from "../../core/http/message.ts";
import { htmlWithForms } from "../../platform/http/response.ts";
import { rejectCrossOrigin } from "../pages/same_origin.ts";
import type { Client } from "../../core/clients/clients.ts";
import { metadataOf } from "../config/client_metadata.ts";
import { isPermitted } from "../config/standing.ts";
import { clientSessionId } from "../../core/store/grant.ts";
import type { Params } from "../../core/http/params.ts";
import { appendToRedirectUri } from "../../core/clients/redirect_uri.ts";
import { reject } from "../rules/mod.ts";
import { constantTimeEqual } from "../../core/keys/secrets.ts";
import type { Session } from "../../core/sessions/session.ts";
import type { Server } from "../../core/server.ts";
import { type IdTokenHint, readIdTokenHint } from "../../core/keys/verification.ts";
import { type Context, readParams } from "../../core/http/context.ts";
import { endpointPath } from "../../core/http/endpoint.ts";
import { rejectUntrustedHost } from "../../core/http/cross_site.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { LogoutFrame } from "../token/session_tracker.ts";
import type { Pages } from "../pages.ts";
import { warn } from "../trace.ts";
import type { Handlers } from "../../core/route.ts";
import { providerPage } from "./provider_pages/mod.ts";
import { mayLogOutTo } from "./logout_uri.ts";
import { accountName } from "../clients/login_hint.ts";
import { readSession } from "../../core/sessions/cookies.ts";
import { clearSessionCookie } from "./session_cookie.ts";

/** The pages of the embedding program. */
type ReplacedPages = Pick<Pages, "logout" | "loggingOut" | "loggedOut">;

/** The handlers of the end session endpoint. */
export function logoutHandlers(pages: ReplacedPages): Handlers<HostedServer> {
  const handle = (context: Context<HostedServer>) => endSessionOrConfirm(context, pages);
  // A HEAD request must not end the session.
  return { GET: handle, HEAD: () => emptyHeadResponse, POST: handle };
}

async function endSessionOrConfirm(context: Context<HostedServer>, pages: ReplacedPages): Promise<HttpResponse> {
  const { server, request, site } = context;
  const params = await readParams(context);
  params.rejectRepeated((facts) => reject("LO-02", facts));
  const session = await readSession(context);
  const { client, sid, hint } = await readHint(context, params, session);
  const postLogoutRedirectUri = readPostLogoutRedirectUri(server, params, client);
  const sids = session === undefined ? [] : [session.sid, ...session.earlier ?? []];
  // Open redirect (RFC 9700 §4.11.2): any party can publish a client with a redirect URI, and a logout link with an ID
  // token of its own.
  const mayRedirect = sids.includes(sid ?? "") ||
    (client !== undefined && isPermitted(server, client, "redirectAfterLogoutWithoutHint"));
  const redirectUri = mayRedirect ? postLogoutRedirectUri : undefined;
  // The hint identifies the session even without a cookie: browsers send none if another site posts the form.
  const confirmedSid = sids.includes(sid ?? "") || (session === undefined && hint?.isExpired === false)
    ? sid
    : undefined;
  const ofProvider = providerPage(server.policy.loginPage);
  const asks = confirmedSid === undefined || ofProvider?.alwaysAsksToLogOut === true;
  if (session !== undefined && asks && !await isConfirmed(context, session, params)) {
    // DNS rebinding: without passwords an attacker's page could log in and read the user's name.
    if (server.policy.allows.openLogin) rejectUntrustedHost(server, request, "UI-20");
    return await confirmationPage(context, session, client, params, pages.logout);
  }
  const ended = session ?? (confirmedSid && hint && { sid: confirmedSid, sub: hint.sub });
  const remaining = ended ? await server.endSession(server, ended) : [];
  const headers = ended ? clearSessionCookie(context) : {};
  // An attacker may find an old ID token in a log. Without the cookie, the token ends only the grants of its own
  // client, which are bound to the session.
  if (!ended && hint?.sid !== undefined) {
    const until = server.now() + server.policy.lifetimes.refresh_token * 1000;
    await server.store.revoke(clientSessionId(hint.clientId, hint.sid), until);
  }
  // Without the cookie, the request may come from another browser, and the page would show it other clients of the
  // user.
  if (session !== undefined) {
    const frames = (await Promise.all(remaining.map((ofOne) => ofOne.frames()))).flat();
    const timeoutSeconds = Math.max(...remaining.map((ofOne) => ofOne.timeoutSeconds));
    if (frames.length > 0) return loggingOutPage(context, { frames, timeoutSeconds }, redirectUri, headers, pages);
  }
  if (ofProvider?.LoggedOut !== undefined && (ofProvider.linksAfterLogout || redirectUri === undefined)) {
    const props = { ...site, continueHref: redirectUri, client: client?.name ?? client?.id };
    return html(200, renderPage(ofProvider.LoggedOut, props), headers);
  }
  if (redirectUri !== undefined) return redirect(request.method, redirectUri, headers);
  const page = renderPage(LoggedOut, { ...site, continueHref: postLogoutRedirectUri }, pages.loggedOut);
  return html(200, page, headers);
}

/** Reads the hint, the client from it or from `client_id`, and the session ID of the hint. */
async function readHint(
  { server }: Context,
  params: Params,
  session: Session | undefined,
): Promise<{ readonly client?: Client; readonly sid?: string; readonly hint?: IdTokenHint }> {
  const idTokenHint = params.get("id_token_hint");
  const clientId = params.get("client_id");
  const hintedToken = idTokenHint === undefined ? undefined : await readIdTokenHint(server, idTokenHint);
  if (
    idTokenHint !== undefined &&
    (hintedToken === undefined || (clientId !== undefined && clientId !== hintedToken.clientId))
  ) {
    throw reject("LO-02", { hintedClient: hintedToken?.clientId });
  }
  const id = hintedToken?.clientId ?? clientId ?? findOnlyClient(server, params.get("post_logout_redirect_uri"));
  const client = id === undefined ? undefined : await server.clients.findHolder(id, server);
  return { client, sid: await findSid(server, client, hintedToken?.sid, session), hint: hintedToken };
}

/**
 * The only client in memory that has registered a URI: on test hosts, a request without hint and `client_id` counts as
 * that of this client, with a warning.
 */
function findOnlyClient(server: Server, uri: string | undefined): string | undefined {
  if (uri === undefined || !server.policy.allows.unknownClients) return undefined;
  const [only, ...others] = [...server.clients.registered.known().values()].filter((client) =>
    metadataOf(client).post_logout_redirect_uris?.includes(uri)
  );
  if (only === undefined || others.length > 0) return undefined;
  warn(server, only.id, {
    rule: "LO-03",
    reason: "post_logout_redirect_uri was sent without id_token_hint and client_id, which many servers reject",
    expected: "the id_token_hint of the login, or client_id",
    received: "neither; one client has registered the URI",
    fix: "Send the id_token_hint of the login with post_logout_redirect_uri.",
  });
  return only.id;
}

/** The session ID of a hint. */
async function findSid(
  server: Server,
  client: Client | undefined,
  hintedSid: string | undefined,
  session: Session | undefined,
): Promise<string | undefined> {
  if (hintedSid === undefined || client === undefined || !isPairwise(client)) return hintedSid;
  // The `sid` of a pairwise client is derived from the session ID, so only the current session can confirm it.
  return session !== undefined && await sessionIdFor(server, client, session.sid) === hintedSid
    ? session.sid
    : undefined;
}

/** The URI to redirect to after logout, which the client must have registered (§3). */
function readPostLogoutRedirectUri(
  server: HostedServer,
  params: Params,
  client: Client | undefined,
): string | undefined {
  const uri = params.get("post_logout_redirect_uri");
  if (uri === undefined) return undefined;
  if (client === undefined) throw reject("LO-03", { unknownId: params.get("client_id") });
  const { post_logout_redirect_uris: registered = [] } = metadataOf(client);
  const facts = { clientId: client.id, uri, registered };
  if (
    !mayLogOutTo(server, client, uri, (setting) => server.observe(server, client.id, "LO-03", { ...facts, setting }))
  ) {
    throw reject("LO-03", facts);
  }
  const state = params.get("state");
  return state === undefined ? uri : appendToRedirectUri(uri, [["state", state]]);
}

/** Whether the request is the form of the confirmation page, with the CSRF token of this session. */
async function isConfirmed({ server, request }: Context, session: Session, params: Params): Promise<boolean> {
  const confirmation = params.get("confirm");
  if (confirmation === undefined) return false;
  rejectCrossOrigin(request, server.names.frontChannel);
  if (constantTimeEqual(confirmation, await csrfToken(server, session.sid, "logout"))) return true;
  throw reject("LO-01", undefined, { status: 403 });
}

/** The page that logs clients out in frames, and then continues (Front-Channel Logout §3). */
function loggingOutPage(
  { site }: Context,
  { frames, timeoutSeconds }: { readonly frames: readonly LogoutFrame[]; readonly timeoutSeconds: number },
  continueHref: string | undefined,
  headers: Readonly<Record<string, string>>,
  pages: ReplacedPages,
): HttpResponse {
  const origins = new Set(frames.map(({ src }) => new URL(src).origin));
  const props = { ...site, frames, continueHref, timeoutMs: timeoutSeconds * 1000 };
  return html(200, renderPage(LoggingOut, props, pages.loggingOut), {
    ...headers,
    "content-security-policy": `${contentSecurityPolicy}; frame-src ${[...origins].join(" ")}`,
  });
}

async function confirmationPage(
  { app, server, site }: Context<HostedServer>,
  session: Session,
  client: Client | undefined,
  params: Params,
  replacement: Pages["logout"],
): Promise<HttpResponse> {
  const fields: [string, string][] = [["confirm", await csrfToken(server, session.sid, "logout")]];
  for (const name of ["client_id", "id_token_hint", "post_logout_redirect_uri", "state"]) {
    const value = params.get(name);
    if (value !== undefined) fields.push([name, value]);
  }
  const { name, ...claims } = await server.users.find(session.sub) ?? { sub: session.sub };
  const action = endpointPath(app, "logout");
  const user = { sub: session.sub, name };
  const props = { ...site, action, user, account: accountName(claims), client: client?.name ?? client?.id, fields };
  const { Logout: Page = Logout } = providerPage(server.policy.loginPage) ?? {};
  const page = renderPage(Page, props, replacement);
  return { ...htmlWithForms(200, page), form: { action, fields } };
}
