/** Slows down guesses: after some failures within a while, one address must wait (OAuth 2.1 §2.4.1). */

import { recent } from "./recent.ts";

/** Failures that are free of charge within one window. */
const allowed = 10;
/** Milliseconds until failures are forgotten. */
const window = 60_000;
/** Guessers remembered at once. */
const remembered = 10_000;

/** Counts failures by who failed. */
export interface Throttle {
  /** Seconds to wait before the next try; 0 when none. */
  wait(who: string): number;
  /** Counts one failure. */
  fail(who: string): void;
}

/** Makes a throttle that counts in memory, by the given clock (milliseconds). */
export function throttle(now: () => number): Throttle {
  const failures = recent<{ count: number; until: number }>(remembered);
  return {
    wait(who) {
      const seen = failures.get(who);
      if (seen === undefined || seen.count < allowed) return 0;
      return Math.max(0, Math.ceil((seen.until - now()) / 1000));
    },
    fail(who) {
      const seen = failures.get(who);
      if (seen !== undefined && seen.until > now()) {
        seen.count++;
        return;
      }
      failures.set(who, { count: 1, until: now() + window });
    },
  };
}
