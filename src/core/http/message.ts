/**
 * Requests and responses of handlers. This file also has the security headers of JSON, pages and redirects, and the
 * error for requests that are invalid as HTTP.
 */

import type { RuleId } from "../rules/rule.ts";

/** The part of a request that handlers read. Every Request is an HttpRequest. */
export interface HttpRequest {
  /** The method, in upper case. */
  readonly method: string;
  /** An absolute URL or a path with query; the host is ignored. */
  readonly url: string;
  /** Headers by lower-case name; repeated headers are joined by commas. */
  readonly headers: { get(name: string): string | null };
  /** The body as a stream. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** Whether reading of the body has begun. */
  readonly bodyUsed: boolean;
  /** Reads the whole body. Only for bodies with a `content-length`, because it does not limit the size. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** The request that a plugin replaced by this one. Default: none. */
  readonly original?: HttpRequest;
}

/** The value stored for a request, or for the request that it replaces. */
export function findForRequest<T>(values: WeakMap<HttpRequest, T>, request: HttpRequest): T | undefined {
  let value = values.get(request);
  for (let { original } = request; value === undefined && original !== undefined; { original } = original) {
    value = values.get(original);
  }
  return value;
}

/**
 * A response with text, or without a body. A function of an embedding program may return a Response instead;
 * `Response.error()` drops the connection: the listener closes it, and `fetch` rejects.
 */
export interface HttpResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text, or `null` without a body. */
  readonly body: string | null;
  /** The form that the page in `body` submits, so that plugins need not parse HTML. Absent for most pages. */
  readonly form?: PageForm;
}

/** @internal A form that a page submits by POST, by itself or when the user agrees. */
export interface PageForm {
  readonly action: string;
  /** The hidden fields in order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Whether a value is a Response. It checks a member, because on Node a reference to the class loads all of fetch. */
export function isResponse(response: object): response is Response {
  return "arrayBuffer" in response;
}

export function isDropped(response: HttpResponse | Response): boolean {
  return isResponse(response) && response.type === "error";
}

/**
 * Returns the response with further headers, which replace headers of the same name. A dropped connection has no
 * headers.
 */
export function withHeaders(
  response: HttpResponse | Response,
  headers: Readonly<Record<string, string>>,
): HttpResponse | Response {
  if (!isResponse(response)) return { ...response, headers: { ...response.headers, ...headers } };
  if (isDropped(response)) return response;
  // Copies the response, because the headers of some Responses are immutable.
  const copy = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) copy.headers.set(name, value);
  return copy;
}

/** The response to HEAD: without the body, but with its length (RFC 9110 §8.6). */
export async function withoutBody(response: HttpResponse | Response): Promise<HttpResponse | Response> {
  const { body } = response;
  if (body === null) return response;
  const withoutContent = isResponse(response) ? new Response(null, response) : { ...response, body: null };
  try {
    const { byteLength } = typeof body === "string"
      ? new TextEncoder().encode(body)
      : await (response as Response).arrayBuffer();
    return withHeaders(withoutContent, { "content-length": String(byteLength) });
  } catch {
    // The length of an unreadable body is unknown.
    return withoutContent;
  }
}

export function toResponse(response: HttpResponse | Response): Response {
  return isResponse(response) ? response : new Response(response.body, response);
}

type ExtraHeaders = Readonly<Record<string, string>>;

/** No cache keeps the content, and no browser guesses another type for it. */
export const contentHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** A JSON response (OAuth 2.1 §3.2.3): not cached unless `extra` has `cache-control`. */
export function json(status: number, body: unknown, extra?: ExtraHeaders): HttpResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...contentHeaders, ...extra },
    body: JSON.stringify(body),
  };
}

/** The response to HEAD if GET has side effects. */
export const emptyHeadResponse: HttpResponse = {
  status: 200,
  headers: { "cache-control": "no-store", "referrer-policy": "no-referrer" },
  body: null,
};

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
      ...contentHeaders,
      "content-security-policy": contentSecurityPolicy,
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      ...extra,
    },
    body,
  };
}

/** A redirect: 302, or 303 after a POST, so that the browser does not post the form again (RFC 9700 §4.12). */
export function redirect(method: string, location: string, extra?: ExtraHeaders): HttpResponse {
  return {
    status: method === "POST" ? 303 : 302,
    headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer", ...extra },
    body: null,
  };
}

/** A challenge (RFC 9110 §11.6.1): the scheme, and its parameters as quoted strings, without undefined ones. */
export function challenge(scheme: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${sanitizeQuotedString(value)}"`]
  );
  return pairs.length === 0 ? scheme : `${scheme} ${pairs.join(", ")}`;
}

/** Removes the characters that a quoted string in a header must not contain. */
function sanitizeQuotedString(text: string): string {
  return text.replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, "");
}

/** Rejects a request at the HTTP level. The error channel of the endpoint chooses the form of the response. */
export class HttpError extends Error {
  readonly status: number;
  readonly rule: RuleId;

  /** The expected and the received value, without secrets, and how to fix it: for the trace and pages. */
  readonly texts: { readonly expected?: string; readonly received?: string; readonly fix?: string };

  /** Creates the error; the message is one sentence. */
  constructor(status: number, rule: RuleId, message: string, texts: HttpError["texts"] = {}) {
    super(message);
    this.texts = texts;
    this.name = "HttpError";
    this.status = status;
    this.rule = rule;
  }
}
