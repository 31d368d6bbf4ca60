/** The people a server knows: those of its configuration, and those who were made up on its login page. */

import type { Soon } from "../maybe_promise.ts";
import type { User } from "../clients/client.ts";
import { meet } from "../clients/repository.ts";
import { shelfId } from "../secrets.ts";
import type { Server } from "../server.ts";

/** Finds a user. Guest users are read from the store, because another instance may have created them. */
export function findUser(server: Server, sub: string): Soon<User | undefined> {
  return server.users.find(sub) ?? lookFor(server, sub);
}

async function lookFor(server: Server, sub: string): Promise<User | undefined> {
  await meet(server.users, sub);
  const known = server.users.find(sub);
  // Existing guest users are ignored if guest users are no longer allowed.
  if (known !== undefined || server.openLogin !== true) return known;
  const kept = await server.store.get("person", await shelfId(server, sub));
  if (kept === undefined || kept.spentAt !== undefined || server.now() >= kept.expiresAt) return undefined;
  return server.users.set(kept.value.user, false);
}

/** Removes a guest user from the store, for all instances; the subject can be used again. */
export async function dismiss(server: Server, sub: string): Promise<void> {
  await server.store.spend("person", await shelfId(server, sub), server.now());
}

/**
 * Creates a guest user, kept as long as any grant of theirs can be valid.
 *
 * @param user Free of faults.
 * @returns `undefined` where there is one of that name already: nobody is replaced by being typed in.
 */
export async function introduce(server: Server, user: User): Promise<User | undefined> {
  if (await findUser(server, user.sub) !== undefined) return undefined;
  const { session, refresh_token } = server.lifetimes;
  const expiresAt = server.now() + Math.max(session, refresh_token) * 1000;
  const { store } = server;
  const id = await shelfId(server, user.sub);
  // Added only after the store accepted it: the store may fail, or another instance may have created the same subject.
  if (!await store.add("person", id, { user }, { expiresAt })) {
    if ((await store.get("person", id))?.spentAt === undefined) return undefined;
    await store.put("person", id, { user }, { expiresAt });
  }
  return server.users.set(user, false);
}
