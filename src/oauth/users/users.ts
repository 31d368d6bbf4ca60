/** Guest users: created on the login page, for a limited time. */

import type { MaybePromise } from "../maybe_promise.ts";
import type { User } from "../clients/client.ts";
import type { Server } from "../server.ts";

/**
 * Creates a guest user, kept as long as any of its grants can be valid. `undefined` if the subject is taken.
 *
 * @param user Must be valid.
 */
export function createGuestUser({ users, settings, now }: Server, user: User): MaybePromise<User | undefined> {
  const { lifetimes } = settings;
  return users.add(user, now() + Math.max(lifetimes.session, lifetimes.refresh_token) * 1000);
}
