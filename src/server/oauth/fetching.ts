/** What a server fetches from URLs that settings and clients name, and what it remembers of it. */

import { boundedCache } from "./bounded_cache.ts";
import { type FetchLimiter, fetchLimiter } from "./fetch_limiter.ts";
import type { KeyFetcher, KeyFetches } from "./keys/remote_keys.ts";
import type { Outbound } from "./outbound.ts";

/** @internal */
export interface Fetching {
  /** Sends a request to another server. */
  readonly send: Outbound;
  /** Limits the fetches of URLs that clients choose. */
  readonly limiter: FetchLimiter;
  /** Fetches keys of issuers, and of clients that are known or in use. */
  readonly keys: KeyFetcher;
  /** Fetches keys of other clients, which must not evict those. */
  readonly unusedKeys: KeyFetcher;
}

/** Maximum number of fetched key sets. */
const maxKeyFetches = 1000;

/** Creates it for one server. `now` is the clock, in milliseconds. */
export function createFetching(send: Outbound, now: () => number): Fetching {
  const fetchKeys = (): KeyFetcher => ({ now, outbound: send, keyFetches: boundedCache<KeyFetches>(maxKeyFetches) });
  return { send, limiter: fetchLimiter(now), keys: fetchKeys(), unusedKeys: fetchKeys() };
}
