/** Counters that limit the guessing of secrets. */

import { networkFromAddress, sitePrefixBits } from "../../platform/http/ip_address.ts";
import { boundedCache } from "../../platform/bounded_cache.ts";

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
  recordFailure(attempt: AuthenticationAttempt): void;
  clear(): void;
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
