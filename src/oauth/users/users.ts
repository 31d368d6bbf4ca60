/**
 * Users that requests name or create: the user of a `login_hint`, and guest users, which are kept for a limited time.
 */

import type { MaybePromise } from "../maybe_promise.ts";
import type { User } from "../clients/client.ts";
import type { Server } from "../server.ts";

/** Maximum number of users, configured ones included, up to which guest users are created. */
export const maxUsers = 1000;

/** Maximum number of users of the store that are searched for a `login_hint`. */
const maxSearchedUsers = 1000;

/** Whether a `login_hint` names this user: by `sub`, e-mail address or `preferred_username`. */
export function matchesLoginHint(hint: string, { sub, email, preferred_username }: User): boolean {
  return sub === hint || preferred_username === hint ||
    typeof email === "string" && email.toLowerCase() === hint.toLowerCase();
}

/** The user that a `login_hint` names, by `sub`, e-mail address or `preferred_username`. */
export async function userForHint({ users }: Pick<Server, "users">, hint: string): Promise<User | undefined> {
  const isHinted = (user: User) => matchesLoginHint(hint, user);
  return await users.find(hint) ?? users.allCached().find(isHinted) ??
    (await users.list({ limit: maxSearchedUsers })).find(isHinted);
}

/**
 * Creates a guest user, kept as long as any of its grants can be valid. `undefined` if the subject is taken.
 *
 * @param user Must be valid.
 */
export function createGuestUser({ users, settings, now }: Server, user: User): MaybePromise<User | undefined> {
  const { lifetimes } = settings;
  return users.add(user, now() + Math.max(lifetimes.session, lifetimes.refresh_token) * 1000);
}
