/** A server that never answers. */

import type { Fault } from "./fault.ts";

/**
 * Never answers. When the server closes or the faults are cleared, the connection is dropped; over a socket Bun drops it
 * after 15 seconds of silence anyway.
 */
export function hang(): Fault {
  return {
    name: "hang",
    handle: (_, { signal }) => async () => {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return Response.error();
    },
  };
}
