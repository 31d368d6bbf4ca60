/**
 * Web pages of other sites. A browser on the machine of the server can open such a page, and reach the server too. The
 * page must not learn who the user is, get a token, or make the server fetch a URL (CSRF, cross-site leaks).
 */

import { HttpError, type HttpRequest } from "./message.ts";
import { quoteValue } from "./quote_value.ts";
import type { ServerUrls } from "./names.ts";
import { reject } from "../rules/reject.ts";
import type { RuleId } from "../rules/mod.ts";
import { knownPages } from "../rules/http.ts";
import type { Server } from "../server.ts";
import { isLoopback, isLoopbackName, servesOwnPages } from "./test_hosts.ts";
import type { Context } from "./context.ts";

/**
 * Whether a page of another site caused the request, by the headers that a page cannot change (Fetch Metadata §2,
 * Fetch §3.2). A page can leave `Referer` out, but not forge it.
 */
export function isCrossSite({ server, request: { headers } }: Pick<Context, "server" | "request">): boolean {
  const site = headers.get("sec-fetch-site");
  // Any server can have a name below nip.io, and browsers treat all as one site: same-site proves nothing.
  const isOwn = site === "same-site" ? !isLoopbackName(new URL(server.issuer).hostname) : site !== "cross-site";
  if (site !== null && isOwn) return false;
  const page = headers.get("origin") ?? headers.get("referer");
  return page === null ? site !== null : !isKnownPage(server, page);
}

/**
 * Rejects a request of a page of another site, by script or form, to an endpoint for programs. Only a server on a test
 * host rejects it, because on other hosts an attacker can reach the endpoint without the browser of a user.
 *
 * @throws {HttpError} 403.
 */
export function rejectCrossSite(context: Context): void {
  const { server, request: { headers } } = context;
  if (!server.policy.allows.unknownClients || !isCrossSite(context)) return;
  throw new HttpError(403, "HT-22", "A page of another site may not use this endpoint", {
    expected: `no browser, or ${knownPages}`,
    received: describePage(headers).page,
    fix: describePage(headers).fix,
  });
}

/**
 * Rejects an automatic login that a page of another site starts in a frame.
 *
 * @throws {OAuthError} `interaction_required`.
 * @throws {HttpError} Under an untrusted host, where browsers do not state the site of a request.
 */
export function rejectFramedLogin(context: Context): void {
  const { server, request: { headers } } = context;
  if (server.policy.allows.openLogin) rejectUntrustedHost(server, context.request, "UI-20");
  const frame = headers.get("sec-fetch-dest") ?? "document";
  if (frame !== "document" && isCrossSite(context)) throw reject("UI-30", { ...describePage(headers), frame });
}

/** Whether a page of this URL or origin may use the server like a page on this machine. */
export function isKnownPage({ issuer, clients }: Server, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, origin } = new URL(url);
  return servesOwnPages(hostname) || hostname === new URL(issuer).hostname || clients.hasPagesAt(origin);
}

/** The page of a request, for the trace, and how to fix a request whose page no setting can allow. */
export function describePage(headers: HttpRequest["headers"]): { readonly page: string; readonly fix?: string } {
  const page = headers.get("origin") ?? headers.get("referer");
  if (page === null) {
    return {
      page: "a request that names no page",
      fix: "Use a page on a test host such as localhost, or one without Referrer-Policy: no-referrer, which hides it.",
    };
  }
  if (URL.canParse(page)) return { page: `a page of ${new URL(page).origin}` };
  return {
    page: "a page without an origin",
    fix: "Serve the page by http on a test host such as localhost: a file, a sandboxed frame and a data URL have no " +
      "origin.",
  };
}

/** A name or an address, and an optional port (RFC 9110 §7.2). */
export const hostHeader = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/;

/**
 * Prevents DNS rebinding: if an attacker's host name resolves to this machine, the attacker's page has the same origin
 * as this server's pages under that name. Only the host of the issuer, the host of the front channel and loopback hosts
 * are trusted.
 *
 * @param rule The ID of the violated rule.
 * @throws {HttpError} 403.
 */
export function rejectUntrustedHost(server: ServerUrls, request: HttpRequest, rule: RuleId): void {
  if (isTrustedHost(server, request)) return;
  const { host } = new URL(server.names.frontChannel);
  const received = quoteValue(request.headers.get("host")?.slice(0, 256));
  throw new HttpError(
    403,
    rule,
    `This page is served only under ${host} or a loopback host; the request was for ${received}`,
  );
}

/**
 * Whether the `Host` header is the issuer's host, that of the front channel or a loopback host. A request without this
 * header is trusted: every browser sends it, so the request is from a program. A listener must therefore pass it on.
 */
export function isTrustedHost(server: ServerUrls, { headers }: Pick<HttpRequest, "headers">): boolean {
  const host = headers.get("host");
  if (host === null) return true;
  // Not parsed as a URL: browsers accept host names that the URL parser rejects.
  const hostname = hostHeader.exec(host.toLowerCase())?.[1];
  if (hostname === undefined) return false;
  return isLoopback(hostname) || hostname === new URL(server.issuer).hostname ||
    hostname === new URL(server.names.frontChannel).hostname;
}
