/** Records requests, and reads their client and its credentials. */

import { type Fields, parseFields } from "../http/form.ts";
import type { RequestLike } from "../http/message.ts";
import type { RequestTarget } from "../http/router.ts";
import type { ClientAuthMethod } from "../oauth/clients/client.ts";
import type { RecordedRequest } from "./exchange.ts";
import type { CapturedBody } from "./body_tap.ts";

/** The headers to record: those that an authorization server reads, and those that help with debugging. */
const recordedHeaders = [
  ...["host", "origin", "referer", "user-agent", "accept", "cookie", "authorization", "dpop"],
  ...["content-type", "content-length", "content-encoding", "transfer-encoding"],
  ...["sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest"],
];

const formTypePattern = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;

/** Records a request before its body is read. */
export function recordRequest({ method, headers }: RequestLike, { path, query }: RequestTarget): RecordedRequest {
  const recorded = recordedHeaders.map((name) => [name, headers.get(name)] as const).filter(([, value]) =>
    value !== null
  );
  return {
    method,
    path,
    headers: Object.fromEntries(recorded) as Record<string, string>,
    query: tryParseFields(query),
    form: [],
  };
}

/** Adds the captured body. */
export function withRequestBody(request: RecordedRequest, captured: CapturedBody | undefined): RecordedRequest {
  if (captured === undefined) return request;
  const isForm = captured.complete && formTypePattern.test(request.headers["content-type"] ?? "");
  return { ...request, body: captured.text, form: isForm ? tryParseFields(captured.text) : [] };
}

function tryParseFields(text: string): Fields {
  try {
    return parseFields(text);
  } catch {
    return [];
  }
}

/** The value of a parameter in query or form: the first one that is not empty. */
export function findParam({ query, form }: RecordedRequest, name: string): string | undefined {
  return [...query, ...form].find(([other, value]) => other === name && value !== "")?.[1];
}

/** The token in the `Authorization` header. */
export function findBearerToken({ headers }: RecordedRequest): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** User and password of HTTP Basic, form-decoded if possible. */
export function findBasicCredentials(
  { headers }: RecordedRequest,
): { readonly user: string; readonly password: string } | undefined {
  const token = /^basic +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  try {
    const text = token === undefined ? "" : decodeUtf8(atob(token));
    const colon = text.indexOf(":");
    return colon < 0
      ? undefined
      : { user: decodeFormValue(text.slice(0, colon)), password: decodeFormValue(text.slice(colon + 1)) };
  } catch {
    return undefined;
  }
}

/** The authentication method of a client. Any `Authorization` header counts as Basic, as in client authentication. */
export function findAuthMethod(request: RecordedRequest): ClientAuthMethod | undefined {
  if (request.headers.authorization !== undefined) return "client_secret_basic";
  const assertion = findParam(request, "client_assertion");
  if (assertion !== undefined) {
    const { alg } = decodeJwtPart(assertion, 0);
    return typeof alg === "string" && alg.startsWith("HS") ? "client_secret_jwt" : "private_key_jwt";
  }
  if (findParam(request, "client_secret") !== undefined) return "client_secret_post";
  return findParam(request, "client_id") === undefined ? undefined : "none";
}

export function findClientId(request: RecordedRequest): string | undefined {
  const clientId = findBasicCredentials(request)?.user ?? findParam(request, "client_id");
  if (clientId !== undefined) return clientId;
  const { sub } = decodeJwtPart(findParam(request, "client_assertion") ?? "", 1);
  return typeof sub === "string" ? sub : undefined;
}

/** Header (0) or claims (1) of a JWT, unverified; empty if the text is not a JWT. */
export function decodeJwtPart(jwt: string, part: 0 | 1): Readonly<Record<string, unknown>> {
  try {
    const decoded = JSON.parse(decodeUtf8(atob(jwt.split(".")[part]!.replaceAll("-", "+").replaceAll("_", "/"))));
    return typeof decoded === "object" && decoded !== null ? decoded : {};
  } catch {
    return {};
  }
}

function decodeUtf8(binary: string): string {
  return new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)));
}

function decodeFormValue(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
