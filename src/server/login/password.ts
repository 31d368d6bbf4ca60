/** Password verification: in fair turns, rate-limited, and equally slow for unknown users (timing attack). */

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

/** Maximum number of waiting attempts: in total, and of one network. Further ones are rejected with a time to wait. */
const maxWaiting = 100;
const maxWaitingPerNetwork = 4;

/** The length of the prefix that identifies a network in the queue, in bits. */
const networkPrefixBits = 56;

/** An attempt that waits for its turn. */
interface WaitingAttempt {
  readonly network: string;
  /** Ends the wait: the attempt is verified, or rejected. */
  readonly end: (isVerified: boolean) => void;
}

/**
 * Creates a verifier. scrypt is expensive on purpose, so few attempts run at a time. Sites take turns, and while one
 * attempt of a site runs, its others wait: an attempt waits for at most one of every other site, and the rate limiter
 * counts each attempt of a site before the next one starts. If too many wait, the newest one of the fullest site gives
 * way. No network or site can block others.
 */
export function passwordVerifier(): VerifyPassword {
  // One core stays free; so does one of the four threads on which Node hashes, signs and looks up names.
  const maxRunning = Math.min(3, Math.max(1, (globalThis.navigator?.hardwareConcurrency ?? 1) - 1));
  /** The waiting attempts by site, in the order of the turns of the sites. */
  const sites = new Map<string, WaitingAttempt[]>();
  /** The sites of the running attempts. */
  const running = new Set<string>();
  const distinctCosts = costCollector();

  async function verify(server: HostedServer, { sub, user, password, address = "" }: Parameters<VerifyPassword>[1]) {
    const attempt: AuthenticationAttempt = { client: `user ${sub}`, address };
    const retryAfterSeconds = server.rateLimiter?.retryAfter(attempt) ?? 0;
    if (retryAfterSeconds > 0) return { retryAfterSeconds };
    const known = user && getPassword(user);
    const isCorrect = known !== undefined && digestName(known) === undefined
      ? constantTimeEqual(await sha256(known.normalize("NFKC")), await sha256(password.normalize("NFKC")))
      : await hasDigest(server, user, password);
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

  function startNext(): void {
    for (const [site, waiting] of sites) {
      if (running.size >= maxRunning) return;
      if (running.has(site)) continue;
      running.add(site);
      // The next turn of this site comes after those of the others.
      sites.delete(site);
      const [next, ...others] = waiting;
      if (others.length > 0) sites.set(site, others);
      next!.end(true);
    }
  }

  /** Rejects an attempt if too many wait. Of equally full sites, that of the newest gives way. */
  function limitWaiting(newest: string): void {
    const lengthOf = (site: string) => sites.get(site)!.length;
    let [count, fullest] = [0, newest];
    for (const [site, { length }] of sites) {
      count += length;
      if (length > lengthOf(fullest)) fullest = site;
    }
    if (count <= maxWaiting) return;
    const waiting = sites.get(fullest)!;
    waiting.pop()!.end(false);
    if (waiting.length === 0) sites.delete(fullest);
  }

  return async (server, credentials) => {
    const { address = "" } = credentials;
    const network = networkFromAddress(address, networkPrefixBits);
    const site = networkFromAddress(address, sitePrefixBits);
    const waiting = sites.get(site) ?? [];
    if (waiting.filter((attempt) => attempt.network === network).length >= maxWaitingPerNetwork) return tooMany;
    const isVerified = await new Promise<boolean>((end) => {
      sites.set(site, [...waiting, { network, end }]);
      startNext();
      if (sites.has(site)) limitWaiting(site);
    });
    if (!isVerified) return tooMany;
    try {
      return await verify(server, credentials);
    } finally {
      running.delete(site);
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
