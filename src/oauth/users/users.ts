/** The people a server knows: those of its configuration, and those who were made up on its login page. */

import type { MaybePromise } from "../maybe_promise.ts";
import type { User } from "../clients/client.ts";
import { refreshIfUnknown } from "../clients/repository.ts";
import { storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";

/** Finds a user. Guest users are read from the store, because another instance may have created them. */
export function findUser(server: Server, sub: string): MaybePromise<User | undefined> {
  return server.users.find(sub) ?? loadUser(server, sub);
}

async function loadUser(server: Server, sub: string): Promise<User | undefined> {
  await refreshIfUnknown(server.users, sub);
  const user = server.users.find(sub);
  // Existing guest users are ignored if guest users are no longer allowed.
  if (user !== undefined || server.openLogin !== true) return user;
  const record = await server.store.get("person", await storageKey(server, sub));
  if (record === undefined || record.consumedAt !== undefined || server.now() >= record.expiresAt) return undefined;
  return server.users.set(record.value.user, false);
}

/** Removes a guest user from the store, for all instances; the subject can be used again. */
export async function deleteGuestUser(server: Server, sub: string): Promise<void> {
  await server.store.consume("person", await storageKey(server, sub), server.now());
}

/**
 * Creates a guest user, kept as long as any grant of theirs can be valid.
 *
 * @param user Free of faults.
 * @returns `undefined` where there is one of that name already: nobody is replaced by being typed in.
 */
export async function createGuestUser(server: Server, user: User): Promise<User | undefined> {
  if (await findUser(server, user.sub) !== undefined) return undefined;
  const { session, refresh_token } = server.lifetimes;
  const expiresAt = server.now() + Math.max(session, refresh_token) * 1000;
  const { store } = server;
  const id = await storageKey(server, user.sub);
  // Added only after the store accepted it: the store may fail, or another instance may have created the same subject.
  if (!await store.add("person", id, { user }, { expiresAt })) {
    if ((await store.get("person", id))?.consumedAt === undefined) return undefined;
    await store.put("person", id, { user }, { expiresAt });
  }
  return server.users.set(user, false);
}
