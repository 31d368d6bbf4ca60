/** A response body that arrives slowly. */

import { ConnectionDropped } from "../../platform/http/dropped_connection.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";
import { numberParameter } from "./parameters.ts";
import { editResponse, hasBody, responseText } from "./response_body.ts";

/** Sends status and headers immediately, and the body a few bytes at a time, in real time. */
export const drip: FaultFactory<(milliseconds?: number, bytes?: number) => Fault> = defineFault({
  id: "drip",
  title: "Response body arrives a few bytes at a time",
  correctClient: "The client limits the time of the whole response, not only the time between two bytes.",
  parameters: [
    numberParameter("milliseconds", 1000, "How long the server waits before each part.", {
      min: 0,
      label: "Wait before each part, in milliseconds",
    }),
    numberParameter("bytes", 1, "How many bytes each part has.", { min: 1, label: "Bytes in each part" }),
  ],
  create: ({ milliseconds, bytes }) =>
    editResponse(
      `body of ${bytes} bytes every ${milliseconds} ms`,
      "got a response with a body",
      hasBody,
      async (response, context) => {
        const body = new TextEncoder().encode(await responseText(response));
        const headers = new Headers(response.headers);
        headers.delete("content-length");
        let sent = 0;
        const stream = new ReadableStream<Uint8Array>({
          async pull(controller) {
            await context.wait(milliseconds);
            if (context.signal.aborted) return controller.error(new ConnectionDropped());
            controller.enqueue(body.subarray(sent, sent += bytes));
            if (sent >= body.length) controller.close();
          },
        }, { highWaterMark: 0 });
        return new Response(stream, { status: response.status, headers });
      },
    ),
});
