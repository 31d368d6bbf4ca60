/**
 * Generations of users. A user who is added at run time is of a new generation, also if a user with the same subject was
 * removed before: what was issued for the removed user carries its generation, and stays invalid. A configured user who
 * was never removed has no generation, and an edited user keeps its own.
 *
 * Sessions, grants and access tokens carry the generation, so the check reads only the user.
 */

import type { User } from "../clients/client.ts";
import { chain, type MaybePromise } from "../maybe_promise.ts";
import type { Server } from "../server.ts";

const generationByUser = new WeakMap<User, string>();

/** Sets the generation of a parsed user. */
export function assignGeneration(user: User, generation: string | undefined): void {
  if (generation === undefined) generationByUser.delete(user);
  else generationByUser.set(user, generation);
}

/** The generation of a registered user; `undefined` for a configured user who was never removed. */
export function generationOf(user: User): string | undefined {
  return generationByUser.get(user);
}

/** The generation that a user has now; `undefined` also without such a user. */
export function currentGeneration(server: Server, sub: string): MaybePromise<string | undefined> {
  return chain(server.users.find(sub), (user) => user && generationOf(user));
}

/**
 * The user that something was issued for.
 *
 * @param generation The generation of the user at that time.
 * @returns `undefined` if the user was removed, also if another one with the same subject was added since.
 */
export function findUser(
  server: Server,
  sub: string,
  generation: string | undefined,
): MaybePromise<User | undefined> {
  return chain(server.users.find(sub), (user) => {
    if (user === undefined || generationOf(user) === generation) return user;
    // Another instance may have replaced the user a moment ago.
    return chain(
      server.users.reload(sub),
      (reloaded) => reloaded && generationOf(reloaded) === generation ? reloaded : undefined,
    );
  });
}
