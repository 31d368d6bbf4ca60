/** Changes the policy of a server for one call. */

import type { Server } from "../core/server.ts";

/** The same server with other values in its policy. */
export function withPolicy<S extends Server>(server: S, policy: Partial<S["policy"]>): S {
  return { ...server, policy: { ...server.policy, ...policy } } as S;
}
