/** What a server under test remembers between two resets, and what a reset takes from it. */

import { boundedCache } from "../oauth/bounded_cache.ts";
import type { Server } from "../oauth/server.ts";
import { rateLimiter } from "../oauth/rate_limiter.ts";
import type { Store } from "../store/store.ts";
import { wrapStore } from "./wrap_store.ts";

/** As many code challenges as a test may use before the oldest is forgotten. */
const maxRememberedChallenges = 1000;

/** Records that a server would keep for ever, and a reset must remove: until the end of time, but not beyond. */
const resettableExpiry = Number.MAX_SAFE_INTEGER;

/** The memory of a server under test, between two resets. */
export interface ResettableState {
  /** The server as it is in this round. */
  extend(server: Server): Server;
  /** Begins the next round: everything but the signing keys is forgotten. In memory it is done when this returns. */
  reset(): Promise<void>;
}

/**
 * Lets a server begin anew without another one being made.
 *
 * @param store Where it keeps its records.
 */
export function resettableState(store: Store): ResettableState {
  let currentStore = withResettableSecrets(store);
  let lastServer: Server | undefined;
  let currentServer: Server | undefined;

  return {
    extend(server) {
      if (server === lastServer && currentServer !== undefined) return currentServer;
      lastServer = server;
      return currentServer = {
        ...server,
        store: currentStore,
        rateLimiter: server.rateLimiter && rateLimiter(server.now),
        recentChallenges: boundedCache(maxRememberedChallenges),
      };
    },
    async reset() {
      currentStore = withResettableSecrets(store);
      currentServer = undefined;
      await store.deleteExpired(resettableExpiry);
    },
  };
}

/** The same store, in which the server's own secrets end with the round, and the sessions they seal with them. */
function withResettableSecrets(store: Store): Store {
  return wrapStore(store, {
    add: (kind, id, value, metadata) =>
      store.add(kind, id, value, kind === "server_secret" ? { ...metadata, expiresAt: resettableExpiry } : metadata),
  });
}
