/** Memory of bounded size: a cache, and the counters that limit the guessing of secrets. */

import { networkFromAddress, sitePrefixBits } from "./http/ip_address.ts";

/** @internal Cached values by key. */
export interface BoundedCache<T> {
  /** `undefined` if the key was never set, or was evicted. */
  get(key: string): T | undefined;
  /** Sets a value and makes it the newest one. */
  set(key: string, value: T): void;
  /** Removes a value. */
  delete(key: string): void;
  /** Removes all values. */
  clear(): void;
  /** All values. */
  values(): Iterable<T>;
}

/**
 * Creates a cache for `size` entries. It evicts the older half as a whole, because finding the oldest entry of a Map
 * takes time in proportion to the entries deleted before it. The newer half always stays.
 */
export function boundedCache<T>(size: number): BoundedCache<T> {
  let newer = new Map<string, T>();
  let older = new Map<string, T>();
  return {
    get: (key) => newer.get(key) ?? older.get(key),
    set(key, value) {
      newer.set(key, value);
      if (newer.size < size / 2) return;
      older = newer;
      newer = new Map();
    },
    delete(key) {
      newer.delete(key);
      older.delete(key);
    },
    clear: () => [newer, older].forEach((entries) => entries.clear()),
    values: () => new Map([...older, ...newer]).values(),
  };
}

/** Maximum number of failures in one window: for one client from one network, and for all clients from one network. */
const maxFailuresPerClient = 10;
const maxFailuresPerNetwork = 100;
/** Factor of the higher limit for one IPv6 site, which has up to 65,536 networks. */
const siteFactor = 10;
/** Length of a window, in milliseconds. */
const windowMs = 60_000;
/** Maximum number of counters. */
const maxTrackedKeys = 20_000;
/** Maximum length of a client id; longer ids are truncated in keys. */
const maxClientIdLength = 256;

/** An authentication attempt. */
export interface AuthenticationAttempt {
  /** The claimed client id; or the subject of a user, with the prefix `user `. */
  readonly client: string;
  /** The address of the caller; empty if unknown. */
  readonly address: string;
}

/** @internal Counts failures by client and network. */
export interface RateLimiter {
  /** The seconds for which such attempts must be rejected; 0 if they are allowed. */
  retryAfter(attempt: AuthenticationAttempt): number;
  /** Counts one failure. */
  recordFailure(attempt: AuthenticationAttempt): void;
  /** Forgets all failures. */
  clear(): void;
}

/** Creates a rate limiter that counts in memory. `now` is the clock, in milliseconds. */
export function rateLimiter(now: () => number): RateLimiter {
  const failures = boundedCache<{ count: number; until: number }>(maxTrackedKeys);

  function countFailure(key: string): void {
    const known = failures.get(key);
    const counter = known !== undefined && known.until > now() ? known : { count: 0, until: now() + windowMs };
    counter.count++;
    // Makes the counter the newest: failures from many networks must not evict the counter of their site.
    failures.set(key, counter);
  }

  const limitsFor = ({ client, address }: AuthenticationAttempt) => {
    const network = networkFromAddress(address);
    const site = networkFromAddress(address, sitePrefixBits);
    const id = client.slice(0, maxClientIdLength);
    return [
      { key: network, allowed: maxFailuresPerNetwork },
      { key: `${network} ${id}`, allowed: maxFailuresPerClient },
      ...site === network ? [] : [
        { key: site, allowed: maxFailuresPerNetwork * siteFactor },
        { key: `${site} ${id}`, allowed: maxFailuresPerClient * siteFactor },
      ],
    ];
  };

  return {
    retryAfter(attempt) {
      let until = 0;
      for (const { key, allowed: maxFailures } of limitsFor(attempt)) {
        const counter = failures.get(key);
        if (counter !== undefined && counter.count >= maxFailures) until = Math.max(until, counter.until);
      }
      return Math.max(0, Math.ceil((until - now()) / 1000));
    },
    recordFailure(attempt) {
      for (const { key } of limitsFor(attempt)) countFailure(key);
    },
    clear: failures.clear,
  };
}
