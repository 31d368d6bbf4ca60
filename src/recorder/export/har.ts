/** Exchanges as an HTTP Archive (HAR 1.2), which browsers and HTTP tools open. */

import type { Fields } from "../../http/form.ts";
import type { Exchange, RecordedRequest, RecordedResponse } from "../exchange.ts";
import { redactExchanges } from "../redact.ts";
import type { RedactOptions } from "../redact.ts";

/** The options of an archive. */
interface HarOptions extends RedactOptions {
  /** The issuer. Its origin is that of all request URLs. */
  readonly issuer: string;
}

/** A name and a value. */
interface HarPair {
  readonly name: string;
  readonly value: string;
}

/** A cookie. */
interface HarCookie extends HarPair {
  readonly path?: string;
  readonly httpOnly?: boolean;
  readonly secure?: boolean;
}

/** An HTTP Archive, version 1.2. */
export interface Har {
  readonly log: {
    readonly version: "1.2";
    readonly creator: { readonly name: string; readonly version: string };
    /** One per flow. */
    readonly pages: readonly HarPage[];
    readonly entries: readonly HarEntry[];
  };
}

/** A flow. */
interface HarPage {
  readonly startedDateTime: string;
  readonly id: string;
  readonly title: string;
  readonly pageTimings: Readonly<Record<never, never>>;
}

/** An exchange. Sizes are bytes, -1 if unknown; times are milliseconds. */
interface HarEntry {
  readonly pageref?: string;
  readonly startedDateTime: string;
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly httpVersion: string;
    readonly cookies: readonly HarCookie[];
    readonly headers: readonly HarPair[];
    readonly queryString: readonly HarPair[];
    readonly postData?: {
      readonly mimeType: string;
      readonly params?: readonly HarPair[];
      readonly text?: string;
    };
    readonly headersSize: number;
    readonly bodySize: number;
  };
  /** Status 0 without a response. */
  readonly response: {
    readonly status: number;
    readonly statusText: string;
    readonly httpVersion: string;
    readonly cookies: readonly HarCookie[];
    readonly headers: readonly HarPair[];
    readonly content: { readonly size: number; readonly mimeType: string; readonly text?: string };
    readonly redirectURL: string;
    readonly headersSize: number;
    readonly bodySize: number;
  };
  readonly cache: Readonly<Record<never, never>>;
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number };
  /** The facts beyond HTTP: flow, checks, events. */
  readonly _latchkey: HarExtension;
}

/** The members of an exchange without those that HAR has, and with the authorization response. */
type HarExtension =
  & Omit<Exchange, "request" | "response" | "events" | "at" | "respondedAt" | "number">
  & Pick<RecordedResponse, "authorizationResponse">;

/** Creates an archive. HAR requires an HTTP version; handlers do not know it, so it is always `HTTP/1.1`. */
export function toHar(exchanges: readonly Exchange[], { issuer, redact = true }: HarOptions): Har {
  const shown = redact ? redactExchanges(exchanges) : exchanges;
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

function toHarEntry(exchange: Exchange, origin: string): HarEntry {
  const { number: _number, at, respondedAt = at, request, response, events: _events, ...extension } = exchange;
  const time = Math.max(0, respondedAt - at);
  return {
    ...exchange.flow !== undefined && { pageref: `flow_${exchange.flow}` },
    startedDateTime: new Date(at).toISOString(),
    time,
    request: toHarRequest(request, origin),
    response: response === undefined ? noResponse : toHarResponse(response),
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    _latchkey: {
      ...extension,
      ...response?.authorizationResponse && { authorizationResponse: response.authorizationResponse },
    },
  };
}

const httpVersion = "HTTP/1.1";

function toHarRequest({ method, path, query, form, headers, body }: RecordedRequest, origin: string) {
  const mimeType = headers["content-type"] ?? "";
  return {
    method,
    url: origin + path + (query.length === 0 ? "" : `?${new URLSearchParams(copyPairs(query))}`),
    httpVersion,
    cookies: (headers.cookie?.split("; ") ?? []).map(parseHarCookie),
    headers: toHarPairs(Object.entries(headers)),
    queryString: toHarPairs(query),
    // The specification allows only one of the two.
    ...body !== undefined &&
      { postData: { mimeType, ...form.length > 0 ? { params: toHarPairs(form) } : { text: body } } },
    headersSize: -1,
    bodySize: byteLength(body),
  };
}

const noResponse: HarEntry["response"] = {
  status: 0,
  statusText: "",
  httpVersion,
  cookies: [],
  headers: [],
  content: { size: 0, mimeType: "x-unknown" },
  redirectURL: "",
  headersSize: -1,
  bodySize: -1,
};

function toHarResponse({ status, headers, body }: RecordedResponse): HarEntry["response"] {
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

function parseHarCookie(line: string): HarCookie {
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

function toHarPairs(fields: Fields): HarPair[] {
  return fields.map(([name, value]) => ({ name, value }));
}

function copyPairs(fields: Fields): string[][] {
  return fields.map((pair) => [...pair]);
}

function byteLength(text = ""): number {
  return new TextEncoder().encode(text).byteLength;
}
