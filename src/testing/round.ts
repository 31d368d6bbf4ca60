/** What a server under test remembers between two resets, and what a reset takes from it. */

import { recent } from "../oauth/bounded_cache.ts";
import type { Server } from "../oauth/server.ts";
import { throttle } from "../oauth/rate_limiter.ts";
import type { Store } from "../store/store.ts";
import { wrapStore } from "./wrapped_store.ts";

/** As many code challenges as a test may use before the oldest is forgotten. */
const rememberedChallenges = 1000;

/** Records that a server would keep for ever, and a reset must remove: until the end of time, but not beyond. */
const untilReset = Number.MAX_SAFE_INTEGER;

/** The memory of a server under test, between two resets. */
export interface Rounds {
  /** The server as it is in this round. */
  during(server: Server): Server;
  /** Begins the next round: everything but the signing keys is forgotten. In memory it is done when this returns. */
  next(): Promise<void>;
}

/**
 * Lets a server begin anew without another one being made.
 *
 * @param store Where it keeps its records.
 */
export function rounds(store: Store): Rounds {
  let shelf = ownSecrets(store);
  let before: Server | undefined;
  let fresh: Server | undefined;

  return {
    during(server) {
      if (server === before && fresh !== undefined) return fresh;
      before = server;
      return fresh = {
        ...server,
        store: shelf,
        throttle: server.throttle && throttle(server.now),
        recentChallenges: recent(rememberedChallenges),
      };
    },
    async next() {
      shelf = ownSecrets(store);
      fresh = undefined;
      await store.sweep(untilReset);
    },
  };
}

/** The same store, in which the server's own secrets end with the round, and the sessions they seal with them. */
function ownSecrets(store: Store): Store {
  return wrapStore(store, {
    add: (kind, id, value, shelf) =>
      store.add(kind, id, value, kind === "server_secret" ? { ...shelf, expiresAt: untilReset } : shelf),
  });
}
