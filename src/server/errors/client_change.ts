/** The links from a rejected request to the form that changes the clients so that the server accepts the request. */

import type { HostedClient } from "../config/client_metadata.ts";
import { asServerPolicy } from "../config/server_policy.ts";
import { validateRedirectUri } from "../config/uri_issues.ts";
import type { ClientChange } from "../../core/rules/errors.ts";
import { decodeWithMac, encodeWithMac } from "../../core/sessions/session.ts";
import type { FixLink } from "../pages/rejection.tsx";
import type { Context } from "../../core/http/context.ts";
import { developerPagesOf } from "../app.ts";
import { isCrossSite, isTrustedHost } from "../../core/http/cross_site.ts";

const printable = /^[\x21-\x7E]{1,2000}$/;

/** Maximum length of the query of a repeated request, in characters. */
const maxRetryLength = 2000;

/** The redirect URI of a request may come from any site, so a change needs a second click, on a page that shows it. */
const note = "You can review the change on the next page before saving.";

/** Whether the request may see the clients: the server has pages of them, and the host is trusted. */
export function mayListClients(context: Context): boolean {
  return developerPagesOf(context).clientLink !== undefined && isTrustedHost(context.server, context.request);
}

/**
 * The form for a change; `undefined` if the visitor may not change clients, if the form cannot save the change, or if
 * the operator did not configure the client.
 *
 * @param retry The request that failed, if a browser can repeat it: see {@link encodeRetry}.
 */
export function fixLink(
  context: Context,
  change: ClientChange | undefined,
  retry?: string,
): FixLink | undefined {
  const { clients, policy } = context.server;
  const { allows, directory, insecure } = asServerPolicy(policy);
  const allowHttp = insecure.includes("http-redirect-uris");
  const { clientLink } = developerPagesOf(context);
  if (change === undefined || directory !== "edit" || !mayListClients(context)) return undefined;
  const { client_id, isNew, redirect_uri, post_logout_redirect_uri, scope, grant_type, token_endpoint_auth_method } =
    change;
  // The form rejects all other characters, and other redirect URIs.
  for (const uri of [redirect_uri, post_logout_redirect_uri]) {
    if (uri === undefined) continue;
    if (!printable.test(uri) || validateRedirectUri(uri, allowHttp, allows.localUrls)) return undefined;
  }
  if (!printable.test(client_id)) return undefined;
  const client: HostedClient | undefined = clients.known().get(client_id);
  if (isNew ? client !== undefined : client?.standing !== "configured" || client.document !== undefined) {
    return undefined;
  }
  const members = {
    redirect_uris: redirect_uri,
    post_logout_redirect_uris: post_logout_redirect_uri,
    scope,
    grant_types: grant_type,
    token_endpoint_auth_method,
  };
  const query = new URLSearchParams(isNew ? { client_id } : {});
  for (const [name, value] of Object.entries({ ...members, retry })) if (value !== undefined) query.set(name, value);
  if (isNew) {
    const label = redirect_uri === undefined ? `Register ${client_id}` : `Register ${client_id} with ${redirect_uri}`;
    return { label, path: clientLink!(undefined, query), note };
  }
  if (Object.values(members).every((one) => one === undefined)) {
    return { label: `Compare with the client ${client_id}`, path: clientLink!(client_id) };
  }
  const label = redirect_uri !== undefined
    ? `Correct the redirect URI, or add it to ${client_id}`
    : post_logout_redirect_uri !== undefined
    ? `Correct the post-logout redirect URI, or add it to ${client_id}`
    : scope !== undefined
    ? `Allow ${client_id} to request ${scope.replaceAll(" ", " and ")}`
    : grant_type !== undefined
    ? `Allow ${client_id} to use ${grant_type}`
    : `Let ${client_id} use ${token_endpoint_auth_method}`;
  return { label, path: clientLink!(client_id, query), note };
}

/** The label of {@link fixLink}, with the URL of the form. */
export function clientChangeUrl(
  context: Context,
  change: ClientChange | undefined,
): { readonly label: string; readonly url: string } | undefined {
  const link = fixLink(context, change);
  return link && { label: link.label, url: context.server.names.frontChannel + context.site.base + link.path };
}

/**
 * The authorization request in the URL of a rejected request, for a link that repeats it; `undefined` if a browser
 * cannot repeat it. The text is encoded and has a MAC: no page shows a value of the request, and only this server can
 * create such a text. It leaves out parameters that the server does not know; a request with a secret has no such link.
 */
export async function encodeRetry(context: Context): Promise<string | undefined> {
  const { server, endpoint, request, target: { path, query } } = context;
  if (endpoint?.name !== "authorize" || request.method !== "GET" || query.length > maxRetryLength) return undefined;
  const { parameters = [] } = endpoint;
  const known = [...new URLSearchParams(query)].filter(([name]) => parameters.some((known) => known.name === name));
  if (known.some(([name]) => parameters.some((known) => known.name === name && known.secret))) return undefined;
  return await encodeWithMac(server, retryPurpose, `${path}?${new URLSearchParams(known)}`);
}

/** The path and query of the authorization request in a text of {@link encodeRetry}; `undefined` for any other text. */
export async function decodeRetry({ server }: Context, text: string | null | undefined): Promise<string | undefined> {
  const retry = text ? await decodeWithMac(server, retryPurpose, text) : undefined;
  return typeof retry === "string" ? retry : undefined;
}

const retryPurpose = "retry";

/** The values in the query of a page, for the form of the page. Empty for a link from a page of another site. */
export function prefilledValues(context: Context): URLSearchParams {
  return new URLSearchParams(isCrossSite(context) ? "" : context.target.query);
}
