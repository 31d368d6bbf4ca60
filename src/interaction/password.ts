/** Whether a password is right: guesses one after the other, counted before they are made, the unknown user like a known one. */

import type { PasswordDigest } from "../oauth/password.ts";
import { digestOf, passwordCost, passwordLimit } from "../oauth/password.ts";
import type { User } from "../oauth/client.ts";
import type { Server } from "../oauth/server.ts";
import { networkOf } from "../oauth/throttle.ts";
import type { Guesser } from "../oauth/throttle.ts";

/** What became of a guess; where guessing is slowed down, the seconds to wait. */
export type Verdict = "right" | "wrong" | { readonly wait: number };

/** Judges a password for a subject; `user` is whom the subject names, if anybody. */
export type ProvePassword = (
  server: Server,
  guess: { readonly sub: string; readonly user?: User; readonly password: string; readonly address?: string },
) => Promise<Verdict>;

/** Guesses that may wait for their turn; who comes then is told to wait. */
const longestQueue = 100;

/** Of those, from one network: nobody is to keep everybody else waiting. */
const longestOfOne = 4;

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
    const from = networkOf(guess.address ?? "");
    const own = queued.get(from) ?? 0;
    if (waiting >= longestQueue || own >= longestOfOne) return { wait: 1 };
    waiting++;
    queued.set(from, own + 1);
    const turn = last.then(() => judge(server, guess));
    last = turn.catch(() => {}).finally(() => {
      waiting--;
      const left = queued.get(from)! - 1;
      if (left === 0) queued.delete(from);
      else queued.set(from, left);
    });
    return await turn;
  };
}

type Cost = Pick<PasswordDigest, "ln" | "r" | "p">;

/**
 * A digest of each cost that users of this server have. Every guess is checked once at each of them, whomever it names:
 * otherwise the time would tell users apart from each other and from nobody.
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

/** A digest that no password has. */
function dummyOf({ ln, r, p }: Cost): PasswordDigest {
  return { ln, r, p, salt: new Uint8Array(passwordCost.salt), hash: new Uint8Array(passwordCost.hash) };
}
