/** Limits the fetches of URLs that unknown clients choose, so that no client can direct a flood of them at a host. */

import { boundedCache } from "./bounded_cache.ts";

/** Maximum number of fetches in one window: from one host, and in total. */
const maxFetchesPerHost = 60;
const maxFetches = 600;
/** Length of a window, in milliseconds. */
const windowMs = 60_000;
/** Enough counters for the hosts of three windows, because the newer half of a cache always stays. */
const maxTrackedHosts = 6 * maxFetches;

/** A fetch that was not made because of a limit. */
export class FetchLimitError extends Error {
  /** The limit. */
  readonly expected: string;
  /** That there was one more. */
  readonly received = "one more";
  /** The seconds until the next window. */
  readonly retryAfter: number;

  /** Creates an error of a reached limit. */
  constructor(limit: number, from: string, retryAfter: number) {
    const expected = `at most ${limit} fetches in ${windowMs / 1000} seconds from ${from}`;
    super(`expected ${expected}, received one more`);
    this.expected = expected;
    this.retryAfter = retryAfter;
  }
}

/** Counts fetches. */
export interface FetchLimiter {
  /** Counts a fetch. @throws {FetchLimitError} If too many were made in this window, from its host or in total. */
  count(url: string): void;
}

interface FetchWindow {
  count: number;
  readonly until: number;
}

/** The limiter that all parts of a server share. Only a server that fetches such URLs creates it. */
export function limiterOf(
  { fetches, now }: { readonly fetches: { limiter?: FetchLimiter }; readonly now: () => number },
): FetchLimiter {
  return fetches.limiter ??= fetchLimiter(now);
}

/** Creates a limiter that counts in memory. `now` is the clock, in milliseconds. */
export function fetchLimiter(now: () => number): FetchLimiter {
  const hosts = boundedCache<FetchWindow>(maxTrackedHosts);
  let total: FetchWindow = { count: 0, until: 0 };
  // If the clock was set back, a window counts as over.
  const isOpen = ({ until }: FetchWindow) => now() < until && until <= now() + windowMs;
  const newWindow = (): FetchWindow => ({ count: 0, until: now() + windowMs });

  function assertBelow(limit: number, { count, until }: FetchWindow, from: string): void {
    if (count >= limit) throw new FetchLimitError(limit, from, Math.ceil((until - now()) / 1000));
  }

  return {
    count(url) {
      if (!isOpen(total)) total = newWindow();
      assertBelow(maxFetches, total, "all hosts");
      // All ports of a host are one host.
      const hostname = new URL(url).hostname.replace(/\.$/, "");
      let host = hosts.get(hostname);
      if (host === undefined || !isOpen(host)) hosts.set(hostname, host = newWindow());
      assertBelow(maxFetchesPerHost, host, hostname);
      host.count++;
      total.count++;
    },
  };
}
