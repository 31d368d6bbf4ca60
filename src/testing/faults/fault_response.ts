/** What faults do to answers: making one without asking the server, and writing another body into one. */

import { withHeaders } from "../../http/message.ts";
import type { Answer } from "../../http/message.ts";
import { corsHeaders } from "../../http/router.ts";
import type { EndpointName } from "../../recorder/endpoint_name.ts";

/** The endpoints whose answers scripts of other origins may read. */
const readableByScripts: readonly EndpointName[] = ["token", "jwks", "userinfo", "revoke", "discovery"];

/** An answer that the router never saw, with the headers that it would have added for scripts in browsers. */
export function unrouted(endpoint: EndpointName, answer: Answer): Answer {
  return readableByScripts.includes(endpoint) ? withHeaders(answer, corsHeaders) : answer;
}

/** The body of an answer as text; a Response is used up by it. */
export async function textOf(answer: Answer): Promise<string> {
  return answer instanceof Response ? await answer.text() : answer.body ?? "";
}

/** The same answer with another body, and with further headers. */
export function withBody(answer: Answer, body: string, further: Readonly<Record<string, string>> = {}): Answer {
  if (!(answer instanceof Response)) return { ...answer, headers: { ...answer.headers, ...further }, body };
  const headers = new Headers(answer.headers);
  headers.delete("content-length");
  for (const [name, value] of Object.entries(further)) headers.set(name, value);
  return new Response(body, { status: answer.status, headers });
}

/** Whether the body is JSON, by its media type. */
export function isJson({ headers }: Answer): boolean {
  const type = headers instanceof Headers ? headers.get("content-type") : headers["content-type"];
  return /^application\/json\b/.test(type ?? "");
}
