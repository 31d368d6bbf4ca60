/** A request that waits until the test releases it, so that the test decides the order of requests. */

import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";

/** The fault, and how the test controls it. */
export interface Hold extends Fault {
  /** Resolves when the first request has arrived. */
  readonly arrived: Promise<void>;
  /** Releases every waiting request, and lets later ones pass. */
  release(): void;
}

/**
 * Holds requests until the test releases them. If the server closes or the faults are cleared before, the connection is
 * dropped and the server never handles the request.
 *
 * @example
 * ```ts ignore
 * const hold = faults.hold();
 * as.on("token").once(hold);
 * const response = client.exchange(code);
 * await hold.arrived;
 * hold.release();
 * ```
 */
export const hold: FaultFactory<() => Hold> = defineFault({
  id: "hold",
  title: "Request waits until the test releases it",
  correctClient:
    "The client does not repeat a request while it waits: it refreshes once at a time, and sends a code once.",
  create: createHold,
});

function createHold(): Hold {
  const { promise: arrived, resolve: resolveArrived } = Promise.withResolvers<void>();
  const { promise: released, resolve: resolveReleased } = Promise.withResolvers<"released">();
  return {
    name: "hold",
    arrived,
    release: () => resolveReleased("released"),
    handle: (next, { signal }) => async (request, peer) => {
      resolveArrived();
      const stopped = new Promise<"stopped">((resolve) => {
        if (signal.aborted) resolve("stopped");
        signal.addEventListener("abort", () => resolve("stopped"), { once: true });
      });
      const outcome = await Promise.race([released, stopped]);
      return outcome === "released" ? await next(request, peer) : Response.error();
    },
  };
}
