/**
 * The logout endpoint of Cognito, which takes none of the parameters of OpenID Connect and shows no page:
 * https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html
 */

import type { Context } from "../../core/http/context.ts";
import { endpointUrl } from "../../core/http/endpoint.ts";
import { type HttpResponse, redirect } from "../../core/http/message.ts";
import { rejectUntrustedHost } from "../../core/http/cross_site.ts";
import { assertLogoutUri } from "../login/logout_uri.ts";
import { readSession } from "../../core/sessions/cookies.ts";
import { clearSessionCookie } from "../login/session_cookie.ts";
import { isPermitted } from "../config/standing.ts";
import type { HostedServer } from "../hosted_server.ts";
import { OAuthError } from "../../core/rules/errors.ts";

/** Ends the session, and leads to a registered `logout_uri`, or to a new login. Any page can thus end the session. */
export async function cognitoLogOut(context: Context<HostedServer>): Promise<HttpResponse | Response> {
  const { server, request, target } = context;
  if (server.policy.allows.openLogin) rejectUntrustedHost(server, request, "UI-20");
  const params = new URLSearchParams(target.query);
  const id = params.get("client_id");
  if (id === null) throw missing("client_id");
  const client = await server.clients.findHolder(id, server);
  const uri = params.get("logout_uri");
  const isLogin = params.has("redirect_uri") && params.has("response_type");
  if (uri === null && !isLogin) throw missing("logout_uri, or redirect_uri and response_type");
  if (uri !== null) {
    const { post_logout_redirect_uris: registered = [] } = client?.metadata ?? {};
    assertLogoutUri(server, client, ["logout_uri", uri], {
      expected: registered.join(" or ") || "none, because this client has no post_logout_redirect_uris",
      publicExpected: "one of the client's post_logout_redirect_uris",
      fix: "Add logout_uri to the client's post_logout_redirect_uris, or send one of them, character for character.",
    });
  }
  // Open redirect (RFC 9700 §4.11.2): any party can register a client with a URI of its own.
  if (uri !== null && !isPermitted(server, client!, "redirectAfterLogoutWithoutHint")) {
    throw new OAuthError("invalid_request", "the client registered logout_uri itself", {
      rule: "LO-03",
      expected: "a client of the configuration, or one that registered with an initial access token",
      received: "a client that registered itself",
      fix: "Add the client to the setting clients, or register it with an initial access token.",
    });
  }
  const session = await readSession(context);
  if (session !== undefined) await server.endSession(server, session);
  const headers = session === undefined ? {} : clearSessionCookie(context);
  const location = uri ?? `${endpointUrl(context, "authorize")}?${target.query}`;
  return redirect(request.method, location, headers);
}

function missing(name: string): OAuthError {
  return new OAuthError("invalid_request", `Missing required parameter ${name}`, {
    rule: "LO-02",
    reason: `Cognito's logout endpoint needs ${name}, and ignores id_token_hint and post_logout_redirect_uri`,
    expected: "client_id and logout_uri",
    received: `no ${name}`,
    fix: "Send client_id and logout_uri instead of the parameters of OpenID Connect.",
  });
}
