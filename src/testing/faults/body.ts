/** Bodies that are not what they should be: the server does its work, and what it says of it arrives spoiled. */

import type { ResponseLike } from "../../http/message.ts";
import { isJson, readBodyText, withBody } from "./response_body.ts";
import type { Fault, FaultContext } from "./fault.ts";

/** Spoils every answer that has a body. */
function corrupted(name: string, corrupt: (response: ResponseLike, text: string) => ResponseLike): Fault {
  return {
    name,
    waitsFor: "was answered with a body",
    handle: (next, context) => async (request, peer) => {
      const response = await next(request, peer);
      return response.body !== null && context.consume() ? corrupt(response, await readBodyText(response)) : response;
    },
  };
}

/** The body ends in its middle, while status and headers say nothing of it: broken JSON. */
export function truncated(): Fault {
  return corrupted("truncated body", (response, text) => withBody(response, text.slice(0, Math.ceil(text.length / 2))));
}

/** The page of a gateway in place of the body, with the status of the answer and `Content-Type: text/html`. */
export function html(): Fault {
  const page = "<!DOCTYPE html>\n<title>Bad gateway</title>\n<h1>Bad gateway</h1>\n";
  return corrupted("a page of HTML", (response) => withBody(response, page, { "content-type": "text/html" }));
}

/** No body at all, with the status and headers of the answer. */
export function empty(): Fault {
  return corrupted("empty body", (response) => withBody(response, ""));
}

/** The right body under another media type. */
export function contentType(type: string): Fault {
  return corrupted(`body as ${type}`, (response, text) => withBody(response, text, { "content-type": type }));
}

/**
 * Another JSON object in place of the one that would be answered with success.
 *
 * @param edit Is given the members of the body, and gives back those to send; `undefined` ones are left out.
 *
 * @example
 * ```ts ignore
 * as.on("userinfo").once(faults.body.edited((info) => ({ ...info, sub: "somebody-else" })));
 * ```
 */
export function edited(
  edit: (members: Readonly<Record<string, unknown>>, context: FaultContext) => Readonly<Record<string, unknown>>,
  name = "edited body",
): Fault {
  return {
    name,
    waitsFor: "was answered with JSON",
    handle: (next, context) => async (request, peer) => {
      const response = await next(request, peer);
      if (response.status !== 200 || response.body === null || !isJson(response) || !context.consume()) return response;
      return withBody(response, JSON.stringify(edit(JSON.parse(await readBodyText(response)), context)));
    },
  };
}
