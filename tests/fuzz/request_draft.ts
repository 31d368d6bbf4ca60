/** A request while it is being written, and what can be done to one that was in order. */

import fc from "fast-check";
import type { HttpRequest } from "../../src/core/http/message.ts";
import { hostileText } from "./hostile_text.ts";

/** A name and its value. */
export type Pair = readonly [name: string, value: string];

/** A request that is not sent yet. */
export interface RequestDraft {
  readonly method: string;
  /** As it stands on the request line, without the query. */
  readonly path: string;
  readonly query: readonly Pair[];
  /** In the place of `query`, as it stands. */
  readonly rawQuery?: string;
  readonly headers: readonly Pair[];
  /** The fields of a form in the body. */
  readonly form?: readonly Pair[];
  /** In the place of `form`. */
  readonly body?: Uint8Array;
  /** How the body is sent: complete, in small chunks, or aborted. */
  readonly authorizationRequest: "whole" | "parts" | "broken";
  /** Whether the address begins with scheme and host, as some runtimes hand it over and others do not. */
  readonly absolute: boolean;
}

/** A plain request. */
export function requestDraft(method: string, path: string, more: Partial<RequestDraft> = {}): RequestDraft {
  return { method, path, query: [], headers: [], authorizationRequest: "whole", absolute: true, ...more };
}

/** What is done to a request. Numbers choose among what there is, whatever its number. */
export interface Mutation {
  readonly how: typeof mutations[number];
  readonly where: number;
  readonly name: string;
  readonly text: string;
}

const mutations = [
  ...["replace", "append", "prepend", "truncate", "flip", "remove", "repeat", "rename", "move", "insert"] as const,
  ...["method", "path", "query", "header", "header", "origin", "type"] as const,
  ...["body", "raw", "binary", "length", "chunking", "relative"] as const,
] as const;

const headerNames = [
  ...["host", "origin", "referer", "cookie", "authorization", "content-type", "content-length", "transfer-encoding"],
  ...["content-encoding", "sec-fetch-site", "sec-fetch-mode", "x-forwarded-for", "x-forwarded-host", "forwarded"],
  ...[
    "accept",
    "accept-language",
    "if-none-match",
    "expect",
    "range",
    "dpop",
    "x-request-id",
    "x-http-method-override",
  ],
];

/** Header values that a transport accepts but that are wrong, or valid for another client. */
const headerValues: Readonly<Record<string, readonly string[]>> = {
  host: [
    "as.test",
    "evil.example",
    "as.test:99999",
    "[::1",
    "a:b:c",
    "",
    "..",
    ":",
    "as.test.",
    "127.0.0.1:x",
    "[]",
    "-",
  ],
  origin: ["null", "https://as.test", "https://evil.example", "https://as.test.evil.example", "file://", "x"],
  cookie: [
    "__Host-latchkey_session=",
    "__Host-latchkey_session=.",
    "__Host-latchkey_session=W10.AA",
    "__Host-latchkey_demo=short",
    "__Host-latchkey_demo=AAAA.AAAA",
    "=",
    ";;;",
    "a",
  ],
  authorization: [
    "Basic",
    "Basic =",
    "Basic Og==",
    "Basic d2Vi",
    "Basic JTAwOng=",
    "Basic 4pyT",
    "bearer x",
    "DPoP x",
    "Bearer ",
  ],
  "sec-fetch-site": ["same-origin", "none", "cross-site", "same-site", "x"],
  "if-none-match": ["*", '"x"', 'W/"x"'],
  "x-forwarded-for": ["1.2.3.4", "1.2.3.4, x", "[::1]:80", "::ffff:1.2.3.4"],
  forwarded: ["for=1.2.3.4", 'for="[::1]:1";host=evil.example;proto=http', "for=", ";,;"],
  "transfer-encoding": ["chunked", "identity", "gzip, chunked"],
  "content-encoding": ["gzip", "identity", "Identity", "br", "x"],
};

const fieldNames = [
  ...["response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge", "prompt", "max_age"],
  ...[
    "code_challenge_method",
    "response_mode",
    "authorization_details",
    "detail",
    "login_hint",
    "claims",
    "id_token_hint",
    "resource",
    "request",
  ],
  ...["request_uri", "display", "ui_locales", "acr_values", "grant_type", "code", "code_verifier", "refresh_token"],
  ...["client_secret", "client_assertion", "client_assertion_type", "token", "token_type_hint", "access_token"],
  ...[
    "post_logout_redirect_uri",
    "logout_hint",
    "confirm",
    "interaction",
    "form_token",
    "sub",
    "subject",
    "password",
    "cancel",
  ],
  ...["new", "decision", "do", "action", "redirect_uris", "client_name", "token_endpoint_auth_method", "step", "past"],
  ...["as", "login", "show", "from", "client", "outcome", "error", "error_description", "iss", "__proto__", "a[b]"],
];

/** Any change. */
export const mutation: fc.Arbitrary<Mutation> = fc.record({
  how: fc.constantFrom(...mutations),
  where: fc.nat(9999),
  name: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...fieldNames) }, hostileText),
  text: hostileText,
});

/** Methods, the forbidden ones too: a transport may hand over any. */
const methods = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "get", "CONNECT"];

const types = [
  ...["application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=latin1", "application/json"],
  ...["multipart/form-data; boundary=x", "text/plain", "application/x-www-form-urlencodedx", "", "*/*", ";"],
  ...["application/x-www-form-urlencoded, application/json", "application/jwt", "APPLICATION/X-WWW-FORM-URLENCODED"],
];

const bodies: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `client_id=${text}&a=%zz`,
  (text) => JSON.stringify({ grant_type: "authorization_code", code: text }),
  (text) => `--x\r\nContent-Disposition: form-data; name="code"\r\n\r\n${text}\r\n--x--\r\n`,
  (text) => `${text}=${text}&`.repeat(Math.min(3000, 1 + Math.ceil(2000 / (text.length + 1)))),
  (text) => `a=1&`.repeat(15_000) + text,
  () => "",
];

const encoder = new TextEncoder();

/** The request after a change. */
export function mutate(draft: RequestDraft, { how, where, name, text }: Mutation): RequestDraft {
  switch (how) {
    case "method":
      return { ...draft, method: methods[where % methods.length]! };
    case "path":
      return { ...draft, path: mutatePath(draft.path, where, text) };
    case "query":
      return { ...draft, rawQuery: where % 2 === 0 ? text : `${encodePairs(draft.query)}&${text}` };
    case "header": {
      const header = headerNames[where % headerNames.length]!;
      const known = headerValues[header] ?? [text];
      return withHeader(draft, header, where % 4 === 0 ? text : known[Math.floor(where / 7) % known.length]!);
    }
    case "type":
      return withHeader(draft, "content-type", types[where % types.length]!);
    case "raw":
      // As no browser sends it: shorter, so that more of it fits.
      return { ...draft, body: encoder.encode((draft.form ?? []).map((pair) => pair.join("=")).join("&")) };
    case "body":
      return { ...draft, body: encoder.encode(bodies[where % bodies.length]!(text)) };
    case "binary":
      return { ...draft, body: Uint8Array.from({ length: where % 64 }, (_, i) => (where * (i + 7)) % 256) };
    case "length":
      return withHeader(draft, "content-length", ["0", "1", "-1", "1x", "99999999999", "65536", "NaN", ""][where % 8]!);
    case "chunking":
      return { ...draft, authorizationRequest: where % 2 === 0 ? "parts" : "broken" };
    case "relative":
      return { ...draft, absolute: false };
    case "origin":
      return withHeader(draft, "origin", where % 2 === 0 ? "https://evil.example" : text);
    default:
      return withSlots(draft, (slots) => mutateSlot(slots, how, where, name, text));
  }
}

type Slot = readonly [part: "query" | "form" | "headers", name: string, value: string];

/** A request as a list of names and values, wherever they stand, and back. */
function withSlots(draft: RequestDraft, act: (slots: Slot[]) => void): RequestDraft {
  const slots: Slot[] = [
    ...draft.query.map(([name, value]): Slot => ["query", name, value]),
    ...(draft.form ?? []).map(([name, value]): Slot => ["form", name, value]),
    ...draft.headers.map(([name, value]): Slot => ["headers", name, value]),
  ];
  act(slots);
  const of = (part: Slot[0]) => slots.filter(([where]) => where === part).map(([, name, value]): Pair => [name, value]);
  return { ...draft, query: of("query"), form: draft.form && of("form"), headers: of("headers") };
}

function mutateSlot(slots: Slot[], how: Mutation["how"], where: number, name: string, text: string): void {
  if (how === "insert" || slots.length === 0) {
    slots.push([slots.find(([part]) => part !== "headers")?.[0] ?? "query", name, text]);
    return;
  }
  const at = where % slots.length;
  const [part, known, value] = slots[at]!;
  const other = Math.floor(where / slots.length) % slots.length;
  const put = (next: string) => void (slots[at] = [part, known, next]);
  switch (how) {
    case "replace":
      return put(text);
    case "append":
      return put(value + text);
    case "prepend":
      return put(text + value);
    case "truncate":
      return put(value.slice(0, where % (value.length + 1)));
    case "flip": {
      const i = where % (value.length + 1);
      return put(value.slice(0, i) + (value[i] === "A" ? "B" : "A") + value.slice(i + 1));
    }
    case "remove":
      return void slots.splice(at, 1);
    case "repeat":
      return void slots.splice(at, 0, [part, known, where % 2 === 0 ? value : text]);
    case "rename":
      return void (slots[at] = [part, name, value]);
    case "move":
      return void (slots[other] = [slots[other]![0], slots[other]![1], value]);
  }
}

function withHeader(draft: RequestDraft, name: string, value: string): RequestDraft {
  return { ...draft, headers: [...draft.headers.filter(([known]) => known !== name), [name, value]] };
}

function mutatePath(path: string, where: number, text: string): string {
  const at = where % (path.length + 1);
  const code = path.charCodeAt(at) || 47;
  const ways = [
    () => path + text,
    () => `${path}/`,
    () => path.replaceAll("/", "//"),
    () => `/.${path}`,
    () => `${path}/../..${path}`,
    () => `${path.slice(0, at)}%${code.toString(16)}${path.slice(at + 1)}`,
    () => path.slice(0, at) + text + path.slice(at),
    () => path.toUpperCase(),
    () => `/${text}${path}`,
    () => `${path};${text}`,
    () => text,
  ];
  return ways[where % ways.length]!();
}

/** Fields as they stand in a query or a form. */
export function encodePairs(pairs: readonly Pair[]): string {
  return pairs.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join("=")).join("&");
}

/** The bytes of the body. */
export function getBody({ form, body }: RequestDraft): Uint8Array | undefined {
  return body ?? (form === undefined ? undefined : encoder.encode(encodePairs(form)));
}

/** Path and query as they stand on the request line. */
function getRequestTarget(draft: RequestDraft): string {
  const query = draft.rawQuery ?? encodePairs(draft.query);
  const target = `${draft.path}${query === "" ? "" : `?${query}`}`.replace(/[^\x21-\xFF]|\x7F/g, "");
  return target.startsWith("/") ? target : `/${target}`;
}

/** The path that the request line comes to, whatever the path was meant to be. */
export function getPath(draft: RequestDraft): string {
  return getRequestTarget(draft).split(/[?#]/, 1)[0]!;
}

/** The request as the transports hand it over: what none of them would let pass is left out. */
export function toRequest(draft: RequestDraft, issuer: string): HttpRequest {
  const target = getRequestTarget(draft);
  const headers = new Map<string, string>();
  for (const [name, value] of draft.headers) {
    const plain = name.toLowerCase().replace(/[^!#$%&'*+.^_`|~0-9a-z-]/g, "");
    const fit = value.replace(/[^\t\x20-\x7E\x80-\xFF]/g, "").trim().slice(0, 16_000);
    if (plain !== "") headers.set(plain, headers.has(plain) ? `${headers.get(plain)}, ${fit}` : fit);
  }
  const bytes = draft.method === "GET" || draft.method === "HEAD" ? undefined : getBody(draft);
  if (bytes !== undefined && draft.form !== undefined && !headers.has("content-type")) {
    headers.set("content-type", "application/x-www-form-urlencoded");
  }
  if (bytes !== undefined && draft.authorizationRequest === "whole" && !headers.has("content-length")) {
    headers.set("content-length", String(bytes.length));
  }
  let used = false;
  let stream: ReadableStream<Uint8Array> | undefined;
  return {
    method: draft.method,
    url: draft.absolute ? new URL(issuer).origin + target : target,
    headers: { get: (name) => headers.get(name) ?? null },
    get body() {
      return bytes === undefined ? null : stream ??= createStream(bytes, draft.authorizationRequest, () => used = true);
    },
    get bodyUsed() {
      return used;
    },
    bytes() {
      used = true;
      if (draft.authorizationRequest === "broken") return Promise.reject(new TypeError("the connection was lost"));
      return Promise.resolve(new Uint8Array(bytes ?? []));
    },
  };
}

function createStream(
  bytes: Uint8Array,
  authorizationRequest: RequestDraft["authorizationRequest"],
  onUse: () => void,
): ReadableStream<Uint8Array> {
  const step = authorizationRequest === "whole" ? bytes.length || 1 : Math.max(7, Math.ceil(bytes.length / 20));
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      onUse();
      if (authorizationRequest === "broken" && sent >= bytes.length / 2) return controller.error(new TypeError("lost"));
      if (sent >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(sent, sent += step));
    },
  }, { highWaterMark: 0 });
}
