/** A connection that breaks. */

import { ConnectionDropped } from "../../http/message.ts";
import type { ResponseLike } from "../../http/message.ts";
import { readBodyText } from "./response_body.ts";
import type { Fault } from "./fault.ts";

/**
 * When it breaks: `before` the server has done anything; `after` it has done everything, so that the answer is lost but
 * not what it tells of; `midway` through the body of the answer.
 */
export type DropMoment = "before" | "after" | "midway";

/**
 * Drops the connection. In process `fetch` rejects with a TypeError, as it does on a network; `midway`, reading the body
 * does. Over a socket the connection is closed without a byte of an answer on Node and Bun. Deno can only break off an
 * answer that it has begun: the client sees a status of 200, and reading the body fails.
 */
export function drop(moment: DropMoment = "before"): Fault {
  return {
    name: moment === "before" ? "dropped connection" : `connection dropped ${moment} the answer`,
    handle: (next) => async (request, peer) => {
      if (moment === "before") return Response.error();
      const response = await next(request, peer);
      return moment === "after" ? Response.error() : await withTruncatedBody(response);
    },
  };
}

/** As much of the body as there is in its first half, and then a failure. */
async function withTruncatedBody(response: ResponseLike): Promise<Response> {
  const bytes = new TextEncoder().encode(await readBodyText(response));
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes.subarray(0, Math.ceil(bytes.length / 2))),
    async pull(controller) {
      // The first half must have left before the rest fails.
      await new Promise((resolve) => setTimeout(resolve, 1));
      controller.error(new ConnectionDropped());
    },
  }, { highWaterMark: 0 });
  return new Response(stream, { status: response.status, headers });
}
