/** Slows down guesses: after some failures within a while, who failed must wait (OAuth 2.1 §2.4.1). */

import { networkFromAddress } from "../runtime/ip_address.ts";
import { boundedCache } from "./bounded_cache.ts";

/** Failures that are free of charge within one window: for one client from one address, and from one address at all. */
const maxFailuresPerClient = 10;
const maxFailuresPerNetwork = 100;
/** Milliseconds until failures are forgotten. */
const windowMs = 60_000;
/** Guessers remembered at once. */
const maxTrackedKeys = 10_000;
/** The longest client id there can be; what is longer is nobody's. */
const maxClientIdLength = 256;

/** Who tries. */
export interface AuthenticationAttempt {
  /** The client it claims to be; or the user, after the word `user`. */
  readonly client: string;
  /** Where it calls from; empty when unknown. */
  readonly address: string;
}

/** Counts failures by who failed. */
export interface RateLimiter {
  /** 0, or the seconds for which nothing this guesser sends may be accepted. */
  retryAfter(who: AuthenticationAttempt): number;
  /** Counts one failure. */
  recordFailure(who: AuthenticationAttempt): void;
}

/** Makes a throttle that counts in memory, by the given clock (milliseconds). */
export function rateLimiter(now: () => number): RateLimiter {
  const failures = boundedCache<{ count: number; until: number }>(maxTrackedKeys);

  function getCounter(key: string): { count: number; until: number } {
    const counter = failures.get(key);
    if (counter !== undefined && counter.until > now()) return counter;
    const fresh = { count: 0, until: now() + windowMs };
    failures.set(key, fresh);
    return fresh;
  }

  const limitsFor = ({ client, address }: AuthenticationAttempt) => {
    const network = networkFromAddress(address);
    return [
      { key: network, allowed: maxFailuresPerNetwork },
      { key: `${network} ${client.slice(0, maxClientIdLength)}`, allowed: maxFailuresPerClient },
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
      for (const { key } of limitsFor(attempt)) getCounter(key).count++;
    },
  };
}
