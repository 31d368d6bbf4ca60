/** A server that takes its time. */

import type { Fault } from "./fault.ts";

/** Answers that many milliseconds late, of real time; sooner when the server closes or the faults are cleared. */
export function delay(milliseconds: number): Fault {
  return {
    name: `delay of ${milliseconds} ms`,
    handle: (next, context) => async (request, peer) => {
      await context.wait(milliseconds);
      return await next(request, peer);
    },
  };
}
