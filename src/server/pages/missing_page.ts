/** Missing pages: addresses without a page that a browser itself opens. They are not errors of a client. */

import { HttpError, type HttpRequest } from "../../core/http/message.ts";
import type { Context } from "../../core/http/context.ts";

/** Whether a user opened an address without a page. A client that has a wrong URL sends parameters with the browser. */
export function isMissingPage({ request, target, endpoint }: Context, thrown: unknown): thrown is HttpError {
  if (!(thrown instanceof HttpError) || thrown.status !== 404 && thrown.status !== 405) return false;
  if (request.method !== "GET" || !isSentByBrowser(request)) return false;
  const isPage = endpoint !== undefined && ["page", "control"].includes(endpoint.role ?? "page");
  return isPage || target.query === "" && (endpoint === undefined || thrown.status === 405);
}

/**
 * Whether a browser itself sent the request: for a page, an icon or another part of it, not for a script (Fetch
 * Metadata §2.1). Browsers send no such header to http hosts other than loopback. Programs that accept any type, such
 * as those in Java, may name `text/html` too, but not XHTML.
 */
export function isSentByBrowser({ headers }: HttpRequest): boolean {
  const part = headers.get("sec-fetch-dest");
  return part === null ? /\bapplication\/xhtml\+xml\b/i.test(headers.get("accept") ?? "") : part !== "empty";
}
