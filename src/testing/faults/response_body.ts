/** What faults do to answers: making one without asking the server, and writing another body into one. */

import { withHeaders } from "../../http/message.ts";
import type { ResponseLike } from "../../http/message.ts";
import { corsHeaders } from "../../http/router.ts";
import type { EndpointName } from "../../recorder/endpoint_name.ts";

/** The endpoints whose answers scripts of other origins may read. */
const corsEndpoints: readonly EndpointName[] = ["token", "jwks", "userinfo", "revoke", "discovery"];

/** An answer that the router never saw, with the headers that it would have added for scripts in browsers. */
export function withCorsHeaders(endpoint: EndpointName, response: ResponseLike): ResponseLike {
  return corsEndpoints.includes(endpoint) ? withHeaders(response, corsHeaders) : response;
}

/** The body of an answer as text; a Response is used up by it. */
export async function readBodyText(response: ResponseLike): Promise<string> {
  return response instanceof Response ? await response.text() : response.body ?? "";
}

/** The same answer with another body, and with further headers. */
export function withBody(
  response: ResponseLike,
  body: string,
  extraHeaders: Readonly<Record<string, string>> = {},
): ResponseLike {
  if (!(response instanceof Response)) return { ...response, headers: { ...response.headers, ...extraHeaders }, body };
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  for (const [name, value] of Object.entries(extraHeaders)) headers.set(name, value);
  return new Response(body, { status: response.status, headers });
}

/** Whether the body is JSON, by its media type. */
export function isJson({ headers }: ResponseLike): boolean {
  const type = headers instanceof Headers ? headers.get("content-type") : headers["content-type"];
  return /^application\/json\b/.test(type ?? "");
}
