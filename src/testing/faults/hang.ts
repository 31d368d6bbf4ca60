/** A server that never responds. */

import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";

/**
 * Never responds. The connection is dropped when the server closes or the faults are cleared. On Bun, a connection over
 * a socket is dropped after 15 seconds without data in any case.
 */
export const hang: FaultFactory<() => Fault> = defineFault({
  id: "hang",
  title: "Server never responds",
  correctClient: "The client stops waiting at its own timeout, and stays usable, so that the user can try again.",
  create: () => ({
    name: "hang",
    handle: (_, { signal }) => async () => {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return Response.error();
    },
  }),
});
