/** Fetches of URLs that settings and clients name: their limits, and the caches of fetched keys. */

import { boundedCache } from "../../core/bounded_cache.ts";
import { type FetchLimiter, fetchLimiter } from "./fetch_limiter.ts";
import type { KeyFetcher, KeyFetches } from "./remote_keys.ts";
import type { Outbound } from "./outbound.ts";

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
}

/** Maximum number of fetched key sets. */
const maxKeyFetches = 1000;

/** Creates the fetching of one server. `now` is the clock, in milliseconds. */
export function createFetching(send: Outbound, now: () => number): Fetching {
  const fetchKeys = (): KeyFetcher => ({ now, outbound: send, keyFetches: boundedCache<KeyFetches>(maxKeyFetches) });
  return { send, limiter: fetchLimiter(now), keys: fetchKeys(), unusedKeys: fetchKeys() };
}
