/** Broken response bodies: the server handles the request as usual, and the body of its response arrives broken. */

import type { HttpResponse } from "../../core/http/message.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import { choiceParameter, editParameter, numberParameter, textParameter } from "./parameters.ts";
import {
  editJsonBody,
  editJsonText,
  editResponse,
  hasBody,
  type Members,
  responseText,
  withBodyText,
  withoutNulls,
} from "./response_body.ts";
import type { Fault, FaultContext } from "./fault.ts";

const bodyText = "got a response with a body";

/** A fault that breaks every response that has a body. */
function corrupted(
  name: string,
  corrupt: (response: HttpResponse | Response, text: string) => HttpResponse | Response,
): Fault {
  return editResponse(name, bodyText, hasBody, async (response) => corrupt(response, await responseText(response)));
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

/**
 * Repeats a member of the JSON object of a successful response, with a second value (RFC 8259 §4). The second value
 * comes before or after the other members; most parsers use the last value of a member.
 *
 * @example
 * ```ts ignore
 * as.on("userinfo").once(faults.body.repeated("sub", "another-user", "first"));
 * ```
 */
export const repeated: FaultFactory<(member?: string, value?: string, position?: "first" | "last") => Fault> =
  defineFault({
    id: "body.repeated",
    title: "JSON response has a member twice",
    endpoints: ["token", "userinfo", "introspect", "jwks", "discovery"],
    correctClient: "The client rejects the body, or checks and uses the same one of the two values.",
    parameters: [
      textParameter("member", "access_token", "The member.", "Member to repeat"),
      textParameter("value", "second-value", "The second value.", "Second value"),
      choiceParameter(
        "position",
        ["last", "first"],
        "Where the second value is: before (first) or after (last) all other members.",
        "Position of the second value",
      ),
    ],
    create: ({ member, value, position }) =>
      editJsonText(`${member} twice`, (text) => {
        const added = `${JSON.stringify(member)}:${JSON.stringify(value)}`;
        return position === "first" ? text.replace("{", `{${added},`) : text.replace(/\}\s*$/, `,${added}}`);
      }),
  });

/** The right JSON, followed by white space up to a size. It is sent in parts as the client reads them. */
export const padded: FaultFactory<(bytes?: number) => Fault> = defineFault({
  id: "body.padded",
  row: "transport/huge",
  parameters: [
    numberParameter("bytes", 16_777_216, "How many bytes of white space follow the body.", {
      min: 0,
      label: "Bytes of white space",
    }),
  ],
  create: ({ bytes }) =>
    editResponse(`body with ${bytes} bytes of white space`, bodyText, hasBody, async (response) => {
      const text = await responseText(response);
      const headers = new Headers(response.headers);
      headers.delete("content-length");
      let left = bytes;
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
        pull(controller) {
          if (left <= 0) return controller.close();
          controller.enqueue(new Uint8Array(Math.min(left, 65_536)).fill(0x20));
          left -= 65_536;
        },
      }, { highWaterMark: 0 });
      return new Response(stream, { status: response.status, headers });
    }),
});
