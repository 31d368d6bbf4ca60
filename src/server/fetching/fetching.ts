/** Fetches of URLs that settings and clients name: their limits, and the caches of fetched keys. */

import { boundedCache } from "../../platform/bounded_cache.ts";
import { type FetchLimiter, fetchLimiter } from "./fetch_limiter.ts";
import type { KeyFetcher, KeyFetches } from "./remote_keys.ts";
import type { Outbound } from "./outbound.ts";
import type { Sender } from "./sender.ts";
import type { Server } from "../../core/server.ts";

/** @internal How a server fetches from other servers. */
export interface Fetching {
  /** Sends a request to another server. */
  readonly send: Outbound;
  /** Limits the fetches of URLs that clients choose. */
  readonly limiter: FetchLimiter;
  /** Fetches keys of issuers, and of clients that are known or in use. */
  readonly keys: KeyFetcher;
  /** Fetches keys of other clients. It has another cache, so that these keys evict none of `keys`. */
  readonly unusedKeys: KeyFetcher;
  /** Records that something was issued to a client: fetches for it no longer share their limits with other clients. */
  recordUse(clientId: string): void;
  /** Whether something was issued to a client, as far as this instance remembers. */
  isInUse(clientId: string): boolean;
}

/** @internal A server that fetches what settings and clients name by URLs. */
export interface FetchingServer extends Server {
  readonly fetching: Fetching;
  /** The sender of the request; absent outside of requests. */
  readonly sender?: Sender;
}

/** Maximum number of fetched key sets. */
const maxKeyFetches = 1000;

/** Maximum number of clients that are known to be in use. */
const maxUsedClients = 10_000;

/** Creates the fetching of one server. `now` is the clock, in milliseconds. */
export function createFetching(send: Outbound, now: () => number): Fetching {
  const fetchKeys = (): KeyFetcher => ({ now, outbound: send, keyFetches: boundedCache<KeyFetches>(maxKeyFetches) });
  const used = boundedCache<true>(maxUsedClients);
  return {
    send,
    limiter: fetchLimiter(now),
    keys: fetchKeys(),
    unusedKeys: fetchKeys(),
    recordUse: (clientId) => used.set(clientId, true),
    isInUse: (clientId) => used.get(clientId) === true,
  };
}
