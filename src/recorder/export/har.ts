/** Exchanges as an HTTP Archive (HAR 1.2), which browsers and HTTP tools can open. */

import type { Fields } from "../../core/http/form.ts";
import { type Exchange, exchangeUrl, type RecordedRequest, type RecordedResponse } from "../exchange.ts";
import { redactExchanges } from "../redact.ts";

/** An HTTP Archive, version 1.2. Sizes are bytes, -1 if unknown; times are milliseconds. */
export type Har = ReturnType<typeof toHar>;

/**
 * Creates an archive without secrets, with a page for each flow. HAR requires an HTTP version; handlers do not know it, so it is always
 * `HTTP/1.1`. Request URLs have the origin of the issuer, except for hosted resources on another origin.
 */
export function toHar(exchanges: readonly Exchange[], { issuer }: { readonly issuer: string }) {
  const shown = redactExchanges(exchanges);
  const { origin } = new URL(issuer);
  const flowStarts = shown.filter(({ flow }, index) =>
    flow !== undefined && shown.findIndex((other) => other.flow === flow) === index
  );
  return {
    log: {
      version: "1.2",
      creator: { name: "Latchkey", version: "1" },
      pages: flowStarts.map(({ flow, at, client }) => ({
        startedDateTime: new Date(at).toISOString(),
        id: `flow_${flow}`,
        title: `Flow ${flow}${client === undefined ? "" : ` of ${client}`}`,
        pageTimings: {},
      })),
      entries: shown.map((exchange) => toHarEntry(exchange, origin)),
    },
  };
}

/** An entry. `_latchkey` has the data that HAR has no field for: flow, checks, events, authorization response. */
function toHarEntry(exchange: Exchange, origin: string) {
  const { number: _number, at, respondedAt = at, request, response, events: _events, ...extension } = exchange;
  const time = Math.max(0, respondedAt - at);
  return {
    ...exchange.flow !== undefined && { pageref: `flow_${exchange.flow}` },
    startedDateTime: new Date(at).toISOString(),
    time,
    request: toHarRequest(request, exchangeUrl(exchange, origin)),
    response: toHarResponse(response ?? {}),
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    _latchkey: {
      ...extension,
      ...response?.authorizationResponse && { authorizationResponse: response.authorizationResponse },
    },
  };
}

const httpVersion = "HTTP/1.1";

function toHarRequest({ method, query, form, headers, body }: RecordedRequest, url: string) {
  const mimeType = headers["content-type"] ?? "";
  const hasForm = form.length > 0;
  return {
    method,
    url: url + (query.length === 0 ? "" : `?${new URLSearchParams(query.map((pair) => [...pair]))}`),
    httpVersion,
    cookies: (headers.cookie?.split("; ") ?? []).map(parseHarCookie),
    headers: toHarPairs(Object.entries(headers)),
    queryString: toHarPairs(query),
    // The specification allows only one of the two.
    ...body !== undefined &&
      { postData: { mimeType, ...hasForm && { params: toHarPairs(form) }, ...!hasForm && { text: body } } },
    headersSize: -1,
    bodySize: body === undefined && hasBody(headers) ? -1 : byteLength(body),
  };
}

/** Whether a request was sent with a body, recorded or not. */
function hasBody({ "transfer-encoding": coding, "content-length": length = "0" }: RecordedRequest["headers"]): boolean {
  return coding !== undefined || Number(length) > 0;
}

/** The response; without one the status is 0. */
function toHarResponse({ status = 0, headers = {}, body }: Partial<RecordedResponse>) {
  const { "set-cookie": setCookie, ...single } = headers;
  const lines = setCookie?.split("\n") ?? [];
  return {
    status,
    statusText: "",
    httpVersion,
    cookies: lines.map(parseHarCookie),
    headers: toHarPairs([...Object.entries(single), ...lines.map((line) => ["set-cookie", line] as const)]),
    content: {
      size: byteLength(body),
      mimeType: headers["content-type"] ?? "x-unknown",
      ...body !== undefined && { text: body },
    },
    redirectURL: headers.location ?? "",
    headersSize: -1,
    bodySize: body === undefined ? -1 : byteLength(body),
  };
}

function parseHarCookie(line: string) {
  const [pair = "", ...attributes] = line.split("; ");
  const equals = pair.indexOf("=");
  const has = (name: string) => attributes.some((attribute) => attribute.toLowerCase() === name);
  const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice("path=".length);
  return {
    name: pair.slice(0, equals),
    value: pair.slice(equals + 1),
    ...path !== undefined && { path },
    ...has("httponly") && { httpOnly: true },
    ...has("secure") && { secure: true },
  };
}

function toHarPairs(fields: Fields) {
  return fields.map(([name, value]) => ({ name, value }));
}

function byteLength(text = ""): number {
  return new TextEncoder().encode(text).byteLength;
}
