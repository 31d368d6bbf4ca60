/** Whether a password is right: guesses one after the other, counted before they are made, the unknown user like a known one. */

import type { PasswordDigest } from "../oauth/users/password.ts";
import { digestOf, passwordCost, passwordLimit } from "../oauth/users/password.ts";
import type { User } from "../oauth/clients/client.ts";
import type { Server } from "../oauth/server.ts";
import { networkOf, sitePrefix } from "../oauth/client_network.ts";
import type { Guesser } from "../oauth/rate_limiter.ts";

/** What became of a guess; where guessing is slowed down, the seconds to wait. */
export type Verdict = "right" | "wrong" | { readonly wait: number };

/** Judges a password for a subject; `user` is whom the subject names, if anybody. */
export type ProvePassword = (
  server: Server,
  guess: { readonly sub: string; readonly user?: User; readonly password: string; readonly address?: string },
) => Promise<Verdict>;

/** Guesses that may wait for their turn; who comes then is told to wait. */
const longestQueue = 100;

/**
 * Limits in that queue: per network, per network once half of the queue is taken (`busy`), and per site. No network or
 * site can block all others.
 */
const longestOf = { network: 4, busy: 1, site: 25 } as const;

/** The length of the prefix that identifies a site, in bits. */
const networkPrefix = 56;

/**
 * Makes a judge of passwords. A digest is dear on purpose, so guesses take turns: together they take no more memory than
 * one, and each sees how the one before it ended.
 */
export function passwordProof(): ProvePassword {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const queued = new Map<string, number>();

  async function judge(server: Server, { sub, user, password, address = "" }: Parameters<ProvePassword>[1]) {
    const who: Guesser = { client: `user ${sub}`, address };
    const wait = server.throttle?.wait(who) ?? 0;
    if (wait > 0) return { wait };
    const { isPassword } = await import("../runtime/scrypt.ts");
    const digest = user && digestOf(user);
    const fits = new TextEncoder().encode(password).length <= passwordLimit;
    let right = false;
    for (const other of oneOfEachCost(server)) {
      const own = digest !== undefined && costOf(digest) === costOf(other);
      const matches = await isPassword(fits ? password : "", own ? digest : dummyOf(other));
      if (own) right = matches && fits;
    }
    if (!right) server.throttle?.fail(who);
    return right ? "right" : "wrong";
  }

  return async (server, guess) => {
    const address = guess.address ?? "";
    const places = [
      { key: networkOf(address, networkPrefix), most: waiting < longestQueue / 2 ? longestOf.network : longestOf.busy },
      { key: `site ${networkOf(address, sitePrefix)}`, most: longestOf.site },
    ];
    const isFull = places.some(({ key, most }) => (queued.get(key) ?? 0) >= most);
    if (waiting >= longestQueue || isFull) return { wait: 1 };
    waiting++;
    for (const { key } of places) queued.set(key, (queued.get(key) ?? 0) + 1);
    const turn = last.then(() => judge(server, guess));
    last = turn.catch(() => {}).finally(() => {
      waiting--;
      for (const { key } of places) {
        const left = queued.get(key)! - 1;
        if (left === 0) queued.delete(key);
        else queued.set(key, left);
      }
    });
    return await turn;
  };
}

type Cost = Pick<PasswordDigest, "ln" | "r" | "p">;

/**
 * One digest for each scrypt cost in use. Timing attack: every login attempt is verified once at each cost, whatever
 * name it has, so that the time does not reveal whether the user exists.
 */
function oneOfEachCost({ users }: Server): readonly Cost[] {
  const found = new Map<string, Cost>();
  for (const user of users.all()) {
    const digest = digestOf(user);
    if (digest !== undefined) found.set(costOf(digest), digest);
  }
  return found.size === 0 ? [passwordCost] : [...found.values()];
}

function costOf({ ln, r, p }: Cost): string {
  return `${ln} ${r} ${p}`;
}

/** A digest that no password matches. */
function dummyOf({ ln, r, p }: Cost): PasswordDigest {
  return { ln, r, p, salt: new Uint8Array(passwordCost.salt), hash: new Uint8Array(passwordCost.hash) };
}
