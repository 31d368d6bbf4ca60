/**
 * Limits the fetches of URLs that clients choose, so that no client can direct a flood of them at a host. Clients in
 * use are those to which something was issued. They share no limit with other clients, so that unknown clients cannot
 * block them. One user is enough to have something issued to any number of clients, so no domain gets more than a tenth
 * of what the other domains leave, and its first fetch in a window does not depend on the others: clients of another
 * domain always find a place. For clients that are not in use, fetches at a time are limited too, because a host that
 * never responds holds each of them for seconds.
 */

import { isAddress, networkFromAddress, sitePrefixBits } from "../../platform/http/ip_address.ts";
import { type BoundedCache, boundedCache } from "../../platform/bounded_cache.ts";

/** Maximum number of fetches in one window: from one host, in total, and because of the requests of one network. */
const maxFetchesPerHost = 60;
const maxFetches = 600;
const maxFetchesPerNetwork = 30;
/** Maximum number of fetches at a time for clients that are not in use: in total, and because of one network. */
const maxOpenFetches = 40;
const maxOpenFetchesPerNetwork = 8;
/** The part of the remaining fetches that one domain gets, for clients in use. */
const domainShare = 1 / 10;
const ofOneNetwork = ", because of one network";
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
  constructor(limit: number, during: string, from: string, retryAfter: number) {
    const expected = `at most ${limit} fetches ${during} from ${from}`;
    super(`expected ${expected}, received one more`);
    this.expected = expected;
    this.retryAfter = retryAfter;
  }
}

export interface FetchCause {
  /** Whether the client is in use, or approved. */
  readonly isInUse: boolean;
  /** The address of the sender of the request; absent if unknown. */
  readonly address?: string;
}

/** @internal */
export interface FetchLimiter {
  /**
   * Counts a fetch, and makes it.
   *
   * @throws {FetchLimitError} Before the fetch, if too many were made in this window: from its host, in total, for a
   *   client in use from its domain, or for another client because of requests of this network. For another client also
   *   if too many have not ended.
   */
  run<T>(url: string, cause: FetchCause, fetch: () => Promise<T>): Promise<T>;
  clear(): void;
}

interface FetchWindow {
  count: number;
  readonly until: number;
}

/** Creates a limiter that counts in memory. `now` is the clock, in milliseconds. */
export function fetchLimiter(now: () => number): FetchLimiter {
  const networks = boundedCache<FetchWindow>(maxTrackedHosts);
  const domains = boundedCache<FetchWindow>(maxTrackedHosts);
  const [inUse, others] = [fetchCounters(), fetchCounters()];
  // If the clock was set back, a window counts as over.
  const isOpen = ({ until }: FetchWindow) => now() < until && until <= now() + windowMs;
  const newWindow = (): FetchWindow => ({ count: 0, until: now() + windowMs });

  function assertBelow(limit: number, { count, until }: FetchWindow, from: string): void {
    if (count < limit) return;
    throw new FetchLimitError(limit, `in ${windowMs / 1000} seconds`, from, Math.ceil((until - now()) / 1000));
  }

  function openWindow(windows: BoundedCache<FetchWindow>, key: string): FetchWindow {
    let found = windows.get(key);
    if (found === undefined || !isOpen(found)) windows.set(key, found = newWindow());
    return found;
  }

  /** The fetches that have not ended, for clients that are not in use: their networks. */
  const open: (string | undefined)[] = [];

  function assertFewOpen(network: string | undefined): void {
    const ofNetwork = network === undefined ? 0 : open.filter((one) => one === network).length;
    for (
      const [count, limit, cause] of [[open.length, maxOpenFetches, ""], [
        ofNetwork,
        maxOpenFetchesPerNetwork,
        ofOneNetwork,
      ]] as const
    ) {
      if (count >= limit) throw new FetchLimitError(limit, "at a time", `clients that are not in use${cause}`, 1);
    }
  }

  return {
    run(url, { isInUse, address }, fetch) {
      const network = isInUse || address === undefined ? undefined : networkFromAddress(address, sitePrefixBits);
      if (!isInUse) assertFewOpen(network);
      const counters = isInUse ? inUse : others;
      if (!isOpen(counters.total)) counters.total = newWindow();
      const { total } = counters;
      // All ports of a host are one host.
      const hostname = new URL(url).hostname.replace(/\.$/, "");
      const name = registrableDomain(hostname);
      const domain = isInUse ? openWindow(domains, name) : undefined;
      if (domain?.count !== 0) assertBelow(maxFetches, total, "all hosts");
      const host = openWindow(counters.hosts, hostname);
      assertBelow(maxFetchesPerHost, host, hostname);
      if (domain !== undefined) {
        const remaining = maxFetches - (total.count - domain.count);
        assertBelow(Math.max(1, Math.floor(remaining * domainShare)), domain, name);
        domain.count++;
      } else if (network !== undefined) {
        const ofNetwork = openWindow(networks, network);
        assertBelow(maxFetchesPerNetwork, ofNetwork, `clients that are not in use${ofOneNetwork}`);
        ofNetwork.count++;
      }
      host.count++;
      total.count++;
      if (isInUse) return fetch();
      open.push(network);
      return fetch().finally(() => open.splice(open.indexOf(network), 1));
    },
    clear() {
      for (const windows of [networks, domains, inUse.hosts, others.hosts]) windows.clear();
      inUse.total = others.total = { count: 0, until: 0 };
    },
  };
}

/** The counters of one kind of clients. */
function fetchCounters(): { readonly hosts: BoundedCache<FetchWindow>; total: FetchWindow } {
  return { hosts: boundedCache(maxTrackedHosts), total: { count: 0, until: 0 } };
}

/** Second labels below which country-code domains are registered, such as `co.uk`. */
const secondLevelLabels = ["ac", "co", "com", "edu", "go", "gov", "ne", "net", "or", "org"];

/**
 * The domain that was registered, approximately: the last two labels of a name, or three below a second-level domain
 * such as `co.uk`. There is no list of public suffixes: customers of a host such as `github.io` share one domain.
 * An address stands for its network, because one host controls a whole IPv6 network.
 */
function registrableDomain(hostname: string): string {
  const address = hostname.replace(/^\[|\]$/g, "");
  if (isAddress(address)) return networkFromAddress(address);
  const labels = hostname.split(".");
  const isSecondLevel = labels.at(-1)!.length === 2 && secondLevelLabels.includes(labels.at(-2) ?? "");
  return labels.slice(isSecondLevel ? -3 : -2).join(".");
}
