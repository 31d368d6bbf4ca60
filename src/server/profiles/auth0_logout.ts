/** Auth0's own logout endpoint. */

import { endpointUrl } from "../../core/http/endpoint.ts";
import type { Handler } from "../../core/route.ts";
import { redirect } from "../../core/http/message.ts";
import { plainText } from "../../platform/http/response.ts";
import { isCrossSite } from "../../core/http/cross_site.ts";
import { readParams } from "../../core/http/context.ts";
import { assertLogoutUri } from "../login/logout_uri.ts";
import { reject } from "../rules/mod.ts";
import { readSession } from "../../core/sessions/cookies.ts";
import { clearSessionCookie } from "../login/session_cookie.ts";
import { isPermitted } from "../config/standing.ts";
import type { HostedServer } from "../hosted_server.ts";

/**
 * Ends the session without a question, and redirects to `returnTo`, which the client must have registered.
 * https://auth0.com/docs/api/authentication/logout/auth-0-logout
 */
export const auth0LogOut: Handler<HostedServer> = async (context) => {
  const { server, request } = context;
  const params = await readParams(context);
  params.rejectRepeated((facts) => reject("LO-02", facts));
  const [id, returnTo] = [params.get("client_id"), params.get("returnTo")];
  const client = id === undefined ? undefined : await server.clients.findHolder(id, server);
  const { post_logout_redirect_uris: registered = [] } = client?.metadata ?? {};
  if (returnTo !== undefined) {
    assertLogoutUri(server, client, ["returnTo", returnTo], {
      expected: registered.join(" or ") || "client_id of a client with post_logout_redirect_uris",
      publicExpected: "a post-logout redirect URI of this client; the server's log lists them",
      fix: "Add returnTo to the client's post_logout_redirect_uris, and send its client_id.",
    });
  }
  const session = await readSession(context);
  // Auth0 would end the session here too. This server asks: a page of another site may have sent the user (CSRF).
  if (session !== undefined && isCrossSite(context)) {
    const query = new URLSearchParams({
      ...id && { client_id: id },
      ...returnTo && { post_logout_redirect_uri: returnTo },
    });
    return redirect(request.method, `${endpointUrl(context, "logout")}?${query}`);
  }
  if (session !== undefined) await server.endSession(server, session);
  const headers = session === undefined ? {} : clearSessionCookie(context);
  const mayRedirect = client !== undefined && isPermitted(server, client, "redirectAfterLogoutWithoutHint");
  const uri = mayRedirect ? returnTo ?? registered[0] : undefined;
  if (uri !== undefined) return redirect(request.method, uri, headers);
  return { ...plainText(200, "OK"), headers: { ...plainText(200, "OK").headers, ...headers } };
};
