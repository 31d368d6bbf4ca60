/** What the data of the profile auth0 cannot say: claims, the silent login in a frame, and its own logout. */

import type { App } from "../../assembly/context.ts";
import { endpointUrl } from "../../assembly/endpoint.ts";
import type { Handler } from "../../assembly/route.ts";
import { emptyHeadResponse, plainText, redirect } from "../../../platform/http/message.ts";
import { isCrossSite } from "../../endpoints/shared/cross_site.ts";
import { readParams } from "../../endpoints/shared/client_endpoint.ts";
import { mayLogOutTo } from "../../endpoints/shared/logout_uri.ts";
import { canonicalUri, type Resources } from "../../config/resource_list.ts";
import { clearSessionCookie, readSession } from "../../endpoints/shared/session_cookie.ts";
import { isPermitted } from "../../oauth/clients/standing.ts";
import { OAuthError } from "../../oauth/errors.ts";
import { parameters } from "../../oauth/params.ts";
import { endSession } from "../../oauth/session/session.ts";
import type { Server } from "../../oauth/server.ts";
import type { OverrideClaims } from "../../oauth/tokens/override_claims.ts";
import type { ProviderPlugin } from "./provider_plugin.ts";
import { webMessage } from "./web_message.ts";

/** Creates the plugin of one server. */
export function auth0(): ProviderPlugin {
  const messages = webMessage("web_message", (response) => ({ type: "authorization_response", response }));
  let app: App;
  /** Without an API, access tokens are for userinfo; with one, for both. */
  const audienceOf = (server: Server) =>
    server.audience === server.issuer ? endpointUrl({ app, server }, "userinfo") : server.audience;
  return {
    ...messages,
    setup(assembled, ...others) {
      messages.setup(assembled, ...others);
      app = assembled;
    },
    routes: ({ site: { base } }) => [{
      name: "auth0_logout",
      path: `${base}/v2/logout`,
      methods: ["GET", "HEAD"],
      caller: "browser",
      title: "Logout",
      errors: "page",
      role: "step",
      parameters: parameters("client_id", "returnTo", "federated"),
      // A HEAD request must not end the session.
      load: () => ({ GET: logOut, HEAD: () => emptyHeadResponse }),
    }],
    extend: (server) => ({ ...server, audience: audienceOf(server), resources: withSentSpelling(server) }),
    claims: (server, kind, claims, context) => auth0Claims(audienceOf(server), kind, claims, context),
  };
}

/** Auth0 copies the identifier of an API, character by character. A configured resource has its own spelling. */
function withSentSpelling({ resources, settings }: Server): Resources {
  if (settings.resources !== undefined) return resources;
  const find = (uri: string) => resources.find(uri) === canonicalUri(uri) ? uri : resources.find(uri);
  return Object.assign(Object.create(resources), { find });
}

/** Custom claims need a URL as their name: https://auth0.com/docs/secure/tokens/json-web-tokens/create-custom-claims */
const namespaced = /^https?:\/\//;

/** The claims of https://auth0.com/docs/secure/tokens/access-tokens and /id-tokens/id-token-structure */
function auth0Claims(
  audience: string,
  ...[kind, claims, { client, user, grant: { resources, scope } }]: Parameters<OverrideClaims>
): ReturnType<OverrideClaims> {
  if (kind !== "access_token" && kind !== "id_token" && kind !== "userinfo") return claims;
  const custom = Object.fromEntries(Object.entries(user ?? {}).filter(([name]) => namespaced.test(name)));
  if (kind === "access_token") {
    const audiences = resources.length === 0 || scope.includes("openid") ? [...resources, audience] : resources;
    return { ...claims, ...custom, azp: client.id, aud: audiences.length === 1 ? audiences[0] : audiences };
  }
  if (user === undefined || !scope.includes("profile")) return { ...claims, ...custom };
  const { sub, nickname = user.preferred_username ?? String(user.email ?? sub).split("@")[0], updated_at = 0 } = user;
  return {
    ...{ ...claims, ...custom, nickname },
    // A text, where OpenID Connect Core §5.1 has a number.
    updated_at: typeof updated_at === "number" ? new Date(updated_at * 1000).toISOString() : updated_at,
  };
}

/**
 * Ends the session without a question, and redirects to `returnTo`, which the client must have registered.
 * https://auth0.com/docs/api/authentication/logout/auth-0-logout
 */
const logOut: Handler = async (context) => {
  const { server, request } = context;
  const params = await readParams(context);
  params.rejectRepeated("LO-02");
  const [id, returnTo] = [params.get("client_id"), params.get("returnTo")];
  const client = id === undefined ? undefined : await server.clients.findHolder(id, server.sender);
  const { post_logout_redirect_uris: registered = [] } = client?.metadata ?? {};
  const reason = "returnTo is not registered for this client";
  const explanation = {
    rule: "LO-03",
    expected: registered.join(" or ") || "client_id of a client with post_logout_redirect_uris",
    received: returnTo ?? "",
    fix: "Add returnTo to the client's post_logout_redirect_uris, and send its client_id.",
  } as const;
  if (returnTo !== undefined && !mayLogOutTo(server, client, returnTo, { ...explanation, reason })) {
    const publicExpected = "a post-logout redirect URI of this client; the server's log lists them";
    throw new OAuthError("invalid_request", reason, { ...explanation, publicExpected });
  }
  const session = await readSession(context);
  // Auth0 would end it here too: without a hint, a page of another site could log the user out (CSRF).
  if (session !== undefined && isCrossSite(context)) {
    const query = new URLSearchParams({
      ...id && { client_id: id },
      ...returnTo && { post_logout_redirect_uri: returnTo },
    });
    return redirect(request.method, `${endpointUrl(context, "logout")}?${query}`);
  }
  if (session !== undefined) await endSession(server, session);
  const headers = session === undefined ? {} : clearSessionCookie(context);
  const mayRedirect = client !== undefined && isPermitted(server, client, "redirectAfterLogoutWithoutHint");
  const uri = mayRedirect ? returnTo ?? registered[0] : undefined;
  if (uri !== undefined) return redirect(request.method, uri, headers);
  return { ...plainText(200, "OK"), headers: { ...plainText(200, "OK").headers, ...headers } };
};
