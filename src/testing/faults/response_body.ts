/** Helpers for faults that read and replace the body of a response, or add the headers that the router would add. */

import { type HttpResponse, isResponse, withHeaders } from "../../core/http/message.ts";
import { getHeader } from "../../platform/http/response.ts";
import { corsHeaders } from "../../core/http/router.ts";
import { crossOriginHeaders } from "../../server/hosting/cross_origin_headers.ts";
import type { Fault, FaultContext, RequestView } from "./fault.ts";

/** The response with the CORS headers that the router would have added. */
export function withCorsHeaders(
  { description }: RequestView,
  response: HttpResponse | Response,
): HttpResponse | Response {
  return description?.cors ? withHeaders(response, corsHeaders(crossOriginHeaders)) : response;
}

/** The body of a response as text. Consumes the body of a `Response`. */
export async function responseText(response: HttpResponse | Response): Promise<string> {
  return isResponse(response) ? await response.text() : response.body ?? "";
}

/** The response with another body and further headers. */
export function withBodyText(
  response: HttpResponse | Response,
  body: string,
  extraHeaders: Readonly<Record<string, string>> = {},
): HttpResponse | Response {
  if (!isResponse(response)) return { ...response, headers: { ...response.headers, ...extraHeaders }, body };
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  for (const [name, value] of Object.entries(extraHeaders)) headers.set(name, value);
  return new Response(body, { status: response.status, headers });
}

/** Whether the media type is JSON. */
export function isJsonResponse(response: HttpResponse | Response): boolean {
  return /^application\/json\b/.test(getHeader(response, "content-type") ?? "");
}

/** The members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** The members with `undefined` instead of `null`, which JSON Merge Patch writes for a member to remove (RFC 7396). */
export function withoutNulls(members: Members): Members {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value ?? undefined]));
}

/** Whether a response has a body. */
export const hasBody = ({ body }: HttpResponse | Response): boolean => body !== null;

/** A fault that replaces each response to which it applies. */
export function editResponse(
  name: string,
  waitsFor: string,
  appliesTo: (response: HttpResponse | Response) => boolean,
  edit: (
    response: HttpResponse | Response,
    context: FaultContext,
  ) => HttpResponse | Response | Promise<HttpResponse | Response>,
): Fault {
  return {
    name,
    waitsFor,
    handle: (next, context) => async (request, peer) => {
      const response = await next(request, peer);
      return appliesTo(response) && context.consume() ? await edit(response, context) : response;
    },
  };
}

/**
 * A fault that replaces the JSON object of a successful response.
 *
 * @param edit Receives the members of the body and returns the ones to send; a member that is `undefined` is left out.
 */
export function editJsonBody(name: string, edit: (members: Members, context: FaultContext) => Members): Fault {
  return editResponse(
    name,
    "got a response with JSON",
    (response) => response.status < 300 && hasBody(response) && isJsonResponse(response),
    async (response, context) =>
      withBodyText(response, JSON.stringify(edit(JSON.parse(await responseText(response)), context))),
  );
}
