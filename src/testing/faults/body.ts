/** Bodies that are not what they should be: the server does its work, and what it says of it arrives spoiled. */

import type { Answer } from "../../http/message.ts";
import { isJson, textOf, withBody } from "./fault_response.ts";
import type { Fault, FaultContext } from "./fault.ts";

/** Spoils every answer that has a body. */
function spoilt(name: string, spoil: (answer: Answer, text: string) => Answer): Fault {
  return {
    name,
    needs: "was answered with a body",
    handle: (next, at) => async (request, peer) => {
      const answer = await next(request, peer);
      return answer.body !== null && at.take() ? spoil(answer, await textOf(answer)) : answer;
    },
  };
}

/** The body ends in its middle, while status and headers say nothing of it: broken JSON. */
export function truncated(): Fault {
  return spoilt("truncated body", (answer, text) => withBody(answer, text.slice(0, Math.ceil(text.length / 2))));
}

/** The page of a gateway in place of the body, with the status of the answer and `Content-Type: text/html`. */
export function html(): Fault {
  const page = "<!DOCTYPE html>\n<title>Bad gateway</title>\n<h1>Bad gateway</h1>\n";
  return spoilt("a page of HTML", (answer) => withBody(answer, page, { "content-type": "text/html" }));
}

/** No body at all, with the status and headers of the answer. */
export function empty(): Fault {
  return spoilt("empty body", (answer) => withBody(answer, ""));
}

/** The right body under another media type. */
export function typed(type: string): Fault {
  return spoilt(`body as ${type}`, (answer, text) => withBody(answer, text, { "content-type": type }));
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
  edit: (members: Readonly<Record<string, unknown>>, at: FaultContext) => Readonly<Record<string, unknown>>,
  name = "edited body",
): Fault {
  return {
    name,
    needs: "was answered with JSON",
    handle: (next, at) => async (request, peer) => {
      const answer = await next(request, peer);
      if (answer.status !== 200 || answer.body === null || !isJson(answer) || !at.take()) return answer;
      return withBody(answer, JSON.stringify(edit(JSON.parse(await textOf(answer)), at)));
    },
  };
}
