/** Requests and responses of `node:http`, and those of the mock. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { IssuedTokens } from "./issued_tokens.ts";
import type { AugmentedRequest } from "./types.ts";

/** Maximum size of a body, in bytes, for routes of a test. The mock accepts less. */
const maxBodyBytes = 1024 * 1024;

/** Headers of one connection (RFC 9110 §7.6.1), and the length, which changes with the body. */
const omittedHeaders = ["connection", "keep-alive", "transfer-encoding", "content-length", "expect", "upgrade"];

/** The parameters that can contain a token of the server. */
const tokenParameters = ["token", "id_token_hint", "access_token", "subject_token", "actor_token"];

/** The path and the query of a request, of which the host is ignored. */
export function splitTarget({ url = "/" }: IncomingMessage): { readonly path: string; readonly query: string } {
  const [path = "", ...query] = url.replace(/^https?:\/\/[^/?]*/i, "").split("?");
  return { path: path.startsWith("/") ? path : `/${path}`, query: query.join("?") };
}

/** Reads the body, and adds the decoded query and body to the request. */
export async function augmentRequest(
  incoming: IncomingMessage,
): Promise<{ readonly request: AugmentedRequest; readonly text: string }> {
  const text = await readText(incoming);
  const { query } = splitTarget(incoming);
  const type = incoming.headers["content-type"] ?? "";
  const body = /^application\/x-www-form-urlencoded/i.test(type)
    ? toRecord(new URLSearchParams(text))
    : /^application\/json/i.test(type)
    ? parseJson(text)
    : undefined;
  return { request: Object.assign(incoming, { body, query: toRecord(new URLSearchParams(query)) }), text };
}

/**
 * The request for the mock, with its own tokens in the place of those that the suite received.
 *
 * @param text The body.
 */
export function toRequest(
  incoming: AugmentedRequest,
  text: string,
  { origin, path, tokens }: { readonly origin: string; readonly path: string; readonly tokens: IssuedTokens },
): Request {
  const { method = "GET", headers: incomingHeaders } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incomingHeaders)) {
    if (value !== undefined && !omittedHeaders.includes(name)) headers.set(name, [value].flat().join(", "));
  }
  const authorization = headers.get("authorization");
  const [scheme, token] = authorization?.split(" ") ?? [];
  if (scheme !== undefined && token !== undefined) {
    headers.set("authorization", `${scheme} ${tokens.translate(token, "userinfo")}`);
  }
  const init = { method, headers, redirect: "manual" } as const;
  const query = translate(splitTarget(incoming).query, tokens);
  const requestUrl = `${origin}${path}${query === "" ? "" : `?${query}`}`;
  if (method === "GET" || method === "HEAD") return new Request(requestUrl, init);
  const body = translate(text, tokens);
  headers.set("content-length", String(new TextEncoder().encode(body).byteLength));
  return new Request(requestUrl, { ...init, body });
}

/** The tokens that a request presents: to userinfo, and for introspection or revocation. */
export function findTokens({ headers, body }: AugmentedRequest): readonly string[] {
  const [scheme, token] = headers.authorization?.split(" ") ?? [];
  return [scheme?.toLowerCase() === "bearer" ? token : undefined, body?.token].filter((found) =>
    typeof found === "string"
  );
}

export async function sendResponse(outgoing: ServerResponse, response: Response): Promise<void> {
  const body = new Uint8Array(await response.arrayBuffer());
  for (const [name, value] of response.headers) if (name !== "set-cookie") outgoing.setHeader(name, value);
  outgoing.setHeader("set-cookie", response.headers.getSetCookie());
  outgoing.statusCode = response.status;
  outgoing.end(body);
}

/** Replaces tokens in the fields of a form or query. Leaves other text unchanged, even if it is not a form. */
function translate(fields: string, tokens: IssuedTokens): string {
  return fields.split("&").map((field) => {
    const [name, value, ...others] = field.split("=");
    return value === undefined || others.length > 0 || !tokenParameters.includes(name!)
      ? field
      : `${name}=${tokens.translate(value)}`;
  }).join("&");
}

/** Reads a body. One that is too long is cut, so that the mock rejects it. */
async function readText(incoming: IncomingMessage): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of incoming) {
    if (size <= maxBodyBytes) parts.push(part);
    size += part.length;
  }
  return await new Blob(parts as BlobPart[]).text();
}

function toRecord(fields: URLSearchParams): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = {};
  for (const name of fields.keys()) {
    const values = fields.getAll(name);
    record[name] = values.length === 1 ? values[0]! : values;
  }
  return record;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
