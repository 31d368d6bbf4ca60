/** Creates JSON, page and redirect responses with their security headers. */

import type { HttpResponse } from "./message.ts";

/** Further headers. */
type ExtraHeaders = Readonly<Record<string, string>>;

/** A JSON response (OAuth 2.1 §3.2.3): not cached unless `extra` has `cache-control`. */
export function json(status: number, body: unknown, extra?: ExtraHeaders): HttpResponse {
  return {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...extra,
    },
    body: JSON.stringify(body),
  };
}

/** The response to HEAD if GET has side effects. */
export const emptyHeadResponse: HttpResponse = {
  status: 200,
  headers: { "cache-control": "no-store", "referrer-policy": "no-referrer" },
  body: null,
};

/** One line of plain text, never cached. */
export function plainText(status: number, text: string): HttpResponse {
  return {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
    body: `${text}\n`,
  };
}

/** The policy of every page. */
// No form-action: browsers apply it to the redirect that follows a form, and the redirect leads to the client.
export const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'";

/** A page: not cached, not framed (clickjacking), no external content, no referrer (RFC 9700 §4.2.4). */
export function html(status: number, body: string, extra?: ExtraHeaders): HttpResponse {
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": contentSecurityPolicy,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      ...extra,
    },
    body,
  };
}

/**
 * A page with forms that post to this server. With `no-referrer`, browsers send `Origin: null`, which a page of any
 * origin can cause too. With `same-origin`, they send the real origin, to this server only.
 */
export function htmlWithForms(status: number, body: string, extra?: ExtraHeaders): HttpResponse {
  return html(status, body, { "referrer-policy": "same-origin", ...extra });
}

/** A redirect: 302, or 303 after a POST, so that the browser does not post the form again (RFC 9700 §4.12). */
export function redirect(method: string, location: string, extra?: ExtraHeaders): HttpResponse {
  return {
    status: method === "POST" ? 303 : 302,
    headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer", ...extra },
    body: null,
  };
}
