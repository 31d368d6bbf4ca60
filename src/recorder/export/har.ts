/** Exchanges as an HTTP Archive (HAR 1.2), which browsers and HTTP tools open. */

import type { Fields } from "../../http/form.ts";
import type { Exchange, RecordedAnswer, RecordedRequest } from "../exchange.ts";
import { maskExchanges } from "../redact.ts";
import type { MaskOptions } from "../redact.ts";

/** What an archive needs to know beside the exchanges. */
export interface HarOptions extends MaskOptions {
  /** Where the addresses of the requests begin: the issuer, of which the origin counts. */
  readonly issuer: string;
}

/** Name and value. */
export interface HarPair {
  readonly name: string;
  readonly value: string;
}

/** A cookie. */
export interface HarCookie extends HarPair {
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
export interface HarPage {
  readonly startedDateTime: string;
  readonly id: string;
  readonly title: string;
  readonly pageTimings: Readonly<Record<never, never>>;
}

/** An exchange. Sizes in bytes, -1 where they are not known; times in milliseconds. */
export interface HarEntry {
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
  /** Status 0 where there was no answer. */
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
  /** What this server knows beyond HTTP. */
  readonly _latchkey: HarKnowledge;
}

/** An exchange without what stands elsewhere in its entry, and with what an answer sends on, by whatever way. */
export type HarKnowledge =
  & Omit<Exchange, "request" | "answer" | "events" | "at" | "answeredAt" | "number">
  & Pick<RecordedAnswer, "handover">;

/** Makes an archive. The version that does not show is given as `HTTP/1.1`. */
export function asHar(exchanges: readonly Exchange[], { issuer, mask = true }: HarOptions): Har {
  const shown = mask ? maskExchanges(exchanges) : exchanges;
  const { origin } = new URL(issuer);
  const firsts = shown.filter(({ flow }, index) =>
    flow !== undefined && shown.findIndex((other) => other.flow === flow) === index
  );
  return {
    log: {
      version: "1.2",
      creator: { name: "Latchkey", version: "1" },
      pages: firsts.map(({ flow, at, client }) => ({
        startedDateTime: new Date(at).toISOString(),
        id: `flow_${flow}`,
        title: `Flow ${flow}${client === undefined ? "" : ` of ${client}`}`,
        pageTimings: {},
      })),
      entries: shown.map((exchange) => entry(exchange, origin)),
    },
  };
}

function entry(exchange: Exchange, origin: string): HarEntry {
  const { number: _number, at, answeredAt = at, request, answer, events: _events, ...known } = exchange;
  const time = Math.max(0, answeredAt - at);
  return {
    ...exchange.flow !== undefined && { pageref: `flow_${exchange.flow}` },
    startedDateTime: new Date(at).toISOString(),
    time,
    request: requestEntry(request, origin),
    response: answer === undefined ? noResponse : responseEntry(answer),
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    _latchkey: { ...known, ...answer?.handover && { handover: answer.handover } },
  };
}

const httpVersion = "HTTP/1.1";

function requestEntry({ method, path, query, form, headers, body }: RecordedRequest, origin: string) {
  const mimeType = headers["content-type"] ?? "";
  return {
    method,
    url: origin + path + (query.length === 0 ? "" : `?${new URLSearchParams(mutable(query))}`),
    httpVersion,
    cookies: (headers.cookie?.split("; ") ?? []).map(cookie),
    headers: pairs(Object.entries(headers)),
    queryString: pairs(query),
    // The specification allows one or the other.
    ...body !== undefined && { postData: { mimeType, ...form.length > 0 ? { params: pairs(form) } : { text: body } } },
    headersSize: -1,
    bodySize: bytes(body),
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

function responseEntry({ status, headers, body }: RecordedAnswer): HarEntry["response"] {
  const { "set-cookie": set, ...single } = headers;
  const lines = set?.split("\n") ?? [];
  return {
    status,
    statusText: "",
    httpVersion,
    cookies: lines.map(cookie),
    headers: pairs([...Object.entries(single), ...lines.map((line) => ["set-cookie", line] as const)]),
    content: {
      size: bytes(body),
      mimeType: headers["content-type"] ?? "x-unknown",
      ...body !== undefined && { text: body },
    },
    redirectURL: headers.location ?? "",
    headersSize: -1,
    bodySize: body === undefined ? -1 : bytes(body),
  };
}

function cookie(line: string): HarCookie {
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

function pairs(fields: Fields): HarPair[] {
  return fields.map(([name, value]) => ({ name, value }));
}

function mutable(fields: Fields): string[][] {
  return fields.map((pair) => [...pair]);
}

function bytes(text = ""): number {
  return new TextEncoder().encode(text).byteLength;
}
