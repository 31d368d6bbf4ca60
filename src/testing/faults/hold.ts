/** A request that waits until the test lets it go on, so that a test decides what comes first. */

import type { Fault } from "./fault.ts";

/** The fault, and the test's hand on it. */
export interface Hold extends Fault {
  /** Resolves when the first request has arrived. */
  readonly arrived: Promise<void>;
  /** Lets every request go on that is held, and those to come. */
  release(): void;
}

/**
 * Holds requests until they are released. When the server closes or the faults are cleared before, the connection is
 * dropped and the server never sees the request.
 *
 * @example
 * ```ts ignore
 * const held = faults.hold();
 * as.on("token").once(held);
 * const answer = client.redeem(code);
 * await held.arrived;
 * held.release();
 * ```
 */
export function hold(): Hold {
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
