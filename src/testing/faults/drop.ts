/** A connection that is dropped. */

import type { HttpResponse } from "../../core/http/message.ts";
import { ConnectionDropped } from "../../platform/http/dropped_connection.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";
import { choiceParameter } from "./parameters.ts";
import { responseText } from "./response_body.ts";
import { timers } from "../../core/http/timers.ts";

/**
 * When the connection is dropped: `before` the server does anything; `after` it has done everything, so that only the
 * response is lost; `midway` through the body of the response.
 */
export type DropMoment = "before" | "after" | "midway";

/**
 * Drops the connection. In the same process, `fetch` rejects with a TypeError, as it does on a network; with `midway`,
 * reading the body rejects. On a socket the connection closes without a byte of a response. Only over TLS on Deno the
 * response has begun: the client sees status 200, and reading the body fails.
 */
export const drop: FaultFactory<(moment?: DropMoment) => Fault> = defineFault({
  id: "drop",
  title: "Connection is dropped",
  correctClient:
    "The client reports a network error. It repeats only requests that are safe to repeat, and starts a new login instead " +
    "of sending a code again.",
  parameters: [
    choiceParameter(
      "moment",
      ["before", "after", "midway"],
      "before the server handles the request, after it has handled it, or midway through the body.",
      "When the connection is dropped",
    ),
  ],
  create: ({ moment }) => ({
    name: moment === "before" ? "dropped connection" : `connection dropped ${moment} the response`,
    handle: (next) => async (request, peer) => {
      if (moment === "before") return Response.error();
      const response = await next(request, peer);
      return moment === "after" ? Response.error() : await withTruncatedBody(response);
    },
  }),
});

/** The first half of the body, and then a failure. */
async function withTruncatedBody(response: HttpResponse | Response): Promise<Response> {
  const bytes = new TextEncoder().encode(await responseText(response));
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes.subarray(0, Math.ceil(bytes.length / 2))),
    async pull(controller) {
      // The first half must have left before the rest fails.
      await new Promise((resolve) => timers.setTimeout(resolve, 1));
      controller.error(new ConnectionDropped());
    },
  }, { highWaterMark: 0 });
  return new Response(stream, { status: response.status, headers });
}
