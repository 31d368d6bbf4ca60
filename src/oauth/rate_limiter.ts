/** Slows down guesses: after some failures within a while, who failed must wait (OAuth 2.1 §2.4.1). */

import { networkOf } from "./client_network.ts";
import { recent } from "./bounded_cache.ts";

/** Failures that are free of charge within one window: for one client from one address, and from one address at all. */
const allowedForClient = 10;
const allowedForAddress = 100;
/** Milliseconds until failures are forgotten. */
const window = 60_000;
/** Guessers remembered at once. */
const remembered = 10_000;
/** The longest client id there can be; what is longer is nobody's. */
const longestId = 256;

/** Who tries. */
export interface Guesser {
  /** The client it claims to be; or the user, after the word `user`. */
  readonly client: string;
  /** Where it calls from; empty when unknown. */
  readonly address: string;
}

/** Counts failures by who failed. */
export interface Throttle {
  /** 0, or the seconds for which nothing this guesser sends may be accepted. */
  wait(who: Guesser): number;
  /** Counts one failure. */
  fail(who: Guesser): void;
}

/** Makes a throttle that counts in memory, by the given clock (milliseconds). */
export function throttle(now: () => number): Throttle {
  const failures = recent<{ count: number; until: number }>(remembered);

  function countOf(key: string): { count: number; until: number } {
    const seen = failures.get(key);
    if (seen !== undefined && seen.until > now()) return seen;
    const fresh = { count: 0, until: now() + window };
    failures.set(key, fresh);
    return fresh;
  }

  const keysOf = ({ client, address }: Guesser) => {
    const network = networkOf(address);
    return [
      { key: network, allowed: allowedForAddress },
      { key: `${network} ${client.slice(0, longestId)}`, allowed: allowedForClient },
    ];
  };

  return {
    wait(who) {
      let until = 0;
      for (const { key, allowed } of keysOf(who)) {
        const seen = failures.get(key);
        if (seen !== undefined && seen.count >= allowed) until = Math.max(until, seen.until);
      }
      return Math.max(0, Math.ceil((until - now()) / 1000));
    },
    fail(who) {
      for (const { key } of keysOf(who)) countOf(key).count++;
    },
  };
}
