/** Bodies that arrive broken: status and other headers are those of the complete response. */

import type { HttpResponse } from "../../core/http/message.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { editResponse, hasBody, responseText, withBodyText } from "../../testing/faults/response_body.ts";

/** A fault that breaks every response that has a body. */
const corrupted = (
  name: string,
  corrupt: (response: HttpResponse | Response, text: string) => HttpResponse | Response,
): Fault =>
  editResponse(
    name,
    "got a response with a body",
    hasBody,
    async (response) => corrupt(response, await responseText(response)),
  );

const gatewayPage = "<!DOCTYPE html>\n<title>Bad gateway</title>\n<h1>Bad gateway</h1>\n";

/** The page of a gateway, half of the body, and none. */
export const brokenBodies = {
  html: corrupted("HTML body", (response) => withBodyText(response, gatewayPage, { "content-type": "text/html" })),
  truncated: corrupted(
    "truncated body",
    (response, text) => withBodyText(response, text.slice(0, Math.ceil(text.length / 2))),
  ),
  empty: corrupted("empty body", (response) => withBodyText(response, "")),
} as const;
