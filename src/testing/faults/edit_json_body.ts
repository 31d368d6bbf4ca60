/** Writes another JSON object into a successful response. */

import type { Fault, FaultContext } from "./fault.ts";
import { isJson, readBodyText, withBody } from "./response_body.ts";

/** The members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * A fault that replaces the JSON object of a successful response.
 *
 * @param edit Receives the members of the body and returns the ones to send; a member that is `undefined` is left out.
 */
export function editJsonBody(name: string, edit: (members: Members, context: FaultContext) => Members): Fault {
  return {
    name,
    waitsFor: "got a response with JSON",
    handle: (next, context) => async (request, peer) => {
      const response = await next(request, peer);
      if (response.status !== 200 || response.body === null || !isJson(response) || !context.consume()) return response;
      return withBody(response, JSON.stringify(edit(JSON.parse(await readBodyText(response)), context)));
    },
  };
}
