/** Password verification: in turn, rate-limited, and equally slow for unknown users (timing attack). */

import {
  digestName,
  getPassword,
  getPasswordDigest,
  maxPasswordBytes,
  passwordCost,
  type PasswordDigest,
} from "../config/password_digest.ts";
import { sha256 } from "../../core/keys/crypto.ts";
import { constantTimeEqual } from "../../core/keys/secrets.ts";
import { boundedCache } from "../../platform/bounded_cache.ts";
import type { User } from "../../core/clients/client.ts";
import type { HostedServer } from "../hosted_server.ts";
import { networkFromAddress, sitePrefixBits } from "../../platform/http/ip_address.ts";
import type { AuthenticationAttempt } from "../clients/rate_limiter.ts";
import type { Guess, PasswordResult, VerifyPassword } from "./password_attempt.ts";

/** Maximum number of waiting attempts. Further ones are rejected with a time to wait. */
const maxWaiting = 100;

/** How long the last attempt for a name counts, in milliseconds: the window of the rate limiter. */
const recentMs = 60_000;

/** Maximum number of names whose last attempt is remembered, and the number of their characters that count. */
const maxRecentNames = 20_000;
const maxSubLength = 256;

interface WaitingAttempt {
  readonly sub: string;
  /** Decides whose turn it is: 0 is first. */
  readonly rank: () => 0 | 1 | 2;
  /** Ends the wait: the attempt is verified, or rejected. */
  readonly end: (isVerified: boolean) => void;
}

/**
 * Creates a verifier. scrypt is expensive on purpose, so few attempts run at a time, and one of each name. First comes
 * the first attempt for a name within a minute, from a browser where this user has logged in before; last come those
 * from other browsers for a name whose last attempt failed, wherever it came from. Within these groups networks take
 * turns (IPv6: sites), and so do the names of a network. So a first attempt waits for at most one wrong password of each
 * other name, and for one attempt of each other network whenever it is the turn of its own.
 *
 * Names that no user has are treated as all others: if they came last, the time that others wait would reveal them. If
 * too many attempts wait, one gives way: of the name with most attempts from its network, or else of the last group.
 */
export function passwordVerifier(): VerifyPassword<HostedServer> {
  // One core stays free; so does one of the four threads on which Node hashes, signs and looks up names.
  const maxRunning = Math.min(3, Math.max(1, (globalThis.navigator?.hardwareConcurrency ?? 1) - 1));
  /** The waiting attempts by site, and by name with the kind of browser, each in the order of the turns. */
  const sites = new Map<string, Map<string, readonly WaitingAttempt[]>>();
  /** The names of the running attempts. */
  const running = new Set<string>();
  const lastAttempts = boundedCache<{ readonly at: number; readonly isCorrect: boolean }>(maxRecentNames);
  const distinctCosts = costCollector();

  /** The last attempt for a name, if it was within a minute. */
  function recentAttempt({ now }: HostedServer, sub: string) {
    const last = lastAttempts.get(sub.slice(0, maxSubLength));
    return last !== undefined && now() - last.at < recentMs ? last : undefined;
  }

  function rankOf(server: HostedServer, { sub, isKnownBrowser }: Guess): 0 | 1 | 2 {
    const recent = recentAttempt(server, sub);
    if (isKnownBrowser) return recent === undefined ? 0 : 1;
    return recent?.isCorrect === false ? 2 : 1;
  }

  async function verify(server: HostedServer, { sub, user, password, address = "" }: Guess) {
    const attempt: AuthenticationAttempt = { client: `user ${sub}`, address };
    // The limiter also counts the failures of other names of this network, which reject no first attempt.
    const hasFailed = recentAttempt(server, sub)?.isCorrect === false;
    const retryAfterSeconds = server.rateLimiter?.retryAfter(attempt) ?? 0;
    if (hasFailed && retryAfterSeconds > 0) return { retryAfterSeconds };
    const known = user && getPassword(user);
    const isCorrect = known !== undefined && digestName(known) === undefined
      ? constantTimeEqual(await sha256(known.normalize("NFKC")), await sha256(password.normalize("NFKC")))
      : await hasDigest(server, user, password);
    lastAttempts.set(sub.slice(0, maxSubLength), { at: server.now(), isCorrect });
    if (!isCorrect) server.rateLimiter?.recordFailure(attempt);
    return isCorrect ? "right" : "wrong";
  }

  async function hasDigest(server: HostedServer, user: User | undefined, password: string): Promise<boolean> {
    const { verifyPassword } = await import("../../platform/runtime/scrypt.ts");
    const digest = user && getPasswordDigest(user);
    const isWithinLimit = new TextEncoder().encode(password).length <= maxPasswordBytes;
    let isCorrect = false;
    for (const cost of await distinctCosts(server, user)) {
      const isOwnCost = digest !== undefined && costKey(digest) === costKey(cost);
      const matches = await verifyPassword(isWithinLimit ? password : "", isOwnCost ? digest : dummyDigest(cost));
      if (isOwnCost) isCorrect = matches && isWithinLimit;
    }
    return isCorrect;
  }

  /** Takes the attempt whose turn it is. The next turns of its site and name come after those of the others. */
  function takeNext(): WaitingAttempt | undefined {
    for (const rank of [0, 1, 2]) {
      for (const [site, names] of sites) {
        for (const [name, [next, ...others]] of names) {
          if (running.has(next!.sub) || next!.rank() !== rank) continue;
          names.delete(name);
          if (others.length > 0) names.set(name, others);
          sites.delete(site);
          if (names.size > 0) sites.set(site, names);
          return next;
        }
      }
    }
  }

  function startNext(): void {
    while (running.size < maxRunning) {
      const next = takeNext();
      if (next === undefined) return;
      running.add(next.sub);
      next.end(true);
    }
  }

  /** Rejects an attempt if too many wait: the last of its name. */
  function limitWaiting(): void {
    const queues = [...sites].flatMap(([site, names]) =>
      [...names].map(([name, waiting]) => ({ site, names, name, waiting, rank: waiting[0]!.rank() }))
    );
    if (queues.reduce((count, { waiting }) => count + waiting.length, 0) <= maxWaiting) return;
    // Of equals, the newest is the last.
    queues.sort((a, b) => a.waiting.length - b.waiting.length || a.rank - b.rank || a.names.size - b.names.size);
    const { site, names, name, waiting } = queues.at(-1)!;
    names.set(name, waiting.slice(0, -1));
    if (waiting.length === 1) names.delete(name);
    if (names.size === 0) sites.delete(site);
    waiting.at(-1)!.end(false);
  }

  return async (server, guess) => {
    const { sub, address = "", isKnownBrowser = false } = guess;
    const isVerified = await new Promise<boolean>((end) => {
      const site = networkFromAddress(address, sitePrefixBits);
      const names = sites.get(site) ?? new Map<string, readonly WaitingAttempt[]>();
      const name = `${isKnownBrowser} ${sub}`;
      names.set(name, [...names.get(name) ?? [], { sub, rank: () => rankOf(server, guess), end }]);
      sites.set(site, names);
      startNext();
      limitWaiting();
    });
    if (!isVerified) return tooMany;
    try {
      return await verify(server, guess);
    } finally {
      running.delete(sub);
      startNext();
    }
  };
}

const tooMany: PasswordResult = { retryAfterSeconds: 1 };

type ScryptCost = Pick<PasswordDigest, "ln" | "r" | "p">;

/** Time after which the users of the store are listed again for their costs, in milliseconds by the server's clock. */
const costListIntervalMs = 10 * 60_000;

/**
 * Creates a function that returns one digest for each scrypt cost in use. Timing attack: every login attempt is
 * verified once at each cost, whatever name it has, so that the time does not reveal whether the user exists. Users of
 * a persistent store are listed for it every {@link costListIntervalMs}.
 */
function costCollector(): (server: HostedServer, user: User | undefined) => Promise<readonly ScryptCost[]> {
  const costs = new Map<string, ScryptCost>();
  let listedAt = -Infinity;
  const add = (user: User) => {
    const digest = getPasswordDigest(user);
    if (digest !== undefined) costs.set(costKey(digest), digest);
  };
  return async ({ users, store, now }, user) => {
    if (store.persistent && Math.abs(now() - listedAt) >= costListIntervalMs) {
      const startedAt = now();
      let page: readonly User[] = [];
      do {
        page = await users.list({ after: page.at(-1)?.sub, limit: 1000 });
        page.forEach(add);
      } while (page.length > 0);
      listedAt = startedAt;
    } else if (!store.persistent) {
      costs.clear();
    }
    users.known().forEach(add);
    if (user !== undefined) add(user);
    return costs.size === 0 ? [passwordCost] : [...costs.values()];
  };
}

function costKey({ ln, r, p }: ScryptCost): string {
  return `${ln} ${r} ${p}`;
}

/** A digest that no password matches. */
function dummyDigest({ ln, r, p }: ScryptCost): PasswordDigest {
  return { ln, r, p, salt: new Uint8Array(passwordCost.salt), hash: new Uint8Array(passwordCost.hash) };
}
