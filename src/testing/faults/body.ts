/** Broken response bodies: the server handles the request as usual, and the body of its response arrives broken. */

import type { HttpResponse } from "../../core/http/message.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import { editParameter, textParameter } from "./parameters.ts";
import {
  editJsonBody,
  editResponse,
  hasBody,
  type Members,
  responseText,
  withBodyText,
  withoutNulls,
} from "./response_body.ts";
import type { Fault, FaultContext } from "./fault.ts";

/** A fault that breaks every response that has a body. */
function corrupted(
  name: string,
  corrupt: (response: HttpResponse | Response, text: string) => HttpResponse | Response,
): Fault {
  return editResponse(
    name,
    "got a response with a body",
    hasBody,
    async (response) => corrupt(response, await responseText(response)),
  );
}

/** The body ends in the middle; status and headers are those of the complete response. */
export const truncated: FaultFactory<() => Fault> = defineFault({
  id: "body.truncated",
  row: "transport/body-wrong",
  create: () =>
    corrupted("truncated body", (response, text) => withBodyText(response, text.slice(0, Math.ceil(text.length / 2)))),
});

/** The HTML page of a gateway instead of the body, with the status of the response and `Content-Type: text/html`. */
export const html: FaultFactory<() => Fault> = defineFault({
  id: "body.html",
  row: "transport/body-wrong",
  create: () => {
    const page = "<!DOCTYPE html>\n<title>Bad gateway</title>\n<h1>Bad gateway</h1>\n";
    return corrupted("HTML body", (response) => withBodyText(response, page, { "content-type": "text/html" }));
  },
});

/** No body, with the status and headers of the response. */
export const empty: FaultFactory<() => Fault> = defineFault({
  id: "body.empty",
  row: "transport/body-wrong",
  create: () => corrupted("empty body", (response) => withBodyText(response, "")),
});

/**
 * Changes the JSON object of a successful response.
 *
 * The first argument is an object of members to replace, where `null` removes one (JSON Merge Patch, RFC 7396, without
 * nesting), or a function that receives the members and returns the ones to send, where `undefined` ones are left out.
 *
 * @example
 * ```ts ignore
 * as.on("userinfo").once(faults.body.edited({ sub: "another-user" }));
 * as.on("userinfo").once(faults.body.edited((info) => ({ ...info, sub: "another-user" })));
 * ```
 */
export const edited: FaultFactory<
  (edit?: Members | ((members: Members, context: FaultContext) => Members), name?: string) => Fault
> = defineFault({
  id: "body.edited",
  title: "Members of the JSON response are changed",
  endpoints: ["token", "userinfo", "introspect", "jwks", "discovery", "resource_metadata"],
  correctClient: "The client checks the presence and the type of every member that it uses.",
  parameters: [
    editParameter<Members | ((members: Members, context: FaultContext) => Members)>(
      { access_token: null, sub: null },
      "Members to replace",
    ),
    textParameter("name", "edited body", "What reports call the fault.", "Name in reports"),
  ],
  create: ({ edit, name }) =>
    editJsonBody(name, typeof edit === "function" ? edit : (members) => ({ ...members, ...withoutNulls(edit) })),
});
