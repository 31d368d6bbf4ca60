/** Responses that only the whole server sends, and their headers. */

import { contentHeaders, html, type HttpResponse, isResponse } from "../../core/http/message.ts";

/** A header of a response by its lower-case name; `undefined` if the response does not have it. */
export function getHeader(response: HttpResponse | Response, name: string): string | undefined {
  return isResponse(response) ? response.headers.get(name) ?? undefined : response.headers[name];
}

/** One line of plain text, never cached. */
export function plainText(status: number, text: string): HttpResponse {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...contentHeaders },
    body: `${text}\n`,
  };
}

/** An empty success response. */
export const noContent: HttpResponse = {
  status: 204,
  headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
  body: null,
};

/**
 * A page with forms that post to this server. With `no-referrer`, browsers send `Origin: null`, which a page of any
 * origin can cause too. With `same-origin`, they send the real origin, to this server only.
 */
export function htmlWithForms(status: number, body: string, extra?: Readonly<Record<string, string>>): HttpResponse {
  return html(status, body, { "referrer-policy": "same-origin", ...extra });
}
