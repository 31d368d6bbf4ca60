/** GET and POST /oauth2/logout (OpenID Connect RP-Initiated Logout §2, §3). */

import { parseFields, readForm } from "../http/form.ts";
import type { Incoming, Reply } from "../http/message.ts";
import { html, htmlWithForms, redirect } from "../http/responses.ts";
import type { Target } from "../http/router.ts";
import { refuseElsewhere } from "../http/same_origin.ts";
import { meet } from "../oauth/clients/repository.ts";
import type { Client } from "../oauth/clients/repository.ts";
import { OAuthError } from "../oauth/errors.ts";
import { readParams } from "../oauth/params.ts";
import type { Params } from "../oauth/params.ts";
import { appendToRedirectUri } from "../oauth/clients/redirect_uri.ts";
import { equalInConstantTime } from "../oauth/secrets.ts";
import { sessionFor } from "../oauth/users/subject.ts";
import { endSession, formToken } from "../oauth/session/session.ts";
import { hasTestHost } from "../oauth/config/settings.ts";
import type { Server } from "../oauth/server.ts";
import type { Session } from "../oauth/session/session.ts";
import { readIdTokenHint } from "../oauth/tokens/id_token.ts";
import { asPage } from "../app/error_response.ts";
import type { Answers, Desk } from "../app/endpoint.ts";
import { refuseForeignHost } from "../app/host_check.ts";
import { forgetSession, readSession } from "../app/session_cookie.ts";

/** The end session endpoint. */
export function logout(desk: Desk): Answers {
  const { site } = desk;

  async function answer(request: Incoming, target: Target): Promise<Reply> {
    const here = desk.during(request);
    const { server } = here;
    try {
      const params = readParams(request.method === "POST" ? await readForm(request) : parseFields(target.query));
      params.refuseRepeats("LO-02");
      const session = await readSession(here, request);
      const { client, sid } = await readWhoAsks(here, params, session);
      const goOn = readGoOn(params, client);
      // A hint names its session even where the browser brings no cookie along, because another site posted the form.
      const names = session === undefined ? [] : [session.sid, ...session.earlier ?? []];
      const ending = session === undefined || names.includes(sid ?? "") ? sid : undefined;
      if (session !== undefined && ending === undefined && !await isConfirmed(here, request, session, params)) {
        // DNS rebinding: without passwords an attacker's page could log in and read the user's name.
        if (hasTestHost(server.issuer)) refuseForeignHost(server.issuer, request, "UI-20");
        return await askToConfirm(here, session, client, params);
      }
      const ended = ending ?? session?.sid;
      if (ended !== undefined) await endSession(server, session ?? { sid: ended });
      const headers = ended === undefined ? {} : forgetSession(here);
      if (goOn !== undefined) return redirect(request.method, goOn, headers);
      const pages = await here.pages();
      return html(200, pages.loggedOut(site), headers);
    } catch (refusal) {
      return await asPage(here, target, refusal, request);
    }
  }

  return {
    GET: answer,
    // Whoever only asks about headers stays logged in.
    HEAD: () => ({ status: 200, headers: { "cache-control": "no-store" }, body: null }),
    POST: answer,
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
  };
}

/** The client that asks, as far as it is known, and the session that its hint names. */
async function readWhoAsks(
  { server }: Desk,
  params: Params,
  session: Session | undefined,
): Promise<{ readonly client?: Client; readonly sid?: string }> {
  const hint = params.get("id_token_hint");
  const named = params.get("client_id");
  const hinted = hint === undefined ? undefined : await readIdTokenHint(server, hint);
  if (hint !== undefined && (hinted === undefined || (named !== undefined && named !== hinted.clientId))) {
    throw new OAuthError("invalid_request", "id_token_hint is not an id token that this server issued to this client", {
      rule: "LO-02",
      expected: "an id token of this issuer, expired or not, for the client that asks",
      received: hinted === undefined ? "something that cannot be verified" : `one for ${hinted.clientId}`,
    });
  }
  const id = hinted?.clientId ?? named;
  await meet(server.clients, id);
  const client = id === undefined ? undefined : server.clients.find(id);
  return { client, sid: await findSession(server, client, hinted?.sid, session) };
}

/** The session that a hint means. */
async function findSession(
  server: Server,
  client: Client | undefined,
  named: string | undefined,
  session: Session | undefined,
): Promise<string | undefined> {
  if (named === undefined || client?.sector === undefined) return named;
  // A pairwise client knows it by a name of its own, which only the session itself can confirm.
  return session !== undefined && await sessionFor(server, client, session.sid) === named ? session.sid : undefined;
}

/** Where the browser goes afterwards: only to a URI that the client has registered for it (§3). */
function readGoOn(params: Params, client: Client | undefined): string | undefined {
  const uri = params.get("post_logout_redirect_uri");
  if (uri === undefined) return undefined;
  if (!client?.postLogoutRedirectUris.includes(uri)) {
    throw new OAuthError("invalid_request", "post_logout_redirect_uri is not registered for this client", {
      rule: "LO-03",
      expected: client === undefined
        ? "id_token_hint or client_id, to know whose it is"
        : client.postLogoutRedirectUris.join(" or ") || "none, this client has registered none",
      expectedPublicly: client && "a post-logout redirect URI of this client; the server's log lists them",
      received: uri,
    });
  }
  const state = params.get("state");
  return state === undefined ? uri : appendToRedirectUri(uri, [["state", state]]);
}

/** Whether the form of our own page came back, from the browser that holds the session. */
async function isConfirmed({ server }: Desk, request: Incoming, session: Session, params: Params): Promise<boolean> {
  const confirmation = params.get("confirm");
  if (confirmation === undefined) return false;
  refuseElsewhere(request, new URL(server.issuer).origin);
  if (equalInConstantTime(confirmation, await formToken(server, session.sid, "logout"))) return true;
  throw new OAuthError("access_denied", "the confirmation does not belong to this session", {
    rule: "LO-01",
    status: 403,
    expected: "the form of this server's own page",
    received: "another one",
  });
}

async function askToConfirm(
  { server, site, pages }: Desk,
  session: Session,
  client: Client | undefined,
  params: Params,
): Promise<Reply> {
  const fields = [["confirm", await formToken(server, session.sid, "logout")]];
  for (const name of ["client_id", "id_token_hint", "post_logout_redirect_uri", "state"]) {
    const value = params.get(name);
    if (value !== undefined) fields.push([name, value]);
  }
  const { name } = server.users.find(session.sub) ?? {};
  const { logout } = await pages();
  return htmlWithForms(
    200,
    logout({
      ...site,
      user: { sub: session.sub, name },
      client: client?.name ?? client?.id,
      fields: fields as [string, string][],
    }),
  );
}
