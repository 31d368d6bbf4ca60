/**
 * Limits the fetches of URLs that clients choose, so that no client can direct a flood of them at a host. Clients in
 * use are those to which something was issued. They share no limit with other clients, so that unknown clients cannot
 * block them.
 */

import { boundedCache } from "../../platform/bounded_cache.ts";

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
  /** The received value: one fetch more than the limit. */
  readonly received = "one more";
  /** The seconds until the next attempt may succeed. */
  readonly retryAfter: number;

  /** Creates an error of a reached limit. */
  constructor(limit: number, from: string, retryAfter: number) {
    const expected = `at most ${limit} fetches in ${windowMs / 1000} seconds from ${from}`;
    super(`expected ${expected}, received one more`);
    this.expected = expected;
    this.retryAfter = retryAfter;
  }
}

/** @internal */
export interface FetchLimiter {
  /**
   * Counts a fetch, and makes it.
   *
   * @param isInUse Whether the client is in use, or approved.
   * @throws {FetchLimitError} Before the fetch, if too many were made in this window: from its host, or in total.
   */
  run<T>(url: string, isInUse: boolean, fetch: () => Promise<T>): Promise<T>;
  clear(): void;
}

interface FetchWindow {
  count: number;
  readonly until: number;
}

/** Creates a limiter that counts in memory. `now` is the clock, in milliseconds. */
export function fetchLimiter(now: () => number): FetchLimiter {
  const [inUse, others] = [fetchCounters(now), fetchCounters(now)];
  return {
    run(url, isInUse, fetch) {
      (isInUse ? inUse : others).count(url);
      return fetch();
    },
    clear() {
      for (const counters of [inUse, others]) counters.clear();
    },
  };
}

/** The counters of one kind of clients. */
function fetchCounters(now: () => number) {
  const hosts = boundedCache<FetchWindow>(maxTrackedHosts);
  let total: FetchWindow | undefined;

  /** The window that is open, or a new one. If the clock was set back, a window counts as over. */
  function openWindow(known: FetchWindow | undefined): FetchWindow {
    const isOpen = known !== undefined && now() < known.until && known.until <= now() + windowMs;
    return isOpen ? known : { count: 0, until: now() + windowMs };
  }

  function assertBelow(limit: number, { count, until }: FetchWindow, from: string): void {
    if (count >= limit) throw new FetchLimitError(limit, from, Math.ceil((until - now()) / 1000));
  }

  return {
    count(url: string): void {
      // All ports of a host are one host.
      const hostname = new URL(url).hostname.replace(/\.$/, "");
      total = openWindow(total);
      assertBelow(maxFetches, total, "all hosts");
      const host = openWindow(hosts.get(hostname));
      assertBelow(maxFetchesPerHost, host, hostname);
      hosts.set(hostname, host);
      host.count++;
      total.count++;
    },
    clear(): void {
      hosts.clear();
      total = undefined;
    },
  };
}
