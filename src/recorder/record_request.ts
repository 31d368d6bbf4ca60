/** Records requests, and reads their client and its credentials. */

import { type Fields, formTypePattern, parseFields } from "../core/http/form.ts";
import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import type { HttpRequest } from "../core/http/message.ts";
import type { RequestTarget } from "../core/http/router.ts";
import type { RecordedRequest } from "./exchange.ts";
import type { CapturedBody } from "../platform/http/body_tap.ts";
import type { ClientAuthMethod } from "../server/config/client_metadata.ts";

/** Decodes a name or value of a form; returns it unchanged if it is malformed. */
export function decodeFormValue(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** A request before anything in it is parsed. */
export interface RequestHead extends Pick<RecordedRequest, "method" | "path" | "headers"> {
  /** The query as received. */
  readonly query: string;
}

/** The headers to record: those that an authorization server reads, and those that help with debugging. */
const recordedHeaders = [
  ...["host", "origin", "referer", "user-agent", "accept", "cookie", "authorization", "dpop"],
  ...["content-type", "content-length", "content-encoding", "transfer-encoding"],
  ...["sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest"],
];

/** The recorded part of a request, without its body. */
export function recordHead({ method, headers }: HttpRequest, { path, query }: RequestTarget): RequestHead {
  const recorded: Record<string, string> = {};
  for (const name of recordedHeaders) {
    const value = headers.get(name);
    if (value !== null) recorded[name] = value;
  }
  return { method, path, query, headers: recorded };
}

/** Parses a request; without `captured`, before its body is read. */
export function parseRequest(
  { method, path, query, headers }: RequestHead,
  captured?: CapturedBody,
): RecordedRequest {
  const request = { method, path, headers, query: tryParseFields(query), form: [] };
  if (captured === undefined) return request;
  const form = isCompleteForm(headers["content-type"], captured) ? tryParseFields(captured.text) : [];
  return { ...request, body: captured.text, form };
}

/** Whether a body is a form, captured to its end. */
export function isCompleteForm(contentType = "", { complete }: CapturedBody): boolean {
  return complete && formTypePattern.test(contentType);
}

/** Records a request without its body. */
export function recordRequest(request: HttpRequest, target: RequestTarget): RecordedRequest {
  return parseRequest(recordHead(request, target));
}

/** Parses a form or query; empty if that is impossible. */
export function tryParseFields(text: string): Fields {
  try {
    return parseFields(text);
  } catch {
    return [];
  }
}

/** The first value of a parameter in the form or the query that is not empty. */
export function findParam({ query, form }: RecordedRequest, name: string): string | undefined {
  const isWanted = ([other, value]: Fields[number]): boolean => other === name && value !== "";
  return (form.find(isWanted) ?? query.find(isWanted))?.[1];
}

export function findBearerToken({ headers }: Pick<RecordedRequest, "headers">): string | undefined {
  return /^(?:bearer|dpop) +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
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

function decodeUtf8(binary: string): string {
  return new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)));
}
