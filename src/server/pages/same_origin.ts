/** The page of a request, by the headers of the browser (Fetch §3.2, Fetch Metadata §2): the check against CSRF. */

import type { Context } from "../../core/http/context.ts";
import { HttpError, type HttpRequest } from "../../core/http/message.ts";
import { isLoopback } from "../../core/http/test_hosts.ts";

/**
 * Rejects a form that a page of another origin posted. It runs before the check of the CSRF token.
 *
 * @param origin This server's own origin.
 * @param allowNullOrigin Whether `Origin: null` passes if the browser sends no `Sec-Fetch-Site`. Default: false.
 * @throws {HttpError} 403.
 */
export function rejectCrossOrigin(request: HttpRequest, origin: string, allowNullOrigin = false): void {
  if (isSameOrigin(request, origin) || allowNullOrigin && hasNullOrigin(request)) return;
  throw new HttpError(403, "UI-05", "Only a page of this server may send this form");
}

/** Whether no header names another origin. */
export function isSameOrigin({ headers }: HttpRequest, origin: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none";
  const from = headers.get("origin");
  // The server may be reached under another host name than its issuer's; its pages then have the origin of that host
  // name.
  return from === null || from === origin || from.replace(/^https?:\/\//, "") === headers.get("host");
}

function hasNullOrigin({ headers }: HttpRequest): boolean {
  return headers.get("sec-fetch-site") === null && headers.get("origin") === "null";
}

/**
 * Whether the request may come from any site, because browsers omit `Sec-Fetch-Site` over plain http to a host that is
 * not loopback (Fetch Metadata §2).
 */
export function isUnstated({ server, request: { headers } }: Context): boolean {
  const host = headers.get("host");
  return host !== null && headers.get("sec-fetch-site") === null && headers.get("referer") === null &&
    new URL(server.issuer).protocol === "http:" && !isLoopback(host.replace(/:\d+$/, ""));
}
