/** Requests that plugins read early, or replace. */

import { bodyTexts, type Fields, parseFields, readText } from "../../core/http/form.ts";
import { findForRequest, type HttpRequest } from "../../core/http/message.ts";

/** Reads a form early. {@link readForm} of the same request then returns the same fields or throws the same error. */
export async function peekForm(request: HttpRequest): Promise<Fields> {
  let text = findForRequest(bodyTexts, request);
  if (text === undefined) bodyTexts.set(request, text = readText(request));
  return parseFields(await text);
}

/** The request with another form and, if `url` is set, another URL. {@link readForm} returns the new fields. */
export function replaceForm(original: HttpRequest, fields: Fields, url = original.url): HttpRequest {
  const text = new URLSearchParams(fields.map(([name, value]) => [name, value])).toString();
  const bytes = new TextEncoder().encode(text);
  const replaced: Readonly<Record<string, string | null>> = {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(bytes.length),
    "transfer-encoding": null,
  };
  const request: HttpRequest = {
    method: original.method,
    url,
    headers: {
      get(name) {
        const lower = name.toLowerCase();
        return Object.hasOwn(replaced, lower) ? replaced[lower]! : original.headers.get(name);
      },
    },
    get body() {
      return new Blob([bytes]).stream();
    },
    bodyUsed: false,
    bytes: () => Promise.resolve(bytes),
    original,
  };
  bodyTexts.set(request, Promise.resolve(text));
  return request;
}

/**
 * The request with another method, URL or other headers. A copy by spreading it would read the body.
 *
 * @param original The request that the result replaces in a plugin. Default: none.
 */
export function replaceParts(
  request: HttpRequest,
  { method = request.method, url = request.url, headers = request.headers, original }: Partial<
    Pick<HttpRequest, "method" | "url" | "headers" | "original">
  >,
): HttpRequest {
  return {
    method,
    url,
    headers,
    original,
    get body() {
      return request.body;
    },
    get bodyUsed() {
      return request.bodyUsed;
    },
    bytes: () => request.bytes(),
  };
}
