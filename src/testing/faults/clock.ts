/** A server with a wrong clock. */

import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";
import { secondsParameter } from "./parameters.ts";

/**
 * Moves the server's clock while it handles the request: `iat` and `exp` of issued tokens, and the check of expiry. Key
 * rotation uses the true time.
 */
export const skewed: FaultFactory<(seconds?: number) => Fault> = defineFault({
  id: "clock.skewed",
  title: "Clock of the server is wrong",
  correctClient:
    "The client tolerates a clock skew of about a minute in iat, nbf and exp, and rejects tokens with a larger one.",
  parameters: [
    secondsParameter("seconds", -7200, "How far the clock is ahead; a negative number sets it back.", "Clock skew"),
  ],
  create: ({ seconds }) => ({
    name: `clock skewed by ${seconds} s`,
    extend: (server) => ({ ...server, now: () => server.now() + seconds * 1000 }),
  }),
});
