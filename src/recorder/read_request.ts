/** A request as it is remembered, and what it says about who sends it. */

import { parseFields } from "../http/form.ts";
import type { Fields } from "../http/form.ts";
import type { Incoming } from "../http/message.ts";
import type { Target } from "../http/router.ts";
import type { ClientAuthMethod } from "../oauth/clients/client.ts";
import type { RecordedRequest } from "./exchange.ts";
import type { Heard } from "./body_tap.ts";

/** The headers that an authorization server, or whoever looks for a fault, reads. */
const telling = [
  ...["host", "origin", "referer", "user-agent", "accept", "cookie", "authorization", "dpop"],
  ...["content-type", "content-length", "content-encoding", "transfer-encoding"],
  ...["sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest"],
];

const formType = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;

/** The request, before anybody has read its body. */
export function readRequest({ method, headers }: Incoming, { path, query }: Target): RecordedRequest {
  const known = telling.map((name) => [name, headers.get(name)] as const).filter(([, value]) => value !== null);
  return {
    method,
    path,
    headers: Object.fromEntries(known) as Record<string, string>,
    query: fieldsIn(query),
    form: [],
  };
}

/** The same request, with what was heard of its body. */
export function withBody(request: RecordedRequest, heard: Heard | undefined): RecordedRequest {
  if (heard === undefined) return request;
  const isForm = heard.whole && formType.test(request.headers["content-type"] ?? "");
  return { ...request, body: heard.text, form: isForm ? fieldsIn(heard.text) : [] };
}

function fieldsIn(text: string): Fields {
  try {
    return parseFields(text);
  } catch {
    return [];
  }
}

/** The value of a parameter, wherever it was sent; the first one that is not empty. */
export function paramOf({ query, form }: RecordedRequest, name: string): string | undefined {
  return [...query, ...form].find(([other, value]) => other === name && value !== "")?.[1];
}

/** The token in the `Authorization` header. */
export function bearerOf({ headers }: RecordedRequest): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** User and password of HTTP Basic, form-decoded where they can be. */
export function basicOf(
  { headers }: RecordedRequest,
): { readonly user: string; readonly password: string } | undefined {
  const token = /^basic +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  try {
    const text = token === undefined ? "" : utf8(atob(token));
    const colon = text.indexOf(":");
    return colon < 0
      ? undefined
      : { user: formDecoded(text.slice(0, colon)), password: formDecoded(text.slice(colon + 1)) };
  } catch {
    return undefined;
  }
}

/** How a client says who it is. Any `Authorization` header counts as Basic, as it does where clients are judged. */
export function authOf(request: RecordedRequest): ClientAuthMethod | undefined {
  if (request.headers.authorization !== undefined) return "client_secret_basic";
  const assertion = paramOf(request, "client_assertion");
  if (assertion !== undefined) {
    const { alg } = jwtPart(assertion, 0);
    return typeof alg === "string" && alg.startsWith("HS") ? "client_secret_jwt" : "private_key_jwt";
  }
  if (paramOf(request, "client_secret") !== undefined) return "client_secret_post";
  return paramOf(request, "client_id") === undefined ? undefined : "none";
}

/** The client that a request names. */
export function clientOf(request: RecordedRequest): string | undefined {
  const named = basicOf(request)?.user ?? paramOf(request, "client_id");
  if (named !== undefined) return named;
  const { sub } = jwtPart(paramOf(request, "client_assertion") ?? "", 1);
  return typeof sub === "string" ? sub : undefined;
}

/** Header (0) or claims (1) of a JWT, unverified; nothing where it is none. */
export function jwtPart(jwt: string, part: 0 | 1): Readonly<Record<string, unknown>> {
  try {
    const read = JSON.parse(utf8(atob(jwt.split(".")[part]!.replaceAll("-", "+").replaceAll("_", "/"))));
    return typeof read === "object" && read !== null ? read : {};
  } catch {
    return {};
  }
}

function utf8(binary: string): string {
  return new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)));
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
