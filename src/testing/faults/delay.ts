/** A slow server. */

import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";
import { numberParameter } from "./parameters.ts";

/** Delays the response, in real time. The delay ends early when the server closes or the faults are cleared. */
export const delay: FaultFactory<(milliseconds?: number) => Fault> = defineFault({
  id: "delay",
  title: "Response is slow",
  correctClient: "The client waits until its own timeout, and accepts a response that arrives before it.",
  parameters: [
    numberParameter("milliseconds", 1000, "How long the request waits before the server handles it.", {
      min: 0,
      label: "Delay, in milliseconds",
    }),
  ],
  create: ({ milliseconds }) => ({
    name: `delay of ${milliseconds} ms`,
    handle: (next, context) => async (request, peer) => {
      await context.wait(milliseconds);
      return await next(request, peer);
    },
  }),
});
