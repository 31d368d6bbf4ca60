/** Automatic logins that a page of another site starts, if the page would get the code. */

import type { PendingAuthorization } from "../../core/authorize/authorization_request.ts";
import { describePage, isCrossSite, isKnownPage, rejectFramedLogin } from "../../core/http/cross_site.ts";
import { isUndottedScheme } from "../../core/clients/redirect_uri.ts";
import type { Context } from "../../core/http/context.ts";
import { reject } from "../../core/rules/reject.ts";
import type { HostedServer } from "../hosted_server.ts";
import { isUnstated } from "../pages/same_origin.ts";
import { isPermitted } from "../config/standing.ts";

/**
 * Whether a page or an app of others could get the code: the redirect URI is on another site, or has a scheme without a
 * dot, which may open a page; unless a client that the operator trusts has registered this URI.
 */
export function leadsToOthers(server: HostedServer, { destination: { uri }, client }: PendingAuthorization): boolean {
  if (client.hasRedirectUri(uri) && isPermitted(server, client, "loginFromOtherSites")) return false;
  return /^https?:/i.test(uri) ? !isKnownPage(server, uri) : isUndottedScheme(uri);
}

/**
 * Rejects an automatic login that a page of another site starts in a frame, or whose code the page could get.
 *
 * @throws {OAuthError} `interaction_required`.
 * @throws {HttpError} Under an untrusted host, where browsers do not state the site of a request.
 */
export function rejectCrossSiteLogin(context: Context, pending: PendingAuthorization): void {
  rejectFramedLogin(context);
  if (!leadsToOthers(context.server as HostedServer, pending) || !isCrossSite(context) && !isUnstated(context)) return;
  throw reject("UI-30", describePage(context.request.headers));
}
