/** Password verification: one attempt at a time, rate-limited, and equally slow for unknown users (timing attack). */

import { getPasswordDigest, maxPasswordBytes, passwordCost, type PasswordDigest } from "../config/password_digest.ts";
import type { User } from "../../core/clients/client.ts";
import type { HostedServer } from "../hosted_server.ts";
import { networkFromAddress, sitePrefixBits } from "../../platform/http/ip_address.ts";
import type { AuthenticationAttempt } from "../hosting/rate_limiter.ts";

/** The result of an attempt; the seconds to wait if attempts are rate-limited. */
type PasswordResult = "right" | "wrong" | { readonly retryAfterSeconds: number };

/** Verifies a password. `user` is the user with the typed subject, if one exists. */
export type VerifyPassword = (
  server: HostedServer,
  guess: { readonly sub: string; readonly user?: User; readonly password: string; readonly address?: string },
) => Promise<PasswordResult>;

/** Maximum number of attempts in the queue; further ones are rejected with a time to wait. */
const maxQueueLength = 100;

/**
 * Limits in that queue: per network, per network once half of the queue is taken (`busy`), and per site. No network or
 * site can block all others.
 */
const maxQueued = { network: 4, busy: 1, site: 25 } as const;

/** The length of the prefix that identifies a site, in bits. */
const networkPrefixBits = 56;

/**
 * Creates a verifier. scrypt is expensive on purpose, so attempts run one after another: they need no more memory than
 * one attempt, and the rate limiter counts each before the next one starts.
 */
export function passwordVerifier(): VerifyPassword {
  let lastVerification: Promise<unknown> = Promise.resolve();
  let queueLength = 0;
  const queuedByPrefix = new Map<string, number>();
  const distinctCosts = costCollector();

  async function verify(server: HostedServer, { sub, user, password, address = "" }: Parameters<VerifyPassword>[1]) {
    const attempt: AuthenticationAttempt = { client: `user ${sub}`, address };
    const retryAfterSeconds = server.rateLimiter?.retryAfter(attempt) ?? 0;
    if (retryAfterSeconds > 0) return { retryAfterSeconds };
    const { verifyPassword } = await import("../../platform/runtime/scrypt.ts");
    const digest = user && getPasswordDigest(user);
    const isWithinLimit = new TextEncoder().encode(password).length <= maxPasswordBytes;
    let isCorrect = false;
    for (const cost of await distinctCosts(server, user)) {
      const isOwnCost = digest !== undefined && costKey(digest) === costKey(cost);
      const matches = await verifyPassword(isWithinLimit ? password : "", isOwnCost ? digest : dummyDigest(cost));
      if (isOwnCost) isCorrect = matches && isWithinLimit;
    }
    if (!isCorrect) server.rateLimiter?.recordFailure(attempt);
    return isCorrect ? "right" : "wrong";
  }

  return async (server, credentials) => {
    const address = credentials.address ?? "";
    const limits = [
      {
        key: networkFromAddress(address, networkPrefixBits),
        most: queueLength < maxQueueLength / 2 ? maxQueued.network : maxQueued.busy,
      },
      { key: `site ${networkFromAddress(address, sitePrefixBits)}`, most: maxQueued.site },
    ];
    const isFull = limits.some(({ key, most }) => (queuedByPrefix.get(key) ?? 0) >= most);
    if (queueLength >= maxQueueLength || isFull) return { retryAfterSeconds: 1 };
    queueLength++;
    for (const { key } of limits) queuedByPrefix.set(key, (queuedByPrefix.get(key) ?? 0) + 1);
    const verification = lastVerification.then(() => verify(server, credentials));
    lastVerification = verification.catch(() => {}).finally(() => {
      queueLength--;
      for (const { key } of limits) {
        const remaining = queuedByPrefix.get(key)! - 1;
        if (remaining === 0) queuedByPrefix.delete(key);
        else queuedByPrefix.set(key, remaining);
      }
    });
    return await verification;
  };
}

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
