/** Whether a page of this origin has asked, as far as the browser says so (Fetch §3.2, Fetch Metadata §2.4). */

import { HttpError } from "./http_error.ts";
import type { RequestLike } from "./message.ts";

/**
 * Rejects a form posted by a page of another origin: the same-origin check against CSRF, before the CSRF token.
 *
 * @param origin This server's own origin.
 * @param allowNullOrigin Whether `Origin: null` passes where the browser sends no `Sec-Fetch-Site`. Default: false.
 * @throws {HttpError} 403.
 */
export function rejectCrossOrigin(request: RequestLike, origin: string, allowNullOrigin = false): void {
  if (isSameOrigin(request, origin) || allowNullOrigin && hasNullOrigin(request)) return;
  throw new HttpError(403, "UI-05", "This form counts only where a page of this server sends it");
}

/** Whether nothing says that a page elsewhere has asked. */
export function isSameOrigin({ headers }: RequestLike, origin: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none";
  const from = headers.get("origin");
  // A server that is reached by another name than its issuer's has the pages of that name.
  return from === null || from === origin || from.replace(/^https?:\/\//, "") === headers.get("host");
}

function hasNullOrigin({ headers }: RequestLike): boolean {
  return headers.get("sec-fetch-site") === null && headers.get("origin") === "null";
}
